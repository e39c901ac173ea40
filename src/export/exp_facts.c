/* SPDX-License-Identifier: MIT */
#include "export/exp_facts.h"

#include "export/exp_blame.h"
#include "export/exp_json.h"

#include "analysis/ana_late.h"
#include "analysis/ana_sender.h"
#include "analysis/ana_words.h"

#include <netinet/in.h>

/* From being queued to being completed; null: not known. */
static void put_steps(GString *o, const struct mdl_request *r)
{
	GString *list;
	int64_t from = r->begin;

	if (r->n_steps == 0) {
		exp_json_null(o, "steps");
		return;
	}
	list = exp_json_list();
	for (unsigned i = 0; i < r->n_steps; i++) {
		GString *step;

		if (r->steps[i].to <= from) /* by the clocks in use */
			continue;
		step = exp_json_object();
		exp_json_text(step, "what", mdl_step_name(r->steps[i].what));
		exp_json_time(step, "from", from);
		exp_json_time(step, "to", r->steps[i].to);
		exp_json_text(step, "grade", ana_grade_name(ana_grade_of(r->steps[i].grade)));
		exp_json_put(list, NULL, step);
		from = r->steps[i].to;
	}
	exp_json_put(o, "steps", list);
}

static GString *request_json(struct qry *q, uint32_t host, const struct mdl_facts *facts)
{
	const struct mdl_request *r = &facts->request;
	GString *o = exp_json_object();

	exp_json_int(o, "dev", r->dev);
	exp_json_text(o, "device", qry_device_name(q, host, r->dev));
	exp_json_natural(o, "sector", r->sector == MDL_SECTOR_NONE ? -1 : (int64_t)r->sector);
	exp_json_int(o, "bytes", (int64_t)r->bytes);
	exp_json_text(o, "operation", mdl_op_name(r->op));
	exp_json_int(o, "merged", r->merged);
	exp_json_time(o, "queued", r->queued);
	exp_json_time(o, "inserted", r->inserted);
	exp_json_time(o, "issued", r->issued);
	exp_json_time(o, "completed", r->completed);
	exp_json_actor(o, "submitter", q, &r->submitter);
	exp_json_actor(o, "issuer", q, &r->issuer);
	exp_json_text(o, "grade", ana_grade_name(ana_grade_of(r->grade)));
	put_steps(o, r);
	return o;
}

const struct exp_fact_ops exp_fact_request = { .key = "request", .json = request_json };

/* The name of IP protocol NUMBER as /etc/protocols has it, else the number.  The caller frees. */
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

	exp_json_text(o, "protocol", protocol);
	exp_json_text(o, "source", source);
	exp_json_natural(o, "source_port", known && p->has_ports ? p->source_port : -1);
	exp_json_text(o, "destination", destination);
	exp_json_natural(o, "destination_port", known && p->has_ports ? p->destination_port : -1);
	exp_json_natural(o, "sequence", tcp ? (int64_t)p->sequence : -1);
	exp_json_natural(o, "acknowledgement", tcp ? (int64_t)p->acknowledgement : -1);
	exp_json_natural(o, "flags", tcp ? p->flags : -1);
}

static GString *packet_json(struct qry *q, uint32_t host, const struct mdl_facts *facts)
{
	const struct mdl_received *r = &facts->packet;
	GString *o = exp_json_object();
	struct ana_sender s;
	bool known = ana_sender_of(q, host, r, &s);

	exp_json_text(o, "device", qry_string(q, host, r->device));
	put_headers(o, &r->packet);
	exp_json_int(o, "length", r->packet.length);
	exp_json_text(o, "grade", ana_grade_name(ana_grade_of(r->grade)));
	exp_json_time(o, "received", r->time);
	exp_json_time(o, "sent", known ? s.by.time : MDL_NEVER);
	exp_json_put(o, "sender", known ? exp_json_thread(q, s.thread, s.by.time) : NULL);
	exp_json_text(o, "sender_host", known ? qry_host(q, s.host)->name : NULL);
	exp_json_natural(o, "error", known && s.remote && s.error != INT64_MAX ? s.error : -1);
	return o;
}

const struct exp_fact_ops exp_fact_packet = { .key = "packet", .json = packet_json };

static GString *timer_json(struct qry *q, uint32_t host, const struct mdl_facts *facts)
{
	const struct mdl_timer *t = &facts->timer;
	struct ana_blame *late = ana_late_blame(q, host, t);
	GString *o = exp_json_object();

	exp_json_address(o, "function", t->function);
	exp_json_actor(o, "armed_by", q, &t->armed);
	exp_json_time(o, "armed_at", t->armed.time);
	exp_json_yes(o, "expired", t->expired);
	exp_json_text(o, "grade", ana_grade_name(ana_grade_of(t->grade)));
	exp_json_time(o, "due", t->due);
	exp_json_natural(o, "slack", t->due == MDL_NEVER ? -1 : t->slack);
	exp_json_time(o, "late", ana_late_ns(t));
	exp_json_put(o, "late_by", late ? exp_blame_json(q, late) : NULL);
	ana_blame_free(late);
	return o;
}

const struct exp_fact_ops exp_fact_timer = { .key = "timer", .json = timer_json };

static GString *work_json(struct qry *q, G_GNUC_UNUSED uint32_t host, const struct mdl_facts *facts)
{
	const struct mdl_work *w = &facts->work;
	GString *o = exp_json_object();

	exp_json_address(o, "function", w->function);
	exp_json_actor(o, "queued_by", q, &w->queued);
	exp_json_time(o, "queued_at", w->queued.time);
	exp_json_time(o, "started", w->started);
	return o;
}

const struct exp_fact_ops exp_fact_work = { .key = "work", .json = work_json };

static GString *signal_json(struct qry *q, G_GNUC_UNUSED uint32_t host, const struct mdl_facts *facts)
{
	const struct mdl_signal *s = &facts->signal;
	const char *name = ana_words_signal_name(s->number);
	g_autofree char *full = name ? g_strconcat("SIG", name, NULL) : NULL;
	GString *o = exp_json_object();

	exp_json_int(o, "number", s->number);
	exp_json_text(o, "name", full);
	exp_json_actor(o, "sender", q, &s->sender);
	exp_json_text(o, "grade", ana_grade_name(ana_grade_of((enum mdl_grade)s->grade)));
	return o;
}

const struct exp_fact_ops exp_fact_signal = { .key = "signal", .json = signal_json };

static GString *remote_json(struct qry *q, uint32_t host, const struct mdl_facts *facts)
{
	const struct mdl_arrival *a = &facts->arrival;
	GString *o = exp_json_object();

	exp_json_id(o, "cpu", a->cpu);
	exp_json_time(o, "time", a->time);
	exp_json_text(o, "ipi", a->context == MDL_NONE ? NULL : qry_context(q, host, a->context).name);
	return o;
}

const struct exp_fact_ops exp_fact_arrival = { .key = "remote", .json = remote_json };

/* Softirqs that were raised and had not run. */
static GString *softirqs_json(G_GNUC_UNUSED struct qry *q, G_GNUC_UNUSED uint32_t host,
	const struct mdl_facts *facts)
{
	GString *list = exp_json_list();

	for (unsigned i = 0; i < MDL_SOFTIRQS; i++)
		if (facts->pending & 1u << i)
			exp_json_string(list, NULL, mdl_softirq_name(i));
	return list;
}

const struct exp_fact_ops exp_fact_pending = { .key = "softirqs", .json = softirqs_json, .optional = true };

#define FACT(NAME, member, type) [MDL_FACT_NR_##NAME] = &exp_fact_##member,
static const struct exp_fact_ops *const all[MDL_FACTS_N] = { MDL_FACTS(FACT) };

void exp_facts_json(GString *o, struct qry *q, uint32_t host, const struct mdl_facts *facts, GString *timer)
{
	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		if (facts && facts->has & 1u << i)
			exp_json_put(o, all[i]->key, all[i]->json(q, host, facts));
		else if (!all[i]->optional)
			exp_json_put(o, all[i]->key, i == MDL_FACT_NR_TIMER ? timer : NULL);
}
