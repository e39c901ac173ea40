/* SPDX-License-Identifier: MIT */
/*
 * How a chain is derived from the contexts of a wake-up alone.
 *
 * Without an interrupt context, the thread that ran there did it. With contexts, the thread was interrupted
 * by chance and is no cause; the innermost context sent the wake-up. The contexts around it were themselves
 * interrupted by chance: a timer that interrupts a running RCU softirq is still a timer. The exception is an
 * interrupt directly around a softirq or a timer, because softirqs run at its end, and timers within it.
 *
 * The kernel wakes ksoftirqd at the end of an interrupt, after the exit event of the softirq. There is no
 * context left then, so the interrupted thread would look like its waker.
 */
#include "analysis/kind/chain.h"

#include "analysis/kind/advice.h"
#include "query/clock/clock.h"
#include "query/clock/sync.h"

/* True if ROW can act for others. The idle thread does not: what seems to come from it comes from an
 * unrecorded interrupt. */
bool ana_chain_is_worker(const struct qry *q, uint32_t row)
{
	const struct qry_row *r;

	if (row == MDL_NONE)
		return false;
	r = qry_row(q, row);
	return r->type == MDL_ROW_THREAD && r->nr != 0;
}

uint32_t ana_chain_actor(const struct qry *q, const struct mdl_act *act)
{
	bool thread = act->time != MDL_NEVER && act->context == MDL_NONE &&
		ana_chain_is_worker(q, act->thread);

	return thread ? act->thread : MDL_NONE;
}

/* The doubts about a thread of HOST that acts at TIME: contexts that may have acted unrecorded in its place,
 * if the tracer does not record the context of each event. The local timer's interrupt only runs hrtimers,
 * which have their own events. */
static mdl_doubts unseen_actors(const struct qry *q, uint32_t host, int64_t time)
{
	return qry_host(q, host)->tells_contexts
		? 0
		: ana_chain_hidden(q, host, time) & ~(MDL_DOUBT(TICK) | MDL_DOUBT(NO_EXIT));
}

/* Nothing interrupts a hard interrupt. If its entry was recorded, only its exit can be missing. */
mdl_doubts ana_chain_act_doubts(const struct qry *q, uint32_t host, const struct mdl_act *act,
	uint32_t waiter)
{
	static const enum mdl_group groups[MDL_CTX_TYPES] = { [MDL_CTX_IRQ] = MDL_GROUP_IRQ,
		[MDL_CTX_SOFTIRQ] = MDL_GROUP_NONE,
		[MDL_CTX_HRTIMER] = MDL_GROUP_HRTIMER,
		[MDL_CTX_IPI] = MDL_GROUP_VECTOR,
		[MDL_CTX_VECTOR] = MDL_GROUP_VECTOR };
	enum mdl_group group = act->context == MDL_NONE ? MDL_GROUP_NONE
							: groups[qry_context(q, host, act->context).type];

	if (act->time == MDL_NEVER)
		return MDL_DOUBT(UNKNOWN);
	if (act->context == MDL_NONE && waiter != MDL_NONE && act->thread == waiter)
		return 0;
	if (group == MDL_GROUP_NONE)
		return unseen_actors(q, host, act->time);
	return qry_host(q, host)->tells_contexts || qry_host_has(q, host, group) ? 0 : MDL_DOUBT(NO_EXIT);
}

mdl_doubts ana_chain_hidden(const struct qry *q, uint32_t host, int64_t time)
{
	return qry_hides(q, host, time) & (MDL_DOUBT_INTERRUPTS | MDL_DOUBT(SOFTIRQ) | MDL_DOUBT(NO_EXIT));
}

/* The group to record for GROUP, a vector: all vectors if none is recorded; IPIs if the machine has no
 * vectors. */
static enum mdl_group vectors_to_record(const struct qry *q, uint32_t host, enum mdl_group group)
{
	if (ana_advice_is_missing(q, host, mdl_group_name(group)))
		return group;
	return ana_advice_is_missing(q, host, mdl_group_name(MDL_GROUP_VECTOR)) ? MDL_GROUP_VECTOR
										: MDL_GROUP_IPI_SENDER;
}

const char *ana_chain_settles(const struct qry *q, uint32_t host, mdl_doubts doubts)
{
	for (unsigned i = 0; i < MDL_DOUBTS_N; i++) {
		enum mdl_group group = mdl_doubt_texts[i].group;

		if (!(doubts >> i & 1) || group == MDL_GROUP_NONE || qry_host_has(q, host, group))
			continue;
		if (mdl_group_is_vector(group))
			group = vectors_to_record(q, host, group);
		if (ana_advice_is_missing(q, host, mdl_group_name(group)))
			return mdl_group_name(group);
	}
	return NULL;
}

/* Only wakeup_softirqd() and wake_timersd() of kernel/softirq.c wake these, except for locks. */
bool ana_chain_is_softirq_daemon(const struct qry *q, uint32_t row)
{
	const char *name = qry_row(q, row)->name;

	return g_str_has_prefix(name, "ksoftirqd/") || g_str_has_prefix(name, "ktimers/");
}

static void chain_add(struct mdl_chain *chain, const struct mdl_wakeup *w, mdl_doubts doubts)
{
	chain->hops[chain->n++] = (struct mdl_hop){
		.act = { .time = w->via == MDL_VIA_WAKING ? w->event_time : w->time,
			.entry = MDL_NEVER,
			.cpu = w->cpu,
			.context = MDL_NONE,
			.thread = w->waker },
		.doubts = doubts,
	};
}

static void add_context(struct mdl_chain *chain, const struct mdl_wakeup *w, unsigned i)
{
	struct mdl_act *act = &chain->hops[chain->n].act;

	chain_add(chain, w, 0);
	act->context = w->contexts[i].context;
	act->entry = w->contexts[i].entry;
}

static struct mdl_chain chain_of_contexts(const struct qry *q, uint32_t host, const struct mdl_wakeup *w)
{
	unsigned last = w->n_contexts - 1u;
	enum mdl_ctx_type around = MDL_CTX_SOFTIRQ,
			  type = qry_context(q, host, w->contexts[last].context).type;
	struct mdl_chain chain = { 0 };

	if (last > 0)
		around = qry_context(q, host, w->contexts[last - 1].context).type;
	/* An interrupt directly around a softirq or a timer started it. */
	if (around != MDL_CTX_SOFTIRQ && around != MDL_CTX_HRTIMER &&
		(type == MDL_CTX_SOFTIRQ || type == MDL_CTX_HRTIMER)) {
		add_context(&chain, w, last - 1);
		chain.hops[0].act.time = w->contexts[last].entry;
	}
	add_context(&chain, w, last);
	return chain;
}

struct mdl_chain ana_chain_of(const struct qry *q, uint32_t row, const struct mdl_wakeup *w,
	const struct mdl_cause *cause)
{
	uint32_t host = qry_row(q, row)->host;
	struct mdl_chain chain;

	if (cause && cause->chain.n > 0)
		return cause->chain;
	chain.n = 0; /* the rest stays unset, which saves much time */
	if (w->via == MDL_VIA_NONE)
		return chain;
	if (w->n_contexts > 0 && w->via != MDL_VIA_NEW)
		return chain_of_contexts(q, host, w);
	/*
	 * A fork's wake-up is the parent's own. Otherwise an unrecorded interrupt may have acted in place of
	 * the thread. And sched_wakeup may be written on the wakee's CPU, after an IPI: then the thread that
	 * runs there did not send it.
	 */
	if (ana_chain_is_worker(q, w->waker) &&
		(w->via == MDL_VIA_NEW || !ana_chain_is_softirq_daemon(q, row)))
		chain_add(&chain, w,
			w->via == MDL_VIA_NEW              ? 0
				: w->via == MDL_VIA_WAKING ? unseen_actors(q, host, w->time)
							   : MDL_DOUBT(NO_WAKING));
	return chain;
}

int64_t ana_chain_begin(const struct mdl_chain *chain)
{
	const struct mdl_act *first = chain->n > 0 ? &chain->hops[0].act : NULL;

	if (!first || (first->context == MDL_NONE && chain->n == 1))
		return MDL_NEVER;
	return first->context == MDL_NONE ? first->time : first->entry;
}

const char *ana_chain_line(const struct qry *q, uint32_t host, const struct mdl_chain *chain)
{
	for (unsigned i = 0; i < chain->n; i++) {
		const struct mdl_act *act = &chain->hops[i].act;
		struct qry_context ctx;

		if (act->context == MDL_NONE)
			continue;
		ctx = qry_context(q, host, act->context);
		if (ctx.type == MDL_CTX_IRQ && *ctx.name)
			return ctx.name;
	}
	return NULL;
}

/* ---- the sender of a packet ---- */

/*
 * True for kernel threads that do what interrupts left. They send answers to packets that came in (an
 * acknowledgement, or the data that it permits), or forward these, on behalf of any thread. ksoftirqd, and
 * ktimers of PREEMPT_RT (kernel/softirq.c); handlers of threaded interrupts (kernel/irq/manage.c); threaded
 * NAPI, including that of the backlog (run_backlog_napi(), since 6.10, net/core/dev.c).
 */
static bool stands_for_interrupt(const struct qry *q, uint32_t row)
{
	static const char *const names[] = { "ksoftirqd/", "ktimers/", "ktimersoftd/", "irq/", "napi/",
		"backlog_napi/" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		if (g_str_has_prefix(qry_row(q, row)->name, names[i]))
			return true;
	return false;
}

uint32_t ana_sender_thread(const struct qry *q, const struct mdl_act *by)
{
	uint32_t row = ana_chain_actor(q, by);

	return row != MDL_NONE && stands_for_interrupt(q, row) ? MDL_NONE : row;
}

/*
 * Softirqs acknowledge, send permitted data and forward, on top of any thread (tcp_data_snd_check(),
 * net/ipv4/tcp_input.c; ip_forward(), net/ipv4/ip_forward.c; tcp_retransmit_timer(), net/ipv4/tcp_timer.c).
 * If the sender's recording has no softirqs, all of this looks like the thread's doing. If it has no exits of
 * interrupts, what threads send looks like the interrupts' doing.
 */
static mdl_doubts sender_doubts(const struct qry *q, const struct ana_sender *s)
{
	bool own = s->by.context == MDL_NONE;

	if (!own && qry_context(q, s->host, s->by.context).type != MDL_CTX_SOFTIRQ)
		return ana_chain_act_doubts(q, s->host, &s->by, MDL_NONE);
	return qry_host(q, s->host)->softirqs_missing && !(own && s->thread == MDL_NONE) ? MDL_DOUBT(SOFTIRQ)
											 : 0;
}

bool ana_sender_of(struct qry *q, uint32_t host, const struct mdl_received *packet, struct ana_sender *sender)
{
	const struct sync_hosts *clocks = qry_clocks(q);
	struct qry_passage passage;

	if (packet->sender.time != MDL_NEVER) {
		*sender = (struct ana_sender){ .host = host,
			.by = packet->sender,
			.thread = ana_sender_thread(q, &packet->sender) };
		sender->doubts = sender_doubts(q, sender);
		return true;
	}
	if (qry_host_count(q) == 1 || !qry_passage_of(q, host, packet, &passage))
		return false;
	*sender = (struct ana_sender){ .host = passage.sender,
		.by = passage.by,
		.thread = ana_sender_thread(q, &passage.by),
		.remote = true,
		.error = passage.error,
		.apart = !clocks || !clocks->hosts[host].clock || !clocks->hosts[passage.sender].clock };
	sender->doubts = sender_doubts(q, sender);
	return true;
}
