/* SPDX-License-Identifier: MIT */
#ifndef APP_FLEET_SUBMIT_H
#define APP_FLEET_SUBMIT_H

#include "app/app_args.h"

/* "fleet submit --slurm|--parallel LIST".  False with an error. */
bool app_fleet_submit(const struct app_args *args, GError **error);

#endif
