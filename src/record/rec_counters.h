/* SPDX-License-Identifier: MIT */
/* Counters that perf reads with each thread switch. */
#ifndef REC_COUNTERS_H
#define REC_COUNTERS_H

#include <glib.h>
#include <stdbool.h>

/* Return the counters for LIST, comma-separated names of perf, as a new array of char *; the caller unrefs.
 * *NOTE (the caller frees) names those that this machine lacks and the counters read instead; NULL: it has
 * all.  NULL with BASE_ERROR_USAGE. */
GPtrArray *rec_counters_new(const char *list, char **note, GError **error);
/* Return the group of COUNTERS with sched_switch, for perf record -e.  The caller frees. */
char *rec_counters_group(const GPtrArray *counters);
/* Return the event whose samples show where threads run, for perf record -e; static. */
const char *rec_counters_sampler(void);

#endif
