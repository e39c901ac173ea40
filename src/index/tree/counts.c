/* SPDX-License-Identifier: MIT */
/* How it works: most records of a row have the counters and the CPU of the previous one, so both are stored
 * only when they change. */
#include "index/tree/leaf.h"

#include "base/base_varint.h"

#define RECORD_MAX ((5 + MDL_COUNTERS) * BASE_VARINT_MAX)

/* Counters and CPU of the previous record. */
struct like {
	uint32_t cpu;
	uint16_t has;
};

static void counts_write_leaf(struct idx_counts_writer *w, struct idx_out *o)
{
	struct idx_child child = { .count = w->count, .first = w->first, .end = w->last.to };

	memcpy(child.sums, w->sums, sizeof child.sums);
	idx_tree_put_head(w->bytes.data, IDX_KIND_COUNTS, 0, w->count, w->row);
	idx_tree_add_leaf(w->tree, o, w->bytes.data, w->bytes.size, &child);
	w->count = 0;
}

void idx_counts_writer_add(struct idx_counts_writer *w, struct idx_out *o, const struct mdl_counted *c)
{
	uint8_t record[RECORD_MAX], *p = record;
	bool alike;

	if (w->count == IDX_LEAF_COUNTS)
		counts_write_leaf(w, o);
	if (w->count == 0) {
		w->first = c->from;
		w->last = (struct mdl_counted){ .to = c->from, .cpu = MDL_NONE };
		w->bytes.size = 0;
		memset(idx_bytes_reserve(&w->bytes, IDX_BLOCK_HEAD), 0, IDX_BLOCK_HEAD);
		w->bytes.size = IDX_BLOCK_HEAD;
		memset(w->sums, 0, sizeof w->sums);
	}
	if (!w->tree)
		w->tree = idx_tree_new(w->row);
	alike = w->last.cpu == c->cpu && w->last.has == c->has;
	p = base_varint_put(p, (uint64_t)c->from - (uint64_t)w->last.to);
	p = base_varint_put(p, ((uint64_t)c->to - (uint64_t)c->from) << 1 | !alike);
	if (!alike) {
		p = base_varint_put(p, c->cpu + 1u);
		p = base_varint_put(p, c->has);
	}
	w->sums[IDX_COUNTS_TIME] += (uint64_t)c->to - (uint64_t)c->from;
	for (unsigned i = 0; i < MDL_COUNTERS; i++) {
		if (!(c->has >> i & 1))
			continue;
		p = base_varint_put(p, c->value[i]);
		w->sums[IDX_COUNTS_FIRST + i] += c->value[i];
	}
	memcpy(idx_bytes_reserve(&w->bytes, (uint32_t)(p - record)), record, (size_t)(p - record));
	w->bytes.size += (uint32_t)(p - record);
	w->last = *c;
	w->count++;
}

void idx_counts_writer_finish(struct idx_counts_writer *w, struct idx_out *o, struct idx_child *top)
{
	if (w->count > 0)
		counts_write_leaf(w, o);
	idx_tree_finish(w->tree, o, top);
}

static void get_record(struct base_varints *in, int64_t time, struct like *like, struct mdl_counted *c)
{
	uint64_t length;

	*c = (struct mdl_counted){ .from = (int64_t)((uint64_t)time + base_varints_get(in)) };
	length = base_varints_get(in);
	if (length & 1) {
		like->cpu = (uint32_t)base_varints_get_up_to(in, UINT32_MAX) - 1u;
		like->has = (uint16_t)base_varints_get_up_to(in, (1u << MDL_COUNTERS) - 1);
	}
	c->to = (int64_t)((uint64_t)c->from + (length >> 1));
	c->cpu = like->cpu;
	c->has = like->has;
	for (unsigned i = 0; i < MDL_COUNTERS; i++)
		if (c->has >> i & 1)
			c->value[i] = base_varints_get(in);
	if (c->from < time || c->to <= c->from || c->has == 0)
		in->p = NULL;
}

unsigned idx_counts_read(const uint8_t *block, uint32_t size, int64_t first, struct mdl_counted *counted)
{
	struct base_varints in = { block + IDX_BLOCK_HEAD, block + size };
	unsigned count = idx_get16(block + 2);
	struct like like = { .cpu = MDL_NONE };
	int64_t time = first;

	if (count > IDX_LEAF_COUNTS)
		return 0;
	for (unsigned i = 0; i < count && in.p; i++) {
		get_record(&in, time, &like, &counted[i]);
		time = counted[i].to;
	}
	return in.p == in.end ? count : 0;
}
