/* SPDX-License-Identifier: MIT */
/*
 * The kind of a wait comes first from the facts that the model found at the wake-up: a request completed, a
 * packet received, a timer expired, work queued, a signal. Without facts, the last step of the chain shows
 * it: the thread, or the interrupt context, whose meaning is in one table. Names of softirqs and timers have
 * one meaning. The name of a hard interrupt is chosen by its driver, so its kind is inferred. If hrtimers are
 * not recorded, the timer's vector may be the tick that does other work (update_process_times(),
 * kernel/time/timer.c). If they are recorded, an hrtimer that is not a fact is the tick, so the kind is an
 * interrupt.
 */
#include "analysis/wait/source.h"

#include "analysis/kind/chain.h"
#include "analysis/kind/kind.h"
#include "analysis/wait/fact.h"
#include "analysis/wait/steps.h"

#include <inttypes.h>

#define TYPE(t) (1u << MDL_CTX_##t)

struct pattern {
	unsigned types; /* TYPE() bits */
	enum ana_kind kind;
	const char *glob; /* of the context's name */
	mdl_doubts doubts;
};

/* The first match counts. The last line of each type matches all names. */
static const struct pattern patterns[] = {
	{ TYPE(SOFTIRQ), ANA_KIND_BLOCK, "BLOCK", 0 },
	{ TYPE(SOFTIRQ), ANA_KIND_NETWORK, "NET_?X", 0 },
	{ TYPE(SOFTIRQ), ANA_KIND_TIMER, "TIMER", 0 },
	{ TYPE(SOFTIRQ), ANA_KIND_TIMER, "HRTIMER", 0 },
	{ TYPE(SOFTIRQ), ANA_KIND_SOFTIRQ, "*", 0 },

	{ TYPE(HRTIMER), ANA_KIND_TIMER, "*", 0 },

	{ TYPE(VECTOR) | TYPE(IPI), ANA_KIND_TIMER, "*imer*", MDL_DOUBT(NAME) },
	{ TYPE(IPI), ANA_KIND_IPI, "*", 0 },
	/* Any hard interrupt (model/cause/within.c): of a device, of the local timer, an IPI. */
	{ TYPE(VECTOR), ANA_KIND_IRQ, MDL_CTX_UNRECORDED, MDL_DOUBT(NAME) },
	{ TYPE(VECTOR), ANA_KIND_IRQ, "*", 0 },

	{ TYPE(IRQ), ANA_KIND_BLOCK, "*-req.*", MDL_DOUBT(NAME) },   /* virtio-blk */
	{ TYPE(IRQ), ANA_KIND_BLOCK, "*-request", MDL_DOUBT(NAME) }, /* virtio-scsi */
	{ TYPE(IRQ), ANA_KIND_BLOCK, "nvme*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_BLOCK, "ahci*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_BLOCK, "ata_*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_BLOCK, "?ata_*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_BLOCK, "sd*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_BLOCK, "mmc*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_BLOCK, "*scsi*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_BLOCK, "*sas*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_BLOCK, "blkif*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_NETWORK, "*-input.*", MDL_DOUBT(NAME) }, /* virtio-net */
	{ TYPE(IRQ), ANA_KIND_NETWORK, "*-output.*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_NETWORK, "eth*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_NETWORK, "eno*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_NETWORK, "enp*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_NETWORK, "ens*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_NETWORK, "enx*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_NETWORK, "wl*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_NETWORK, "iwl*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_NETWORK, "mlx*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_TIMER, "*timer*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_TIMER, "hpet*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_TIMER, "rtc*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_USER_INPUT, "i8042", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_USER_INPUT, "atkbd*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_USER_INPUT, "*keyboard*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_USER_INPUT, "*serial*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_USER_INPUT, "tty*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_USER_INPUT, "*usb*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_USER_INPUT, "?hci_hcd*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_USER_INPUT, "?hci-hcd*", MDL_DOUBT(NAME) },
	{ TYPE(IRQ), ANA_KIND_IRQ, "*", 0 },
};

static const struct pattern *pattern_of(const struct qry_context *ctx)
{
	for (size_t i = 0; i < G_N_ELEMENTS(patterns); i++) {
		if ((patterns[i].types & (1u << ctx->type)) &&
			g_pattern_match_simple(patterns[i].glob, ctx->name))
			return &patterns[i];
	}
	return NULL;
}

static void from_thread(const struct ana_look *l, struct ana_source *s, const struct mdl_hop *hop)
{
	bool fork = s->wakeup.via == MDL_VIA_NEW;

	s->thread = ana_chain_actor(l->q, &hop->act);
	if (!fork && s->thread == MDL_NONE)
		return;
	s->kind = fork ? ANA_KIND_FORK : ANA_KIND_THREAD;
	s->doubts = hop->doubts;
}

static void from_context(const struct ana_look *l, struct ana_source *s, const struct mdl_hop *hop)
{
	struct qry_context ctx = qry_context(l->q, s->host, hop->act.context);
	const struct pattern *p = pattern_of(&ctx);
	/* An IRQ thread waits for the interrupt itself, and ksoftirqd for any pending softirqs. */
	g_autofree char *line = g_strdup_printf("irq/%" PRId64 "-", ctx.nr);
	bool own_line = ctx.type == MDL_CTX_IRQ && g_str_has_prefix(qry_row(l->q, s->row)->name, line);
	bool daemon = ana_chain_is_softirq_daemon(l->q, s->row);
	bool tick = ctx.type == MDL_CTX_HRTIMER && hop->doubts == 0;

	if (!p)
		return;
	s->kind = daemon ? ANA_KIND_SOFTIRQ : own_line || tick ? ANA_KIND_IRQ : p->kind;
	s->doubts = hop->doubts;
	if (!own_line && !daemon)
		s->doubts |= p->doubts;
	s->device = ana_chain_line(l->q, s->host, &l->chain);
}

/* Set kind and doubts of S by the sender of the wake-up only. */
static void from_chain(const struct ana_look *l, struct ana_source *s, uint32_t row)
{
	const struct mdl_hop *last = l->chain.n > 0 ? &l->chain.hops[l->chain.n - 1] : NULL;

	if (last && last->act.context != MDL_NONE) {
		from_context(l, s, last);
	} else if (last) {
		from_thread(l, s, last);
	} else if (s->wakeup.via == MDL_VIA_NEW) {
		s->kind = ANA_KIND_FORK;
		s->doubts = MDL_DOUBT(NO_WAKING);
	} else if (s->wakeup.via != MDL_VIA_NONE && ana_chain_is_softirq_daemon(l->q, row)) {
		s->kind = ANA_KIND_SOFTIRQ;
		s->doubts = MDL_DOUBT(NO_RAISE);
	}
}

/* Set kind and doubts of S by the facts at the wake-up. False if no fact shows more than the chain. */
static bool from_facts(const struct ana_look *l, struct ana_source *s)
{
	/* Also the chain of a thread, whose cause may have no hops. */
	const struct mdl_chain *chain = &l->chain;
	const struct ana_fact_ops *fact = ana_fact_teller(&l->cause->facts);

	if (!fact)
		return false;
	s->kind = fact->kind;
	s->doubts = chain->n > 0 ? chain->hops[chain->n - 1].doubts : 0;
	if (fact->source)
		fact->source(l, &l->cause->facts, s);
	return true;
}

struct ana_source ana_source_of(struct qry *q, uint32_t row, const struct mdl_wakeup *wakeup)
{
	static const char *const events[MDL_VIA_N] = { [MDL_VIA_WAKING] = "sched_waking",
		[MDL_VIA_WAKEUP] = "sched_wakeup",
		[MDL_VIA_NEW] = "sched_wakeup_new" };
	struct ana_source s = { .host = qry_row(q, row)->host,
		.row = row,
		.kind = ANA_KIND_UNKNOWN,
		.doubts = MDL_DOUBT(UNKNOWN),
		.thread = MDL_NONE,
		.interrupted = MDL_NONE,
		.wakeup = *wakeup,
		.event = wakeup->via < MDL_VIA_N ? events[wakeup->via] : NULL };
	struct mdl_cause cause;
	struct ana_look l = { .q = q };

	if (wakeup->via == MDL_VIA_WAKING && qry_row(q, row)->type == MDL_ROW_VCPU)
		s.event = "kvm_x86_apic_accept_irq";
	if (wakeup->cause != 0 && qry_cause(q, s.host, wakeup->cause, &cause))
		l.cause = &cause;
	l.chain = ana_chain_of(q, row, wakeup, l.cause);
	if (!l.cause || !from_facts(&l, &s))
		from_chain(&l, &s, row);
	if (l.cause && l.cause->lossy)
		s.doubts |= MDL_DOUBT(LOST);
	if (s.thread == MDL_NONE && (wakeup->n_contexts > 0 || s.kind == ANA_KIND_SOFTIRQ) &&
		wakeup->via != MDL_VIA_NEW)
		s.interrupted = wakeup->waker;
	return s;
}

bool ana_source_cause(struct qry *q, const struct ana_source *s, struct mdl_cause *cause)
{
	if (s->wakeup.cause == 0 || !qry_cause(q, s->host, s->wakeup.cause, cause))
		return false;
	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		if (ana_fact_all[i]->only_then && s->kind != ana_fact_all[i]->kind)
			cause->facts.has &= ~(1u << i);
	return true;
}

bool ana_source_chain(struct qry *q, const struct ana_source *s, struct mdl_cause *cause,
	struct mdl_chain *chain)
{
	bool has_cause = ana_source_cause(q, s, cause);

	*chain = ana_chain_of(q, s->row, &s->wakeup, has_cause ? cause : NULL);
	if (has_cause && cause->facts.has & MDL_FACT_PACKET)
		ana_arrival_cut(q, s->host, &cause->facts.packet, chain);
	return has_cause;
}

enum ana_kind ana_kind_of_context(const struct qry_context *context)
{
	const struct pattern *p = pattern_of(context);

	return p ? p->kind : ANA_KIND_UNKNOWN;
}

/* ---- in words: one line, and where it came from ---- */

static char *text_of_thread(const struct qry *q, const struct ana_source *s, const char *what)
{
	g_autofree char *who = s->thread == MDL_NONE ? g_strdup("an unknown thread")
						     : qry_row_label(q, s->thread);

	return g_strdup_printf("%s %s%s", what, who, ana_grade_mark(s->doubts));
}

/* "woken by thread X, which sent signal 10 USR1 (inferred)". The signal may not be the reason. */
static char *text_of_waker(const struct qry *q, const struct ana_source *s, const struct mdl_facts *facts)
{
	bool posted = facts && facts->has & MDL_FACT_VIRQ;
	g_autofree char *who = text_of_thread(q, s, posted ? "posted by" : "woken by"), *did = NULL;

	if (!facts || !(facts->has & MDL_FACT_SIGNAL) ||
		ana_chain_actor(q, &facts->signal.sender) != s->thread)
		return g_steal_pointer(&who);
	did = ana_fact_all[MDL_FACT_NR_SIGNAL]->did(facts);
	return g_strdup_printf("%s, which %s", who, did);
}

/*
 * The times of the steps, if the answer shows them: always for a request; for anything else that interrupts
 * brought, only if the steps took longer than the rest of the wait. NULL otherwise. The caller frees.
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

static char *source_words(struct qry *q, const struct ana_source *s, const struct mdl_facts *facts,
	const struct mdl_chain *chain)
{
	const char *kind = ana_kind_name(s->kind);
	const struct ana_fact_ops *fact = NULL;
	g_autofree char *words = NULL, *steps = NULL;

	/* The fact that describes a wait of this kind. */
	for (unsigned i = 0; facts && !fact && i < MDL_FACTS_N; i++)
		if (facts->has & 1u << i && ana_fact_all[i]->kind_rank > 0 &&
			ana_fact_all[i]->kind == s->kind)
			fact = ana_fact_all[i];
	if (fact) {
		words = fact->words(q, s->host, facts, chain);
		steps = fact->before_steps ? text_of_steps(q, s, facts, chain) : NULL;
		return g_strconcat(kind, ": ", words, ana_grade_mark(s->doubts),
			steps ? fact->before_steps : NULL, steps, NULL);
	}
	if (s->kind == ANA_KIND_THREAD)
		return text_of_waker(q, s, facts);
	if (s->kind == ANA_KIND_FORK)
		return text_of_thread(q, s, "created by");
	if (s->kind == ANA_KIND_UNKNOWN)
		return g_strdup(kind);
	/* "block: softirq BLOCK": the kind, and the contexts of the chain. */
	words = chain->n > 0 ? ana_words_chain(q, s->host, chain) : g_strdup("");
	steps = text_of_steps(q, s, facts, chain);
	return g_strconcat(kind, chain->n > 0 ? ": " : "", words, steps ? "; " : NULL, steps, NULL);
}

char *ana_source_text(struct qry *q, const struct ana_source *s)
{
	struct mdl_cause cause;
	struct mdl_chain chain;
	const struct mdl_facts *facts = ana_source_chain(q, s, &cause, &chain) ? &cause.facts : NULL;
	char *text = source_words(q, s, facts, &chain), *whole;

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
		return g_strdup(s->wakeup.via == MDL_VIA_NONE ? "no wake-up recorded"
							      : ana_kind_look(s->kind)->words);
	if (s->device)
		return g_strdup(s->device);
	ana_source_chain(q, s, &cause, &chain);
	last = chain.n > 0 ? &chain.hops[chain.n - 1].act : NULL;
	if (last && last->context != MDL_NONE)
		return qry_context_text(q, s->host, last->context);
	return g_strdup(ana_kind_look(s->kind)->words);
}

/* The thread that sent, queued or armed it, at *TIME. MDL_NONE if it is unknown, or is the waiter itself. */
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

/* The row of the first step of CHAIN that has one, at *TIME. MDL_NONE if none has. */
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
