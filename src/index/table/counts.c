/* SPDX-License-Identifier: MIT */
/* How it works: sums up to an instant come from the nodes and one leaf (index/tree/node.c). The sums of a
 * window are those of the records that end before its end, minus those of the records that begin before its
 * begin. */
#include "index/table/parts.h"

#include <string.h>

static struct idx_series series_of(struct idx_reader *r, uint32_t row)
{
	struct idx_ref top = { 0 };

	if (idx_reader_has_counts(r, row))
		top = idx_get_ref(r->t->counts + (size_t)r->t->counted[row] * IDX_COUNTS_SIZE + 8);
	return idx_load_series(r, &top, IDX_KIND_COUNTS, row, MDL_ROW_THREAD);
}

bool idx_reader_has_counts(const struct idx_reader *r, uint32_t row)
{
	return r->t->counted && r->t->counted[row] != MDL_NONE;
}

/* Read the leaf FOUND into COUNTED. Returns the number of records; 0 if it is damaged, which is noted. */
static unsigned read_leaf(struct idx_reader *r, const struct idx_found *found, struct mdl_counted *counted)
{
	unsigned n = idx_counts_read(found->block, found->leaf.size, found->leaf.first, counted);

	if (n > 0 && n == found->leaf.count)
		return n;
	idx_map_note_damage(r->map, found->leaf.offset, "invalid leaf of counts");
	return 0;
}

/* Set *SUMS to the sums of the records of S that begin before TIME; ENDED: that end at it or before. */
static void sum_before(struct idx_reader *r, const struct idx_series *s, int64_t time, bool ended,
	struct idx_counts *sums)
{
	struct mdl_counted counted[IDX_LEAF_COUNTS];
	struct idx_found found;
	unsigned n;

	*sums = (struct idx_counts){ 0 };
	if (!idx_node_find_time(s, time, &found))
		return;
	sums->time = found.sums_before[IDX_COUNTS_TIME];
	memcpy(sums->value, found.sums_before + IDX_COUNTS_FIRST, sizeof sums->value);
	n = read_leaf(r, &found, counted);
	for (unsigned i = 0; i < n && (ended ? counted[i].to <= time : counted[i].from < time); i++) {
		sums->time += (uint64_t)counted[i].to - (uint64_t)counted[i].from;
		for (unsigned k = 0; k < MDL_COUNTERS; k++)
			sums->value[k] += counted[i].value[k];
	}
}

void idx_reader_counts(struct idx_reader *r, uint32_t row, int64_t from, int64_t to, struct idx_counts *sums)
{
	struct idx_series s = series_of(r, row);
	struct idx_counts before, by;

	*sums = (struct idx_counts){ 0 };
	if (s.top.offset == 0 || from >= to)
		return;
	sum_before(r, &s, from, false, &before);
	sum_before(r, &s, to, true, &by);
	if (by.time < before.time) /* one record begins before FROM and ends after TO */
		return;
	sums->time = by.time - before.time;
	for (unsigned k = 0; k < MDL_COUNTERS; k++)
		sums->value[k] = by.value[k] - before.value[k];
}

struct idx_counted {
	struct idx_reader *reader; /* weak */
	uint32_t row;
	unsigned n, at;
	uint64_t next; /* number of the first record after the leaf */
	struct mdl_counted leaf[IDX_LEAF_COUNTS];
};

struct idx_counted *idx_counted_new(struct idx_reader *r)
{
	struct idx_counted *c = g_new(struct idx_counted, 1);

	*c = (struct idx_counted){ .reader = r, .row = MDL_NONE };
	return c;
}

void idx_counted_free(struct idx_counted *c)
{
	g_free(c);
}

void idx_counted_seek(struct idx_counted *c, uint32_t row, int64_t time)
{
	struct idx_series s = series_of(c->reader, row);
	struct idx_found found;

	c->row = row;
	c->n = c->at = 0;
	c->next = s.top.count;
	if (!idx_node_find_time(&s, time, &found))
		return;
	c->n = read_leaf(c->reader, &found, c->leaf);
	c->next = c->n > 0 ? found.count_before + c->n : s.top.count;
	while (c->at < c->n && c->leaf[c->at].to <= time)
		c->at++;
}

bool idx_counted_next(struct idx_counted *c, struct mdl_counted *counted)
{
	if (c->row == MDL_NONE)
		return false;
	if (c->at == c->n) {
		struct idx_series s = series_of(c->reader, c->row);
		struct idx_found found;

		c->at = c->n = 0;
		if (c->next >= s.top.count || !idx_node_find_index(&s, c->next, &found))
			return false;
		c->n = read_leaf(c->reader, &found, c->leaf);
		c->next = c->n > 0 ? found.count_before + c->n : s.top.count;
		if (c->n == 0)
			return false;
	}
	*counted = c->leaf[c->at++];
	return true;
}
