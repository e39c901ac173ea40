/* SPDX-License-Identifier: MIT */
/* Finds the threads whose system calls the answers about some threads rest on, and where others run.  Private to
 * src/query. */
#ifndef QRY_THIN_H
#define QRY_THIN_H

#include "query/host/parts.h"
#include "trace/core/trc_cut.h"

/* The threads that answers about THREADS (of uint32_t, rows of HOST) in [FROM, TO), the host's own time, can tell of:
 * these, the others of their processes, who woke one of all these or had a part in that, and so on.  Returns a set
 * of TIDs (struct int64_t *), which the caller unrefs. */
GHashTable *qry_thin_callers(struct qry *q, uint32_t host, const GArray *threads, int64_t from, int64_t to);

/* Append to THIN, of struct trc_cut_range, where in RANGES (likewise, by CPU and time) a known thread runs that is not
 * in CALLERS.  The instants at which it comes and goes are left out: an event of that time can be another's. */
void qry_thin_ranges(struct qry *q, uint32_t host, GHashTable *callers, const GArray *ranges, GArray *thin);

#endif
