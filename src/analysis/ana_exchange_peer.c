/* SPDX-License-Identifier: MIT */
/*
 * The other end of an exchange.  Who sent the first packet that came is known, and when that was there; the rest is read off the packets of that host
 * on the same connection, around then.  Only spans of time go over from one host to the other, so clocks that are off do no harm.
 */
#include "analysis/ana_exchange.h"

#include "analysis/ana_sender.h"
#include "analysis/ana_talk.h"

#include <netinet/in.h>
#include <string.h>

#define SECOND INT64_C(1000000000)

/* The connection of X from its other end. */
static struct ana_connection other_end(const struct ana_exchange *x)
{
	struct ana_connection c = x->connection;

	memcpy(c.own, x->connection.peer, sizeof c.own);
	memcpy(c.peer, x->connection.own, sizeof c.peer);
	c.own_port = x->connection.peer_port;
	c.peer_port = x->connection.own_port;
	return c;
}

/* Is the data of T, at the other end, a part of X: not of what was said before or after? */
static bool is_of(const struct ana_exchange *x, const struct mdl_transfer *t)
{
	uint32_t end = t->packet.sequence + t->packet.payload;

	if (t->packet.protocol == IPPROTO_TCP)
		return t->received ? (int32_t)(end - x->out_end) <= 0 : (int32_t)(end - x->first_in.packet.sequence) > 0;
	return t->received || x->asked || mdl_packet_same(&t->packet, &x->first_in.packet);
}

/* T carried data of X at its other end. */
static void take(struct qry *q, struct ana_exchange *x, const struct mdl_transfer *t)
{
	bool last = t->received != x->asked;	/* of the reply */

	if (!is_of(x, t))
		return;
	if (!t->received && x->peer == MDL_NONE)
		x->peer = ana_sender_thread(q, &t->by);
	if (last)
		x->peer_to = t->by.time;
	else if (x->peer_from == MDL_NEVER)
		x->peer_from = t->by.time;
}

/* Look through the packets of the peer's host from FROM to TO. */
static void look(struct qry *q, struct ana_exchange *x, int64_t from, int64_t to)
{
	struct qry_transfers *transfers = qry_transfers_new(q, x->peer_host, from);
	struct ana_connection wanted = other_end(x), c;
	struct mdl_transfer t;

	while (qry_transfers_next(transfers, &t) && t.by.time <= to)
		if (t.packet.payload > 0 && t.packet.payload != MDL_NONE && ana_talk_connection(&t, &c) &&
		    memcmp(&c, &wanted, sizeof c) == 0)
			take(q, x, &t);
	qry_transfers_free(transfers);
}

void ana_exchange_peer(struct qry *q, struct ana_exchange *x)
{
	const struct mdl_received *in = &x->first_in;
	struct ana_sender s = { .host = x->host };

	if (in->time == MDL_NEVER)
		return;
	x->peer_host = x->host;
	if (!ana_sender_of(q, x->host, in, &s)) {	/* on this very host, or unknown */
		look(q, x, x->asked ? x->from : x->from - SECOND, x->to);
		if (x->peer_from == MDL_NEVER && x->peer_to == MDL_NEVER)
			x->peer_host = MDL_NONE;
		return;
	}
	x->peer_host = s.host;
	/* Who replies had the request no longer than the reply took to come; who asked had the reply not long after it was sent. */
	if (x->asked)
		look(q, x, s.by.time - (in->time - x->from), s.by.time + (x->to - in->time));
	else
		look(q, x, s.by.time, s.by.time + (x->to - x->from) + SECOND);
}
