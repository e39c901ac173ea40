/* SPDX-License-Identifier: MIT */
#include "analysis/ana_why.h"

#include "analysis/ana_sender.h"
#include "analysis/ana_fact.h"

#define LOOK_BACK 16 /* intervals: interruptions between a system call's start and the wait in it */

static void hop_clear(void *data)
{
	struct ana_why_hop *hop = data;

	g_free(hop->label);
	g_free(hop->text);
}

/* The system call in which thread ROW was just before TIME; NULL when it was in none or none is recorded. */
static const char *call_before(struct qry *q, uint32_t row, int64_t time)
{
	struct mdl_interval iv;

	for (unsigned i = 0; i < LOOK_BACK && row != MDL_NONE && qry_kernel_state_before(q, row, time, &iv);
		i++) {
		if (iv.state == MDL_ST_SYSCALL)
			return qry_string(q, qry_row(q, row)->host, iv.detail);
		if (iv.state == MDL_ST_USERMODE || iv.state == MDL_ST_RUNNING || iv.state == MDL_ST_UNKNOWN)
			return NULL;
		time = iv.from;
	}
	return NULL;
}

/* The thread at the other end, and when it acted. */
static uint32_t other_end(const struct ana_why_maker *m, int64_t *time)
{
	const struct ana_why *why = m->why;
	struct ana_sender sender;

	*time = why->to;
	if (why->source.thread != MDL_NONE || !why->has_cause || !(why->cause.facts.has & MDL_FACT_PACKET) ||
		!ana_sender_of(m->q, why->source.host, &why->cause.facts.packet, &sender))
		return why->source.thread;
	*time = sender.by.time;
	return sender.thread;
}

static void find_calls(struct ana_why_maker *m)
{
	int64_t time;
	uint32_t row = other_end(m, &time);

	if (m->why->from != MDL_NEVER)
		m->why->waiter_call = call_before(m->q, m->why->row, m->why->from);
	m->why->waker_call = call_before(m->q, row, time);
}

struct ana_why *ana_why_new(struct qry *q, uint32_t row, const struct mdl_wakeup *wakeup)
{
	struct ana_why *why = g_new0(struct ana_why, 1);
	struct ana_why_maker m = { .q = q, .why = why };

	why->source = ana_source_of(q, row, wakeup);
	why->has_cause = ana_source_chain(q, &why->source, &why->cause, &why->chain);
	ana_steps_of(q, &why->source, why->has_cause ? &why->cause.facts : NULL, &why->chain, &why->steps);
	why->row = row;
	why->from = wakeup->since;
	why->to = wakeup->time;
	why->headline = ana_source_text(q, &why->source);
	why->hops = g_array_new(FALSE, FALSE, sizeof(struct ana_why_hop));
	g_array_set_clear_func(why->hops, hop_clear);
	why->evidence = g_array_new(FALSE, FALSE, sizeof(struct ana_evidence));
	if (!why->has_cause)
		why->cause.facts.has = 0;
	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		if (why->cause.facts.has & 1u << i && ana_fact_all[i]->before)
			ana_fact_all[i]->before(&m, &why->cause.facts);
	ana_why_border(&m);
	ana_why_chain(&m);
	find_calls(&m);
	return why;
}

void ana_why_free(struct ana_why *why)
{
	if (!why)
		return;
	g_free(why->headline);
	g_array_unref(why->hops);
	g_array_unref(why->evidence);
	g_free(why);
}
