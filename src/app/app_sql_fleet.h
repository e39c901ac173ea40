/* SPDX-License-Identifier: MIT */
#ifndef APP_SQL_FLEET_H
#define APP_SQL_FLEET_H

#include "app/app_args.h"

/* Print the answer to QUERY for all hosts of ARGS->fleet together.  False with an error.  Call it before any
 * thread exists. */
bool app_sql_fleet(const struct app_args *args, const char *query, GError **error);

#endif
