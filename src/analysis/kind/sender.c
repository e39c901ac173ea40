/* SPDX-License-Identifier: MIT */
#include "analysis/kind/sender.h"

#include "analysis/kind/chain.h"
#include "query/clock/clock.h"
#include "query/clock/sync.h"

/*
 * Kernel threads that work off what interrupts left to do: what they send answers
 * or forwards something that came in (an acknowledgement, data that one lets go), for whoever is concerned.
 * ksoftirqd, and ktimers of PREEMPT_RT (kernel/softirq.c), handlers of threaded interrupts
 * (kernel/irq/manage.c), threaded NAPI, that of the backlog too (run_backlog_napi(), since 6.10,
 * net/core/dev.c).
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

/* Is nothing known of how the clocks of hosts A and B go together? */
static bool is_apart(const struct qry *q, uint32_t a, uint32_t b)
{
	const struct sync_hosts *clocks = qry_clocks(q);

	return !clocks || !clocks->hosts[a].clock || !clocks->hosts[b].clock;
}

/*
 * Softirqs acknowledge, let go of data and forward upon whatever thread they find (tcp_data_snd_check(),
 * net/ipv4/tcp_input.c; ip_forward(), net/ipv4/ip_forward.c; tcp_retransmit_timer(), net/ipv4/tcp_timer.c).
 * Where the sender's recording has none of them all that looks like the thread's doing; where it has no exits
 * of interrupts, what threads send looks like the interrupts'.
 */
static bool is_sure(const struct qry *q, const struct ana_sender *s)
{
	if (s->by.context != MDL_NONE)
		return qry_context(q, s->host, s->by.context).type == MDL_CTX_SOFTIRQ
			? !qry_host(q, s->host)->softirqs_missing
			: !ana_chain_act_missing(q, s->host, &s->by, MDL_NONE);
	return s->thread == MDL_NONE || !qry_host(q, s->host)->softirqs_missing;
}

bool ana_sender_of(struct qry *q, uint32_t host, const struct mdl_received *packet, struct ana_sender *sender)
{
	struct qry_passage passage;

	if (packet->sender.time != MDL_NEVER) {
		*sender = (struct ana_sender){ .host = host,
			.by = packet->sender,
			.thread = ana_sender_thread(q, &packet->sender) };
		sender->sure = is_sure(q, sender);
		return true;
	}
	if (qry_host_count(q) == 1 || !qry_passage_of(q, host, packet, &passage))
		return false;
	*sender = (struct ana_sender){ .host = passage.sender,
		.by = passage.by,
		.thread = ana_sender_thread(q, &passage.by),
		.remote = true,
		.error = passage.error,
		.apart = is_apart(q, host, passage.sender) };
	sender->sure = is_sure(q, sender);
	return true;
}
