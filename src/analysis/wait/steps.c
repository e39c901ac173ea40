/* SPDX-License-Identifier: MIT */
/*
 * How the steps of the request and of the chain are joined.
 *
 * The steps of the request (struct mdl_step) end at block_rq_complete. That event is in the interrupt that
 * reported the end, or in what this interrupt started: an IPI to the CPU that submitted, a softirq
 * (blk_mq_complete_request_remote(), blk_mq_raise_softirq() in block/blk-mq.c), a thread. So the last of
 * these steps ends with the first interrupt of the chain, and the rest belongs to the chain. An interrupt
 * that was entered before the device had the request does not show when the request ended, because its
 * handler polled the device.
 *
 * The steps of a packet begin with the first hop that it can have come with (ana_arrival).
 */
#include "analysis/wait/steps.h"

#include "analysis/kind/chain.h"
#include "base/base_search.h"
#include "base/base_time.h"

#include <string.h>

/* ---- the arrival of a packet ---- */

/*
 * How it works: no packet comes before it was sent.
 *
 * A card's interrupt only starts the polling (napi_schedule(), net_rx_action() in net/core/dev.c), which
 * continues while there are packets. A packet that comes meanwhile has no interrupt of its own, or one that
 * only sets a flag (NAPI_STATE_MISSED: no softirq is raised then; napi_complete_done() raises NET_RX again,
 * from inside). So a chain may begin with an interrupt for other packets, possibly long before. The first hop
 * that began after the packet was sent is the earliest that can be for it. If there is none, the packet came
 * during the last hop, and is known to have arrived when it was received (net_if_receive_skb).
 *
 * Only the interrupt of a device reports new packets. If a softirq, an IPI (RPS) or the thread of an
 * interrupt line is first, the packet came at this time or earlier.
 */

/* The begin of HOP; MDL_NEVER: not recorded. */
static int64_t begin_of(const struct mdl_hop *hop)
{
	return hop->act.context == MDL_NONE ? hop->act.time : hop->act.entry;
}

/*
 * True if a hop of CHAIN itself sent the packet. On the loopback device an acknowledgement permits more data,
 * which the receiving softirq then sends itself (tcp_data_snd_check(), net/ipv4/tcp_input.c;
 * process_backlog(), net/core/dev.c).
 */
static bool is_sent_within(const struct ana_sender *s, const struct mdl_chain *chain)
{
	for (unsigned i = 0; i < chain->n && !s->remote; i++) {
		const struct mdl_act *a = &chain->hops[i].act;

		if (a->context != MDL_NONE && a->context == s->by.context && a->cpu == s->by.cpu &&
			a->entry == s->by.entry)
			return true;
	}
	return false;
}

/* The time at which PACKET was sent, by the clocks in use; *ERROR is the error of that time in ns, -1 on one
 * host. MDL_NEVER if it is unknown, or if CHAIN itself sent it, so that all of CHAIN led to it. */
static int64_t sent_at(struct qry *q, uint32_t host, const struct mdl_received *packet,
	const struct mdl_chain *chain, int64_t *error)
{
	struct ana_sender s;

	if (!ana_sender_of(q, host, packet, &s) || s.apart || is_sent_within(&s, chain))
		return MDL_NEVER;
	*error = s.remote ? s.error : -1;
	return s.by.time;
}

/* True if TIME is later than SENT even if the clocks are off by ERROR. On one host (ERROR -1) equal times are
 * enough. */
static bool is_surely_later(int64_t time, int64_t sent, int64_t error)
{
	return error < 0 ? time >= sent : time - sent > error;
}

void ana_arrival_cut(struct qry *q, uint32_t host, const struct mdl_received *packet, struct mdl_chain *chain)
{
	int64_t error = 0, sent = chain->n > 1 ? sent_at(q, host, packet, chain, &error) : MDL_NEVER;
	struct mdl_hop *first = chain->hops;
	unsigned n = 0;

	if (sent == MDL_NEVER)
		return;
	while (n + 1 < chain->n && begin_of(&chain->hops[n]) != MDL_NEVER && begin_of(&chain->hops[n]) < sent)
		n++;
	chain->n -= n;
	memmove(first, first + n, chain->n * sizeof *first);
	if (chain->n > 1 && !is_surely_later(begin_of(first), sent, error))
		first->doubts |= MDL_DOUBT(CLOCK);
}

struct ana_arrival ana_arrival_of(struct qry *q, uint32_t host, const struct mdl_received *packet,
	const struct mdl_chain *chain)
{
	struct ana_arrival a = { .from = ana_chain_begin(chain), .doubts = 0, .first = 0 };
	int64_t error = 0, sent = sent_at(q, host, packet, chain, &error);
	enum mdl_ctx_type type = MDL_CTX_TYPES;

	if (sent == MDL_NEVER || a.from == MDL_NEVER)
		return a;
	if (a.from < sent) {
		a.from = sent <= packet->time ? packet->time : MDL_NEVER;
		a.doubts = error < 0 ? 0 : MDL_DOUBT(CLOCK);
		return a;
	}
	if (!is_surely_later(a.from, sent, error))
		a.doubts = a.first = MDL_DOUBT(CLOCK);
	/* Only the interrupt of a device reports new packets. */
	if (chain->n > 0 && chain->hops[0].act.context != MDL_NONE)
		type = qry_context(q, host, chain->hops[0].act.context).type;
	if (error >= 0 && type != MDL_CTX_IRQ && type != MDL_CTX_VECTOR)
		a.doubts |= MDL_DOUBT(WAY);
	return a;
}

/* ---- steps ---- */

/* Add a step WHAT up to TO, from the end of the previous step, or from FROM. Does nothing if it is empty. */
static void steps_add(struct ana_steps *s, int64_t from, int64_t to, enum ana_step_what what,
	mdl_doubts doubts, const struct mdl_act *act)
{
	static const struct mdl_act none = { .time = MDL_NEVER,
		.entry = MDL_NEVER,
		.cpu = MDL_NONE,
		.context = MDL_NONE,
		.thread = MDL_NONE };

	if (s->n > 0)
		from = s->steps[s->n - 1].to;
	if (from == MDL_NEVER || to == MDL_NEVER || to <= from || s->n == ANA_STEPS_MAX)
		return;
	s->steps[s->n++] = (struct ana_step){ .from = from,
		.to = to,
		.what = what,
		.doubts = doubts,
		.act = act ? *act : none };
}

/* ---- requests ---- */

/*
 * End the last step, if the device had the request in it, with the first step of CHAIN that shows its end.
 * Proved only if that interrupt completed the request itself. A request that is completed later, in a softirq
 * or a thread, may have joined earlier work (the lists of blk_mq_complete_request_remote() in block/blk-mq.c,
 * a driver's ring).
 */
static void cut_device(struct ana_steps *s, const struct qry *q, uint32_t host, const struct mdl_chain *chain)
{
	struct ana_step *last = s->n > 0 ? &s->steps[s->n - 1] : NULL;

	if (!last || last->what == ANA_STEP_QUEUE || last->what == ANA_STEP_REQUEUE)
		return;
	for (unsigned i = 0; i < chain->n; i++) {
		const struct mdl_act *act = &chain->hops[i].act;
		enum mdl_ctx_type type = act->context != MDL_NONE ? qry_context(q, host, act->context).type
								  : MDL_CTX_TYPES;

		/* A timer, or anything else that a CPU does to itself, does not end the work of a device. */
		if ((type != MDL_CTX_IRQ && type != MDL_CTX_IPI && type != MDL_CTX_SOFTIRQ) ||
			act->entry <= last->from || act->entry >= last->to)
			continue;
		last->to = act->entry;
		if (i > 0 || chain->n > 1 || chain->hops[i].doubts || type != MDL_CTX_IRQ)
			last->doubts |= chain->hops[i].doubts | MDL_DOUBT(WAY);
		return;
	}
}

/* ---- the chain ---- */

/* Add the steps of CHAIN from FROM. WAY: doubts for all steps except the last hop. */
static void add_chain(struct ana_steps *s, const struct qry *q, uint32_t host, const struct mdl_chain *chain,
	int64_t from, mdl_doubts way)
{
	for (unsigned i = 0; i < chain->n; i++) {
		const struct mdl_hop *hop = &chain->hops[i], *before = i > 0 ? hop - 1 : NULL;
		const struct mdl_act *act = &hop->act;
		mdl_doubts doubts = hop->doubts | (i + 1 < chain->n ? way : 0);
		enum mdl_ctx_type type;
		mdl_doubts led = before ? before->doubts | way : doubts;

		if (act->context == MDL_NONE && (before || s->n > 0))
			steps_add(s, before ? MAX(from, before->act.time) : from, act->time, ANA_STEP_THREAD,
				led, act);
		if (act->context == MDL_NONE)
			continue;
		type = qry_context(q, host, act->context).type;
		if (before)
			steps_add(s, MAX(from, before->act.time), act->entry,
				type == MDL_CTX_IPI               ? ANA_STEP_IPI
					: type == MDL_CTX_SOFTIRQ ? ANA_STEP_SOFTIRQ
								  : ANA_STEP_HANDLING,
				led, act);
		steps_add(s, MAX(from, act->entry), act->time, ANA_STEP_HANDLING, doubts, act);
	}
}

/* The time at which the context of CHAIN in which a timer expired at TIME had done its part. Up to then the
 * time is the timer's own. MDL_NEVER if it is unknown. */
static int64_t after_expiry(const struct mdl_chain *chain, int64_t time)
{
	for (unsigned i = 0; i < chain->n && time != MDL_NEVER; i++) {
		const struct mdl_act *act = &chain->hops[i].act;

		if (act->context != MDL_NONE && act->entry <= time && time <= act->time &&
			(i + 1 == chain->n || chain->hops[i + 1].act.entry > time))
			return act->time;
	}
	return MDL_NEVER;
}

void ana_steps_of(struct qry *q, const struct ana_source *source, const struct mdl_facts *facts,
	const struct mdl_chain *chain, struct ana_steps *steps)
{
	unsigned has = facts ? facts->has : 0;
	int64_t from = ana_chain_begin(chain);
	struct ana_arrival arrival;

	steps->n = steps->n_request = 0;
	if (source->kind == ANA_KIND_NETWORK && has & MDL_FACT_PACKET) {
		arrival = ana_arrival_of(q, source->host, &facts->packet, chain);
		if (arrival.from != MDL_NEVER)
			add_chain(steps, q, source->host, chain, arrival.from, MDL_DOUBT(WAY));
		if (steps->n > 0)
			steps->steps[0].doubts |= arrival.first;
		return;
	}
	if (source->kind == ANA_KIND_BLOCK && has & MDL_FACT_REQUEST) {
		const struct mdl_request *r = &facts->request;

		for (unsigned i = 0; i < r->n_steps; i++)
			steps_add(steps, r->begin, r->steps[i].to, (enum ana_step_what)r->steps[i].what,
				r->steps[i].doubts, NULL);
		if (r->n_steps == 0)
			steps_add(steps, r->queued != MDL_NEVER ? r->queued : r->inserted, r->completed,
				ANA_STEP_ASKED, 0, NULL);
		steps->n_request = steps->n;
		cut_device(steps, q, source->host, chain);
		/* FROM counts only if the request has no steps: steps_add() continues where the last step
		 * ended. */
		from = MAX(from, r->completed);
	} else if (source->kind == ANA_KIND_TIMER) {
		from = after_expiry(chain,
			has & MDL_FACT_TIMER && facts->timer.expired ? facts->timer.expired_at : MDL_NEVER);
	}
	if (from != MDL_NEVER)
		add_chain(steps, q, source->host, chain, from,
			source->kind == ANA_KIND_BLOCK ? MDL_DOUBT(WAY) : 0);
}

/* ---- words ---- */

const char *ana_step_words(enum ana_step_what what)
{
	static const char *const words[ANA_STEPS] = { [ANA_STEP_QUEUE] = "in the queue",
		[ANA_STEP_FLUSH_BEFORE] = "in the flush before",
		[ANA_STEP_DEVICE] = "in the device",
		[ANA_STEP_FLUSH_AFTER] = "in the flush after",
		[ANA_STEP_REQUEUE] = "requeued by the driver",
		[ANA_STEP_ASKED] = "in the queue and the device",
		[ANA_STEP_HANDLING] = "in interrupts",
		[ANA_STEP_IPI] = "IPI under way",
		[ANA_STEP_SOFTIRQ] = "softirq pending",
		[ANA_STEP_THREAD] = "in a thread woken for it" };

	return words[what];
}

const char *ana_step_name(enum ana_step_what what)
{
	static const char *const names[ANA_STEPS] = { [ANA_STEP_ASKED] = "queue-or-device",
		[ANA_STEP_HANDLING] = "handling",
		[ANA_STEP_IPI] = "ipi",
		[ANA_STEP_SOFTIRQ] = "softirq",
		[ANA_STEP_THREAD] = "thread" };

	return what < ANA_STEP_ASKED ? mdl_step_name((enum mdl_step_what)what) : names[what];
}

/* The sum of the steps of one kind. */
struct sum {
	int64_t time;
	enum ana_step_what what;
	uint32_t cpu; /* the CPU of an IPI; MDL_NONE: several */
};

static int steps_longest_first(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	return BASE_BY(y, x, time) ?: (int)x->what - (int)y->what;
}

char *ana_steps_text(const struct ana_steps *steps)
{
	struct sum sums[ANA_STEPS] = { 0 };
	GString *text = g_string_new(NULL);
	mdl_doubts all = 0;

	for (unsigned i = 0; i < steps->n; i++) {
		const struct ana_step *step = &steps->steps[i];
		struct sum *sum = &sums[step->what];

		sum->cpu = sum->time == 0 || sum->cpu == step->act.cpu ? step->act.cpu : MDL_NONE;
		sum->time += step->to - step->from;
		sum->what = step->what;
		all |= step->doubts;
	}
	qsort(sums, ANA_STEPS, sizeof sums[0], steps_longest_first);
	for (unsigned i = 0; i < ANA_STEPS && sums[i].time > 0; i++) {
		g_autofree char *duration = base_time_format_duration(sums[i].time, false);

		g_string_append_printf(text, "%s%s %s", i > 0 ? ", " : "", duration,
			ana_step_words(sums[i].what));
		if (sums[i].what == ANA_STEP_IPI && sums[i].cpu != MDL_NONE)
			g_string_append_printf(text, " to CPU %" G_GUINT32_FORMAT, sums[i].cpu);
	}
	if (all)
		g_string_append(text, " (shares inferred)");
	return g_string_free(text, text->len == 0);
}
