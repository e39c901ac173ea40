/* SPDX-License-Identifier: MIT */
/* Cases (spans of threads) that follow from the states or wake-ups of the thread alone.  They are not stored:
 * an outline (query/cases/kept.h) has, for every few hundred cases, where they begin and how long the longest
 * is.  A walk over the history finds them again from there, about as fast as reading them would be. */
#ifndef QRY_CASES_H
#define QRY_CASES_H

#include "query/cases/kept.h"

struct qry_cases;

/* Passes all cases of thread ROW to qry_cases_add(), in the order in which they begin.  It may omit those
 * that begin before FROM.  It uses only the history of ROW, so that it finds the same cases each time. */
typedef void qry_cases_walk(struct qry_cases *cases, uint32_t row, int64_t from);

/* ---- for walks ---- */

struct qry *qry_cases_of(const struct qry_cases *cases);
/* Add a case from START to END. FATE says if it has no end. False if no more cases are wanted. */
bool qry_cases_add(struct qry_cases *cases, int64_t start, int64_t end, enum mdl_span_fate fate);

/* Go to the thread's interval before the one that begins at FROM (or to its first); to its first wake-up at
 * or after FROM; to its first empty wake-up at or after FROM. */
void qry_cases_seek_states(struct qry_cases *cases, int64_t from);
void qry_cases_seek_wakeups(struct qry_cases *cases, int64_t from);
void qry_cases_seek_empty(struct qry_cases *cases, int64_t from);
/* The next N intervals, like qry_kernel_state_at() but without aux; the next N wake-ups, with only via, time,
 * since, ran_at and event_time.  Valid until the next call.  NULL at the end. */
const struct mdl_interval *qry_cases_states(struct qry_cases *cases, unsigned *n);
const struct mdl_wakeup *qry_cases_wakeups(struct qry_cases *cases, unsigned *n);
/* The time of the next wait that began and ended in the same nanosecond, which no history of states has.
 * False at the end. */
bool qry_cases_empty(struct qry_cases *cases, int64_t *time);

/* ---- for callers ---- */

/* Find the cases of all threads for KEPT.  False with BASE_ERROR_CANCELLED. */
bool qry_cases_find(struct qry_kept *kept, qry_cases_walk *walk, struct base_progress *progress,
	GError **error);
/* Find the cases of leaf number LEAF of FILE again, into SPANS (room for IDX_LEAF_SPANS).  Returns how many;
 * 0 if it is damaged. */
unsigned qry_cases_read(struct qry *q, qry_cases_walk *walk, struct idx_spans *file, uint32_t leaf,
	struct mdl_span *spans);

#endif
