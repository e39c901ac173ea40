/* SPDX-License-Identifier: MIT */
/*
 * How it works: sched_switch tells the priority of both threads as it is then, sched_pi_setprio a change.
 * That of sched_setscheduler() shows at the next switch.
 *
 * Who holds a lock for which a thread of higher priority waits has the priority of that one meanwhile:
 * rt_mutex_setprio() in kernel/sched/core.c, also of a thread that is running.  It becomes the higher one of
 * its own (normal_prio) and that of the first waiter, if there is one (__rt_effective_prio()).  What is taken
 * back is not told by all tracers: LTTng, and the kernel's own event of 4.12 to 4.17, have as newprio the
 * priority of the first waiter, and without one the priority so far ("sched, tracing: Fix
 * trace_sched_pi_setprio() for deboosting").  So the own one is that from before the first loan.  Where that
 * was not seen, the next switch tells.
 */
#include "model/sched/sched.h"

#include "model/core/cpu.h"
#include "model/core/thread.h"

/* LTTng counts from the first one that is not real-time; the kernel's own event, where a TID is called "pid"
 * (FIELD), does not.  MDL_PRIORITY_NONE where VALUE is none. */
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
	t->has_loan &= priority < t->own_priority; /* else it was given back unseen */
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
