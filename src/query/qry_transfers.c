/* SPDX-License-Identifier: MIT */
#include "query/qry_parts.h"

struct qry_transfers {
	struct idx_transfers *cursor;
	uint32_t first_row;	/* of the host */
};

static struct qry_transfers *new_of(struct qry *q, uint32_t host)
{
	const struct qry_source *s = qry_source(q, host);
	struct qry_transfers *t = g_new(struct qry_transfers, 1);

	t->cursor = idx_transfers_new(s->reader);
	t->first_row = s->host.first_row;
	return t;
}

struct qry_transfers *qry_transfers_new(struct qry *q, uint32_t host, int64_t time)
{
	struct qry_transfers *t = new_of(q, host);

	idx_transfers_seek(t->cursor, time);
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
	if (t == NULL)
		return;
	idx_transfers_free(t->cursor);
	g_free(t);
}

bool qry_transfers_next(struct qry_transfers *t, struct mdl_transfer *transfer)
{
	if (!idx_transfers_next(t->cursor, transfer))
		return false;
	if (transfer->by.thread != MDL_NONE)
		transfer->by.thread += t->first_row;
	return true;
}
