/* SPDX-License-Identifier: MIT */
/*
 * The other end of an exchange.  Who sent the first packet that came is known, and when that was there; the
 * rest is read off the packets of that host on the same connection, around then.  Only spans of time go over
 * from one host to the other, so clocks that are off do no harm.
 */
#include "analysis/ana_exchange.h"

#include "analysis/ana_sender.h"
#include "analysis/ana_talk.h"

#include <netinet/in.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
/* How far to look back for a request that was sent on this very host, at first, */
#define BACK_FIRST (SECOND / 1000)
#define BACK_LAST (SECOND / 10) /* and at last: packets that stay on a host do not take long */
#define BACK_TIMES 10

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

/* What is looked for at the other end. */
struct look {
	struct qry *q;                   /* weak */
	struct ana_exchange *x;          /* weak */
	uint32_t sent, sent_end;         /* TCP: [sent, sent_end) is what the other end sent of it */
	uint32_t received, received_end; /* and what it received */
	uint32_t reply_end;              /* TCP: how far the reply is there */
	uint32_t replies;                /* packets of it */
};

static struct look look_for(struct qry *q, struct ana_exchange *x)
{
	const struct ana_exchange_part *out = x->asked ? &x->request : &x->reply,
				       *in = x->asked ? &x->reply : &x->request;
	struct look l = { .q = q, .x = x };

	l.sent = x->first_in.packet.sequence;
	l.sent_end = l.sent + (uint32_t)in->bytes;
	l.received_end = x->out_end;
	l.received = l.received_end - (uint32_t)out->bytes;
	l.reply_end = x->asked ? l.sent : l.received;
	return l;
}

/* Is all of the reply there? */
static bool is_done(const struct look *l)
{
	const struct ana_exchange *x = l->x;

	if (x->reply.packets == 0)
		return x->peer_from != MDL_NEVER;
	if (x->connection.protocol != IPPROTO_TCP)
		return l->replies >= x->reply.packets;
	return l->reply_end == (x->asked ? l->sent_end : l->received_end);
}

/* Is the data of T, at the other end, a part of the exchange: not of what was said before or after? */
static bool is_of(const struct look *l, const struct mdl_transfer *t)
{
	uint32_t begin = t->packet.sequence, end = begin + t->packet.payload;

	if (t->packet.protocol != IPPROTO_TCP)
		return t->received ? l->x->asked || l->x->peer_from != MDL_NEVER
				   : l->x->asked || mdl_packet_same(&t->packet, &l->x->first_in.packet);
	if (t->received)
		return (int32_t)(end - l->received) > 0 && (int32_t)(begin - l->received_end) < 0;
	return (int32_t)(end - l->sent) > 0 && (int32_t)(begin - l->sent_end) < 0;
}

/* T carried data of the exchange at its other end. */
static void take(struct look *l, const struct mdl_transfer *t)
{
	uint32_t end = t->packet.sequence + t->packet.payload;
	struct ana_exchange *x = l->x;
	bool reply = t->received != x->asked;

	if (!is_of(l, t))
		return;
	if (!t->received && x->peer == MDL_NONE)
		x->peer = ana_sender_thread(l->q, &t->by);
	if (!reply && x->peer_from == MDL_NEVER)
		x->peer_from = t->by.time;
	if (!reply || (t->packet.protocol == IPPROTO_TCP && (int32_t)(end - l->reply_end) <= 0))
		return; /* what was sent again counts for nothing */
	x->peer_to = t->by.time;
	l->reply_end = end;
	l->replies++;
}

/* Look through the packets of the peer's host from FROM to TO, or to the end of the reply; not after BY where
 * nothing of the request came before. */
static void look(struct qry *q, struct ana_exchange *x, int64_t from, int64_t by, int64_t to)
{
	struct qry_transfers *transfers = qry_transfers_new(q, x->peer_host, from);
	struct ana_connection wanted = other_end(x), c;
	struct look l = look_for(q, x);
	struct mdl_transfer t;

	x->peer = MDL_NONE;
	x->peer_from = x->peer_to = MDL_NEVER;
	while (!is_done(&l) && qry_transfers_next(transfers, &t) &&
		t.by.time <= (x->peer_from == MDL_NEVER ? by : to))
		if (t.packet.payload > 0 && t.packet.payload != MDL_NONE && ana_talk_connection(&t, &c) &&
			memcmp(&c, &wanted, sizeof c) == 0)
			take(&l, &t);
	qry_transfers_free(transfers);
}

/* The other end is on this very host, or unknown. */
static void look_here(struct qry *q, struct ana_exchange *x)
{
	x->peer_host = x->host;
	if (x->asked)
		look(q, x, x->from, x->to, x->to);
	for (int64_t back = BACK_FIRST;
		!x->asked && back <= BACK_LAST && (x->peer_from == MDL_NEVER || x->peer_from > x->from);
		back *= BACK_TIMES)
		look(q, x, x->from - back, x->first_in.time, x->to + SECOND);
	if (x->peer_from == MDL_NEVER && x->peer_to == MDL_NEVER)
		x->peer_host = MDL_NONE;
}

void ana_exchange_peer(struct qry *q, struct ana_exchange *x)
{
	const struct mdl_received *in = &x->first_in;
	struct ana_sender s = { .host = x->host };

	if (in->time == MDL_NEVER)
		return;
	if (!ana_sender_of(q, x->host, in, &s)) {
		look_here(q, x);
		return;
	}
	x->peer_host = s.host;
	/* Who replies had the request no longer than the reply took to come; who asked had the reply not long
	 * after it was sent. */
	if (x->asked)
		look(q, x, s.by.time - (in->time - x->from), s.by.time + (x->to - in->time),
			s.by.time + (x->to - in->time));
	else
		look(q, x, s.by.time, s.by.time, s.by.time + (x->to - x->from) + SECOND);
}
