/* SPDX-License-Identifier: MIT */
/* Hops and their evidence; and the chain's steps as hops: who acted, what it started, which events say so. */
#include "analysis/ana_chain.h"
#include "analysis/ana_why_parts.h"
#include "analysis/ana_words.h"

#include "base/base_time.h"

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

static void add_evidence(struct ana_why_maker *m, const struct ana_evidence *e)
{
	GArray *hops = m->why->hops;

	if (e->time == MDL_NEVER)
		return;
	g_array_append_vals(m->why->evidence, e, 1);
	g_array_index(hops, struct ana_why_hop, hops->len - 1).n_evidence++;
}

void ana_why_evidence_at(struct ana_why_maker *m, uint32_t host, const char *event, int64_t time,
	uint32_t cpu)
{
	struct ana_evidence e = { .event = qry_event_name(m->q, host, event),
		.time = time,
		.host = host,
		.cpu = cpu };

	add_evidence(m, &e);
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
	add_evidence(m, &e);
}

void ana_why_evidence_add(struct ana_why_maker *m, const char *event, int64_t time, uint32_t cpu)
{
	ana_why_evidence_at(m, m->why->source.host, event, time, cpu);
}

uint32_t ana_why_row_of(const struct ana_why_maker *m, uint32_t host, const struct mdl_act *act)
{
	if (act->context == MDL_NONE)
		return ana_chain_actor(m->q, act);
	return qry_context_row(m->q, host, act->context, act->cpu);
}

/* ---- the chain ---- */

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

static void add_entry(struct ana_why_maker *m, const struct mdl_act *act)
{
	struct qry_context context;

	if (act->context == MDL_NONE)
		return;
	context = qry_context(m->q, m->why->source.host, act->context);
	ana_why_evidence_add(m, entry_event(&context), act->entry, act->cpu);
}

/* Is the wake-up ksoftirqd's?  Then the last step of the chain raised what it was woken for, earlier. */
static bool is_pending(const struct ana_why_maker *m)
{
	return m->why->has_cause && m->why->cause.facts.has & MDL_FACT_PENDING;
}

static const char *missing_of_wakeup(const struct ana_why_maker *m)
{
	if (m->why->source.wakeup.via != MDL_VIA_WAKING && m->why->source.wakeup.via != MDL_VIA_NEW)
		return "sched_waking";
	return qry_host(m->q, m->why->source.host)->interrupts_missing;
}

static char *text_of(const struct ana_why_maker *m, unsigned i, enum next next)
{
	const struct ana_why *why = m->why;
	unsigned has = why->has_cause ? why->cause.facts.has : 0;

	if (next != NEXT_WAKEUP)
		return g_strdup(did[next]);
	if (why->source.kind == ANA_KIND_FORK)
		return g_strdup("created the thread");
	if (has & MDL_FACT_PENDING) {
		char *names = ana_words_softirqs(why->cause.facts.pending),
		     *text = g_strdup_printf("raised softirq %s, which was left pending", names);

		g_free(names);
		return text;
	}
	if ((has & MDL_FACT_REQUEST) && why->source.kind == ANA_KIND_BLOCK)
		return g_strdup("completed the request and sent the wake-up");
	if ((has & MDL_FACT_PACKET) && why->source.kind == ANA_KIND_NETWORK)
		return g_strdup("received the packet and sent the wake-up");
	if (has & MDL_FACT_SIGNAL) {
		const char *name = ana_words_signal_name(why->cause.facts.signal.number);

		return g_strdup_printf("sent signal %u%s%s", why->cause.facts.signal.number, name ? " " : "",
			name ? name : "");
	}
	if ((has & MDL_FACT_TIMER) && !why->cause.facts.timer.expired)
		return g_strdup("sent the wake-up before the time-out");
	return g_strdup(m->why->chain.hops[i].act.context == MDL_NONE ? "woke it" : did[next]);
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
	add_entry(m, act);
	if (next == NEXT_WAKEUP && is_pending(m))
		ana_why_evidence_add(m, "irq_softirq_raise", act->time, act->cpu);
	if (next == NEXT_WAKEUP)
		ana_why_evidence_of_wakeup(m);
	else if (hop->grade == ANA_PROVED && proof[next] && next != NEXT_HRTIMER)
		/* The next hop's own entry. */
		ana_why_evidence_add(m, proof[next], act->time, act->cpu);
}

/* The wake-up crossed to another CPU. */
static void add_arrival(struct ana_why_maker *m, const struct mdl_arrival *arrival)
{
	struct mdl_act act = { .time = arrival->time,
		.entry = arrival->entry,
		.cpu = arrival->cpu,
		.context = arrival->context,
		.thread = MDL_NONE };
	char *label = arrival->context != MDL_NONE ? ana_words_act(m->q, m->why->source.host, &act)
						   : g_strdup_printf("CPU %u", arrival->cpu);
	char *flight = base_time_format_duration(arrival->time - m->why->to, false);
	struct ana_why_hop *hop = ana_why_hop_add(m, label);

	hop->text = g_strdup_printf("took the wake-up over %s later", flight);
	hop->cpu = arrival->cpu;
	hop->from = arrival->context != MDL_NONE ? arrival->entry : arrival->time;
	hop->to = arrival->time;
	add_entry(m, &act);
	ana_why_evidence_add(m, "sched_wakeup", arrival->time, arrival->cpu);
	g_free(flight);
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
	if (m->why->has_cause && (m->why->cause.facts.has & MDL_FACT_ARRIVAL))
		add_arrival(m, &m->why->cause.facts.arrival);
}
