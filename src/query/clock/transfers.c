/* SPDX-License-Identifier: MIT */
#include "query/host/parts.h"
#include "query/clock/sync.h"

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
