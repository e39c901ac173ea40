/* SPDX-License-Identifier: MIT */
/* What ended a wait, in one line, and where it came from. */
#include "analysis/ana_chain.h"
#include "analysis/ana_sender.h"
#include "analysis/ana_source.h"
#include "analysis/ana_steps.h"
#include "analysis/ana_words.h"

static char *text_of_thread(const struct qry *q, const struct ana_source *s, const char *what)
{
	char *who = s->thread == MDL_NONE ? g_strdup("an unknown thread") : qry_row_label(q, s->thread);
	char *text = g_strdup_printf("%s %s%s", what, who, s->grade == ANA_INFERRED ? " (inferred)" : "");

	g_free(who);
	return text;
}

/* "block: softirq BLOCK": the kind, and the contexts on the way. */
static char *text_of_chain(const struct qry *q, const struct ana_source *s, const struct mdl_chain *chain)
{
	GString *text = g_string_new(ana_kind_name(s->kind));

	for (unsigned i = 0; i < chain->n; i++) {
		char *who = ana_words_act(q, s->host, &chain->hops[i].act);

		g_string_append_printf(text, "%s%s", i == 0 ? ": " : " > ", who);
		g_free(who);
	}
	return g_string_free(text, FALSE);
}

/* "softirq: SCHED, TIMER raised by IRQ 236 local_timer > hrtimer" */
static char *text_of_pending(const struct qry *q, const struct ana_source *s, const struct mdl_chain *chain,
	uint32_t pending)
{
	char *names = ana_words_softirqs(pending), *way = text_of_chain(q, s, chain), *text;

	text = g_strdup_printf("%s: %s raised by %s%s", ana_kind_name(s->kind), names, strchr(way, ':') + 2,
		s->grade == ANA_INFERRED ? " (inferred)" : "");
	g_free(way);
	g_free(names);
	return text;
}

static char *text_of_facts(struct qry *q, const struct ana_source *s, const struct mdl_facts *f)
{
	char *words = NULL, *text;

	if (s->kind == ANA_KIND_BLOCK && (f->has & MDL_FACT_REQUEST))
		words = ana_words_request(q, s->host, &f->request);
	else if (s->kind == ANA_KIND_NETWORK && (f->has & MDL_FACT_PACKET))
		words = ana_words_received(q, s->host, &f->packet);
	else if (s->kind == ANA_KIND_TIMER && (f->has & MDL_FACT_TIMER))
		words = ana_words_timer(q, s->host, &f->timer);
	else if (s->kind == ANA_KIND_SIGNAL)
		words = ana_words_signal(q, s->host, &f->signal);
	else if (s->kind == ANA_KIND_WORKQUEUE)
		words = ana_words_work(q, s->host, &f->work);
	if (!words)
		return NULL;
	text = g_strdup_printf("%s: %s%s", ana_kind_name(s->kind), words,
		s->grade == ANA_INFERRED ? " (inferred)" : "");
	g_free(words);
	return text;
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

static char *join(char *text, const char *between, char *steps)
{
	char *joined;

	if (!steps)
		return text;
	joined = g_strconcat(text, between, steps, NULL);
	g_free(text);
	g_free(steps);
	return joined;
}

char *ana_source_text(struct qry *q, const struct ana_source *s)
{
	struct mdl_cause cause;
	struct mdl_chain chain;
	const struct mdl_facts *facts = ana_source_chain(q, s, &cause, &chain) ? &cause.facts : NULL;
	char *text = facts ? text_of_facts(q, s, facts) : NULL;

	if (text)
		return join(text, s->kind == ANA_KIND_BLOCK ? ": " : "; ",
			text_of_steps(q, s, facts, &chain));
	if (facts && facts->has & MDL_FACT_PENDING)
		return text_of_pending(q, s, &chain, facts->pending);
	if (s->kind == ANA_KIND_THREAD)
		return text_of_thread(q, s, "woken by");
	if (s->kind == ANA_KIND_FORK)
		return text_of_thread(q, s, "created by");
	if (s->kind == ANA_KIND_UNKNOWN)
		return g_strdup(ana_kind_name(s->kind));
	return join(text_of_chain(q, s, &chain), "; ", text_of_steps(q, s, facts, &chain));
}

/* What is said of a KIND of which nothing more is known. */
static const char *words_of_kind(enum ana_kind kind)
{
	static const char *const words[ANA_KIND_N] = { [ANA_KIND_THREAD] = "an unknown thread",
		[ANA_KIND_BLOCK] = "a disk",
		[ANA_KIND_NETWORK] = "the network",
		[ANA_KIND_TIMER] = "a timer",
		[ANA_KIND_IPI] = "an IPI",
		[ANA_KIND_IRQ] = "an interrupt",
		[ANA_KIND_SOFTIRQ] = "softirqs not recorded",
		[ANA_KIND_USER_INPUT] = "an input device",
		[ANA_KIND_WORKQUEUE] = "work queued by an unknown thread",
		[ANA_KIND_SIGNAL] = "a signal of an unknown sender",
		[ANA_KIND_FORK] = "an unknown creator",
		[ANA_KIND_UNKNOWN] = "not known",
		[ANA_KIND_PREEMPTED] = "a CPU",
		[ANA_KIND_WAIT_CPU] = "a CPU" };

	return words[kind];
}

char *ana_source_behind(struct qry *q, const struct ana_source *s)
{
	struct mdl_cause cause;
	struct mdl_chain chain;
	const struct mdl_act *last;

	if (s->kind == ANA_KIND_UNKNOWN)
		return g_strdup(
			s->wakeup.via == MDL_VIA_NONE ? "no wake-up was seen" : words_of_kind(s->kind));
	if (s->device)
		return g_strdup(s->device);
	ana_source_chain(q, s, &cause, &chain);
	last = chain.n > 0 ? &chain.hops[chain.n - 1].act : NULL;
	if (last && last->context != MDL_NONE)
		return qry_context_text(q, s->host, last->context);
	return g_strdup(words_of_kind(s->kind));
}

/* Who began what ended the wait, and when. */
struct beginner {
	uint32_t row;
	int64_t time;
};

static struct beginner act_of(const struct qry *q, bool known, const struct mdl_act *act)
{
	return (struct beginner){ known ? ana_chain_actor(q, act) : MDL_NONE, act->time };
}

static struct beginner sender_of(struct qry *q, const struct ana_source *s, const struct mdl_facts *f)
{
	struct ana_sender sender;

	if (!(f->has & MDL_FACT_PACKET) || !ana_sender_of(q, s->host, &f->packet, &sender))
		return (struct beginner){ MDL_NONE, MDL_NEVER };
	return (struct beginner){ sender.thread, sender.by.time };
}

/* The thread that sent, queued or armed it; MDL_NONE when none is known, or it was the waiter itself. */
static uint32_t first_thread(struct qry *q, const struct ana_source *s, const struct mdl_facts *f,
	int64_t *time)
{
	const struct beginner all[] = { sender_of(q, s, f),
		act_of(q, f->has & MDL_FACT_SIGNAL, &f->signal.sender),
		act_of(q, f->has & MDL_FACT_WORK, &f->work.queued),
		act_of(q, f->has & MDL_FACT_REQUEST, &f->request.submitter),
		act_of(q, (f->has & MDL_FACT_TIMER) && f->timer.expired, &f->timer.armed) };

	for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
		if (all[i].row == MDL_NONE || all[i].row == s->row)
			continue;
		*time = all[i].time;
		return all[i].row;
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
