/* SPDX-License-Identifier: MIT */
/*
 * The account of an interval of a thread: all of its time in parts, by what the thread was about and by whom
 * it is put down to.  Nothing is left out and nothing counted twice: the parts sum to the interval.
 */
#ifndef ANA_ACCOUNT_H
#define ANA_ACCOUNT_H

#include "analysis/account/case.h"
#include "base/base_progress.h"

/*
 * Tell SPAN the parts of [FROM, TO) of thread ROW, without hole or overlap: state by state in order of time,
 * and within a wait that others ended from its end to its beginning.  Costs as much as the critical path of
 * that time, and changes on the CPUs waited for.  When PROGRESS (NULL: none) is cancelled, what was to come
 * is missing.
 */
void ana_account_spans(struct qry *q, uint32_t row, int64_t from, int64_t to, struct base_progress *progress,
	ana_blame_span span, void *data);

/*
 * The same summed up.  Of each of N columns of the interval (0: none) the place of the part that had most of
 * it goes into MOST, UINT_MAX where there is none.
 */
struct ana_blame *ana_account_new(struct qry *q, uint32_t row, int64_t from, int64_t to, unsigned n,
	guint *most, struct base_progress *progress);

/* As ana_account_new(), of any time that has an account. */
struct ana_blame *ana_account_of_new(struct qry *q, const struct ana_account_of *of, unsigned n, guint *most,
	struct base_progress *progress);

/* "itself 12 µs, IRQ 28 virtio2-req.0 3 µs and 1 other": the same summed up; NULL: it is empty.  The caller
 * frees. */
char *ana_account_text(struct qry *q, const struct ana_account_of *of);

/* The wait of thread ROW around TIME: from when it had a CPU last to when it has one again, as far as its
 * life in the trace goes.  False when it has one then, or is not there. */
bool ana_account_wait(struct qry *q, uint32_t row, int64_t time, int64_t *from, int64_t *to);
/* What ended the longest time in [FROM, TO) that thread ROW was blocked; false when it was not. */
bool ana_account_wakeup(struct qry *q, uint32_t row, int64_t from, int64_t to, struct mdl_wakeup *wakeup);

#endif
