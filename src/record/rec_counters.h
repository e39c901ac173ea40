/* SPDX-License-Identifier: MIT */
/* Counters that perf reads with each thread switch. */
#ifndef REC_COUNTERS_H
#define REC_COUNTERS_H

#include <glib.h>
#include <stdbool.h>

/* Make the counters for LIST, names of perf with commas between: a new array of char *; the caller unrefs.  *NOTE says
 * which of them this machine does not have, and what is read instead; NULL: it has all; the caller frees.  NULL with
 * BASE_ERROR_USAGE. */
GPtrArray *rec_counters_new(const char *list, char **note, GError **error);
/* The group of COUNTERS with sched_switch, for perf record -e.  The caller frees. */
char *rec_counters_group(const GPtrArray *counters);
/* The event whose samples show where threads run, for perf record -e; static. */
const char *rec_counters_sampler(void);

#endif
