/* SPDX-License-Identifier: MIT */
/* Finds the threads whose system calls the answers about some threads need, and the times in which others
 * run. Private to src/query. */
#ifndef QRY_THIN_H
#define QRY_THIN_H

#include "query/host/parts.h"
#include "trace/core/trc_cut.h"

/* The threads that answers about THREADS (of uint32_t, rows of HOST) in [FROM, TO), by the host's own clock,
 * can name: these threads, the others of their processes, the threads that woke any of all these or had a
 * part in that, and so on. Returns a set of TIDs (struct int64_t *); the caller unrefs. */
GHashTable *qry_thin_callers(struct qry *q, uint32_t host, const GArray *threads, int64_t from, int64_t to);

/* Append to THIN (of struct trc_cut_range) the parts of RANGES (of the same type, by CPU and time) in which a
 * known thread runs that is not in CALLERS. The instants at which it arrives and leaves are not included,
 * because an event of that time may belong to another thread. */
void qry_thin_ranges(struct qry *q, uint32_t host, GHashTable *callers, const GArray *ranges, GArray *thin);

#endif
