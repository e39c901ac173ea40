/* SPDX-License-Identifier: MIT */
/*
 * Transfers: packets that one host sent or received. Passages: packets that went from one host to another.
 *
 * How it works: a packet received is a transfer in the receiver's index. Its number there leads to the
 * transfer that it was matched with: the sender's host and the number there.
 */
#include "query/clock/sync.h"

#include "query/clock/clock.h"
#include "query/host/parts.h"

/* ---- transfers ---- */

struct qry_transfers {
	struct idx_transfers *cursor;
	const struct qry_source *source; /* weak */
};

static struct qry_transfers *new_of(struct qry *q, uint32_t host)
{
	struct qry_transfers *t = g_new(struct qry_transfers, 1);

	t->source = qry_source(q, host);
	t->cursor = idx_transfers_new(t->source->reader);
	return t;
}

struct qry_transfers *qry_transfers_new(struct qry *q, uint32_t host, int64_t time)
{
	struct qry_transfers *t = new_of(q, host);

	idx_transfers_seek(t->cursor, qry_source_host(t->source, time));
	return t;
}

struct qry_transfers *qry_transfers_new_at(struct qry *q, uint32_t host, uint64_t number)
{
	struct qry_transfers *t = new_of(q, host);

	idx_transfers_seek_number(t->cursor, number);
	return t;
}

uint64_t qry_transfers_number(const struct qry_transfers *t)
{
	return idx_transfers_number(t->cursor);
}

void qry_transfers_free(struct qry_transfers *t)
{
	if (!t)
		return;
	idx_transfers_free(t->cursor);
	g_free(t);
}

bool qry_transfers_next(struct qry_transfers *t, struct mdl_transfer *transfer)
{
	if (!idx_transfers_next(t->cursor, transfer))
		return false;
	qry_source_show_act(t->source, &transfer->by);
	return true;
}

bool qry_transfer_of(struct qry *q, uint32_t host, const struct mdl_received *packet, uint64_t *number)
{
	struct qry_transfers *all = qry_transfers_new(q, host, packet->time);
	struct mdl_transfer t;
	bool found = false;

	while (!found && qry_transfers_next(all, &t) && t.by.time == packet->time) {
		found = t.received && t.packet.skb == packet->packet.skb &&
			mdl_packet_same(&t.packet, &packet->packet);
		*number = qry_transfers_number(all) - 1;
	}
	qry_transfers_free(all);
	return found;
}

/* ---- passages ---- */

struct qry_passages {
	const struct qry *q;
	uint32_t receiver;
	struct idx_pairs_cursor *cursor; /* NULL: no packets were matched */
};

/* A cursor over the packets that RECEIVER received, from its transfer NUMBER. */
static struct qry_passages *new_at(const struct qry *q, uint32_t receiver, uint64_t number)
{
	struct qry_passages *p = g_new(struct qry_passages, 1);

	*p = (struct qry_passages){ .q = q,
		.receiver = receiver,
		.cursor = q->pairs ? idx_pairs_cursor_new(q->pairs, receiver) : NULL };
	if (p->cursor)
		idx_pairs_cursor_seek(p->cursor, number);
	return p;
}

struct qry_passages *qry_passages_new(struct qry *q, uint32_t receiver, int64_t from)
{
	struct qry_transfers *t = qry_transfers_new(q, receiver, from);
	struct qry_passages *p = new_at(q, receiver, qry_transfers_number(t));

	qry_transfers_free(t);
	return p;
}

void qry_passages_free(struct qry_passages *p)
{
	if (!p)
		return;
	idx_pairs_cursor_free(p->cursor);
	g_free(p);
}

bool qry_passages_next(struct qry_passages *p, struct qry_passage *passage)
{
	struct idx_pair pair;

	if (!p->cursor || !idx_pairs_cursor_next(p->cursor, &pair))
		return false;
	*passage = (struct qry_passage){
		.sender = pair.sender,
		.receiver = p->receiver,
		.sent = qry_shown_time(p->q, pair.sender, pair.sent),
		.received = qry_shown_time(p->q, p->receiver, pair.received),
		.by = { .time = MDL_NEVER },
		.sent_number = pair.sent_number,
		.received_number = pair.received_number,
	};
	passage->error = qry_clock_error(p->q, pair.sender, p->receiver, passage->received);
	return true;
}

/* Set passage->by from the sender's transfer. False if an index is damaged. */
static bool find_who(struct qry *q, struct qry_passage *passage)
{
	struct qry_transfers *t = qry_transfers_new_at(q, passage->sender, passage->sent_number);
	struct mdl_transfer sent;
	bool there = qry_transfers_next(t, &sent);

	if (there)
		passage->by = sent.by;
	qry_transfers_free(t);
	return there;
}

/* True if A was sent by a thread and B was not. If both or neither were, true if A was sent later. */
static bool is_better(const struct qry_passage *a, const struct qry_passage *b)
{
	bool by_thread = a->by.context == MDL_NONE, other = b->by.context == MDL_NONE;

	return by_thread != other ? by_thread : a->sent > b->sent;
}

static bool passage_find(struct qry *q, uint32_t host, const struct mdl_received *packet,
	struct qry_passage *passage)
{
	struct qry_passages *all;
	struct qry_passage next;
	bool found = false;
	uint64_t number;

	if (!qry_transfer_of(q, host, packet, &number))
		return false;
	all = new_at(q, host, number);
	while (qry_passages_next(all, &next) && next.received_number == number) {
		if (!find_who(q, &next) || (found && !is_better(&next, passage)))
			continue;
		*passage = next;
		found = true;
	}
	qry_passages_free(all);
	return found;
}

bool qry_passage_of(struct qry *q, uint32_t host, const struct mdl_received *packet,
	struct qry_passage *passage)
{
	const struct mdl_received *last = &q->last_passage.packet;

	if (!q->pairs)
		return false;
	if (!q->last_passage.known || q->last_passage.host != host || last->time != packet->time ||
		last->packet.skb != packet->packet.skb || !mdl_packet_same(&last->packet, &packet->packet)) {
		q->last_passage.host = host;
		q->last_passage.packet = *packet;
		q->last_passage.known = passage_find(q, host, packet, &q->last_passage.passage);
	}
	*passage = q->last_passage.passage;
	return q->last_passage.known;
}
