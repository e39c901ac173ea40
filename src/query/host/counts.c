/* SPDX-License-Identifier: MIT */
#include "query/host/parts.h"

#include <math.h>
#include <string.h>

unsigned qry_counter_count(const struct qry *q, uint32_t host)
{
	return idx_reader_meta(qry_source(q, host)->reader)->counters->len;
}

const char *qry_counter_name(const struct qry *q, uint32_t host, unsigned number)
{
	return g_ptr_array_index(idx_reader_meta(qry_source(q, host)->reader)->counters, number);
}

bool qry_has_counters(const struct qry *q)
{
	for (uint32_t host = 0; host < qry_host_count(q); host++)
		if (qry_counter_count(q, host) > 0)
			return true;
	return false;
}

bool qry_counts(const struct qry *q, uint32_t row, int64_t from, int64_t to, struct qry_counts *counts)
{
	uint32_t local;
	const struct qry_source *s = qry_source_of(q, row, &local);
	struct idx_counts sums;

	*counts = (struct qry_counts){ .host = qry_row(q, row)->host };
	if (!idx_reader_has_counts(s->reader, local))
		return false;
	idx_reader_counts(s->reader, local, qry_source_host(s, from), qry_source_held(s, to), &sums);
	counts->time = (int64_t)sums.time;
	memcpy(counts->value, sums.value, sizeof counts->value);
	return counts->time > 0;
}

double qry_counted_share(struct qry *q, uint32_t host)
{
	const struct qry_host *h = qry_host(q, host);
	int64_t told = 0, all = 0;

	for (uint32_t i = h->first_row; qry_counter_count(q, host) > 0 && i < h->first_row + h->n_rows; i++) {
		const struct qry_row *r = qry_row(q, i);
		struct qry_counts counts;
		struct qry_cell life;

		if (r->type != MDL_ROW_THREAD || r->nr == 0)
			continue;
		life = qry_life(q, i);
		all += qry_cell_on_cpu(&life);
		told += qry_counts(q, i, r->first, r->last + 1, &counts) ? counts.time : 0;
	}
	return all > 0 ? MIN((double)told / (double)all, 1) : NAN;
}

void qry_counts_add(struct qry_counts *sum, const struct qry_counts *counts)
{
	sum->host = counts->host;
	sum->time += counts->time;
	for (unsigned i = 0; i < MDL_COUNTERS; i++)
		sum->value[i] += counts->value[i];
}

/* ---- one by one ---- */

struct qry_counted {
	const struct qry_source *source; /* weak */
	struct idx_counted *cursor;      /* owned */
};

struct qry_counted *qry_counted_new(struct qry *q, uint32_t row, int64_t time)
{
	struct qry_counted *c = g_new(struct qry_counted, 1);
	uint32_t local;

	c->source = qry_source_of(q, row, &local);
	c->cursor = idx_counted_new(c->source->reader);
	idx_counted_seek(c->cursor, local, qry_source_held(c->source, time));
	return c;
}

void qry_counted_free(struct qry_counted *c)
{
	if (!c)
		return;
	idx_counted_free(c->cursor);
	g_free(c);
}

bool qry_counted_next(struct qry_counted *c, struct mdl_counted *counted)
{
	if (!idx_counted_next(c->cursor, counted))
		return false;
	counted->from = qry_source_shown(c->source, counted->from);
	counted->to = qry_source_shown(c->source, counted->to);
	return true;
}
