/* SPDX-License-Identifier: MIT */
/* What the traces say now against what others, or another time, said before: --against and its window. */
#ifndef APP_AGAINST_H
#define APP_AGAINST_H

#include "app/app_session.h"

/* Measure what S asks for, of KIND, with values; into LENGTH how long the time is that it asks for.  NULL
 * with an error. */
typedef struct ana_latency *app_against_measure(struct app_session *s, const char *kind, int64_t *length,
	GError **error);

/* Append to OUT how what MEASURE finds of KIND differs. */
bool app_against_one(struct app_session *s, const char *kind, app_against_measure *measure, GString *out,
	GError **error);
/* The same of all KINDS, NULL-terminated, in one table; those of which one of the two has no answer are left
 * out. */
bool app_against_all(struct app_session *s, const char *const *kinds, app_against_measure *measure,
	GString *out, GError **error);

#endif
