/* SPDX-License-Identifier: MIT */
/*
 * How it works: sched_switch has the current priority of both threads, sched_pi_setprio has a change. A
 * change by sched_setscheduler() shows at the next switch.
 *
 * A thread that holds a lock has the priority of the highest waiter meanwhile, also while it runs:
 * rt_mutex_setprio() in kernel/sched/core.c takes the higher one of its own (normal_prio) and the first
 * waiter's (__rt_effective_prio()). The events of some tracers do not show that it gives the priority back.
 * LTTng, and the kernel's own event of 4.12 to 4.17, have in newprio the priority of the first waiter, or
 * without a waiter the present one ("sched, tracing: Fix trace_sched_pi_setprio() for deboosting"). So the
 * own priority is the one before the first loan. If no event showed that, the next switch does.
 */
#include "model/sched/sched.h"

#include "model/core/cpu.h"
#include "model/core/thread.h"

/* The priority in VALUE of E. LTTng counts from the first priority that is not real-time. The kernel's own
 * event, which calls the TID "pid" (FIELD), does not. MDL_PRIORITY_NONE: VALUE is no priority. */
static int16_t read_priority(const struct mdl_event *e, unsigned value, unsigned field)
{
	bool from_fair = e->arg[field] == MDL_ARG_ABSENT;
	int64_t priority = (int64_t)((uint64_t)e->arg[value] + (from_fair ? MDL_PRIORITY_FAIR : 0));

	return priority < MDL_PRIORITY_DEADLINE || priority >= MDL_PRIORITY_END ? MDL_PRIORITY_NONE
										: (int16_t)priority;
}

static void priority_set(struct mdl_machine *m, struct mdl_thread *t, int16_t priority)
{
	if (priority == t->priority || priority == MDL_PRIORITY_NONE || !m->sink->priority)
		return;
	t->priority = priority;
	m->sink->priority(m->data, t->track->id, m->now, priority);
}

void mdl_priority_seen(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_event *e, unsigned field)
{
	int16_t priority = read_priority(e, field, MDL_SWITCH_PREV_PID);

	if (!t)
		return;
	t->has_loan &= priority < t->own_priority; /* otherwise it gave the loan back without an event */
	priority_set(m, t, priority);
}

void mdl_priority_lent(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_thread *t = mdl_thread_peek(m, e->arg[MDL_PI_TID]);
	int16_t old = read_priority(e, MDL_PI_OLD, MDL_PI_PID),
		new = read_priority(e, MDL_PI_NEW, MDL_PI_PID);

	if (!t || old == MDL_PRIORITY_NONE || new == MDL_PRIORITY_NONE)
		return;
	if (new < old && !t->has_loan) {
		t->own_priority = old;
		t->has_loan = true;
	}
	if (!t->has_loan)
		return;
	if (new >= old)
		new = new == old ? t->own_priority : MIN(new, t->own_priority);
	t->has_loan = new < t->own_priority;
	priority_set(m, t, new);
}
