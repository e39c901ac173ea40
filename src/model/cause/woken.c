/* SPDX-License-Identifier: MIT */
#include "model/cause/parts.h"

#include "model/core/thread.h"

/* Most wakees in a row that are kept. */
#define WOKEN_MOST 1024

void mdl_woken_pass(struct mdl_machine *m, struct mdl_cpu *c)
{
	uint32_t n = c->cause->n_woken;

	c->cause->n_woken = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct mdl_thread *t = mdl_thread_peek(m, c->cause->woken[i].tid);

		if (t)
			mdl_deferred_settle(m, t);
	}
}

void mdl_woken_add(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	struct mdl_cpu_cause *k = c->cause;

	if (k->n_woken == WOKEN_MOST)
		mdl_woken_pass(m, c);
	if (k->n_woken == k->woken_room) {
		k->woken_room = MAX(4, 2 * k->woken_room);
		k->woken = g_renew(struct mdl_woken, k->woken, k->woken_room);
	}
	c->just |= MDL_JUST_WOKEN;
	k->woken[k->n_woken++] = (struct mdl_woken){ .tid = t->tid,
		.context = mdl_cpu_level(m, cpu)->context,
		.block = t->phase == MDL_PH_BLOCKED ? t->block : MDL_BLOCK_UNKNOWN,
		.call = t->mode == MDL_MODE_SYSCALL ? mdl_thread_sure_call(t) : 0 };
}

/* True if E may be part of a wake-up. Putting a thread on a run queue may start or cancel timers of the
 * scheduler: the server of fair threads (dl_server_start(), dl_server_update(), since Linux 6.8), the period
 * of a quota (start_cfs_bandwidth()), the sums of pressure (psi_task_change(), a timer of the wheel). If
 * sched_waking and sched_wakeup are on one CPU, this happens between them, with interrupts off
 * (try_to_wake_up(), kernel/sched/core.c). Otherwise the waker does it afterwards, for another reason. */
static bool may_be_in_wake(const struct mdl_cpu *c, const struct mdl_event *e)
{
	return c->cause->waking != 0 &&
		(e->kind == MDL_EV_HRTIMER_START || e->kind == MDL_EV_TIMER_START ||
			e->kind == MDL_EV_TIMER_CANCEL);
}

static bool ends_wake(const struct mdl_cpu *c, const struct mdl_event *e)
{
	return e->kind == MDL_EV_SCHED_WAKEUP && e->arg[MDL_WAKE_TID] == c->cause->waking;
}

/* True if E does not show whether the wake-up before it is over. */
static bool tells_no_end(const struct mdl_machine *m, const struct mdl_event *e)
{
	return m->keeps[e->kind] == MDL_JUST_ALL || e->kind == MDL_EV_IPI_SEND;
}

void mdl_woken_before(struct mdl_machine *m, struct mdl_cpu *c, const struct mdl_event *e)
{
	if (may_be_in_wake(c, e) || ends_wake(c, e) || tells_no_end(m, e))
		return;
	mdl_woken_pass(m, c);
	c->cause->waking = 0;
	c->cause->is_waking_open = false;
}

void mdl_woken_after(const struct mdl_machine *m, struct mdl_cpu *c, const struct mdl_event *e)
{
	c->cause->is_waking_open = may_be_in_wake(c, e) || (c->cause->is_waking_open && tells_no_end(m, e));
	if (e->kind == MDL_EV_SCHED_WAKING)
		c->cause->waking = e->arg[MDL_WAKE_TID];
	else if (!c->cause->is_waking_open && !tells_no_end(m, e))
		c->cause->waking = 0;
}
