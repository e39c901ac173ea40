/* SPDX-License-Identifier: MIT */
/* The steps of the chain as hops: who acted, what it started, which events say so. */
#include "analysis/ana_fact.h"
#include "analysis/ana_words.h"

/* What an act started. */
enum next { NEXT_WAKEUP, NEXT_SOFTIRQ, NEXT_IPI, NEXT_HRTIMER, NEXT_THREAD, NEXT_OTHER };

static enum next next_of(const struct ana_why_maker *m, unsigned i)
{
	static const enum next nexts[MDL_CTX_TYPES] = { [MDL_CTX_IRQ] = NEXT_OTHER,
		[MDL_CTX_VECTOR] = NEXT_OTHER,
		[MDL_CTX_IPI] = NEXT_IPI,
		[MDL_CTX_SOFTIRQ] = NEXT_SOFTIRQ,
		[MDL_CTX_HRTIMER] = NEXT_HRTIMER };
	const struct mdl_act *act;

	if (i + 1 >= m->why->chain.n)
		return NEXT_WAKEUP;
	act = &m->why->chain.hops[i + 1].act;
	return act->context == MDL_NONE ? NEXT_THREAD
					: nexts[qry_context(m->q, m->why->source.host, act->context).type];
}

static const char *const did[] = { [NEXT_WAKEUP] = "sent the wake-up",
	[NEXT_SOFTIRQ] = "raised the softirq",
	[NEXT_IPI] = "sent the IPI",
	[NEXT_HRTIMER] = "ran the timer",
	[NEXT_THREAD] = "woke the thread",
	[NEXT_OTHER] = "led to the next" };

/* The event that would prove that an act started the next. */
static const char *const proof[] = { [NEXT_SOFTIRQ] = "irq_softirq_raise",
	[NEXT_IPI] = "ipi_send_cpu",
	[NEXT_THREAD] = "sched_waking",
	[NEXT_HRTIMER] = "timer_hrtimer_expire_entry",
	[NEXT_OTHER] = NULL,
	[NEXT_WAKEUP] = NULL };

static const char *missing_of_wakeup(const struct ana_why_maker *m)
{
	if (m->why->source.wakeup.via != MDL_VIA_WAKING && m->why->source.wakeup.via != MDL_VIA_NEW)
		return "sched_waking";
	return qry_host(m->q, m->why->source.host)->interrupts_missing;
}

static char *text_of(const struct ana_why_maker *m, unsigned i, enum next next)
{
	const struct ana_why *why = m->why;
	const struct mdl_facts *facts = &why->cause.facts;
	char *text = NULL;

	if (next != NEXT_WAKEUP)
		return g_strdup(did[next]);
	if (why->source.kind == ANA_KIND_FORK)
		return g_strdup("created the thread");
	for (const struct ana_fact_ops *f = ana_fact_next(facts, 0); f && !text;
		f = ana_fact_next(facts, f->rank))
		text = f->did ? f->did(facts) : NULL;
	if (text)
		return text;
	return g_strdup(m->why->chain.hops[i].act.context == MDL_NONE ? "woke it" : did[next]);
}

/* Of the wake-up itself. */
static void add_evidence(struct ana_why_maker *m)
{
	const struct mdl_facts *facts = &m->why->cause.facts;

	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		if (facts->has & 1u << i && ana_fact_all[i]->evidence)
			ana_fact_all[i]->evidence(m, facts);
	ana_why_evidence_of_wakeup(m);
}

static void add_hop(struct ana_why_maker *m, unsigned i)
{
	const struct mdl_hop *step = &m->why->chain.hops[i];
	const struct mdl_act *act = &step->act;
	enum next next = next_of(m, i);
	struct ana_why_hop *hop = ana_why_hop_add(m, ana_words_act(m->q, m->why->source.host, act));

	hop->text = text_of(m, i, next);
	hop->row = ana_why_row_of(m, m->why->source.host, act);
	hop->cpu = act->cpu;
	hop->from = act->context == MDL_NONE || act->entry == MDL_NEVER ? act->time : act->entry;
	hop->to = act->time;
	hop->grade = ana_grade_of(step->grade);
	if (hop->grade != ANA_PROVED)
		hop->missing = next == NEXT_WAKEUP ? missing_of_wakeup(m) : proof[next];
	ana_why_evidence_of_entry(m, act);
	if (next == NEXT_WAKEUP)
		add_evidence(m);
	else if (hop->grade == ANA_PROVED && proof[next] && next != NEXT_HRTIMER)
		/* The next hop's own entry. */
		ana_why_evidence_add(m, proof[next], act->time, act->cpu);
}

/* Nobody is known to have sent the wake-up. */
static void add_unknown(struct ana_why_maker *m)
{
	const struct mdl_wakeup *w = &m->why->source.wakeup;
	struct ana_why_hop *hop = ana_why_hop_add(m,
		g_strdup(w->via == MDL_VIA_NONE ? "no wake-up was seen" : "unknown"));

	hop->text = g_strdup(w->via == MDL_VIA_NONE ? "the thread simply ran again" : "sent the wake-up");
	hop->cpu = w->cpu;
	hop->from = hop->to = w->time;
	hop->grade = m->why->source.grade;
	hop->missing = missing_of_wakeup(m);
	ana_why_evidence_of_wakeup(m);
}

void ana_why_chain(struct ana_why_maker *m)
{
	for (unsigned i = 0; i < m->why->chain.n; i++)
		add_hop(m, i);
	if (m->why->chain.n == 0)
		add_unknown(m);
	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		if (m->why->cause.facts.has & 1u << i && ana_fact_all[i]->after)
			ana_fact_all[i]->after(m, &m->why->cause.facts);
}
