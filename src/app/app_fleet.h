/* SPDX-License-Identifier: MIT */
#ifndef APP_FLEET_H
#define APP_FLEET_H

#include "app/app_args.h"

/* "fleet submit --slurm|--parallel LIST".  False with an error. */
bool app_fleet_submit(const struct app_args *args, GError **error);

/* Give up root's rights (app_confine()) if one of SOURCES (of struct flt_source) names a file of another
 * user.  False with an error. */
bool app_fleet_confine(const struct app_args *args, const GPtrArray *sources, GError **error);

#endif
