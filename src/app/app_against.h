/* SPDX-License-Identifier: MIT */
/* --against and its window: compares latencies with those of another recording, or of another time in the
 * same traces. */
#ifndef APP_AGAINST_H
#define APP_AGAINST_H

#include "app/app_session.h"

/* Measures KIND for the window of S, with values.  *LENGTH becomes the length of that window in ns.  Returns
 * NULL with an error. */
typedef struct ana_latency *app_against_measure(struct app_session *s, const char *kind, int64_t *length,
	GError **error);

/* Compare KIND, measured by MEASURE in both traces or windows, and append the result to OUT. */
bool app_against_one(struct app_session *s, const char *kind, app_against_measure *measure, GString *out,
	GError **error);
/* Like app_against_one() for all KINDS (NULL-terminated), in one table.  A kind is left out if one side has
 * no answer (BASE_ERROR_NO_ANSWER), or both have no case. */
bool app_against_all(struct app_session *s, const char *const *kinds, app_against_measure *measure,
	GString *out, GError **error);

#endif
