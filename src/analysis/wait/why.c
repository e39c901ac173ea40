/* SPDX-License-Identifier: MIT */
/*
 * An explanation is a list of hops, each with the events that prove it: first those of facts that came before
 * the chain (fact.c), those of the host of a guest, the hops of the chain down to the wake-up, then those of
 * facts that came after it.
 */
#include "analysis/wait/why.h"

#include "analysis/kind/advice.h"
#include "analysis/kind/chain.h"
#include "analysis/kind/kind.h"
#include "analysis/wait/border.h"
#include "analysis/wait/fact.h"
#include "base/base_time.h"

#define LOOK_BACK 16 /* intervals; interruptions between the begin of a system call and the wait in it */

/* ---- from the host of a guest ---- */

/* Add a hop for the poster of B's interrupt. */
static void add_poster(struct ana_why_maker *m, const struct ana_border *b, uint32_t host)
{
	const struct mdl_wakeup *p = &b->post;
	bool context = p->n_contexts > 0;
	struct mdl_act act = { .time = p->time,
		.entry = context ? p->contexts[p->n_contexts - 1].entry : MDL_NEVER,
		.cpu = p->cpu,
		.context = context ? p->contexts[p->n_contexts - 1].context : MDL_NONE,
		.thread = p->waker };
	struct ana_why_hop *hop;
	g_autofree char *text = g_strdup_printf("posted interrupt %" G_GUINT32_FORMAT " to the guest",
		b->vector);

	hop = ana_why_act_at(m, host, &act, MDL_NONE, text, "kvm_x86_apic_accept_irq");
	hop->doubts |= b->doubts;
}

/* Add the hops of the host that posted the interrupt at the begin of the chain, if that host is open. */
static void add_border(struct ana_why_maker *m)
{
	const struct ana_source *s = &m->why->source;
	struct ana_why_hop *hop;
	struct ana_border b;
	g_autofree char *took = NULL;

	if (!ana_border_of_chain(m->q, s->host, &m->why->chain, &s->wakeup, &b))
		return;
	add_poster(m, &b, qry_row(m->q, b.vcpu)->host);
	hop = ana_why_hop_add(m, qry_row_label(m->q, b.vcpu));
	took = base_time_format_duration(MAX(b.entry - b.post.time, 0), false);
	hop->text = g_strdup_printf("took the interrupt %s later, %s", took, ana_border_words(&b));
	hop->row = b.vcpu;
	hop->host = qry_row(m->q, b.vcpu)->host;
	hop->from = b.post.time;
	hop->to = MAX(b.entry, b.post.time);
	hop->doubts = b.doubts;
}

/* ---- the chain: who acted, what it started, which events show it ---- */

/* The kind of event that an act started. */
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
	[NEXT_OTHER] = "led to the next hop" };

/* The event that would prove that an act started the next one. */
static const char *const proof[] = { [NEXT_SOFTIRQ] = "irq_softirq_raise",
	[NEXT_IPI] = "ipi_send_cpu",
	[NEXT_THREAD] = "sched_waking",
	[NEXT_HRTIMER] = "timer_hrtimer_expire_entry",
	[NEXT_OTHER] = NULL,
	[NEXT_WAKEUP] = NULL };

/* The event that would show the sender of the wake-up, which has DOUBTS. */
static const char *missing_of_wakeup(const struct ana_why_maker *m, mdl_doubts doubts)
{
	if (m->why->source.wakeup.via != MDL_VIA_WAKING && m->why->source.wakeup.via != MDL_VIA_NEW)
		return "sched_waking";
	return doubts & MDL_DOUBT(UNKNOWN) ? qry_host(m->q, m->why->source.host)->interrupts_missing
					   : ana_chain_settles(m->q, m->why->source.host, doubts);
}

static char *why_text_of(const struct ana_why_maker *m, unsigned i, enum next next)
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

static void add_hop(struct ana_why_maker *m, unsigned i)
{
	const struct mdl_hop *step = &m->why->chain.hops[i];
	const struct mdl_facts *facts = &m->why->cause.facts;
	const struct mdl_act *act = &step->act;
	enum next next = next_of(m, i);
	struct ana_why_hop *hop = ana_why_hop_add(m, ana_words_act(m->q, m->why->source.host, act));

	hop->text = why_text_of(m, i, next);
	hop->row = ana_why_row_of(m, m->why->source.host, act);
	hop->cpu = act->cpu;
	hop->from = act->context == MDL_NONE || act->entry == MDL_NEVER ? act->time : act->entry;
	hop->to = act->time;
	hop->doubts = step->doubts;
	/* If the event that would prove the hop was recorded, the doubt has another reason. */
	if (hop->doubts && next == NEXT_WAKEUP)
		hop->missing = missing_of_wakeup(m, hop->doubts);
	else if (hop->doubts && proof[next] && ana_advice_is_missing(m->q, m->why->source.host, proof[next]))
		hop->missing = proof[next];
	ana_why_evidence_of_entry(m, act);
	if (next == NEXT_WAKEUP) {
		for (unsigned f = 0; f < MDL_FACTS_N; f++)
			if (facts->has & 1u << f && ana_fact_all[f]->evidence)
				ana_fact_all[f]->evidence(m, facts);
		ana_why_evidence_of_wakeup(m);
	} else if (!hop->doubts && proof[next] && next != NEXT_HRTIMER) {
		/* The next hop has its own entry as evidence. */
		ana_why_evidence_add(m, proof[next], act->time, act->cpu);
	}
}

/* Add a hop for an unknown sender of the wake-up. */
static void add_unknown(struct ana_why_maker *m)
{
	const struct mdl_wakeup *w = &m->why->source.wakeup;
	struct ana_why_hop *hop = ana_why_hop_add(m,
		g_strdup(w->via == MDL_VIA_NONE ? "no wake-up recorded" : "unknown"));

	hop->text = g_strdup(w->via == MDL_VIA_NONE ? "the thread ran again" : "sent the wake-up");
	hop->cpu = w->cpu;
	hop->from = hop->to = w->time;
	hop->doubts = m->why->source.doubts;
	hop->missing = missing_of_wakeup(m, hop->doubts);
	ana_why_evidence_of_wakeup(m);
}

/* ---- the whole ---- */

static void hop_clear(void *data)
{
	struct ana_why_hop *hop = data;

	g_free(hop->label);
	g_free(hop->text);
}

/* The system call that thread ROW was in just before TIME. NULL if it was in none, or none is recorded. */
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

/* The thread at the other end; *TIME: when it acted. */
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

struct ana_why *ana_why_empty(const struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	struct ana_why *why = g_new0(struct ana_why, 1);

	why->source.host = qry_row(q, row)->host;
	why->row = row;
	why->from = from;
	why->to = to;
	why->hops = g_array_new(FALSE, FALSE, sizeof(struct ana_why_hop));
	g_array_set_clear_func(why->hops, hop_clear);
	why->evidence = g_array_new(FALSE, FALSE, sizeof(struct ana_evidence));
	return why;
}

struct ana_why *ana_why_new(struct qry *q, uint32_t row, const struct mdl_wakeup *wakeup)
{
	struct ana_why *why = ana_why_empty(q, row, wakeup->since, wakeup->time);
	struct ana_why_maker m = { .q = q, .why = why };
	int64_t time;
	uint32_t other;

	why->source = ana_source_of(q, row, wakeup);
	why->has_cause = ana_source_chain(q, &why->source, &why->cause, &why->chain);
	ana_steps_of(q, &why->source, why->has_cause ? &why->cause.facts : NULL, &why->chain, &why->steps);
	why->headline = ana_source_text(q, &why->source);
	if (!why->has_cause)
		why->cause.facts.has = 0;
	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		if (why->cause.facts.has & 1u << i && ana_fact_all[i]->before)
			ana_fact_all[i]->before(&m, &why->cause.facts);
	add_border(&m);
	for (unsigned i = 0; i < why->chain.n; i++)
		add_hop(&m, i);
	if (why->chain.n == 0)
		add_unknown(&m);
	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		if (why->cause.facts.has & 1u << i && ana_fact_all[i]->after)
			ana_fact_all[i]->after(&m, &why->cause.facts);
	other = other_end(&m, &time);
	if (why->from != MDL_NEVER)
		why->waiter_call = call_before(q, row, why->from);
	why->waker_call = call_before(q, other, time);
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
