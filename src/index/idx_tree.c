/* SPDX-License-Identifier: MIT */
/*
 * How it works: one open node per level.  A full node is written and entered
 * in the open node above.  At the end the open nodes are closed from the
 * bottom up; a level that never got a second child is left out, so a row with
 * one leaf costs no node.
 */
#include "index/idx_tree.h"

#include "base/base_varint.h"

#include <xxhash.h>

struct open_node {
	GByteArray *bytes;	/* head and the children entered so far */
	unsigned count;
	struct idx_child sum;	/* of all children: first, count, sums */
	struct idx_child last;	/* the child entered last */
};

struct idx_tree {
	uint32_t row;
	unsigned levels;
	struct open_node *nodes;	/* levels, lowest first */
};

struct idx_tree *idx_tree_new(uint32_t row)
{
	struct idx_tree *t = g_new0(struct idx_tree, 1);

	t->row = row;
	return t;
}

void idx_tree_free(struct idx_tree *t)
{
	if (t == NULL)
		return;
	for (unsigned i = 0; i < t->levels; i++)
		g_byte_array_unref(t->nodes[i].bytes);
	g_free(t->nodes);
	g_free(t);
}

void idx_tree_put_head(uint8_t *p, uint8_t kind, unsigned level, unsigned count, uint32_t row)
{
	p[0] = kind;
	p[1] = (uint8_t)level;
	idx_put16(p + 2, (uint16_t)count);
	idx_put32(p + 4, row);
}

static void write_block(struct idx_out *o, const uint8_t *bytes, size_t size, struct idx_child *child)
{
	child->offset = idx_out_append(o, bytes, size);
	child->size = (uint32_t)size;
	child->checksum = (uint32_t)XXH3_64bits(bytes, size);
}

static uint8_t *put_sums(uint8_t *p, const uint64_t *sums)
{
	uint16_t present = 0;

	for (unsigned s = 0; s < 16; s++)
		if (sums[s] != 0)
			present |= (uint16_t)(1u << s);
	idx_put16(p, present);
	p += 2;
	for (unsigned s = 0; s < 16; s++)
		if (sums[s] != 0)
			p = base_varint_put(p, sums[s]);
	return p;
}

static void encode_child(struct open_node *n, const struct idx_child *child)
{
	uint8_t entry[BASE_VARINT_MAX * 20 + 6], *p = entry;

	p = base_varint_put(p, (uint64_t)child->first - (uint64_t)(n->count > 0 ? n->last.first : n->sum.first));
	p = base_varint_put(p, child->offset - (n->count > 0 ? n->last.offset : 0));
	p = base_varint_put(p, child->size);
	idx_put32(p, child->checksum);
	p = base_varint_put(p + 4, child->count);
	p = put_sums(p, child->sums);
	g_byte_array_append(n->bytes, entry, (guint)(p - entry));
}

static void enter(struct idx_tree *t, struct idx_out *o, unsigned level, const struct idx_child *child);

static void close_node(struct idx_tree *t, struct idx_out *o, unsigned level, struct idx_child *closed)
{
	struct open_node *n = &t->nodes[level];

	idx_tree_put_head(n->bytes->data, IDX_KIND_NODE, level + 1, n->count, t->row);
	*closed = n->sum;
	write_block(o, n->bytes->data, n->bytes->len, closed);
	g_byte_array_set_size(n->bytes, IDX_BLOCK_HEAD);
	n->count = 0;
	memset(&n->sum, 0, sizeof n->sum);
}

static void add_level(struct idx_tree *t)
{
	t->nodes = g_renew(struct open_node, t->nodes, t->levels + 1);
	memset(&t->nodes[t->levels], 0, sizeof t->nodes[0]);
	t->nodes[t->levels].bytes = g_byte_array_new();
	g_byte_array_set_size(t->nodes[t->levels].bytes, IDX_BLOCK_HEAD);
	t->levels++;
}

static void enter(struct idx_tree *t, struct idx_out *o, unsigned level, const struct idx_child *child)
{
	struct idx_child closed;
	struct open_node *n;

	if (level == t->levels)
		add_level(t);
	n = &t->nodes[level];
	if (n->count == IDX_NODE_CHILDREN) {
		close_node(t, o, level, &closed);
		enter(t, o, level + 1, &closed);
		n = &t->nodes[level];
	}
	if (n->count == 0)
		n->sum.first = child->first;
	encode_child(n, child);
	n->last = *child;
	n->count++;
	n->sum.count += child->count;
	for (unsigned s = 0; s < 16; s++)
		n->sum.sums[s] += child->sums[s];
}

void idx_tree_add_leaf(struct idx_tree *t, struct idx_out *o, const uint8_t *bytes, size_t size, struct idx_child *child)
{
	write_block(o, bytes, size, child);
	enter(t, o, 0, child);
}

void idx_tree_finish(struct idx_tree *t, struct idx_out *o, struct idx_child *top)
{
	memset(top, 0, sizeof *top);
	for (unsigned level = 0; level < t->levels; level++) {
		struct open_node *n = &t->nodes[level];

		if (level + 1 == t->levels && n->count == 1) {
			*top = n->last;
			return;
		}
		close_node(t, o, level, top);
		if (level + 1 < t->levels)
			enter(t, o, level + 1, top);
	}
}
