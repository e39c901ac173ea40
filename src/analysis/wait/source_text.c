/* SPDX-License-Identifier: MIT */
/* What ended a wait, in one line, and where it came from. */
#include "analysis/kind/chain.h"
#include "analysis/wait/fact.h"
#include "analysis/wait/source.h"
#include "analysis/wait/steps.h"
#include "analysis/kind/words.h"

static char *text_of_thread(const struct qry *q, const struct ana_source *s, const char *what)
{
	g_autofree char *who = s->thread == MDL_NONE ? g_strdup("an unknown thread")
						     : qry_row_label(q, s->thread);

	return g_strdup_printf("%s %s%s", what, who, s->grade == ANA_INFERRED ? " (inferred)" : "");
}

/* "block: softirq BLOCK": the kind, and the contexts on the way. */
static char *text_of_chain(const struct qry *q, const struct ana_source *s, const struct mdl_chain *chain)
{
	g_autofree char *way = chain->n > 0 ? ana_words_chain(q, s->host, chain) : NULL;

	return g_strconcat(ana_kind_name(s->kind), way ? ": " : NULL, way, NULL);
}

/* The fact in FACTS (NULL: none) that says more of a wait of the kind of S; NULL: none does. */
static const struct ana_fact_ops *fact_of(const struct ana_source *s, const struct mdl_facts *facts)
{
	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		if (facts && facts->has & 1u << i && ana_fact_all[i]->kind_rank > 0 &&
			ana_fact_all[i]->kind == s->kind)
			return ana_fact_all[i];
	return NULL;
}

static char *text_of_fact(struct qry *q, const struct ana_source *s, const struct ana_fact_ops *fact,
	const struct mdl_facts *facts, const struct mdl_chain *chain)
{
	g_autofree char *words = fact->words(q, s->host, facts, chain);

	return g_strdup_printf("%s: %s%s", ana_kind_name(s->kind), words,
		s->grade == ANA_INFERRED ? " (inferred)" : "");
}

/*
 * How long each step took, as far as that is a part of the answer: of a request always, of what else
 * interrupts brought when they took longer than what was waited for before; else NULL.
 */
static char *text_of_steps(struct qry *q, const struct ana_source *s, const struct mdl_facts *f,
	const struct mdl_chain *chain)
{
	struct ana_steps steps;
	int64_t from;

	if (s->thread != MDL_NONE)
		return NULL;
	ana_steps_of(q, s, f, chain, &steps);
	if (steps.n == 0)
		return NULL;
	from = steps.steps[0].from;
	if (steps.n_request == 0 &&
		(s->wakeup.since == MDL_NEVER || s->wakeup.time - from <= from - s->wakeup.since))
		return NULL;
	return ana_steps_text(&steps);
}

static char *source_text_join(char *text, const char *between, char *steps)
{
	char *joined;

	if (!steps)
		return text;
	joined = g_strconcat(text, between, steps, NULL);
	g_free(text);
	g_free(steps);
	return joined;
}

static char *source_text_text_of(struct qry *q, const struct ana_source *s, const struct mdl_facts *facts,
	const struct mdl_chain *chain)
{
	const struct ana_fact_ops *fact = fact_of(s, facts);
	char *text = fact ? text_of_fact(q, s, fact, facts, chain) : NULL;

	if (text)
		return fact->before_steps
			? source_text_join(text, fact->before_steps, text_of_steps(q, s, facts, chain))
			: text;
	if (s->kind == ANA_KIND_THREAD)
		return text_of_thread(q, s, facts && facts->has & MDL_FACT_VIRQ ? "posted by" : "woken by");
	if (s->kind == ANA_KIND_FORK)
		return text_of_thread(q, s, "created by");
	if (s->kind == ANA_KIND_UNKNOWN)
		return g_strdup(ana_kind_name(s->kind));
	return source_text_join(text_of_chain(q, s, chain), "; ", text_of_steps(q, s, facts, chain));
}

char *ana_source_text(struct qry *q, const struct ana_source *s)
{
	struct mdl_cause cause;
	struct mdl_chain chain;
	const struct mdl_facts *facts = ana_source_chain(q, s, &cause, &chain) ? &cause.facts : NULL;
	char *text = source_text_text_of(q, s, facts, &chain), *whole;

	if (!facts || !(facts->has & MDL_FACT_VIRQ))
		return text;
	whole = g_strdup_printf("interrupt %" G_GUINT32_FORMAT ", %s", facts->virq.vector, text);
	g_free(text);
	return whole;
}

char *ana_source_behind(struct qry *q, const struct ana_source *s)
{
	struct mdl_cause cause;
	struct mdl_chain chain;
	const struct mdl_act *last;

	if (s->kind == ANA_KIND_UNKNOWN)
		return g_strdup(s->wakeup.via == MDL_VIA_NONE ? "no wake-up was seen"
							      : ana_kind_look(s->kind)->words);
	if (s->device)
		return g_strdup(s->device);
	ana_source_chain(q, s, &cause, &chain);
	last = chain.n > 0 ? &chain.hops[chain.n - 1].act : NULL;
	if (last && last->context != MDL_NONE)
		return qry_context_text(q, s->host, last->context);
	return g_strdup(ana_kind_look(s->kind)->words);
}

/* The thread that sent, queued or armed it; MDL_NONE when none is known, or it was the waiter itself. */
static uint32_t first_thread(struct qry *q, const struct ana_source *s, const struct mdl_facts *facts,
	int64_t *time)
{
	for (const struct ana_fact_ops *f = ana_fact_next(facts, 0); f; f = ana_fact_next(facts, f->rank)) {
		struct ana_beginner by = { MDL_NONE, MDL_NEVER };

		if (f->begin)
			by = f->begin(q, s->host, facts);
		if (by.row == MDL_NONE || by.row == s->row)
			continue;
		*time = by.time;
		return by.row;
	}
	return MDL_NONE;
}

/* The first step of CHAIN that has a row. */
static uint32_t first_row(struct qry *q, const struct ana_source *s, const struct mdl_chain *chain,
	int64_t *time)
{
	for (unsigned i = 0; i < chain->n; i++) {
		const struct mdl_act *act = &chain->hops[i].act;
		uint32_t row = act->context == MDL_NONE ? ana_chain_actor(q, act)
							: qry_context_row(q, s->host, act->context, act->cpu);

		*time = act->context == MDL_NONE ? act->time : act->entry;
		if (row != MDL_NONE)
			return row;
	}
	return MDL_NONE;
}

bool ana_source_origin(struct qry *q, const struct ana_source *s, uint32_t *row, int64_t *time)
{
	struct mdl_cause cause;
	struct mdl_chain chain;
	bool has_cause = ana_source_chain(q, s, &cause, &chain);

	*row = has_cause ? first_thread(q, s, &cause.facts, time) : MDL_NONE;
	if (*row == MDL_NONE)
		*row = first_row(q, s, &chain, time);
	return *row != MDL_NONE;
}
