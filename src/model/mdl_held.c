/* SPDX-License-Identifier: MIT */
/*
 * How it works: why a wait ended may show only after its thread runs again.  A
 * signal's event comes after the wake-up it did (mdl_signal.c), and that there was a
 * time-out shows when the thread takes it back (mdl_timer.c).  As long as one of
 * these is open the wake-up is held; a thread has one at a time, because both are
 * decided before it waits again.
 */
#include "model/mdl_parts.h"

struct mdl_held {
	struct mdl_wakeup wakeup;
	struct mdl_cause *cause;	/* owned */
	bool in_time;			/* the thread may yet take its time-out back */
};

/* May the wake-up W of T be a signal's? */
static bool is_signal_open(struct mdl_machine *m, const struct mdl_thread *t, const struct mdl_wakeup *w)
{
	return w->cpu != MDL_NONE && mdl_cpu_get(m, w->cpu)->just_woken == t->tid;
}

static void put_out(struct mdl_machine *m, const struct mdl_thread *t, struct mdl_wakeup *w, struct mdl_cause *cause)
{
	w->cause = mdl_cause_hand_out(m, cause);
	m->sink->wakeup(m->data, t->track->id, w);
	mdl_cause_free(cause);
}

void mdl_held_give(struct mdl_machine *m, struct mdl_thread *t, struct mdl_wakeup *w, struct mdl_cause *cause)
{
	bool in_time = m->sink->cause != NULL && mdl_timer_is_armed(m, t) && (cause == NULL || !(cause->facts.has & MDL_FACT_TIMER));

	mdl_held_release(m, t);
	if (!in_time)
		t->deadline = 0;
	if (!in_time && !is_signal_open(m, t, w)) {
		put_out(m, t, w, cause);
		return;
	}
	t->held = g_new(struct mdl_held, 1);
	*t->held = (struct mdl_held){ .wakeup = *w, .cause = cause, .in_time = in_time };
}

void mdl_held_release(struct mdl_machine *m, struct mdl_thread *t)
{
	struct mdl_held *h = g_steal_pointer(&t->held);

	if (h == NULL)
		return;
	put_out(m, t, &h->wakeup, h->cause);
	g_free(h);
}

void mdl_held_free(struct mdl_thread *t)
{
	if (t->held != NULL)
		mdl_cause_free(t->held->cause);
	g_clear_pointer(&t->held, g_free);
}

void mdl_held_settle(struct mdl_machine *m, struct mdl_thread *t)
{
	if (t->held != NULL && !t->held->in_time && !is_signal_open(m, t, &t->held->wakeup))
		mdl_held_release(m, t);
}

void mdl_held_time_out(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_timer *timer)
{
	struct mdl_held *h = t->held;

	if (h == NULL || !h->in_time)
		return;
	h->in_time = false;
	if (timer != NULL) {
		if (h->cause == NULL)
			h->cause = g_new0(struct mdl_cause, 1);
		h->cause->facts.has |= MDL_FACT_TIMER;
		h->cause->facts.timer = *timer;
	}
	t->deadline = 0;
	mdl_held_settle(m, t);
}

struct mdl_cause **mdl_held_cause(struct mdl_thread *t, uint32_t cpu)
{
	return t->held != NULL && t->held->wakeup.cpu == cpu ? &t->held->cause : NULL;
}
