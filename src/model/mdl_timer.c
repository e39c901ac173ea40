/* SPDX-License-Identifier: MIT */
/*
 * How it works: for each timer, by its address, who armed it and when.  While
 * its function runs, the level it runs in has the fact that it expired.
 *
 *   - hrtimers run in a context of their own, the timer wheel (timer_expire_…)
 *     in the softirq TIMER or, under PREEMPT_RT, in a thread.
 *   - A timer that is armed again by its own expiry (the tick, anything that
 *     returns HRTIMER_RESTART, see __run_hrtimer() in kernel/time/hrtimer.c:
 *     hrtimer_start comes right after hrtimer_expire_exit) is still the one its
 *     first armer wanted; the thread it interrupted has nothing to do with it.
 *   - The idle thread arms the tick when it goes idle, for nobody.
 *   - A thread that sleeps with a time-out arms a timer and then calls
 *     schedule() (schedule_timeout(), schedule_hrtimeout_range(),
 *     futex_wait_queue(), do_nanosleep()).  So the last timer a thread armed
 *     before its wait, within the same system call, is its deadline.  When the
 *     thread is woken before that expires, and takes it back when it runs, the
 *     wait was answered in time.  Timers that go on (interval timers, timerfd)
 *     are no deadlines.
 */
#include "model/mdl_parts.h"

/* What is known of a timer. */
struct armed {
	uint64_t function;	/* 0 unknown */
	struct mdl_act by;
	bool expired;		/* since then */
};

struct mdl_recent *mdl_timer_table_new(void)
{
	return mdl_recent_new(sizeof(struct armed), 65536);
}

void mdl_timer_start(struct mdl_machine *m, const struct mdl_event *e)
{
	uint64_t timer = mdl_event_address(e, MDL_TIMER_TIMER);
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	struct armed *a = mdl_recent_find(m->timers, timer);

	if (timer == 0)
		return;
	if (mdl_cpu_level(m, e->cpu)->expired_timer == timer) {	/* its own expiry */
		if (a != NULL)
			a->expired = false;
		return;
	}
	a = mdl_recent_put(m->timers, timer);
	a->function = mdl_event_address(e, MDL_TIMER_FUNCTION);
	a->by = mdl_cpu_act(m, e->cpu);
	if (c->depth > 0 || c->current == NULL)
		return;
	if (c->current == c->idle) {
		a->by.time = MDL_NEVER;
		return;
	}
	mdl_held_time_out(m, c->current, NULL);
	c->current->deadline = timer;
}

/* TIMER with FUNCTION expires now in level L. */
static void expire(struct mdl_machine *m, struct mdl_level *l, uint64_t timer, uint64_t function)
{
	struct armed *a = mdl_recent_find(m->timers, timer);
	struct mdl_timer *fact = &l->facts.timer;

	*fact = (struct mdl_timer){ .function = function, .expired = true, .expired_at = m->now, .armed.time = MDL_NEVER };
	if (a != NULL) {
		if (function == 0)
			fact->function = a->function;
		fact->armed = a->by;
		a->expired = true;
	}
	l->facts.has |= MDL_FACT_TIMER;
	l->expired_timer = timer;
}

void mdl_timer_hrtimer(struct mdl_machine *m, const struct mdl_event *e)
{
	uint64_t timer = mdl_event_address(e, MDL_HRTIMER_TIMER);

	mdl_cpu_level(m, e->cpu)->expired_timer = timer;	/* it is armed again after its context ended */
	mdl_cpu_enter(m, e->cpu, MDL_CTX_HRTIMER, e->arg[MDL_HRTIMER_FUNCTION], 0);
	expire(m, mdl_cpu_level(m, e->cpu), timer, mdl_event_address(e, MDL_HRTIMER_FUNCTION));
}

void mdl_timer_wheel(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_level *l = mdl_cpu_level(m, e->cpu);

	if (e->kind == MDL_EV_TIMER_ENTRY)
		expire(m, l, mdl_event_address(e, MDL_TIMER_TIMER), mdl_event_address(e, MDL_TIMER_FUNCTION));
	else
		l->facts.has &= ~(unsigned)MDL_FACT_TIMER;
}

/* What is known of T's deadline, while it runs; else NULL. */
static const struct armed *deadline_of(const struct mdl_machine *m, const struct mdl_thread *t)
{
	const struct armed *a = mdl_recent_find(m->timers, t->deadline);

	return a != NULL && !a->expired && a->by.context == MDL_NONE && a->by.thread == t->track->id ? a : NULL;
}

bool mdl_timer_is_armed(const struct mdl_machine *m, const struct mdl_thread *t)
{
	return deadline_of(m, t) != NULL;
}

void mdl_timer_cancel(struct mdl_machine *m, const struct mdl_event *e)
{
	uint64_t timer = mdl_event_address(e, MDL_TIMER_TIMER);
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	const struct armed *a;

	if (timer == 0)
		return;
	if (c->depth == 0 && c->current != NULL && c->current->deadline == timer) {
		a = deadline_of(m, c->current);
		if (a != NULL)
			mdl_held_time_out(m, c->current, &(struct mdl_timer){
				.function = a->function, .expired = false, .expired_at = MDL_NEVER, .armed = a->by });
	}
	mdl_recent_drop(m->timers, timer);
}
