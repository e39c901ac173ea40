/* SPDX-License-Identifier: MIT */
/* An item of work: queued for the worker that was woken, or executed by the thread that woke. */
#include "analysis/wait/fact.h"

#include "analysis/kind/chain.h"
#include "analysis/kind/words.h"

static void fact_work_add_hops(struct ana_why_maker *m, const struct mdl_facts *facts)
{
	const struct mdl_work *w = &facts->work;
	uint32_t cpu = ana_why_end_cpu(m);
	g_autofree char *function = ana_words_function(m->q, m->why->source.host, w->function);
	struct ana_why_hop *hop;

	if (w->started == MDL_NEVER) /* the last step of the chain queued it */
		return;
	ana_why_act_add(m, &w->queued, MDL_NONE, "queued the work", "workqueue_queue_work");
	hop = ana_why_hop_add(m, g_strconcat("work ", function, NULL));
	hop->text = g_strdup("was executed");
	hop->cpu = cpu;
	hop->from = w->started;
	hop->to = m->why->to;
	ana_why_evidence_add(m, "workqueue_execute_start", w->started, cpu);
}

/* Else it is what the waker did, not what the wait was for. */
static bool is_queued(const struct mdl_facts *facts)
{
	return facts->work.started == MDL_NEVER;
}

static void fact_work_tell_source(const struct ana_look *look, const struct mdl_facts *facts,
	struct ana_source *s)
{
	s->thread = ana_chain_actor(look->q, &facts->work.queued);
}

/* "work queued by thread wk-client[595]" */
static char *fact_work_words(struct qry *q, uint32_t host, const struct mdl_facts *facts,
	G_GNUC_UNUSED const struct mdl_chain *chain)
{
	const struct mdl_work *w = &facts->work;
	g_autofree char *who = NULL;

	if (w->queued.time == MDL_NEVER)
		return g_strdup("work was queued");
	who = ana_words_act(q, host, &w->queued);
	return g_strdup_printf("work queued by %s", who);
}

static struct ana_beginner fact_work_begin(struct qry *q, G_GNUC_UNUSED uint32_t host,
	const struct mdl_facts *facts)
{
	return (struct ana_beginner){ ana_chain_actor(q, &facts->work.queued), facts->work.queued.time };
}

const struct ana_fact_ops ana_fact_work = {
	.tells = is_queued,
	.kind = ANA_KIND_WORKQUEUE,
	.kind_rank = 2,
	.source = fact_work_tell_source,
	.words = fact_work_words,
	.before_steps = "; ",
	.begin = fact_work_begin,
	.rank = 3,
	.before = fact_work_add_hops,
};
