/* SPDX-License-Identifier: MIT */
/* Softirqs that were left pending, for which ksoftirqd was woken. */
#include "analysis/wait/fact.h"

#include "analysis/kind/chain.h"
#include "analysis/kind/words.h"

/* "SCHED, TIMER" for softirqs PENDING (1 << vector).  The caller frees. */
static char *softirqs(uint32_t pending)
{
	GString *text = g_string_new("");

	for (unsigned i = 0; i < MDL_SOFTIRQS; i++)
		if (pending & 1u << i)
			g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", mdl_softirq_name(i));
	return g_string_free(text, FALSE);
}

static void fact_pending_tell_source(const struct ana_look *look, G_GNUC_UNUSED const struct mdl_facts *facts,
	struct ana_source *s)
{
	const struct mdl_chain *chain = &look->cause->chain;

	s->device = ana_chain_line(look->q, s->host, &look->chain);
	s->thread = ana_chain_actor(look->q, &chain->hops[chain->n - 1].act);
}

/* "SCHED, TIMER raised by IRQ 236 local_timer > hrtimer" */
static char *fact_pending_words(struct qry *q, uint32_t host, const struct mdl_facts *facts,
	const struct mdl_chain *chain)
{
	g_autofree char *names = NULL, *way = NULL;

	if (!chain)
		return NULL;
	names = softirqs(facts->pending);
	way = ana_words_chain(q, host, chain);
	return g_strdup_printf("%s raised by %s", names, way);
}

static char *fact_pending_did(const struct mdl_facts *facts)
{
	g_autofree char *names = softirqs(facts->pending);

	return g_strdup_printf("raised softirq %s, which was left pending", names);
}

/* The last step of the chain raised what ksoftirqd was woken for, some time before. */
static void fact_pending_add_evidence(struct ana_why_maker *m, G_GNUC_UNUSED const struct mdl_facts *facts)
{
	const struct mdl_act *act = &m->why->chain.hops[m->why->chain.n - 1].act;

	ana_why_evidence_add(m, "irq_softirq_raise", act->time, act->cpu);
}

const struct ana_fact_ops ana_fact_pending = {
	.kind = ANA_KIND_SOFTIRQ,
	.kind_rank = 3,
	.source = fact_pending_tell_source,
	.words = fact_pending_words,
	.rank = 7,
	.did = fact_pending_did,
	.evidence = fact_pending_add_evidence,
};
