/* SPDX-License-Identifier: MIT */
/*
 * How it works: why a wait ended may show only after its thread runs again.  A
 * signal's event comes after the wake-up it did (mdl_signal.c), and that there was a
 * time-out shows when the thread takes it back (mdl_timer.c).  What a kworker was
 * woken for shows when it begins to execute it (mdl_remote.c).  As long as one of
 * these is open the wake-up is held; a thread has one at a time, because all are
 * decided before it waits again.
 */
#include "model/mdl_held.h"

#include "model/mdl_cause.h"
#include "model/mdl_cpu.h"
#include "model/mdl_remote.h"
#include "model/mdl_thread.h"
#include "model/mdl_timer.h"

/* May the wake-up W of T be a signal's? */
static bool is_signal_open(struct mdl_machine *m, const struct mdl_thread *t, const struct mdl_wakeup *w)
{
	return w->cpu != MDL_NONE && mdl_cpu_get(m, w->cpu)->just_woken == t->tid;
}

struct mdl_held *mdl_held_new(const struct mdl_wakeup *w, struct mdl_cause *cause)
{
	struct mdl_held *h = g_new(struct mdl_held, 1);

	h->wakeup = *w;
	h->cause = cause;
	h->in_time = h->for_work = false;
	return h;
}

void mdl_held_free(struct mdl_held *h)
{
	if (h == NULL)
		return;
	mdl_cause_free(h->cause);
	g_free(h);
}

static void put_out(struct mdl_machine *m, const struct mdl_thread *t, struct mdl_held *h)
{
	h->wakeup.cause = mdl_cause_hand_out(m, h->cause);
	m->sink->wakeup(m->data, t->track->id, &h->wakeup);
	mdl_held_free(h);
}

void mdl_held_give(struct mdl_machine *m, struct mdl_thread *t, struct mdl_held *h)
{
	h->in_time = m->sink->cause != NULL && mdl_timer_is_armed(m, t) && (h->cause == NULL || !(h->cause->facts.has & MDL_FACT_TIMER));
	mdl_held_release(m, t);
	if (!h->in_time)
		t->deadline = 0;
	if (h->in_time || h->for_work || is_signal_open(m, t, &h->wakeup))
		t->held = h;
	else
		put_out(m, t, h);
}

void mdl_held_release(struct mdl_machine *m, struct mdl_thread *t)
{
	if (t->held != NULL)
		put_out(m, t, g_steal_pointer(&t->held));
}

void mdl_held_settle(struct mdl_machine *m, struct mdl_thread *t)
{
	if (t->held != NULL && !t->held->in_time && !t->held->for_work && !is_signal_open(m, t, &t->held->wakeup))
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

void mdl_held_work(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_work *work, const struct mdl_chain *queued)
{
	struct mdl_held *h = t->held;

	if (h == NULL || !h->for_work)
		return;
	h->for_work = false;
	if (queued != NULL)
		mdl_remote_queued(m, work, queued, h);
	mdl_held_settle(m, t);
}

void mdl_held_sleep(struct mdl_machine *m, struct mdl_thread *t)
{
	mdl_held_time_out(m, t, NULL);
	mdl_held_work(m, t, NULL, NULL);
}

struct mdl_cause **mdl_held_cause(struct mdl_thread *t, uint32_t cpu)
{
	return t->held != NULL && t->held->wakeup.cpu == cpu ? &t->held->cause : NULL;
}
