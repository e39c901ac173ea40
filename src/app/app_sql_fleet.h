/* SPDX-License-Identifier: MIT */
#ifndef APP_SQL_FLEET_H
#define APP_SQL_FLEET_H

#include "app/app_args.h"

/* Answer QUERY for all hosts of ARGS->fleet together.  False with an error.  Call it before any thread exists. */
bool app_sql_fleet(const struct app_args *args, const char *query, GError **error);
/* Give up root's rights (app_confine()) if what one of SOURCES (of struct flt_source) names is another user's. */
bool app_confine_fleet(const struct app_args *args, const GPtrArray *sources, GError **error);

#endif
