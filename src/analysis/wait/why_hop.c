/* SPDX-License-Identifier: MIT */
/* Hops of an explanation and their evidence. */
#include "analysis/kind/chain.h"
#include "analysis/wait/why_parts.h"
#include "analysis/kind/words.h"

struct ana_why_hop *ana_why_hop_add(struct ana_why_maker *m, char *take_label)
{
	GArray *hops = m->why->hops;
	struct ana_why_hop hop = { .level = hops->len,
		.label = take_label,
		.row = MDL_NONE,
		.host = m->why->source.host,
		.cpu = MDL_NONE,
		.from = MDL_NEVER,
		.to = MDL_NEVER,
		.grade = ANA_PROVED,
		.first_evidence = m->why->evidence->len };

	g_array_append_val(hops, hop);
	return &g_array_index(hops, struct ana_why_hop, hops->len - 1);
}

static void why_hop_add_evidence(struct ana_why_maker *m, const struct ana_evidence *e)
{
	GArray *hops = m->why->hops;

	if (e->time == MDL_NEVER)
		return;
	g_array_append_vals(m->why->evidence, e, 1);
	g_array_index(hops, struct ana_why_hop, hops->len - 1).n_evidence++;
}

/* An event of HOST behind the last hop: nothing happens when TIME is MDL_NEVER. */
static void add_event_of(struct ana_why_maker *m, uint32_t host, const char *event, int64_t time,
	uint32_t cpu)
{
	struct ana_evidence e = { .event = qry_event_name(m->q, host, event),
		.time = time,
		.host = host,
		.cpu = cpu };

	why_hop_add_evidence(m, &e);
}

void ana_why_evidence_of_wakeup(struct ana_why_maker *m)
{
	const struct ana_source *s = &m->why->source;
	struct ana_evidence e = { .time = s->wakeup.event_time,
		.host = s->host,
		.cpu = s->wakeup.event_cpu,
		.rank = s->wakeup.rank };

	if (!s->event)
		return;
	e.event = qry_event_name(m->q, s->host, s->event);
	why_hop_add_evidence(m, &e);
}

void ana_why_evidence_add(struct ana_why_maker *m, const char *event, int64_t time, uint32_t cpu)
{
	add_event_of(m, m->why->source.host, event, time, cpu);
}

uint32_t ana_why_row_of(const struct ana_why_maker *m, uint32_t host, const struct mdl_act *act)
{
	if (act->context == MDL_NONE)
		return ana_chain_actor(m->q, act);
	return qry_context_row(m->q, host, act->context, act->cpu);
}

/* The event with which CONTEXT began, as LTTng calls it since 2.4. */
static const char *entry_event(const struct qry_context *context)
{
	char *name;
	const char *interned;

	switch (context->type) {
	case MDL_CTX_IRQ: return "irq_handler_entry";
	case MDL_CTX_SOFTIRQ: return "irq_softirq_entry";
	case MDL_CTX_HRTIMER: return "timer_hrtimer_expire_entry";
	default:
		if (context->nr == -1) /* arm tells no number: it has one event for all IPIs */
			return "ipi_entry";
		name = g_strdup_printf("x86_irq_vectors_%s_entry", context->name);
		interned = g_intern_string(name);
		g_free(name);
		return interned;
	}
}

void ana_why_evidence_of_entry(struct ana_why_maker *m, const struct mdl_act *act)
{
	struct qry_context context;

	if (act->context == MDL_NONE)
		return;
	context = qry_context(m->q, m->why->source.host, act->context);
	ana_why_evidence_add(m, entry_event(&context), act->entry, act->cpu);
}

struct ana_why_hop *ana_why_act_at(struct ana_why_maker *m, uint32_t host, const struct mdl_act *act,
	uint32_t waiter, const char *text, const char *event)
{
	struct ana_why_hop *hop = ana_why_hop_add(m, ana_words_act(m->q, host, act));

	hop->text = g_strdup(text);
	hop->row = ana_why_row_of(m, host, act);
	hop->host = host;
	hop->cpu = act->cpu;
	hop->from = hop->to = act->time;
	hop->missing = ana_chain_act_missing(m->q, host, act, waiter);
	hop->grade = hop->missing ? ANA_INFERRED : ANA_PROVED;
	add_event_of(m, host, event, act->time, act->cpu);
	return hop;
}

void ana_why_act_add(struct ana_why_maker *m, const struct mdl_act *act, uint32_t waiter, const char *text,
	const char *event)
{
	if (act->time != MDL_NEVER)
		ana_why_act_at(m, m->why->source.host, act, waiter, text, event);
}

uint32_t ana_why_end_cpu(const struct ana_why_maker *m)
{
	const struct mdl_chain *chain = &m->why->chain;

	return chain->n > 0 ? chain->hops[chain->n - 1].act.cpu : MDL_NONE;
}
