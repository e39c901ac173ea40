/* SPDX-License-Identifier: MIT */
/*
 * The meaning of each fact of the model. A section is one fact: its functions, then its struct ana_fact_ops,
 * which the table ana_fact_all lists. A fact can show the kind of a wait (the lowest kind_rank wins), name
 * the thread that began it (the lowest rank is first), and add hops and evidence to an explanation. All other
 * code asks the table and knows no single fact.
 */
#include "analysis/wait/fact.h"

#include "analysis/cpu/cpuwait.h"
#include "analysis/kind/chain.h"
#include "analysis/kind/kind.h"
#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>

/* ---- hops and their evidence ---- */

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
		.first_evidence = m->why->evidence->len };

	g_array_append_val(hops, hop);
	return &g_array_index(hops, struct ana_why_hop, hops->len - 1);
}

static void why_hop_add_evidence(struct ana_why_maker *m, const struct ana_evidence *e)
{
	GArray *hops = m->why->hops;

	if (e->time == MDL_NEVER)
		return;
	g_array_append_vals(m->why->evidence, e, 1);
	g_array_index(hops, struct ana_why_hop, hops->len - 1).n_evidence++;
}

/* Add an event of HOST to the last hop. Does nothing if TIME is MDL_NEVER. */
static void add_event_of(struct ana_why_maker *m, uint32_t host, const char *event, int64_t time,
	uint32_t cpu)
{
	struct ana_evidence e = { .event = qry_event_name(m->q, host, event),
		.time = time,
		.host = host,
		.cpu = cpu };

	why_hop_add_evidence(m, &e);
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
	why_hop_add_evidence(m, &e);
}

void ana_why_evidence_add(struct ana_why_maker *m, const char *event, int64_t time, uint32_t cpu)
{
	add_event_of(m, m->why->source.host, event, time, cpu);
}

uint32_t ana_why_row_of(const struct ana_why_maker *m, uint32_t host, const struct mdl_act *act)
{
	if (act->context == MDL_NONE)
		return ana_chain_actor(m->q, act);
	return qry_context_row(m->q, host, act->context, act->cpu);
}

/* The event at the begin of CONTEXT, by LTTng's name since 2.4. */
static const char *entry_event(const struct qry_context *context)
{
	char *name;
	const char *interned;

	switch (context->type) {
	case MDL_CTX_IRQ: return "irq_handler_entry";
	case MDL_CTX_SOFTIRQ: return "irq_softirq_entry";
	case MDL_CTX_HRTIMER: return "timer_hrtimer_expire_entry";
	default:
		if (context->nr == -1) /* on arm IPIs have no number, and one event is for all */
			return "ipi_entry";
		name = g_strdup_printf("x86_irq_vectors_%s_entry", context->name);
		interned = g_intern_string(name);
		g_free(name);
		return interned;
	}
}

void ana_why_evidence_of_entry(struct ana_why_maker *m, const struct mdl_act *act)
{
	struct qry_context context;

	if (act->context == MDL_NONE)
		return;
	context = qry_context(m->q, m->why->source.host, act->context);
	ana_why_evidence_add(m, entry_event(&context), act->entry, act->cpu);
}

struct ana_why_hop *ana_why_act_at(struct ana_why_maker *m, uint32_t host, const struct mdl_act *act,
	uint32_t waiter, const char *text, const char *event)
{
	struct ana_why_hop *hop = ana_why_hop_add(m, ana_words_act(m->q, host, act));

	hop->text = g_strdup(text);
	hop->row = ana_why_row_of(m, host, act);
	hop->host = host;
	hop->cpu = act->cpu;
	hop->from = hop->to = act->time;
	hop->doubts = ana_chain_act_doubts(m->q, host, act, waiter);
	hop->missing = ana_chain_settles(m->q, host, hop->doubts);
	add_event_of(m, host, event, act->time, act->cpu);
	return hop;
}

/* Like ana_why_act_at(), on the wakee's host; does nothing if ACT did not happen. */
static void act_add(struct ana_why_maker *m, const struct mdl_act *act, uint32_t waiter, const char *text,
	const char *event)
{
	if (act->time != MDL_NEVER)
		ana_why_act_at(m, m->why->source.host, act, waiter, text, event);
}

/* The CPU that sent the wake-up; MDL_NONE: unknown. */
static uint32_t end_cpu(const struct ana_why_maker *m)
{
	const struct mdl_chain *chain = &m->why->chain;

	return chain->n > 0 ? chain->hops[chain->n - 1].act.cpu : MDL_NONE;
}

/* ---- where the wake-up arrived ---- */

/* The wake-up went to another CPU. */
static void add_hop(struct ana_why_maker *m, const struct mdl_facts *facts)
{
	const struct mdl_arrival *arrival = &facts->arrival;
	struct mdl_act act = { .time = arrival->time,
		.entry = arrival->entry,
		.cpu = arrival->cpu,
		.context = arrival->context,
		.thread = MDL_NONE };
	char *label = arrival->context != MDL_NONE ? ana_words_act(m->q, m->why->source.host, &act)
						   : g_strdup_printf("CPU %u", arrival->cpu);
	g_autofree char *flight = base_time_format_duration(arrival->time - m->why->to, false);
	struct ana_why_hop *hop = ana_why_hop_add(m, label);

	hop->text = g_strdup_printf("received the wake-up %s later", flight);
	hop->cpu = arrival->cpu;
	hop->from = arrival->context != MDL_NONE ? arrival->entry : arrival->time;
	hop->to = arrival->time;
	ana_why_evidence_of_entry(m, &act);
	ana_why_evidence_add(m, "sched_wakeup", arrival->time, arrival->cpu);
}

static const struct ana_fact_ops fact_arrival = { .after = add_hop };

/* ---- the futex that the waker released ---- */

static char *fact_futex_did(const struct mdl_facts *facts)
{
	const struct mdl_futex *f = &facts->futex;

	return g_strdup_printf("%s the futex 0x%" PRIx64 "%s",
		f->by == MDL_FUTEX_BY_EXIT ? "ended and released" : "released", f->address,
		ana_grade_mark(f->doubts));
}

static void fact_futex_add_evidence(struct ana_why_maker *m, const struct mdl_facts *facts)
{
	const struct mdl_act *const calls[] = { &facts->futex.waiter, &facts->futex.waker };

	for (size_t i = 0; i < G_N_ELEMENTS(calls); i++)
		ana_why_evidence_add(m, "syscall_entry_futex", calls[i]->time, calls[i]->cpu);
}

static const struct ana_fact_ops fact_futex = { .rank = 7,
	.did = fact_futex_did,
	.evidence = fact_futex_add_evidence };

/* ---- a packet of the net that was received ---- */

static void fact_packet_add_hops(struct ana_why_maker *m, const struct mdl_facts *facts)
{
	const struct mdl_received *r = &facts->packet;
	uint32_t last_cpu = end_cpu(m), host = m->why->source.host;
	struct ana_sender s = { .by.time = MDL_NEVER };
	GString *text = g_string_new(NULL);
	struct ana_why_hop *hop;
	g_autofree char *packet = ana_words_packet(&r->packet), *carried = ana_words_carried(m->q, host, r);
	g_autofree char *way = NULL, *error = NULL;

	if (ana_sender_of(m->q, host, r, &s)) {
		hop = ana_why_act_at(m, s.host, &s.by, MDL_NONE, "sent the packet", "net_dev_queue");
		/* The doubts about the sender, not those about the act: hard interrupts send nothing. */
		hop->doubts = s.doubts;
		hop->missing = ana_chain_settles(m->q, s.host, hop->doubts);
	}
	g_string_append(text, carried);
	if (s.remote && s.apart) {
		g_string_append(text, ", sent on a host with an unrelated clock");
	} else if (s.remote) { /* how long it was on the way, by the clocks */
		way = base_time_format_duration(ABS(r->time - s.by.time), false);
		error = s.error != INT64_MAX ? base_time_format_duration(s.error, false) : NULL;
		g_string_append_printf(text, ", %s %s%s%s", way,
			r->time >= s.by.time ? "on the way" : "too early by the clocks", error ? " ± " : "",
			error ? error : "");
	}
	hop = ana_why_hop_add(m, packet ? g_strdup_printf("packet %s", packet) : g_strdup("packet"));
	hop->text = g_string_free(text, false);
	hop->from = s.by.time == MDL_NEVER || s.apart ? r->time : MIN(s.by.time, r->time);
	hop->to = r->time;
	hop->doubts = r->doubts;
	if (s.remote && (s.apart || s.error > r->time - s.by.time))
		hop->doubts |= MDL_DOUBT(CLOCK);
	ana_why_evidence_add(m, "net_if_receive_skb", r->time, last_cpu);
}

static void fact_packet_tell_source(const struct ana_look *look, const struct mdl_facts *facts,
	struct ana_source *s)
{
	const char *interface = qry_string(look->q, s->host, facts->packet.device);

	if (look->cause->chain.n == 0)
		s->doubts |= facts->packet.doubts;
	/* NULL: the name of the interface was not recorded. */
	s->device = *interface != '\0' ? interface : NULL;
}

/* "127.0.0.1:52816 > 127.0.0.1:7000 seq 4198286643, 60 bytes on lo, from wk-client[595]" */
static char *fact_packet_words(struct qry *q, uint32_t host, const struct mdl_facts *facts,
	G_GNUC_UNUSED const struct mdl_chain *chain)
{
	g_autofree char *packet = ana_words_packet(&facts->packet.packet),
			*carried = ana_words_carried(q, host, &facts->packet);

	return g_strconcat(facts->packet.doubts ? "perhaps " : "", packet ? packet : "", packet ? ", " : "",
		carried, NULL);
}

static struct ana_beginner fact_packet_begin(struct qry *q, uint32_t host, const struct mdl_facts *facts)
{
	struct ana_sender sender;

	if (!ana_sender_of(q, host, &facts->packet, &sender))
		return (struct ana_beginner){ MDL_NONE, MDL_NEVER };
	return (struct ana_beginner){ sender.thread, sender.by.time };
}

static char *fact_packet_did(G_GNUC_UNUSED const struct mdl_facts *facts)
{
	return g_strdup("received the packet and sent the wake-up");
}

static const struct ana_fact_ops fact_packet = {
	.kind = ANA_KIND_NETWORK,
	.kind_rank = 7,
	.only_then = true,
	.source = fact_packet_tell_source,
	.words = fact_packet_words,
	.before_steps = "; ",
	.begin = fact_packet_begin,
	.rank = 3,
	.before = fact_packet_add_hops,
	.did = fact_packet_did,
};

/* ---- softirqs that were left pending, for which ksoftirqd was woken ---- */

/* "SCHED, TIMER" for softirqs PENDING (1 << vector).  The caller frees. */
static char *softirqs(uint32_t pending)
{
	GString *text = g_string_new("");

	for (unsigned i = 0; i < MDL_SOFTIRQS; i++)
		if (pending & 1u << i)
			g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", mdl_softirq_name(i));
	return g_string_free(text, FALSE);
}

static void fact_pending_tell_source(const struct ana_look *look, G_GNUC_UNUSED const struct mdl_facts *facts,
	struct ana_source *s)
{
	const struct mdl_chain *chain = &look->cause->chain;

	s->device = ana_chain_line(look->q, s->host, &look->chain);
	s->thread = ana_chain_actor(look->q, &chain->hops[chain->n - 1].act);
}

/* "SCHED, TIMER raised by IRQ 236 local_timer > hrtimer" */
static char *fact_pending_words(struct qry *q, uint32_t host, const struct mdl_facts *facts,
	const struct mdl_chain *chain)
{
	g_autofree char *names = NULL, *way = NULL;

	if (!chain)
		return NULL;
	names = softirqs(facts->pending);
	way = ana_words_chain(q, host, chain);
	return g_strdup_printf("%s raised by %s", names, way);
}

static char *fact_pending_did(const struct mdl_facts *facts)
{
	g_autofree char *names = softirqs(facts->pending);

	return g_strdup_printf("raised softirq %s, which was left pending", names);
}

/* The last hop of the chain raised the softirqs some time before ksoftirqd was woken for them. */
static void fact_pending_add_evidence(struct ana_why_maker *m, G_GNUC_UNUSED const struct mdl_facts *facts)
{
	const struct mdl_act *act = &m->why->chain.hops[m->why->chain.n - 1].act;

	ana_why_evidence_add(m, "irq_softirq_raise", act->time, act->cpu);
}

static const struct ana_fact_ops fact_pending = {
	.kind = ANA_KIND_SOFTIRQ,
	.kind_rank = 4,
	.source = fact_pending_tell_source,
	.words = fact_pending_words,
	.rank = 9,
	.did = fact_pending_did,
	.evidence = fact_pending_add_evidence,
};

/* ---- a request to a disk that completed ---- */

static char *request_label(const struct ana_why_maker *m, const struct mdl_request *r)
{
	g_autofree char *bytes = base_text_bytes(r->bytes);
	const char *dev = qry_device_name(m->q, m->why->source.host, r->dev),
		   *op = ana_words_operation(r->op);
	const char *request = r->op == MDL_OP_UNKNOWN || r->op == MDL_OP_OTHER ? "" : "request ";

	if (r->sector == MDL_SECTOR_NONE)
		return g_strdup_printf("%s%s %s", request, op, dev);
	return g_strdup_printf("%s%s %s %" PRIu64 " +%s", request, op, dev, r->sector, bytes);
}

static void fact_request_add_hops(struct ana_why_maker *m, const struct mdl_facts *facts)
{
	const struct mdl_request *r = &facts->request;
	uint32_t last_cpu = end_cpu(m);
	struct ana_steps own = m->why->steps;
	g_autofree char *times = NULL;
	struct ana_why_hop *hop;

	act_add(m, &r->submitter, m->why->row, "submitted it",
		r->queued != MDL_NEVER ? "block_bio_queue" : "block_getrq");
	if (r->submitter.context != r->issuer.context || r->submitter.thread != r->issuer.thread)
		act_add(m, &r->issuer, m->why->row, "issued it to the driver", "block_rq_issue");
	hop = ana_why_hop_add(m, request_label(m, r));
	own.n = own.n_request;
	times = ana_steps_text(&own);
	if (r->merged > 0)
		hop->text = g_strdup_printf("%s%s%u merged into it", times ? times : "", times ? "; " : "",
			r->merged);
	else
		hop->text = g_strdup(times ? times : "completed");
	hop->from = r->queued != MDL_NEVER ? r->queued : r->inserted != MDL_NEVER ? r->inserted : r->issued;
	hop->to = r->completed;
	hop->doubts = r->doubts;
	hop->missing = ana_chain_settles(m->q, m->why->source.host, hop->doubts);
	/* The thread that flushed the plug inserted it, on any CPU. */
	ana_why_evidence_add(m, "block_rq_insert", r->inserted, MDL_NONE);
	ana_why_evidence_add(m, "block_rq_issue", r->issued,
		r->issuer.time != MDL_NEVER ? r->issuer.cpu : MDL_NONE);
	ana_why_evidence_add(m, "block_rq_complete", r->completed, last_cpu);
}

static void fact_request_tell_source(const struct ana_look *look, const struct mdl_facts *facts,
	struct ana_source *s)
{
	/* The wait was for the disk: for this request, or for room after it (proofs.md R4.9). */
	s->doubts = facts->request.doubts & ~(MDL_DOUBT(ROOM) | MDL_DOUBT(STEPS));
	s->device = qry_device_name(look->q, s->host, facts->request.dev);
}

/* "read of vdb, 64 KiB" */
static char *fact_request_words(struct qry *q, uint32_t host, const struct mdl_facts *facts,
	G_GNUC_UNUSED const struct mdl_chain *chain)
{
	const struct mdl_request *r = &facts->request;
	g_autofree char *bytes = r->bytes > 0 ? base_text_bytes(r->bytes) : NULL;

	return g_strdup_printf("%s of %s%s%s", ana_words_operation(r->op), qry_device_name(q, host, r->dev),
		bytes ? ", " : "", bytes ? bytes : "");
}

static struct ana_beginner fact_request_begin(struct qry *q, G_GNUC_UNUSED uint32_t host,
	const struct mdl_facts *facts)
{
	return (struct ana_beginner){ ana_chain_actor(q, &facts->request.submitter),
		facts->request.submitter.time };
}

static char *fact_request_did(G_GNUC_UNUSED const struct mdl_facts *facts)
{
	return g_strdup("completed the request and sent the wake-up");
}

static const struct ana_fact_ops fact_request = {
	.kind = ANA_KIND_BLOCK,
	.kind_rank = 6,
	.only_then = true,
	.source = fact_request_tell_source,
	.words = fact_request_words,
	.before_steps = ": ",
	.begin = fact_request_begin,
	.rank = 6,
	.before = fact_request_add_hops,
	.did = fact_request_did,
};

/* ---- a signal that was sent with the wake-up ---- */

/* True if the signal was the reason of the wait. The signal of an interval timer is a part of the timer. If
 * the signal may have come after the wake-up, only its sender is proved, so the fact does not count. */
static bool tells(const struct mdl_facts *facts)
{
	return !(facts->has & MDL_FACT_TIMER && facts->timer.expired) && facts->signal.doubts == 0;
}

static void fact_signal_tell_source(const struct ana_look *look, const struct mdl_facts *facts,
	struct ana_source *s)
{
	s->thread = ana_chain_actor(look->q, &facts->signal.sender);
}

/* "14 ALRM from wk-client[595]" */
static char *fact_signal_words(struct qry *q, uint32_t host, const struct mdl_facts *facts,
	G_GNUC_UNUSED const struct mdl_chain *chain)
{
	const struct mdl_signal *s = &facts->signal;
	const char *name = ana_words_signal_name(s->number);
	g_autofree char *who = ana_words_act(q, host, &s->sender);

	return g_strdup_printf("%" PRIu32 "%s%s from %s", s->number, name ? " " : "", name ? name : "", who);
}

static struct ana_beginner fact_signal_begin(struct qry *q, G_GNUC_UNUSED uint32_t host,
	const struct mdl_facts *facts)
{
	return (struct ana_beginner){ ana_chain_actor(q, &facts->signal.sender), facts->signal.sender.time };
}

static char *fact_signal_did(const struct mdl_facts *facts)
{
	const char *name = ana_words_signal_name(facts->signal.number);

	return g_strdup_printf("sent signal %u%s%s%s", facts->signal.number, name ? " " : "",
		name ? name : "", ana_grade_mark(facts->signal.doubts));
}

static const struct ana_fact_ops fact_signal = {
	.tells = tells,
	.kind = ANA_KIND_SIGNAL,
	.kind_rank = 2,
	.source = fact_signal_tell_source,
	.words = fact_signal_words,
	.before_steps = "; ",
	.begin = fact_signal_begin,
	.rank = 4,
	.did = fact_signal_did,
};

/* ---- a timer that expired, or a time-out that was not needed ---- */

/* "expired 7.19 ms after thread wk-pulse[532] armed it, 2.15 ms late" */
static char *fact_timer_words(struct qry *q, uint32_t host, const struct mdl_facts *facts,
	G_GNUC_UNUSED const struct mdl_chain *chain)
{
	const struct mdl_timer *t = &facts->timer;
	GString *text = g_string_new("expired");
	int64_t late = ana_late_ns(t);

	if (t->armed.time != MDL_NEVER) {
		g_autofree char *who = ana_words_act(q, host, &t->armed);
		g_autofree char *after = base_time_format_duration((t->expired_at == MDL_NEVER
										   ? t->armed.time
										   : t->expired_at) -
				t->armed.time,
			false);

		g_string_append_printf(text, " %s after %s armed it", after, who);
	}
	if (late > 0) {
		g_autofree char *duration = base_time_format_duration(late, false);

		g_string_append_printf(text, ", %s late", duration);
	}
	return g_string_free(text, FALSE);
}

/* Add a hop for the owners of the CPU while the timer T was late, the longest first. */
static void add_late(struct ana_why_maker *m, const struct mdl_timer *t)
{
	struct ana_blame *blame = ana_late_blame(m->q, m->why->source.host, t);
	const struct ana_blame_part *first;
	struct ana_why_hop *hop;

	if (blame && blame->parts->len > 0) {
		hop = ana_why_hop_add(m, g_strdup("late"));
		hop->text = ana_late_text(m->q, m->why->source.host, t, blame->from, blame->to);
		first = &g_array_index(blame->parts, struct ana_blame_part, 0);
		hop->row = first->row;
		hop->host = first->host; /* in a guest the host of its virtual CPU may have delayed it */
		hop->cpu = first->cpu;
		hop->from = blame->from;
		hop->to = blame->to;
		for (guint i = 0; i < blame->parts->len; i++)
			hop->doubts |= g_array_index(blame->parts, struct ana_blame_part, i).doubts;
		hop->missing = hop->doubts & MDL_DOUBT(UNKNOWN)
			? "sched_switch"
			: ana_chain_settles(m->q, m->why->source.host, hop->doubts);
	}
	ana_blame_free(blame);
}

static void fact_timer_add_hops(struct ana_why_maker *m, const struct mdl_facts *facts)
{
	const struct mdl_timer *t = &facts->timer;
	const char *start = t->wheel ? "timer_start" : "timer_hrtimer_start";
	g_autofree char *words = NULL, *resolution = NULL;
	g_autofree char *function = ana_words_function(m->q, m->why->source.host, t->function);
	struct ana_why_hop *hop;

	if (!t->expired)
		return;
	act_add(m, &t->armed, m->why->row, "armed the timer", start);
	hop = ana_why_hop_add(m, g_strconcat("timer ", function, NULL));
	/* The delay of the expiry, and the resolution of the timer. */
	words = fact_timer_words(m->q, m->why->source.host, facts, NULL);
	resolution = ana_late_resolution(t);
	hop->text = g_strconcat(words, resolution ? "; " : "", resolution ? resolution : "", NULL);
	hop->cpu = t->cpu;
	hop->from = t->armed.time;
	hop->to = t->expired_at;
	if (t->wheel) /* hrtimers expire in their own context, which is a hop */
		ana_why_evidence_add(m, "timer_expire_entry", t->expired_at, t->cpu);
	if (t->armed.time == MDL_NEVER) {
		hop->doubts |= MDL_DOUBT(TIMER);
		hop->missing = start;
	}
	add_late(m, t);
}

static bool has_expired(const struct mdl_facts *facts)
{
	return facts->timer.expired;
}

static void fact_timer_tell_source(const struct ana_look *look, G_GNUC_UNUSED const struct mdl_facts *facts,
	struct ana_source *s)
{
	s->device = ana_chain_line(look->q, s->host, &look->chain);
}

static struct ana_beginner fact_timer_begin(struct qry *q, G_GNUC_UNUSED uint32_t host,
	const struct mdl_facts *facts)
{
	if (!facts->timer.expired)
		return (struct ana_beginner){ MDL_NONE, MDL_NEVER };
	return (struct ana_beginner){ ana_chain_actor(q, &facts->timer.armed), facts->timer.armed.time };
}

static char *fact_timer_did(const struct mdl_facts *facts)
{
	return facts->timer.expired ? NULL
				    : g_strdup_printf("sent the wake-up before the time-out%s",
					      ana_grade_mark(facts->timer.doubts));
}

static const struct ana_fact_ops fact_timer = {
	.tells = has_expired,
	.kind = ANA_KIND_TIMER,
	.kind_rank = 5,
	.source = fact_timer_tell_source,
	.words = fact_timer_words,
	.before_steps = "; ",
	.begin = fact_timer_begin,
	.rank = 8,
	.before = fact_timer_add_hops,
	.did = fact_timer_did,
};

/* ---- the interrupt that was posted into a guest ---- */

/* "posted the guest's interrupt 41 (MSI)" */
static char *fact_virq_did(const struct mdl_facts *facts)
{
	const struct mdl_virq *v = &facts->virq;

	return g_strdup_printf("posted interrupt %" G_GUINT32_FORMAT " to the guest%s", v->vector,
		ana_grade_mark(v->doubts));
}

static const struct ana_fact_ops fact_virq = { .rank = 10, .did = fact_virq_did };

/* ---- a work item: queued for the worker that was woken, or executed by the waker ---- */

static void fact_work_add_hops(struct ana_why_maker *m, const struct mdl_facts *facts)
{
	const struct mdl_work *w = &facts->work;
	uint32_t cpu = end_cpu(m);
	g_autofree char *function = ana_words_function(m->q, m->why->source.host, w->function);
	struct ana_why_hop *hop;

	if (w->started == MDL_NEVER) /* the last hop of the chain queued it */
		return;
	act_add(m, &w->queued, MDL_NONE, "queued the work", "workqueue_queue_work");
	hop = ana_why_hop_add(m, g_strconcat("work ", function, NULL));
	hop->text = g_strdup("was executed");
	hop->cpu = cpu;
	hop->from = w->started;
	hop->to = m->why->to;
	ana_why_evidence_add(m, "workqueue_execute_start", w->started, cpu);
}

/* True if the wait was for the work item. Otherwise the waker executed it. */
static bool is_queued(const struct mdl_facts *facts)
{
	return facts->work.started == MDL_NEVER;
}

static void fact_work_tell_source(const struct ana_look *look, const struct mdl_facts *facts,
	struct ana_source *s)
{
	const struct mdl_chain *chain = &look->chain;

	/* The waker is the thread that queued the work, or a worker of the same pool that left it to another
	 * worker (proofs.md R7.3). */
	s->thread = ana_chain_actor(look->q,
		chain->n > 0 ? &chain->hops[chain->n - 1].act : &facts->work.queued);
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

static const struct ana_fact_ops fact_work = {
	.tells = is_queued,
	.kind = ANA_KIND_WORKQUEUE,
	.kind_rank = 3,
	.source = fact_work_tell_source,
	.words = fact_work_words,
	.before_steps = "; ",
	.begin = fact_work_begin,
	.rank = 5,
	.before = fact_work_add_hops,
};

/* ---- a suspend of the machine ---- */

/* "9.45 s to 9.49 s". NULL if it is unknown that the machine stopped, or for how long. The caller frees. */
static char *stopped(const struct mdl_suspend *s)
{
	g_autofree char *least = base_time_format_duration(s->least, false),
			*most = base_time_format_duration(s->most, false);

	if (s->most == 0 && s->least < MDL_STOP_TOLD)
		return NULL;
	if (s->most == 0 || s->least == 0)
		return g_strdup_printf("%s %s", s->most == 0 ? "at least" : "at most",
			s->most == 0 ? least : most);
	return g_str_equal(least, most) ? g_steal_pointer(&least) : g_strdup_printf("%s to %s", least, most);
}

/* "frozen by thread susp[431]; time-keeping stopped for 9.45 s to 9.49 s". If the thread was frozen in the
 * middle of the wait, also for how long. The caller frees. */
static char *frozen(const struct qry *q, uint32_t host, const struct mdl_suspend *s)
{
	g_autofree char *who = ana_words_act(q, host, &s->act), *time = stopped(s);
	GString *text = g_string_new("frozen");

	if (s->by == MDL_SUSPEND_BY_OTHER) {
		g_autofree char *how_long = base_time_format_duration(s->act.time - s->from, false);

		g_string_append_printf(text, " for about %s of the wait", how_long);
	}
	g_string_append_printf(text, " by %s", who);
	if (time)
		g_string_append_printf(text, "; time-keeping stopped for %s", time);
	return g_string_free(text, FALSE);
}

static bool suspend_tells(const struct mdl_facts *facts)
{
	return facts->suspend.by != MDL_SUSPEND_BY_OTHER;
}

static void suspend_tell_source(G_GNUC_UNUSED const struct ana_look *look, const struct mdl_facts *facts,
	struct ana_source *s)
{
	s->doubts |= facts->suspend.doubts;
	s->device = "suspend";
}

static char *suspend_words(struct qry *q, uint32_t host, const struct mdl_facts *facts,
	G_GNUC_UNUSED const struct mdl_chain *chain)
{
	g_autofree char *who = NULL;

	if (facts->suspend.by != MDL_SUSPEND_BY_FREEZE)
		return frozen(q, host, &facts->suspend);
	who = ana_words_act(q, host, &facts->suspend.act);
	return g_strdup_printf("woken by %s to be frozen", who);
}

static struct ana_beginner suspend_begin(struct qry *q, G_GNUC_UNUSED uint32_t host,
	const struct mdl_facts *facts)
{
	if (!suspend_tells(facts))
		return (struct ana_beginner){ MDL_NONE, MDL_NEVER };
	return (struct ana_beginner){ ana_chain_actor(q, &facts->suspend.act), facts->suspend.act.time };
}

static void suspend_add_hops(struct ana_why_maker *m, const struct mdl_facts *facts)
{
	const struct mdl_suspend *s = &facts->suspend;
	struct ana_why_hop *hop = ana_why_hop_add(m, g_strdup("suspend"));

	hop->text = s->by == MDL_SUSPEND_BY_FREEZE ? g_strdup("began to freeze all threads")
						   : frozen(m->q, m->why->source.host, s);
	hop->row = ana_why_row_of(m, m->why->source.host, &s->act);
	hop->cpu = s->act.cpu;
	hop->from = s->from != MDL_NEVER ? s->from : s->act.time;
	hop->to = s->act.time;
	hop->doubts = s->doubts;
	if (s->by != MDL_SUSPEND_BY_FREEZE)
		ana_why_evidence_add(m, "suspend_resume", s->begin, MDL_NONE);
	ana_why_evidence_add(m, "suspend_resume", s->act.time, s->act.cpu);
}

static char *suspend_did(const struct mdl_facts *facts)
{
	static const char *const did[MDL_SUSPEND_BYS] = { [MDL_SUSPEND_BY_FREEZE] = "woke it to be frozen",
		[MDL_SUSPEND_BY_THAW] = "thawed it" };

	return g_strdup(did[facts->suspend.by]);
}

static const struct ana_fact_ops fact_suspend = {
	.tells = suspend_tells,
	.kind = ANA_KIND_SUSPEND,
	.kind_rank = 1,
	.source = suspend_tell_source,
	.words = suspend_words,
	.begin = suspend_begin,
	.rank = 1,
	.before = suspend_add_hops,
	.did = suspend_did,
};

/* ---- a CPU that goes off-line or comes on-line ---- */

/* "CPU 7 goes off-line, step 236" */
static char *hotplug_step(struct qry *q, uint32_t host, const struct mdl_hotplug *h)
{
	g_autofree char *function = h->function ? ana_words_function(q, host, h->function) : NULL;

	return g_strdup_printf("CPU %" G_GUINT32_FORMAT " %s, step %" G_GUINT32_FORMAT "%s%s", h->cpu,
		h->up ? "comes on-line" : "goes off-line", h->step, function ? " " : "",
		function ? function : "");
}

static void hotplug_tell_source(const struct ana_look *look, const struct mdl_facts *facts,
	struct ana_source *s)
{
	s->doubts |= facts->hotplug.doubts;
	s->thread = look->chain.n > 0 ? ana_chain_actor(look->q, &look->chain.hops[look->chain.n - 1].act)
				      : s->wakeup.waker;
}

/* "CPU 7 goes off-line, step 236; its part done by cpuhp/7[60]" */
static char *hotplug_words(struct qry *q, uint32_t host, const struct mdl_facts *facts,
	const struct mdl_chain *chain)
{
	g_autofree char *step = hotplug_step(q, host, &facts->hotplug),
			*who = chain && chain->n > 0 ? ana_words_chain(q, host, chain) : NULL;

	return g_strconcat(step, who ? ", done by " : NULL, who, NULL);
}

static void hotplug_add_hops(struct ana_why_maker *m, const struct mdl_facts *facts)
{
	const struct mdl_hotplug *h = &facts->hotplug;
	struct ana_why_hop *hop = ana_why_hop_add(m, g_strdup_printf("CPU %" G_GUINT32_FORMAT, h->cpu));

	hop->text = hotplug_step(m->q, m->why->source.host, h);
	hop->row = m->why->row;
	hop->from = hop->to = h->entered;
	hop->doubts = h->doubts;
	ana_why_evidence_add(m, "cpuhp_enter", h->entered, MDL_NONE);
}

static char *hotplug_did(const struct mdl_facts *facts)
{
	return g_strdup_printf("did CPU %" G_GUINT32_FORMAT "'s part of it", facts->hotplug.cpu);
}

static const struct ana_fact_ops fact_hotplug = {
	.kind = ANA_KIND_HOTPLUG,
	.kind_rank = 1,
	.source = hotplug_tell_source,
	.words = hotplug_words,
	.rank = 2,
	.before = hotplug_add_hops,
	.did = hotplug_did,
};

/* ---- all facts ---- */

#define FACT(NAME, member, type) [MDL_FACT_NR_##NAME] = &fact_##member,
const struct ana_fact_ops *const ana_fact_all[MDL_FACTS_N] = { MDL_FACTS(FACT) };

bool ana_fact_tells(const struct mdl_facts *facts, unsigned nr)
{
	const struct ana_fact_ops *fact = ana_fact_all[nr];

	return facts->has & 1u << nr && fact->kind_rank > 0 && (!fact->tells || fact->tells(facts));
}

const struct ana_fact_ops *ana_fact_teller(const struct mdl_facts *facts)
{
	const struct ana_fact_ops *best = NULL;

	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		if (ana_fact_tells(facts, i) && (!best || ana_fact_all[i]->kind_rank < best->kind_rank))
			best = ana_fact_all[i];
	return best;
}

const struct ana_fact_ops *ana_fact_next(const struct mdl_facts *facts, unsigned rank)
{
	const struct ana_fact_ops *next = NULL;

	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		if (facts->has & 1u << i && ana_fact_all[i]->rank > rank &&
			(!next || ana_fact_all[i]->rank < next->rank))
			next = ana_fact_all[i];
	return next;
}
