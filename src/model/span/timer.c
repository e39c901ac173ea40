/* SPDX-License-Identifier: MIT */
/* Spans of hrtimers. span/span.c has the rules. The expiry shows the due time (timer/due.c). For a timer that
 * is overdue at the end of the trace, an earlier expiry shows its clock. */
#include "model/timer/timer.h"
#include "model/span/parts.h"

struct timer {
	uint64_t function;
	int64_t expires; /* time of its clock */
	int64_t since;   /* ns: when it was armed; MDL_NEVER: it is not armed */
	int64_t zero;    /* ns: the time at which its clock was 0; MDL_NEVER: unknown */
};

static struct timer *span_timer_find(const struct mdl_machine *m, uint64_t address)
{
	return g_hash_table_lookup(m->spans->timers, (gpointer)(uintptr_t)address);
}

/* The timer at ADDRESS, whose function is FUNCTION now; NULL: there are too many. */
static struct timer *get(struct mdl_machine *m, uint64_t address, uint64_t function)
{
	GHashTable *timers = m->spans->timers;
	struct timer *t = span_timer_find(m, address);

	if (!t && g_hash_table_size(timers) >= MDL_SPAN_PENDING)
		return NULL;
	if (!t) {
		t = g_new(struct timer, 1);
		g_hash_table_insert(timers, (gpointer)(uintptr_t)address, t);
		t->zero = MDL_NEVER;
	} else if (t->function != function) {
		t->zero = MDL_NEVER;
	}
	t->function = function;
	return t;
}

void mdl_span_arm(struct mdl_machine *m, const struct mdl_event *e)
{
	uint64_t address = mdl_event_address(e, MDL_TIMER_TIMER);
	struct timer *t = e->kind == MDL_EV_HRTIMER_START
		? get(m, address, mdl_event_address(e, MDL_TIMER_FUNCTION))
		: span_timer_find(m, address);

	if (!t)
		return;
	t->expires = e->arg[MDL_TIMER_EXPIRES];
	t->since = e->kind == MDL_EV_HRTIMER_START && t->expires != MDL_ARG_ABSENT ? m->now : MDL_NEVER;
}

void mdl_span_timer(struct mdl_machine *m, const struct mdl_event *e)
{
	const struct mdl_facts *f = &mdl_cpu_level(m, e->cpu)->facts;
	struct timer *t = span_timer_find(m, mdl_event_address(e, MDL_HRTIMER_TIMER));
	int64_t due = m->timers->asked;

	if (t) {
		if (t->since == MDL_NEVER || due == MDL_NEVER ||
			__builtin_sub_overflow(due, t->expires, &t->zero))
			t->zero = MDL_NEVER;
		t->since = MDL_NEVER;
	}
	if (!(f->has & MDL_FACT_TIMER) || f->timer.expired_at != m->now)
		return;
	if (due != MDL_NEVER && due >= m->from)
		mdl_span_put(m, MDL_SPAN_TIMER, mdl_span_fate_of(m, due, MDL_SPAN_DONE), MIN(due, m->now),
			m->now, mdl_cpu_get(m, e->cpu)->track->id, e->cpu, f->timer.function);
	else if (m->timers->lost)
		mdl_span_put(m, MDL_SPAN_TIMER, MDL_SPAN_LOST, m->now, m->now,
			mdl_cpu_get(m, e->cpu)->track->id, e->cpu, f->timer.function);
}

void mdl_span_finish_timers(struct mdl_machine *m, int64_t to)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, m->spans->timers);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct timer *t = value;
		int64_t due;

		if (t->since != MDL_NEVER && t->zero != MDL_NEVER &&
			!__builtin_add_overflow(t->expires, t->zero, &due) && due >= m->from && due <= to)
			mdl_span_put(m, MDL_SPAN_TIMER,
				mdl_span_fate_of(m, MIN(due, t->since), MDL_SPAN_OPEN), due, due, MDL_NONE,
				MDL_NONE, t->function);
	}
}
