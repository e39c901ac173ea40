/* SPDX-License-Identifier: MIT */
/* Finds out if a switch was due while a thread waited for a CPU. Due: the kernel had decided to reschedule
 * the CPU (need-resched), but could not switch yet because preemption or interrupts were off, or because that
 * kernel is not preemptible. Not due: the scheduler let the waiter wait. */
#ifndef ANA_RESCHED_H
#define ANA_RESCHED_H

#include "analysis/account/account.h"

struct ana_resched {
	/* ns in each known state: a switch was due; due lazily, at the return to user space or at the next
	 * tick; not due. */
	int64_t due, lazy, none;
	/* The first event at which a switch was due, lazily or not.  EVENT is owned by the experiment; NULL:
	 * none. */
	int64_t time;
	const char *event;
	uint32_t cpu;
};

/*
 * For the parts of BLAME, the account of thread ROW, in which it waited for a CPU (struct ana_resched, by
 * place of the part).  The caller unrefs.  Empty if no event shows whether a switch was due, or if there are
 * too many events.  The state between two events is inferred.  Costs reading the events of the CPUs waited
 * for.  NULL with an error if a trace cannot be read or PROGRESS (may be NULL) was cancelled.
 */
GArray *ana_resched_new(struct qry *q, uint32_t row, const struct ana_blame *blame,
	struct base_progress *progress, GError **error);
/* The entry of ALL for the part at PLACE; NULL if nothing is known. */
const struct ana_resched *ana_resched_of(const GArray *all, guint place);
/* The times of ALL summed up, without an event. */
struct ana_resched ana_resched_sum(const GArray *all);
/* As text: "a switch was due for 1.19 ms, none for 20 µs"; "" if nothing is known.  The caller frees. */
char *ana_resched_text(const struct ana_resched *resched);

#endif
