/* SPDX-License-Identifier: MIT */
/*
 * How it works: one open node per level. A full node is laid out in columns of fixed width (index/tree/node.c
 * says why), written, and entered in the open node above. At the end the open nodes are closed, lowest level
 * first. A level that never had a second child is left out, so a row with one leaf has no node.
 */
#include "index/tree/tree.h"

#include "base/base_varint.h"
#include "index/file/out.h"

#include <xxhash.h>

#define NODE_MAX \
	(IDX_NODE_COLUMNS + (IDX_NODE_CHILDREN + 1) * (8 + 17 * 8) + IDX_NODE_CHILDREN * (8 + 4 + 4 + 8))

struct open_node {
	/* The children entered so far, as varints, because each living row has an open node. */
	struct idx_bytes bytes;
	uint32_t count;
	uint64_t base, last; /* offsets of the first and the last child */
	int64_t first, end;  /* of all children */
};

struct idx_tree {
	uint32_t row;
	unsigned levels;
	struct open_node *nodes; /* by level, lowest first */
};

struct idx_tree *idx_tree_new(uint32_t row)
{
	struct idx_tree *t = g_new0(struct idx_tree, 1);

	t->row = row;
	return t;
}

void idx_tree_free(struct idx_tree *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < t->levels; i++)
		idx_bytes_clear(&t->nodes[i].bytes);
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

static uint8_t *pack_sums(uint8_t *p, const uint64_t *sums)
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

static void pack_child(struct open_node *n, const struct idx_child *child)
{
	uint8_t entry[BASE_VARINT_MAX * 21 + 6], *p = entry;
	uint32_t size;

	p = base_varint_put(p, (uint64_t)child->first - (uint64_t)n->first);
	p = base_varint_put(p, child->offset - n->base);
	p = base_varint_put(p, child->size);
	idx_put32(p, child->checksum);
	p = base_varint_put(p + 4, child->count);
	p = base_varint_put(p, child->tail);
	p = pack_sums(p, child->sums);
	size = (uint32_t)(p - entry);
	memcpy(idx_bytes_reserve(&n->bytes, size), entry, size);
	n->bytes.size += size;
}

/* This process packed the data, so damage is a bug. */
static uint64_t tree_unpack(const uint8_t **p, const uint8_t *end)
{
	uint64_t v = 0;

	g_assert(*p);
	*p = base_varint_get(*p, end, &v);
	g_assert(*p);
	return v;
}

/* Read what pack_child() wrote. FIRST and OFFSET of CHILD are relative to those of the node. */
static const uint8_t *unpack_child(const uint8_t *p, const uint8_t *end, struct idx_child *child)
{
	unsigned present;

	memset(child, 0, sizeof *child);
	child->first = (int64_t)tree_unpack(&p, end);
	child->offset = tree_unpack(&p, end);
	child->size = (uint32_t)tree_unpack(&p, end);
	child->checksum = idx_get32(p);
	p += 4;
	child->count = tree_unpack(&p, end);
	child->tail = tree_unpack(&p, end);
	present = idx_get16(p);
	p += 2;
	for (unsigned s = 0; s < 16; s++)
		if (present & 1u << s)
			child->sums[s] = tree_unpack(&p, end);
	return p;
}

static unsigned width_of(uint64_t v)
{
	unsigned width = 1;

	while (v > idx_width_mask[width])
		width++;
	return width;
}

static uint8_t *tree_put(uint8_t *p, uint64_t v, unsigned width)
{
	v = GUINT64_TO_LE(v);
	memcpy(p, &v, width);
	return p + width;
}

/* True if the sums of each of N children add up to its time. */
static bool sums_are_time(const struct idx_child *children, unsigned n, uint64_t end)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t next = i + 1 < n ? (uint64_t)children[i + 1].first : end, sum = 0;

		for (unsigned s = 0; s < 16; s++)
			sum += children[i].sums[s];
		if (sum != next - (uint64_t)children[i].first)
			return false;
	}
	return true;
}

/* Set the widths of the columns. SUM is the total of all CHILDREN. Returns the states (bits) whose sums are
 * stored. */
static unsigned choose_columns(uint8_t *block, const struct open_node *n, const struct idx_child *children,
	const struct idx_child *sum)
{
	unsigned states = 0, stored;
	uint64_t most = 0, size = 0, tail = 0, end = (uint64_t)n->end - (uint64_t)n->first;

	for (unsigned s = 0; s < 16; s++)
		if (sum->sums[s] != 0)
			states |= 1u << s;
	stored = states;
	block[IDX_NODE_FLAGS] = states != 0 && sums_are_time(children, n->count, end) ? IDX_NODE_IMPLIED : 0;
	if (block[IDX_NODE_FLAGS] & IDX_NODE_IMPLIED)
		stored &= stored - 1;
	for (unsigned s = 0; s < 16; s++)
		if (stored & 1u << s)
			most = MAX(most, sum->sums[s]);
	for (unsigned i = 0; i < n->count; i++) {
		size = MAX(size, children[i].size);
		tail = MAX(tail, children[i].tail);
	}
	if (tail != 0)
		block[IDX_NODE_FLAGS] |= (uint8_t)(width_of(tail) << IDX_NODE_TAIL_SHIFT);
	block[IDX_NODE_TIME_WIDTH] = (uint8_t)width_of(end);
	block[IDX_NODE_COUNT_WIDTH] = (uint8_t)width_of(sum->count);
	block[IDX_NODE_SUM_WIDTH] = (uint8_t)width_of(most);
	block[IDX_NODE_OFFSET_WIDTH] = (uint8_t)width_of(n->last - n->base);
	block[IDX_NODE_SIZE_WIDTH] = (uint8_t)width_of(size);
	idx_put16(block + IDX_NODE_STATES, (uint16_t)states);
	idx_put64(block + IDX_NODE_BASE, n->base);
	return stored;
}

/* Read the children of the open node N into CHILDREN, with relative first and offset; *SUM is their total. */
static void unpack_children(const struct open_node *n, struct idx_child children[IDX_NODE_CHILDREN],
	struct idx_child *sum)
{
	const uint8_t *packed = n->bytes.data, *end = packed + n->bytes.size;

	*sum = (struct idx_child){ .first = n->first, .end = n->end };
	for (uint32_t i = 0; i < n->count; i++) {
		packed = unpack_child(packed, end, &children[i]);
		sum->count += children[i].count;
		for (unsigned s = 0; s < 16; s++)
			sum->sums[s] += children[i].sums[s];
	}
}

/* Lay the open node N out in BLOCK (room for NODE_MAX). Returns its size. *SUM: the total of its children. */
static size_t tree_lay_out(const struct open_node *n, uint8_t *block, struct idx_child *sum)
{
	struct idx_child children[IDX_NODE_CHILDREN];
	uint8_t *p = block + IDX_NODE_COLUMNS;
	uint64_t count = 0, sums[16] = { 0 };
	unsigned stored;

	unpack_children(n, children, sum);
	stored = choose_columns(block, n, children, sum);
	for (unsigned i = 0; i <= n->count; i++)
		p = tree_put(p,
			i < n->count ? (uint64_t)children[i].first : (uint64_t)n->end - (uint64_t)n->first,
			block[IDX_NODE_TIME_WIDTH]);
	for (unsigned i = 0; i <= n->count; i++) {
		p = tree_put(p, count, block[IDX_NODE_COUNT_WIDTH]);
		for (unsigned s = 0; s < 16; s++) {
			if (stored & 1u << s)
				p = tree_put(p, sums[s], block[IDX_NODE_SUM_WIDTH]);
			if (i < n->count)
				sums[s] += children[i].sums[s];
		}
		count += i < n->count ? children[i].count : 0;
	}
	for (unsigned i = 0; i < n->count; i++) {
		p = tree_put(p, children[i].offset, block[IDX_NODE_OFFSET_WIDTH]);
		p = tree_put(p, children[i].size, block[IDX_NODE_SIZE_WIDTH]);
		p = tree_put(p, children[i].checksum, 4);
		p = tree_put(p, children[i].tail, block[IDX_NODE_FLAGS] >> IDX_NODE_TAIL_SHIFT);
	}
	return (size_t)(p - block);
}

static void enter(struct idx_tree *t, struct idx_out *o, unsigned level, const struct idx_child *child);

static void close_node(struct idx_tree *t, struct idx_out *o, unsigned level, struct idx_child *closed)
{
	struct open_node *n = &t->nodes[level];
	uint8_t block[NODE_MAX];
	size_t size;

	idx_tree_put_head(block, IDX_KIND_NODE, level + 1, n->count, t->row);
	size = tree_lay_out(n, block, closed);
	write_block(o, block, size, closed);
	n->bytes.size = 0;
	n->count = 0;
}

static void enter(struct idx_tree *t, struct idx_out *o, unsigned level, const struct idx_child *child)
{
	struct idx_child closed;
	struct open_node *n;

	if (level == t->levels) {
		t->nodes = g_renew(struct open_node, t->nodes, t->levels + 1);
		memset(&t->nodes[t->levels++], 0, sizeof t->nodes[0]);
	}
	n = &t->nodes[level];
	if (n->count == IDX_NODE_CHILDREN) {
		close_node(t, o, level, &closed);
		enter(t, o, level + 1, &closed);
		n = &t->nodes[level];
	}
	if (n->count == 0) {
		n->first = child->first;
		n->base = child->offset;
	}
	pack_child(n, child);
	n->last = child->offset;
	n->end = child->end;
	n->count++;
}

void idx_tree_add_leaf(struct idx_tree *t, struct idx_out *o, const uint8_t *bytes, size_t size,
	struct idx_child *child)
{
	write_block(o, bytes, size, child);
	enter(t, o, 0, child);
}

void idx_tree_finish(struct idx_tree *t, struct idx_out *o, struct idx_child *top)
{
	memset(top, 0, sizeof *top);
	for (unsigned level = 0; t && level < t->levels; level++) {
		struct open_node *n = &t->nodes[level];

		if (level + 1 == t->levels && n->count == 1) {
			/* it is the first child, so its relative values are 0 */
			unpack_child(n->bytes.data, n->bytes.data + n->bytes.size, top);
			top->first = n->first;
			top->end = n->end;
			top->offset = n->base;
			return;
		}
		close_node(t, o, level, top);
		if (level + 1 < t->levels)
			enter(t, o, level + 1, top);
	}
}
