/* SPDX-License-Identifier: MIT */
/* The account of an interval of a thread: its time in parts, by the thread's phase and by the owner of the
 * time.  Nothing is missing and nothing counts twice: the parts sum exactly to the interval. */
#ifndef ANA_ACCOUNT_H
#define ANA_ACCOUNT_H

#include "analysis/account/case.h"
#include "base/base_progress.h"

/*
 * Pass the parts of [FROM, TO) of thread ROW to SPAN, without gap or overlap: state by state in order of
 * time; a wait that others ended goes from its end to its beginning.  Costs as much as the critical path of
 * that time, plus the changes on the CPUs waited for.  If PROGRESS (NULL: none) is cancelled, the remaining
 * parts are missing.
 */
void ana_account_spans(struct qry *q, uint32_t row, int64_t from, int64_t to, struct base_progress *progress,
	ana_blame_span span, void *data);

/* Like ana_account_spans(), summed up.  MOST[i] is the place of the part that had most of column i of N
 * columns of the interval (N 0: none); UINT_MAX if there is none. */
struct ana_blame *ana_account_new(struct qry *q, uint32_t row, int64_t from, int64_t to, unsigned n,
	guint *most, struct base_progress *progress);

/* Like ana_account_new(), for any time that has an account. */
struct ana_blame *ana_account_of_new(struct qry *q, const struct ana_account_of *of, unsigned n, guint *most,
	struct base_progress *progress);

/* The account as text: "itself 12 µs, IRQ 28 virtio2-req.0 3 µs and 1 other"; NULL if it is empty.  The
 * caller frees. */
char *ana_account_text(struct qry *q, const struct ana_account_of *of);

/* Find the time off the CPU of thread ROW around TIME: from when it last had a CPU to when it has one again,
 * within its life in the trace.  False if it is on a CPU at TIME, or does not exist. */
bool ana_account_wait(struct qry *q, uint32_t row, int64_t time, int64_t *from, int64_t *to);
/* Find the wake-up that ended the longest blocked time of thread ROW in [FROM, TO).  False if it was not
 * blocked. */
bool ana_account_wakeup(struct qry *q, uint32_t row, int64_t from, int64_t to, struct mdl_wakeup *wakeup);

#endif
