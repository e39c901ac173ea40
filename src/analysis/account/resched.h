/* SPDX-License-Identifier: MIT */
/*
 * Whether a switch was due while a thread waited for a CPU: the kernel had decided that who had the CPU was
 * to leave it (need-resched), which could not be left yet, as preemption or interrupts were off, or that
 * kernel does not preempt itself.  Where none was due, the scheduler let the waiter wait.
 */
#ifndef ANA_RESCHED_H
#define ANA_RESCHED_H

#include "analysis/account/account.h"

struct ana_resched {
	/* ns of the time that is known to be so: a switch was due; it was due lazily, at the return to the
	 * program or at the next tick; it was not. */
	int64_t due, lazy, none;
	/* The first event at which one was due, lazily or not: EVENT is NULL where there is none, and owned
	 * by the experiment. */
	int64_t time;
	const char *event;
	uint32_t cpu;
};

/*
 * Of the parts of BLAME, the account of thread ROW by ACCOUNTS, in which it waited for a CPU, by their
 * places: of struct ana_resched, the caller unrefs.  None where the trace tells of no event whether a switch
 * was due, or there are too many events to look at.  What is said of the time between two events is inferred.
 * Costs the events of the CPUs waited for.  NULL with an error where a trace cannot be read, or PROGRESS (may
 * be NULL) was cancelled.
 */
GArray *ana_resched_new(struct qry *q, uint32_t row, const struct ana_blame *blame,
	struct base_progress *progress, GError **error);
/* That of the part at PLACE of ALL; NULL: nothing is known. */
const struct ana_resched *ana_resched_of(const GArray *all, guint place);
/* The times of ALL, summed up; without an event. */
struct ana_resched ana_resched_sum(const GArray *all);
/* In words, "" where nothing is known: "a switch was due for 1.19 ms, none for 20 µs".  The caller frees. */
char *ana_resched_text(const struct ana_resched *resched);

#endif
