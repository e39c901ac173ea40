/* SPDX-License-Identifier: MIT */
/*
 * How it works: no packet comes before it was sent.
 *
 * A card's interrupt only starts the polling (napi_schedule(), net_rx_action() in net/core/dev.c), which goes
 * on for as long as there is something.  A packet that comes meanwhile has no interrupt of its own, or one
 * that only notes that it came (NAPI_STATE_MISSED: no softirq is raised then; napi_complete_done() raises
 * NET_RX again, from inside).  So a chain may begin with an interrupt that was about other packets, some of
 * them long before.  The first hop that began after the packet had left is the earliest that can be about it;
 * where none did, the packet came in the midst of the last one, and is known to be there when it was received
 * (net_if_receive_skb).
 *
 * Only a device's interrupt tells of what is new.  A softirq, an IPI (RPS) or the thread of an interrupt line
 * that comes first does not say when the packet came: at the latest then.
 */
#include "analysis/wait/arrival.h"

#include "analysis/kind/chain.h"
#include "analysis/kind/sender.h"

#include <string.h>

/* MDL_NEVER: not recorded. */
static int64_t begin_of(const struct mdl_hop *hop)
{
	return hop->act.context == MDL_NONE ? hop->act.time : hop->act.entry;
}

/*
 * Did a hop of CHAIN send it itself?  Over the loopback device an acknowledgement lets go of data in the
 * softirq that receives both (tcp_data_snd_check(), net/ipv4/tcp_input.c; process_backlog(), net/core/dev.c).
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

/* When PACKET was sent by the clocks in use, to within *ERROR ns; MDL_NEVER: not known, or in CHAIN, which
 * then led to that. */
static int64_t sent_at(struct qry *q, uint32_t host, const struct mdl_received *packet,
	const struct mdl_chain *chain, int64_t *error)
{
	struct ana_sender s;

	if (!ana_sender_of(q, host, packet, &s) || s.apart || is_sent_within(&s, chain))
		return MDL_NEVER;
	*error = s.remote ? s.error : -1;
	return s.by.time;
}

/* Is TIME later than what was SENT at, whatever the clocks' error?  On one host (-1) it may be the same. */
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
		first->grade = MAX(first->grade, MDL_INFERRED);
}

/* Does CHAIN begin with the interrupt of a device? */
static bool is_interrupt(const struct qry *q, uint32_t host, const struct mdl_chain *chain)
{
	uint32_t context = chain->n > 0 ? chain->hops[0].act.context : MDL_NONE;
	enum mdl_ctx_type type;

	if (context == MDL_NONE)
		return false;
	type = qry_context(q, host, context).type;
	return type == MDL_CTX_IRQ || type == MDL_CTX_VECTOR;
}

struct ana_arrival ana_arrival_of(struct qry *q, uint32_t host, const struct mdl_received *packet,
	const struct mdl_chain *chain)
{
	struct ana_arrival a = { .from = ana_chain_begin(chain), .grade = ANA_PROVED, .first = ANA_PROVED };
	int64_t error = 0, sent = sent_at(q, host, packet, chain, &error);

	if (sent == MDL_NEVER || a.from == MDL_NEVER)
		return a;
	if (a.from < sent) {
		a.from = sent <= packet->time ? packet->time : MDL_NEVER;
		a.grade = error < 0 ? ANA_PROVED : ANA_INFERRED;
		return a;
	}
	if (!is_surely_later(a.from, sent, error))
		a.grade = a.first = ANA_INFERRED;
	if (error >= 0 && !is_interrupt(q, host, chain))
		a.grade = ANA_INFERRED;
	return a;
}
