/* SPDX-License-Identifier: MIT */
/* What was waited for as hops: who asked for it, and what became of it. */
#include "analysis/ana_chain.h"
#include "analysis/ana_late.h"
#include "analysis/ana_sender.h"
#include "analysis/ana_why_parts.h"
#include "analysis/ana_words.h"

#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>

/* A hop for who did ACT on HOST, which is told by TEXT (static) and EVENT. */
static void add_act_at(struct ana_why_maker *m, uint32_t host, const struct mdl_act *act, const char *text,
	const char *event)
{
	struct ana_why_hop *hop = ana_why_hop_add(m, ana_words_act(m->q, host, act));

	hop->text = g_strdup(text);
	hop->row = ana_why_row_of(m, host, act);
	hop->host = host;
	hop->cpu = act->cpu;
	hop->from = hop->to = act->time;
	ana_why_evidence_at(m, host, event, act->time, act->cpu);
}

/* The same on the waiter's host, where there was such an act. */
static void add_act(struct ana_why_maker *m, const struct mdl_act *act, const char *text, const char *event)
{
	if (act->time != MDL_NEVER)
		add_act_at(m, m->why->source.host, act, text, event);
}

static bool same_actor(const struct mdl_act *a, const struct mdl_act *b)
{
	return a->context == b->context && a->thread == b->thread;
}

static char *request_label(const struct ana_why_maker *m, const struct mdl_request *r)
{
	char *bytes = base_text_bytes(r->bytes), *text;
	const char *dev = qry_device_name(m->q, m->why->source.host, r->dev),
		   *op = ana_words_operation(r->op);
	const char *request = r->op == MDL_OP_UNKNOWN || r->op == MDL_OP_OTHER ? "" : "request ";

	if (r->sector == MDL_SECTOR_NONE)
		text = g_strdup_printf("%s%s %s", request, op, dev);
	else
		text = g_strdup_printf("%s%s %s %" PRIu64 " +%s", request, op, dev, r->sector, bytes);
	g_free(bytes);
	return text;
}

static char *request_text(const struct ana_why_maker *m, const struct mdl_request *r)
{
	struct ana_steps own = m->why->steps;
	char *times, *text;

	own.n = own.n_request;
	times = ana_steps_text(&own);
	if (r->merged == 0)
		return times ? times : g_strdup("completed");
	text = g_strdup_printf("%s%s%u merged into it", times ? times : "", times ? "; " : "", r->merged);
	g_free(times);
	return text;
}

/* The CPU that sent the wake-up; MDL_NONE unknown. */
static uint32_t cpu_of_end(const struct ana_why_maker *m)
{
	const struct mdl_chain *chain = &m->why->chain;

	return chain->n > 0 ? chain->hops[chain->n - 1].act.cpu : MDL_NONE;
}

static void add_request(struct ana_why_maker *m, const struct mdl_request *r)
{
	uint32_t last_cpu = cpu_of_end(m);
	struct ana_why_hop *hop;

	add_act(m, &r->submitter, "asked for it", r->queued != MDL_NEVER ? "block_bio_queue" : "block_getrq");
	if (!same_actor(&r->submitter, &r->issuer))
		add_act(m, &r->issuer, "gave it to the driver", "block_rq_issue");
	hop = ana_why_hop_add(m, request_label(m, r));
	hop->text = request_text(m, r);
	hop->from = r->queued != MDL_NEVER ? r->queued : r->inserted != MDL_NEVER ? r->inserted : r->issued;
	hop->to = r->completed;
	hop->grade = ana_grade_of(r->grade);
	if (hop->grade != ANA_PROVED)
		hop->missing = "block_rq_*";
	/* By whoever flushed the plug it was on. */
	ana_why_evidence_add(m, "block_rq_insert", r->inserted, MDL_NONE);
	ana_why_evidence_add(m, "block_rq_issue", r->issued,
		r->issuer.time != MDL_NEVER ? r->issuer.cpu : MDL_NONE);
	ana_why_evidence_add(m, "block_rq_complete", r->completed, last_cpu);
}

/* How long the packet was on its way between two hosts, as far as their clocks tell. */
static void append_way(GString *text, const struct ana_sender *s, int64_t received)
{
	char *way = base_time_format_duration(ABS(received - s->by.time), false);
	char *error = s->error != INT64_MAX ? base_time_format_duration(s->error, false) : NULL;

	if (s->apart)
		g_string_append(text, ", sent by another clock");
	else
		g_string_append_printf(text, ", %s %s%s%s", way,
			received >= s->by.time ? "on the way" : "too early by the clocks", error ? " ± " : "",
			error ? error : "");
	g_free(way);
	g_free(error);
}

static void add_packet(struct ana_why_maker *m, const struct mdl_received *r)
{
	uint32_t last_cpu = cpu_of_end(m), host = m->why->source.host;
	struct ana_sender s = { .by.time = MDL_NEVER };
	GString *text = g_string_new(NULL);
	struct ana_why_hop *hop;
	char *packet = ana_words_packet(&r->packet), *carried = ana_words_carried(m->q, host, r);

	if (ana_sender_of(m->q, host, r, &s))
		add_act_at(m, s.host, &s.by, "sent the packet", "net_dev_queue");
	g_string_append(text, carried);
	if (s.remote)
		append_way(text, &s, r->time);
	hop = ana_why_hop_add(m, packet ? g_strdup_printf("packet %s", packet) : g_strdup("packet"));
	hop->text = g_string_free(text, FALSE);
	hop->from = s.by.time == MDL_NEVER || s.apart ? r->time : MIN(s.by.time, r->time);
	hop->to = r->time;
	if (r->grade != MDL_PROVED || (s.remote && (s.apart || s.error > r->time - s.by.time)))
		hop->grade = ANA_INFERRED;
	ana_why_evidence_add(m, "net_if_receive_skb", r->time, last_cpu);
	g_free(packet);
	g_free(carried);
}

/* When it expired, and how exactly it can. */
static char *timer_text(const struct ana_why_maker *m, const struct mdl_timer *t)
{
	char *text = ana_words_timer(m->q, m->why->source.host, t), *resolution = ana_late_resolution(t);
	char *both = g_strconcat(text, resolution ? "; " : "", resolution ? resolution : "", NULL);

	g_free(text);
	g_free(resolution);
	return both;
}

/* Who had the CPU while the timer T was late, the longest first. */
static void add_late(struct ana_why_maker *m, const struct mdl_timer *t)
{
	struct ana_blame *blame = ana_late_blame(m->q, m->why->source.host, t);
	struct ana_why_hop *hop;

	if (blame && blame->parts->len > 0) {
		hop = ana_why_hop_add(m, g_strdup("late"));
		hop->text = ana_late_text(m->q, m->why->source.host, t, blame->from, blame->to);
		hop->row = g_array_index(blame->parts, struct ana_blame_part, 0).row;
		hop->cpu = t->cpu;
		hop->from = blame->from;
		hop->to = blame->to;
		hop->grade = ANA_PROVED;
		for (guint i = 0; i < blame->parts->len; i++)
			hop->grade = MAX(hop->grade,
				g_array_index(blame->parts, struct ana_blame_part, i).grade);
		hop->missing = hop->grade == ANA_PROVED ? NULL
			: hop->grade == ANA_INFERRED ? qry_host(m->q, m->why->source.host)->interrupts_missing
						     : "sched_switch";
	}
	ana_blame_free(blame);
}

static void add_timer(struct ana_why_maker *m, const struct mdl_timer *t)
{
	const char *start = t->wheel ? "timer_start" : "timer_hrtimer_start";
	struct ana_why_hop *hop;

	add_act(m, &t->armed, "armed the timer", start);
	hop = ana_why_hop_add(m, g_strdup_printf("timer 0x%" PRIx64, t->function));
	hop->text = timer_text(m, t);
	hop->cpu = t->cpu;
	hop->from = t->armed.time;
	hop->to = t->expired_at;
	if (t->wheel) /* hrtimers expire in a context of their own, which is a hop */
		ana_why_evidence_add(m, "timer_expire_entry", t->expired_at, t->cpu);
	if (t->armed.time == MDL_NEVER) {
		hop->grade = ANA_INFERRED;
		hop->missing = start;
	}
	add_late(m, t);
}

static void add_work(struct ana_why_maker *m, const struct mdl_work *w)
{
	uint32_t cpu = cpu_of_end(m);
	struct ana_why_hop *hop;

	if (w->started == MDL_NEVER) /* the last step of the chain queued it */
		return;
	add_act(m, &w->queued, "queued the work", "workqueue_queue_work");
	hop = ana_why_hop_add(m, g_strdup_printf("work 0x%" PRIx64, w->function));
	hop->text = g_strdup("was executed");
	hop->cpu = cpu;
	hop->from = w->started;
	hop->to = m->why->to;
	ana_why_evidence_add(m, "workqueue_execute_start", w->started, cpu);
}

void ana_why_facts(struct ana_why_maker *m)
{
	const struct mdl_facts *f = &m->why->cause.facts;

	if (f->has & MDL_FACT_REQUEST)
		add_request(m, &f->request);
	if (f->has & MDL_FACT_PACKET)
		add_packet(m, &f->packet);
	if ((f->has & MDL_FACT_TIMER) && f->timer.expired)
		add_timer(m, &f->timer);
	if (f->has & MDL_FACT_WORK)
		add_work(m, &f->work);
}
