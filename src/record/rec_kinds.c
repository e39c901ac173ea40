/* SPDX-License-Identifier: MIT */
/*
 * A thread that is woken while it still runs goes on, and waits for no CPU.  One that ends leaves its CPU,
 * and its last system call does not end: what begins then is given up as a new thread, which may have the
 * same number, is woken first.
 */
#include "record/rec_kinds.h"

#include <string.h>

/* As in latencies: who is preempted is of a kind of its own, who is new waits as who is woken
 * (ttwu_do_wakeup(), wake_up_new_task()). */
#define WOKEN_UNTIL_IT_RUNS                                                                          \
	{                                                                                            \
		{ "sched:sched_waking", REC_BEGIN, REC_BY_FIELD, "pid", REC_ALWAYS },                \
			{ "sched:sched_wakeup_new", REC_BEGIN, REC_BY_FIELD, "pid", REC_ALWAYS },    \
			{ "sched:sched_switch", REC_GIVE_UP, REC_BY_FIELD, "prev_pid", REC_ALWAYS }, \
			{ "sched:sched_switch", REC_END, REC_BY_FIELD, "next_pid", REC_ALWAYS },     \
	}

const struct rec_kind rec_kinds[] = {
	{ "wakeup", WOKEN_UNTIL_IT_RUNS },
	{ "wait-cpu", WOKEN_UNTIL_IT_RUNS },
	{ "preempted",
		{ { "sched:sched_switch", REC_BEGIN, REC_BY_FIELD, "prev_pid", REC_RUNNABLE },
			{ "sched:sched_switch", REC_END, REC_BY_FIELD, "next_pid", REC_ALWAYS } } },
	{ "off-cpu",
		{ { "sched:sched_switch", REC_BEGIN, REC_BY_FIELD, "prev_pid", REC_ALWAYS },
			{ "sched:sched_wakeup_new", REC_GIVE_UP, REC_BY_FIELD, "pid", REC_ALWAYS },
			{ "sched:sched_switch", REC_END, REC_BY_FIELD, "next_pid", REC_ALWAYS } } },
	{ "blocked",
		{ { "sched:sched_switch", REC_BEGIN, REC_BY_FIELD, "prev_pid", REC_BLOCKED },
			{ "sched:sched_wakeup_new", REC_GIVE_UP, REC_BY_FIELD, "pid", REC_ALWAYS },
			{ "sched:sched_waking", REC_END, REC_BY_FIELD, "pid", REC_ALWAYS } } },
	{ "syscall",
		{ { "raw_syscalls:sys_enter", REC_BEGIN, REC_BY_THREAD, NULL, REC_ALWAYS },
			{ "sched:sched_wakeup_new", REC_GIVE_UP, REC_BY_FIELD, "pid", REC_ALWAYS },
			{ "raw_syscalls:sys_exit", REC_END, REC_BY_THREAD, NULL, REC_ALWAYS } } },
	{ "irq",
		{ { "irq:irq_handler_entry", REC_BEGIN, REC_BY_CPU, NULL, REC_ALWAYS },
			{ "irq:irq_handler_exit", REC_END, REC_BY_CPU, NULL, REC_ALWAYS } } },
	{ "softirq",
		{ { "irq:softirq_entry", REC_BEGIN, REC_BY_CPU, NULL, REC_ALWAYS },
			{ "irq:softirq_exit", REC_END, REC_BY_CPU, NULL, REC_ALWAYS } } },
	{ "block-device",
		{ { "block:block_rq_issue", REC_BEGIN, REC_BY_SECTOR, NULL, REC_ALWAYS },
			{ "block:block_rq_complete", REC_END, REC_BY_SECTOR, NULL, REC_ALWAYS } } },
	{ .name = NULL },
};

const struct rec_kind *rec_kinds_find(const char *name)
{
	const struct rec_kind *kind = rec_kinds;

	while (kind->name && strcmp(kind->name, name) != 0)
		kind++;
	return kind->name ? kind : NULL;
}
