/* SPDX-License-Identifier: MIT */
/*
 * Cases of threads that their states, or their wake-ups, have by themselves.  They are not stored: what is
 * kept of them (query/cases/kept.h) says where each few hundred begin, and how long the longest of these is;
 * a walk over the history from there finds them again, for about as much as reading them would take.
 */
#ifndef QRY_CASES_H
#define QRY_CASES_H

#include "query/cases/kept.h"

struct qry_cases;

/*
 * Tells qry_cases_add() all cases of thread ROW, in the order in which they begin; those that begin before
 * FROM are not needed.  It asks for nothing but the history of ROW, so that it finds the same each time.
 */
typedef void qry_cases_walk(struct qry_cases *cases, uint32_t row, int64_t from);

/* ---- for walks ---- */

struct qry *qry_cases_of(const struct qry_cases *cases);
/* A case from START to END, or, by its FATE, one without an end.  False: no more are wanted. */
bool qry_cases_add(struct qry_cases *cases, int64_t start, int64_t end, enum mdl_span_fate fate);

/* Go to the interval of the thread before that which begins at FROM (to the first one where there is none),
 * to its first wake-up at or after FROM, to the first of those that are empty. */
void qry_cases_seek_states(struct qry_cases *cases, int64_t from);
void qry_cases_seek_wakeups(struct qry_cases *cases, int64_t from);
void qry_cases_seek_empty(struct qry_cases *cases, int64_t from);
/* The next N intervals, as qry_kernel_state_at() tells them but for aux, or wake-ups, of which via, time,
 * since and ran_at are there; good until the next call; NULL: there are no more. */
const struct mdl_interval *qry_cases_states(struct qry_cases *cases, unsigned *n);
const struct mdl_wakeup *qry_cases_wakeups(struct qry_cases *cases, unsigned *n);
/* When the next wait was that began and ended at one instant, which is in no history of states; false: there
 * are no more. */
bool qry_cases_empty(struct qry_cases *cases, int64_t *time);

/* ---- for those who ask ---- */

/* Find those of all threads, for KEPT.  False with BASE_ERROR_CANCELLED. */
bool qry_cases_find(struct qry_kept *kept, qry_cases_walk *walk, struct base_progress *progress,
	GError **error);
/* Find again those of leaf number LEAF of FILE, into SPANS (room for IDX_LEAF_SPANS).  How many; 0: damaged.
 */
unsigned qry_cases_read(struct qry *q, qry_cases_walk *walk, struct idx_spans *file, uint32_t leaf,
	struct mdl_span *spans);

#endif
