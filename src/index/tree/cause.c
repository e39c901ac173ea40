/* SPDX-License-Identifier: MIT */
/*
 * How it works: causes are looked up by number, one here, one there.  So a leaf
 * begins with where each of its records ends, and each record can be read without
 * those before it: times count from its own base, which counts from the leaf's.
 */
#include "index/tree/leaf.h"

#include "base/base_varint.h"

#include <string.h>

#define HEAD (IDX_BLOCK_HEAD + 8) /* the block's head and the leaf's base */
#define PLACE 2                   /* bytes of a place in a leaf */

G_STATIC_ASSERT(IDX_LEAF_CAUSES *IDX_CAUSE_RECORD_MAX <= UINT16_MAX);

struct idx_cause_writer {
	struct idx_tree *tree;
	uint64_t total; /* records written before this leaf */
	unsigned count;
	uint16_t ends[IDX_LEAF_CAUSES]; /* of each record, from the first one's begin */
	int64_t base;                   /* of the first record of the leaf */
	GByteArray *bytes;              /* the records */
};

struct idx_cause_writer *idx_cause_writer_new(void)
{
	struct idx_cause_writer *w = g_new0(struct idx_cause_writer, 1);

	w->tree = idx_tree_new(MDL_NONE);
	w->bytes = g_byte_array_new();
	return w;
}

void idx_cause_writer_free(struct idx_cause_writer *w)
{
	if (!w)
		return;
	idx_tree_free(w->tree);
	g_byte_array_unref(w->bytes);
	g_free(w);
}

static void cause_write_leaf(struct idx_cause_writer *w, struct idx_out *o)
{
	struct idx_child child = { .count = w->count,
		.first = (int64_t)w->total,
		.end = (int64_t)(w->total + w->count) };
	size_t head = HEAD + (size_t)w->count * PLACE;
	uint8_t block[HEAD + IDX_LEAF_CAUSES * (PLACE + IDX_CAUSE_RECORD_MAX)];

	idx_tree_put_head(block, IDX_KIND_CAUSES, 0, w->count, MDL_NONE);
	idx_put64(block + IDX_BLOCK_HEAD, (uint64_t)w->base);
	for (unsigned i = 0; i < w->count; i++)
		idx_put16(block + HEAD + i * PLACE, w->ends[i]);
	memcpy(block + head, w->bytes->data, w->bytes->len);
	idx_tree_add_leaf(w->tree, o, block, head + w->bytes->len, &child);
	g_byte_array_set_size(w->bytes, 0);
	w->total += w->count;
	w->count = 0;
}

void idx_cause_writer_add(struct idx_cause_writer *w, struct idx_out *o, const struct mdl_cause *cause)
{
	uint8_t record[IDX_CAUSE_RECORD_MAX], *end;
	int64_t base = idx_cause_base(cause);

	if (w->count == IDX_LEAF_CAUSES)
		cause_write_leaf(w, o);
	if (w->count == 0)
		w->base = base;
	end = base_varint_put(record, base_varint_zigzag((int64_t)((uint64_t)base - (uint64_t)w->base)));
	end = idx_cause_put(end, cause, base);
	g_byte_array_append(w->bytes, record, (guint)(end - record));
	w->ends[w->count++] = (uint16_t)w->bytes->len;
}

void idx_cause_writer_finish(struct idx_cause_writer *w, struct idx_out *o, struct idx_child *top)
{
	if (w->count > 0)
		cause_write_leaf(w, o);
	idx_tree_finish(w->tree, o, top);
}

unsigned idx_cause_count(const uint8_t *block, uint32_t size)
{
	unsigned count = idx_get16(block + 2), before = 0;
	size_t head = HEAD + (size_t)count * PLACE;

	if (count > IDX_LEAF_CAUSES || head > size)
		return 0;
	for (unsigned i = 0; i < count; i++) {
		unsigned end = idx_get16(block + HEAD + i * PLACE);

		if (end <= before)
			return 0;
		before = end;
	}
	return head + before == size ? count : 0;
}

bool idx_cause_read(const uint8_t *block, uint32_t size, unsigned index, const struct idx_limits *limits,
	struct mdl_cause *cause)
{
	unsigned count = idx_cause_count(block, size);
	const uint8_t *places = block + HEAD, *records = places + (size_t)count * PLACE, *p, *end;
	uint64_t distance;
	unsigned from, to;

	if (index >= count)
		return false;
	from = index > 0 ? idx_get16(places + (size_t)(index - 1) * PLACE) : 0;
	to = idx_get16(places + (size_t)index * PLACE);
	if (from > to || to > (size_t)(block + size - records)) /* written to meanwhile */
		return false;
	end = records + to;
	p = base_varint_get(records + from, end, &distance);
	return p &&
		idx_cause_get(p, end,
			(int64_t)(idx_get64(block + IDX_BLOCK_HEAD) +
				(uint64_t)base_varint_unzigzag(distance)),
			limits, cause);
}
