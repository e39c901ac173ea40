/* SPDX-License-Identifier: MIT */
#include "export/exp_source.h"

#include "export/exp_facts.h"
#include "export/exp_json.h"

#include "analysis/ana_chain.h"
#include "analysis/ana_why.h"
#include "analysis/ana_words.h"

/* A vector that no other CPU sent is an interrupt to whoever reads the file. */
static const char *type_of(const struct qry_context *c)
{
	return mdl_ctx_type_name(c->type == MDL_CTX_VECTOR ? MDL_CTX_IRQ : c->type);
}

static GString *hop_json(const struct qry *q, uint32_t host, const struct mdl_hop *hop)
{
	const struct mdl_act *act = &hop->act;
	GString *o = exp_json_object();
	struct qry_context c = { .name = "", .nr = -1 };

	if (act->context != MDL_NONE)
		c = qry_context(q, host, act->context);
	exp_json_string(o, "type", act->context != MDL_NONE ? type_of(&c) : "thread");
	/* The number of an hrtimer is an address, which stands in "timer". */
	exp_json_natural(o, "nr", c.type == MDL_CTX_HRTIMER ? -1 : c.nr);
	exp_json_text(o, "name", c.name);
	exp_json_id(o, "cpu", act->cpu);
	exp_json_time(o, "entry", act->entry);
	exp_json_time(o, "at", act->time);
	exp_json_string(o, "grade", ana_grade_name(ana_grade_of(hop->grade)));
	if (act->context == MDL_NONE)
		exp_json_put(o, "thread", exp_json_thread(q, ana_chain_actor(q, act), act->time));
	return o;
}

/* The way to the wake-up, unless it is no more than the thread that sent it. */
static GString *contexts_json(const struct qry *q, uint32_t host, const struct mdl_chain *chain)
{
	GString *list = exp_json_list();

	if (chain->n == 1 && chain->hops[0].act.context == MDL_NONE)
		return list;
	for (unsigned i = 0; i < chain->n; i++)
		exp_json_put(list, NULL, hop_json(q, host, &chain->hops[i]));
	return list;
}

/* Where the model knows no more of a timer than the context it ran in: its function; else NULL. */
static GString *timer_context_json(const struct qry *q, uint32_t host, const struct mdl_chain *chain)
{
	uint32_t last = chain->n > 0 ? chain->hops[chain->n - 1].act.context : MDL_NONE;
	static const char *const unknown[] = { "armed_by", "armed_at", "due", "slack", "late", "late_by" };
	struct qry_context c = { .type = MDL_CTX_TYPES };
	GString *timer;

	if (last != MDL_NONE)
		c = qry_context(q, host, last);
	if (c.type != MDL_CTX_HRTIMER || (c.nr == -1 && !*c.name))
		return NULL;
	timer = exp_json_object();
	if (*c.name)
		exp_json_text(timer, "function", c.name);
	else
		exp_json_address(timer, "function", (uint64_t)c.nr);
	exp_json_yes(timer, "expired", TRUE);
	for (size_t i = 0; i < G_N_ELEMENTS(unknown); i++)
		exp_json_null(timer, unknown[i]);
	return timer;
}

static GString *calls_json(const struct ana_why *why)
{
	GString *o;

	if (!why->waiter_call && !why->waker_call)
		return NULL;
	o = exp_json_object();
	exp_json_text(o, "waiter", why->waiter_call);
	exp_json_text(o, "waker", why->waker_call);
	return o;
}

/* What the time up to the wake-up went by with, in order. */
static GString *steps_json(const struct qry *q, const struct ana_why *why)
{
	GString *list = exp_json_list();

	for (unsigned i = 0; i < why->steps.n; i++) {
		const struct ana_step *step = &why->steps.steps[i];
		g_autofree char *who = step->what >= ANA_STEP_HANDLING
			? ana_words_act(q, why->source.host, &step->act)
			: NULL;
		GString *o = exp_json_object();

		exp_json_text(o, "what", ana_step_name(step->what));
		exp_json_text(o, "who", who);
		exp_json_id(o, "cpu", step->act.cpu);
		exp_json_time(o, "from", step->from);
		exp_json_time(o, "to", step->to);
		exp_json_text(o, "grade", ana_grade_name(step->grade));
		exp_json_put(list, NULL, o);
	}
	return list;
}

GString *exp_source_json(struct qry *q, uint32_t row, const struct mdl_wakeup *wakeup,
	struct exp_evidence *evidence)
{
	struct ana_why *why = ana_why_new(q, row, wakeup);
	const struct ana_source *source = &why->source;
	const struct mdl_cause *cause = why->has_cause ? &why->cause : NULL;
	GString *o = exp_json_object();

	exp_json_string(o, "kind", ana_kind_name(source->kind));
	exp_json_put(o, "thread", exp_json_thread(q, source->thread, source->wakeup.time));
	exp_json_put(o, "context", contexts_json(q, source->host, &why->chain));
	exp_json_text(o, "device", source->device);
	exp_json_text(o, "virtual", ana_words_virtio(source->device));
	exp_facts_json(o, q, source->host, cause ? &cause->facts : NULL,
		source->kind == ANA_KIND_TIMER && !(cause && (cause->facts.has & MDL_FACT_TIMER))
			? timer_context_json(q, source->host, &why->chain)
			: NULL);
	exp_json_put(o, "calls", calls_json(why));
	exp_json_put(o, "steps", steps_json(q, why));
	exp_json_yes(o, "lossy", cause && cause->lossy);
	exp_json_string(o, "grade", ana_grade_name(source->grade));
	exp_json_text(o, "text", why->headline);
	exp_json_put(o, "evidence", exp_evidence_list(evidence, why, 0, why->evidence->len));
	ana_why_free(why);
	return o;
}
