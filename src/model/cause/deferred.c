/* SPDX-License-Identifier: MIT */
/*
 * How it works: the reason for the end of a wait may show only after its thread runs again. The event of a
 * signal comes after the wake-up by that signal (sched/signal.c). The thread that takes back its time-out
 * shows that there was one (timer/timer.c). The item for which a kworker was woken shows when the kworker
 * begins it (cause/remote.c, cause/pool.c). The wake-up is deferred while one of these is open. A thread has
 * one deferred wake-up at most, because all are decided before it waits again.
 */
#include "model/cause/deferred.h"

#include "model/cause/parts.h"
#include "model/core/cpu.h"
#include "model/core/gap.h"
#include "model/core/thread.h"

/* True if a signal may still turn out to be the reason for wake-up W of T. */
static bool is_signal_open(struct mdl_machine *m, const struct mdl_thread *t, const struct mdl_wakeup *w)
{
	return w->cpu != MDL_NONE && mdl_woken_has(mdl_cpu_get(m, w->cpu), t);
}

void mdl_deferred_clear(struct mdl_deferreds *deferreds)
{
	while (deferreds->n_spare > 0)
		g_free(deferreds->spare[--deferreds->n_spare]);
}

struct mdl_deferred *mdl_deferred_new(struct mdl_machine *m, const struct mdl_wakeup *w,
	struct mdl_cause *cause)
{
	struct mdl_deferreds *all = &m->causes->deferreds;
	struct mdl_deferred *d = all->n_spare > 0 ? all->spare[--all->n_spare]
						  : g_new(struct mdl_deferred, 1);

	d->wakeup = *w;
	d->cause = cause;
	d->in_time = d->for_work = d->by_pool = d->takes = false;
	return d;
}

void mdl_deferred_free(struct mdl_deferred *d)
{
	if (!d)
		return;
	g_free(d->cause);
	g_free(d);
}

static void put_out(struct mdl_machine *m, const struct mdl_thread *t, struct mdl_deferred *d)
{
	struct mdl_deferreds *all = &m->causes->deferreds;

	if (d->cause) {
		m->sink->cause(m->data, d->cause);
		d->wakeup.cause = ++m->causes->n;
	}
	m->sink->wakeup(m->data, t->track->id, &d->wakeup);
	g_free(d->cause);
	if (all->n_spare < G_N_ELEMENTS(all->spare))
		all->spare[all->n_spare++] = d;
	else
		g_free(d);
}

/* Hand out T's deferred wake-up as it is. */
static void release(struct mdl_machine *m, struct mdl_thread *t)
{
	if (t->deferred)
		put_out(m, t, g_steal_pointer(&t->deferred));
}

void mdl_deferred_give(struct mdl_machine *m, struct mdl_thread *t, struct mdl_deferred *d, bool in_time)
{
	d->in_time = in_time && m->sink->cause && (!d->cause || !(d->cause->facts.has & MDL_FACT_TIMER));
	release(m, t);
	if (!d->in_time)
		t->deadline = 0;
	if (d->in_time || d->for_work || is_signal_open(m, t, &d->wakeup))
		t->deferred = d;
	else
		put_out(m, t, d);
}

void mdl_deferred_drop(struct mdl_machine *m, struct mdl_thread *t)
{
	if (t->pending)
		mdl_deferred_give(m, t, g_steal_pointer(&t->pending), false);
	release(m, t);
	g_clear_pointer(&t->early, mdl_deferred_free);
}

void mdl_deferred_settle(struct mdl_machine *m, struct mdl_thread *t)
{
	if (t->deferred && !t->deferred->in_time && !t->deferred->for_work &&
		!is_signal_open(m, t, &t->deferred->wakeup))
		release(m, t);
}

void mdl_deferred_time_out(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_timer *timer)
{
	struct mdl_deferred *d = t->deferred;

	if (!d || !d->in_time)
		return;
	d->in_time = false;
	if (timer) {
		if (!d->cause)
			d->cause = g_new0(struct mdl_cause, 1);
		d->cause->facts.has |= MDL_FACT_TIMER;
		d->cause->facts.timer = *timer;
	}
	t->deadline = 0;
	mdl_deferred_settle(m, t);
}

void mdl_deferred_work(struct mdl_machine *m, struct mdl_thread *t)
{
	if (!t->deferred || !t->deferred->for_work)
		return;
	t->deferred->for_work = t->deferred->by_pool = false;
	mdl_deferred_settle(m, t);
}

void mdl_deferred_sleep(struct mdl_machine *m, struct mdl_thread *t)
{
	mdl_deferred_time_out(m, t, NULL);
	mdl_deferred_work(m, t);
}

/* Slot of the cause of the wake-up that CPU sent to T last; NULL: it is handed out. */
static struct mdl_cause **cause_of(struct mdl_thread *t, uint32_t cpu)
{
	struct mdl_deferred *const last[] = { t->deferred, t->early, t->pending };

	for (unsigned i = 0; i < G_N_ELEMENTS(last); i++)
		if (last[i] && last[i]->wakeup.cpu == cpu)
			return &last[i]->cause;
	return NULL;
}

struct mdl_facts *mdl_deferred_facts(const struct mdl_machine *m, struct mdl_thread *t, uint32_t cpu)
{
	struct mdl_cause **cause = cause_of(t, cpu);

	if (!cause || !m->sink->cause)
		return NULL;
	if (!*cause)
		*cause = g_new0(struct mdl_cause, 1);
	return &(*cause)->facts;
}

void mdl_deferred_arrive(struct mdl_machine *m, struct mdl_thread *t, uint32_t cpu)
{
	const struct mdl_level *l;
	struct mdl_facts *facts;
	bool ipi;

	if (!t->pending || t->pending->wakeup.cpu == cpu || t->pending->wakeup.cpu == MDL_NONE ||
		mdl_cpu_get(m, cpu)->gap != MDL_GAP_NONE)
		return;
	facts = mdl_deferred_facts(m, t, t->pending->wakeup.cpu);
	if (!facts)
		return;
	l = mdl_cpu_level(m, cpu);
	ipi = l->context != MDL_NONE && l->type == MDL_CTX_IPI;
	facts->has |= MDL_FACT_ARRIVAL;
	facts->arrival = (struct mdl_arrival){ .time = m->now,
		.cpu = cpu,
		.context = ipi ? l->context : MDL_NONE,
		.entry = ipi ? l->entry : MDL_NEVER };
}
