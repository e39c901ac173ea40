/* SPDX-License-Identifier: MIT */
/* SOURCE of cli.md: what ended a wait. Each fact of its cause has a function that makes the JSON. */
#include "table/json.h"

#include "analysis/cpu/cpuwait.h"
#include "analysis/kind/chain.h"
#include "analysis/kind/kind.h"
#include "analysis/wait/why.h"
#include "base/base_time.h"

#include <netinet/in.h>

/* ---- facts ---- */

/* Put KEY: the thread that did ACT (null: an interrupt), with the grade of ACT and DOUBTS (null: unknown). */
static void put_act_doubted(GString *o, const char *key, const struct qry *q, const struct mdl_act *act,
	mdl_doubts doubts)
{
	g_autofree char *prefix = g_strconcat(key, "_", NULL);

	base_json_put(o, key, table_json_thread(q, ana_chain_actor(q, act), act->time));
	if (act->time != MDL_NEVER)
		table_json_grade(o, prefix, doubts);
	else
		table_json_no_grade(o, prefix);
}

/* Like put_act_doubted(), with the doubts of the actor. WAITER as in ana_chain_act_doubts(). */
static void put_act(GString *o, const char *key, const struct qry *q, const struct ana_why *why,
	const struct mdl_act *act, uint32_t waiter)
{
	put_act_doubted(o, key, q, act, ana_chain_act_doubts(q, why->source.host, act, waiter));
}

/* Put the steps from queueing to completion; null if they are unknown. */
static void put_steps(GString *o, const struct mdl_request *r)
{
	GString *list;
	int64_t from = r->begin;

	if (r->n_steps == 0) {
		base_json_null(o, "steps");
		return;
	}
	list = base_json_list();
	for (unsigned i = 0; i < r->n_steps; i++) {
		GString *step;

		if (r->steps[i].to <= from) /* empty by the clocks in use */
			continue;
		step = base_json_object();
		base_json_text(step, "what", mdl_step_name(r->steps[i].what));
		base_json_time(step, "from", from);
		base_json_time(step, "to", r->steps[i].to);
		table_json_grade(step, "", r->steps[i].doubts);
		base_json_put(list, NULL, step);
		from = r->steps[i].to;
	}
	base_json_put(o, "steps", list);
}

static GString *request_json(struct qry *q, const struct ana_why *why)
{
	const struct mdl_request *r = &why->cause.facts.request;
	bool end_alone = r->queued == MDL_NEVER && r->inserted == MDL_NEVER && r->issued == MDL_NEVER;
	/* The completion alone has no size if the request has no sectors. */
	bool no_size = end_alone && r->bytes == 0 && r->op != MDL_OP_FLUSH;
	GString *o = base_json_object();

	base_json_int(o, "dev", r->dev);
	base_json_text(o, "device", qry_device_name(q, why->source.host, r->dev));
	base_json_natural(o, "sector", r->sector == MDL_SECTOR_NONE ? -1 : (int64_t)r->sector);
	base_json_natural(o, "bytes", no_size ? -1 : (int64_t)r->bytes);
	base_json_text(o, "operation", mdl_op_name(r->op));
	base_json_natural(o, "merged", end_alone ? -1 : r->merged);
	base_json_time(o, "queued", r->queued);
	base_json_time(o, "inserted", r->inserted);
	base_json_time(o, "issued", r->issued);
	base_json_time(o, "completed", r->completed);
	put_act(o, "submitter", q, why, &r->submitter, why->row);
	put_act(o, "issuer", q, why, &r->issuer, why->row);
	table_json_grade(o, "", r->doubts);
	put_steps(o, r);
	return o;
}

const struct table_fact_ops table_fact_request = { .key = "request", .json = request_json };

/* The name of IP protocol NUMBER as in /etc/protocols, or its number. The caller frees. */
static char *protocol_name(unsigned number)
{
	switch (number) {
	case IPPROTO_TCP: return g_strdup("tcp");
	case IPPROTO_UDP: return g_strdup("udp");
	case IPPROTO_ICMP: return g_strdup("icmp");
	case IPPROTO_ICMPV6: return g_strdup("icmpv6");
	default: return g_strdup_printf("%u", number);
	}
}

static void put_headers(GString *o, const struct mdl_packet *p)
{
	bool known = p->version != 0,
	     tcp = mdl_packet_is_numbers(p) || (p->protocol == IPPROTO_TCP && p->has_ports);
	g_autofree char *protocol = known || tcp ? protocol_name(p->protocol) : NULL;
	g_autofree char *source = known ? ana_words_address(p->version, p->source) : NULL;
	g_autofree char *destination = known ? ana_words_address(p->version, p->destination) : NULL;

	base_json_text(o, "protocol", protocol);
	base_json_text(o, "source", source);
	base_json_natural(o, "source_port", known && p->has_ports ? p->source_port : -1);
	base_json_text(o, "destination", destination);
	base_json_natural(o, "destination_port", known && p->has_ports ? p->destination_port : -1);
	base_json_natural(o, "sequence", tcp ? (int64_t)p->sequence : -1);
	base_json_natural(o, "acknowledgement", tcp ? (int64_t)p->acknowledgement : -1);
	base_json_natural(o, "flags", tcp ? p->flags : -1);
}

static GString *packet_json(struct qry *q, const struct ana_why *why)
{
	const struct mdl_received *r = &why->cause.facts.packet;
	uint32_t host = why->source.host;
	GString *o = base_json_object();
	struct ana_sender s;
	bool known = ana_sender_of(q, host, r, &s);

	base_json_text(o, "device", qry_string(q, host, r->device));
	put_headers(o, &r->packet);
	base_json_int(o, "length", r->packet.length);
	table_json_grade(o, "", r->doubts);
	base_json_time(o, "received", r->time);
	base_json_time(o, "sent", known ? s.by.time : MDL_NEVER);
	base_json_put(o, "sender", known ? table_json_thread(q, s.thread, s.by.time) : NULL);
	if (known)
		table_json_grade(o, "sender_", s.doubts);
	else
		table_json_no_grade(o, "sender_");
	base_json_text(o, "sender_host", known ? qry_host(q, s.host)->name : NULL);
	base_json_natural(o, "error", known && s.remote && s.error != INT64_MAX ? s.error : -1);
	return o;
}

const struct table_fact_ops table_fact_packet = { .key = "packet", .json = packet_json };

static GString *timer_json(struct qry *q, const struct ana_why *why)
{
	const struct mdl_timer *t = &why->cause.facts.timer;
	struct ana_blame *late = ana_late_blame(q, why->source.host, t);
	GString *o = base_json_object();

	table_json_address(o, "function", t->function);
	put_act(o, "armed_by", q, why, &t->armed, why->row);
	base_json_time(o, "armed_at", t->armed.time);
	base_json_yes(o, "expired", t->expired);
	table_json_grade(o, "", t->doubts);
	base_json_time(o, "due", t->due);
	base_json_natural(o, "slack", t->due == MDL_NEVER ? -1 : t->slack);
	base_json_time(o, "late", ana_late_ns(t));
	base_json_put(o, "late_by", late ? table_blame_json(q, late) : NULL);
	ana_blame_free(late);
	return o;
}

const struct table_fact_ops table_fact_timer = { .key = "timer", .json = timer_json };

static GString *work_json(struct qry *q, const struct ana_why *why)
{
	const struct mdl_work *w = &why->cause.facts.work;
	const struct mdl_chain *chain = &why->chain;
	/* Work that has not begun was queued by the last hop of the chain. */
	mdl_doubts doubts = w->started == MDL_NEVER && chain->n > 0
		? chain->hops[chain->n - 1].doubts
		: ana_chain_act_doubts(q, why->source.host, &w->queued, MDL_NONE);
	GString *o = base_json_object();

	table_json_address(o, "function", w->function);
	put_act_doubted(o, "queued_by", q, &w->queued, doubts);
	base_json_time(o, "queued_at", w->queued.time);
	base_json_time(o, "started", w->started);
	return o;
}

const struct table_fact_ops table_fact_work = { .key = "work", .json = work_json };

static GString *signal_json(struct qry *q, const struct ana_why *why)
{
	const struct mdl_signal *s = &why->cause.facts.signal;
	const char *name = ana_words_signal_name(s->number);
	g_autofree char *full = name ? g_strconcat("SIG", name, NULL) : NULL;
	GString *o = base_json_object();

	base_json_int(o, "number", s->number);
	base_json_text(o, "name", full);
	put_act(o, "sender", q, why, &s->sender, MDL_NONE);
	table_json_grade(o, "", s->doubts);
	return o;
}

const struct table_fact_ops table_fact_signal = { .key = "signal", .json = signal_json };

static GString *remote_json(struct qry *q, const struct ana_why *why)
{
	const struct mdl_arrival *a = &why->cause.facts.arrival;
	GString *o = base_json_object();

	table_json_id(o, "cpu", a->cpu);
	base_json_time(o, "time", a->time);
	base_json_text(o, "ipi",
		a->context == MDL_NONE ? NULL : qry_context(q, why->source.host, a->context).name);
	return o;
}

const struct table_fact_ops table_fact_arrival = { .key = "remote", .json = remote_json };

static GString *futex_json(G_GNUC_UNUSED struct qry *q, const struct ana_why *why)
{
	static const char *const ops[MDL_FUTEX_BYS] = {
		[MDL_FUTEX_BY_WAKE] = "wake",
		[MDL_FUTEX_BY_WAKE_OP] = "wake-op",
		[MDL_FUTEX_BY_REQUEUE] = "requeue",
		[MDL_FUTEX_BY_UNLOCK_PI] = "unlock-pi",
		[MDL_FUTEX_BY_REQUEUE_PI] = "requeue-pi",
		[MDL_FUTEX_BY_EXIT] = "exit",
	};
	const struct mdl_futex *f = &why->cause.facts.futex;
	GString *o = base_json_object();

	table_json_address(o, "uaddr", f->address);
	base_json_text(o, "op", ops[f->by]);
	table_json_grade(o, "", f->doubts);
	return o;
}

const struct table_fact_ops table_fact_futex = { .key = "futex", .json = futex_json };

static GString *virq_json(G_GNUC_UNUSED struct qry *q, const struct ana_why *why)
{
	static const char *const bys[MDL_VIRQ_BYS] = { [MDL_VIRQ_BY_MSI] = "msi",
		[MDL_VIRQ_BY_LINE] = "line",
		[MDL_VIRQ_BY_IPI] = "ipi" };
	const struct mdl_virq *v = &why->cause.facts.virq;
	GString *o = base_json_object();

	base_json_int(o, "vector", v->vector);
	base_json_text(o, "by", bys[v->by]);
	table_json_grade(o, "", v->doubts);
	return o;
}

const struct table_fact_ops table_fact_virq = { .key = "virq", .json = virq_json, .optional = true };

static GString *suspend_json(struct qry *q, const struct ana_why *why)
{
	static const char *const bys[MDL_SUSPEND_BYS] = { [MDL_SUSPEND_BY_FREEZE] = "freeze",
		[MDL_SUSPEND_BY_THAW] = "thaw",
		[MDL_SUSPEND_BY_OTHER] = "other" };
	const struct mdl_suspend *s = &why->cause.facts.suspend;
	bool freezes = s->by == MDL_SUSPEND_BY_FREEZE;
	GString *o = base_json_object();

	base_json_text(o, "by", bys[s->by]);
	base_json_put(o, "thread", table_json_thread(q, ana_chain_actor(q, &s->act), s->act.time));
	base_json_time(o, "began", s->begin);
	base_json_time(o, "frozen", s->from);
	base_json_time(o, "thawed", freezes ? MDL_NEVER : s->act.time);
	base_json_natural(o, "stopped_least", s->least >= MDL_STOP_TOLD || s->most > 0 ? s->least : -1);
	base_json_natural(o, "stopped_most", s->most > 0 ? s->most : -1);
	table_json_grade(o, "", s->doubts);
	return o;
}

const struct table_fact_ops table_fact_suspend = { .key = "suspend", .json = suspend_json, .optional = true };

static GString *hotplug_json(G_GNUC_UNUSED struct qry *q, const struct ana_why *why)
{
	const struct mdl_hotplug *h = &why->cause.facts.hotplug;
	GString *o = base_json_object();

	base_json_int(o, "cpu", h->cpu);
	base_json_text(o, "to", h->up ? "on-line" : "off-line");
	base_json_int(o, "step", h->step);
	table_json_address(o, "function", h->function);
	base_json_time(o, "entered", h->entered);
	table_json_grade(o, "", h->doubts);
	return o;
}

const struct table_fact_ops table_fact_hotplug = { .key = "hotplug", .json = hotplug_json, .optional = true };

/* Softirqs that were raised and have not run yet. */
static GString *softirqs_json(G_GNUC_UNUSED struct qry *q, const struct ana_why *why)
{
	GString *list = base_json_list();

	for (unsigned i = 0; i < MDL_SOFTIRQS; i++)
		if (why->cause.facts.pending & 1u << i)
			base_json_string(list, NULL, mdl_softirq_name(i));
	return list;
}

const struct table_fact_ops table_fact_pending = { .key = "softirqs",
	.json = softirqs_json,
	.optional = true };

#define FACT(NAME, member, type) [MDL_FACT_NR_##NAME] = &table_fact_##member,
static const struct table_fact_ops *const all[MDL_FACTS_N] = { MDL_FACTS(FACT) };

/* ---- the whole ---- */

static GString *hop_json(const struct qry *q, uint32_t host, const struct mdl_hop *hop)
{
	const struct mdl_act *act = &hop->act;
	GString *o = base_json_object();
	struct qry_context c = { .name = "", .nr = -1 };

	if (act->context != MDL_NONE)
		c = qry_context(q, host, act->context);
	/* A vector that no other CPU sent is shown as an interrupt. */
	base_json_string(o, "type",
		act->context == MDL_NONE           ? "thread"
			: c.type == MDL_CTX_VECTOR ? mdl_ctx_type_name(MDL_CTX_IRQ)
						   : mdl_ctx_type_name(c.type));
	/* The number of an hrtimer is an address, which is in "timer". */
	base_json_natural(o, "nr", c.type == MDL_CTX_HRTIMER ? -1 : c.nr);
	base_json_text(o, "name", c.name);
	table_json_id(o, "cpu", act->cpu);
	base_json_time(o, "entry", g_str_equal(c.name, MDL_CTX_UNRECORDED) ? BASE_TIME_NONE : act->entry);
	base_json_time(o, "at", act->time);
	table_json_grade(o, "", hop->doubts);
	if (act->context == MDL_NONE)
		base_json_put(o, "thread", table_json_thread(q, ana_chain_actor(q, act), act->time));
	return o;
}

/* The chain of the wake-up; empty if it has only the waker. */
static GString *contexts_json(const struct qry *q, uint32_t host, const struct mdl_chain *chain)
{
	GString *list = base_json_list();

	if (chain->n == 1 && chain->hops[0].act.context == MDL_NONE)
		return list;
	for (unsigned i = 0; i < chain->n; i++)
		base_json_put(list, NULL, hop_json(q, host, &chain->hops[i]));
	return list;
}

/* The timer if the model knows only the context that it ran in; else NULL. */
static GString *timer_context_json(const struct qry *q, const struct ana_why *why)
{
	const struct mdl_chain *chain = &why->chain;
	uint32_t host = why->source.host;
	uint32_t last = chain->n > 0 ? chain->hops[chain->n - 1].act.context : MDL_NONE;
	static const char *const unknown[] = { "armed_by", "armed_at", "due", "slack", "late", "late_by" };
	struct qry_context c = { .type = MDL_CTX_TYPES };
	GString *timer;

	if (last != MDL_NONE)
		c = qry_context(q, host, last);
	if (c.type != MDL_CTX_HRTIMER || (c.nr == -1 && !*c.name))
		return NULL;
	timer = base_json_object();
	if (*c.name)
		base_json_text(timer, "function", c.name);
	else
		table_json_address(timer, "function", (uint64_t)c.nr);
	table_json_no_grade(timer, "armed_by_");
	base_json_yes(timer, "expired", TRUE);
	table_json_grade(timer, "", why->source.doubts);
	for (size_t i = 0; i < G_N_ELEMENTS(unknown); i++)
		base_json_null(timer, unknown[i]);
	return timer;
}

static GString *calls_json(const struct ana_why *why)
{
	GString *o;

	if (!why->waiter_call && !why->waker_call)
		return NULL;
	o = base_json_object();
	base_json_text(o, "waiter", why->waiter_call);
	base_json_text(o, "waker", why->waker_call);
	return o;
}

/* The steps of the time up to the wake-up, in order. */
static GString *steps_json(const struct qry *q, const struct ana_why *why)
{
	GString *list = base_json_list();

	for (unsigned i = 0; i < why->steps.n; i++) {
		const struct ana_step *step = &why->steps.steps[i];
		g_autofree char *who = step->what >= ANA_STEP_HANDLING
			? ana_words_act(q, why->source.host, &step->act)
			: NULL;
		GString *o = base_json_object();

		base_json_text(o, "what", ana_step_name(step->what));
		base_json_text(o, "who", who);
		table_json_id(o, "cpu", step->act.cpu);
		base_json_time(o, "from", step->from);
		base_json_time(o, "to", step->to);
		table_json_grade(o, "", step->doubts);
		base_json_put(list, NULL, o);
	}
	return list;
}

GString *table_source_json(struct qry *q, uint32_t row, const struct mdl_wakeup *wakeup,
	struct table_evidence *evidence)
{
	struct ana_why *why = ana_why_new(q, row, wakeup);
	const struct ana_source *source = &why->source;
	uint32_t has = why->has_cause ? why->cause.facts.has : 0;
	GString *o = base_json_object();

	base_json_string(o, "kind", ana_kind_name(source->kind));
	base_json_put(o, "thread", table_json_thread(q, source->thread, source->wakeup.time));
	base_json_put(o, "context", contexts_json(q, source->host, &why->chain));
	base_json_text(o, "device", source->device);
	base_json_text(o, "virtual", ana_words_virtio(source->device));
	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		if (has & 1u << i)
			base_json_put(o, all[i]->key, all[i]->json(q, why));
		else if (!all[i]->optional)
			base_json_put(o, all[i]->key,
				i == MDL_FACT_NR_TIMER && source->kind == ANA_KIND_TIMER
					? timer_context_json(q, why)
					: NULL);
	base_json_put(o, "calls", calls_json(why));
	base_json_put(o, "steps", steps_json(q, why));
	base_json_yes(o, "lossy", why->has_cause && why->cause.lossy);
	table_json_grade(o, "", source->doubts);
	base_json_text(o, "text", why->headline);
	base_json_put(o, "evidence", evidence->list(evidence, why, 0, why->evidence->len));
	ana_why_free(why);
	return o;
}
