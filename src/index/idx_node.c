/* SPDX-License-Identifier: MIT */
/*
 * How it works: nodes are small and asked for again and again, so decoded ones
 * are kept in a direct-mapped cache by file offset.  A decoded node has the
 * running sums of its children, so that a look-up is a binary search per level.
 */
#include "index/idx_node.h"

#include "base/base_varint.h"

#define CACHE_SLOTS 1024

/* Columns, so that the search for an instant touches few cache lines. */
struct node {
	uint64_t offset;	/* 0: slot is empty */
	uint32_t row;
	unsigned level, count;
	int64_t first[IDX_NODE_CHILDREN];
	int64_t count_before[IDX_NODE_CHILDREN];
	struct { uint64_t offset, count; uint32_t size, checksum; } child[IDX_NODE_CHILDREN];
	uint64_t sums_before[IDX_NODE_CHILDREN][16];
};

struct idx_node_cache {
	struct node *slots[CACHE_SLOTS];
};

struct idx_node_cache *idx_node_cache_new(void)
{
	return g_new0(struct idx_node_cache, 1);
}

void idx_node_cache_free(struct idx_node_cache *cache)
{
	if (cache == NULL)
		return;
	for (unsigned i = 0; i < CACHE_SLOTS; i++)
		g_free(cache->slots[i]);
	g_free(cache);
}

static const uint8_t *get_sums(const uint8_t *p, const uint8_t *end, uint64_t own[16])
{
	unsigned present;

	if (p == NULL || end - p < 2)
		return NULL;
	present = idx_get16(p);
	p += 2;
	for (unsigned s = 0; s < 16 && p != NULL; s++) {
		own[s] = 0;
		if (present & 1u << s)
			p = base_varint_get(p, end, &own[s]);
	}
	return p;
}

/* One entry at P; *C holds the child before it and becomes this one, with its own sums. */
static const uint8_t *get_entry(const uint8_t *p, const uint8_t *end, struct idx_child *c)
{
	uint64_t distance, offset, size, count;

	p = base_varint_get(p, end, &distance);
	p = p ? base_varint_get(p, end, &offset) : NULL;
	p = p ? base_varint_get(p, end, &size) : NULL;
	if (p == NULL || end - p < 4 || size > IDX_MAX_BLOCK)
		return NULL;
	c->checksum = idx_get32(p);
	p = base_varint_get(p + 4, end, &count);
	if (p == NULL)
		return NULL;
	c->first = (int64_t)((uint64_t)c->first + distance);
	c->offset += offset;
	c->size = (uint32_t)size;
	c->count = count;
	return get_sums(p, end, c->sums);
}

unsigned idx_node_decode(const struct idx_child *self, const uint8_t *block, struct idx_child *children, unsigned *level)
{
	const uint8_t *p = block + IDX_BLOCK_HEAD, *end = block + self->size;
	unsigned n = idx_get16(block + 2);
	struct idx_child c = { .first = self->first };
	uint64_t left = self->count;

	*level = block[1];
	if (n > IDX_NODE_CHILDREN || *level == 0 || *level > IDX_MAX_LEVEL)
		return 0;
	for (unsigned i = 0; i < n; i++) {
		p = get_entry(p, end, &c);
		if (p == NULL || (i == 0 ? c.first != self->first : c.first < children[i - 1].first) || c.count == 0 || c.count > left)
			return 0;
		children[i] = c;
		left -= c.count;
	}
	return p == end && left == 0 ? n : 0;
}

/* Take over what was decoded, with running sums instead of each child's own. */
static void set_children(struct node *n, const struct idx_child *children)
{
	uint64_t sums[16] = { 0 }, count = 0;

	for (unsigned i = 0; i < n->count; i++) {
		n->first[i] = children[i].first;
		n->child[i].offset = children[i].offset;
		n->child[i].size = children[i].size;
		n->child[i].checksum = children[i].checksum;
		n->child[i].count = children[i].count;
		n->count_before[i] = (int64_t)count;
		count += children[i].count;
		memcpy(n->sums_before[i], sums, sizeof sums);
		for (unsigned s = 0; s < 16; s++)
			sums[s] += children[i].sums[s];
	}
}

static struct node **slot_of(const struct idx_series *s, uint64_t offset)
{
	return &s->cache->slots[(offset * 0x9e3779b97f4a7c15u) >> 54];
}

static const struct node *cached(const struct idx_series *s, uint64_t offset)
{
	const struct node *n = *slot_of(s, offset);

	return n != NULL && n->offset == offset && n->row == s->row ? n : NULL;
}

static const struct node *load(const struct idx_series *s, const struct idx_child *self, const uint8_t *block)
{
	struct idx_child children[IDX_NODE_CHILDREN];
	struct node **slot = slot_of(s, self->offset), *n;

	if (*slot == NULL)
		*slot = g_new(struct node, 1);
	n = *slot;
	n->offset = 0;
	n->count = idx_node_decode(self, block, children, &n->level);
	if (n->count == 0) {
		idx_map_note_damage(s->map, self->offset, "inside of a node");
		return NULL;
	}
	set_children(n, children);
	n->row = s->row;
	n->offset = self->offset;
	return n;
}

/* The last of N rising VALUES that is at most V; the first when none is. */
static unsigned last_at_most(const int64_t *values, unsigned n, int64_t v)
{
	unsigned low = 0, high = n;

	while (high - low > 1) {
		unsigned middle = (low + high) / 2;

		if (values[middle] <= v)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void descend(const struct node *n, unsigned i, struct idx_found *found)
{
	found->leaf.offset = n->child[i].offset;
	found->leaf.size = n->child[i].size;
	found->leaf.checksum = n->child[i].checksum;
	found->leaf.count = n->child[i].count;
	found->leaf.first = n->first[i];
	found->count_before += (uint64_t)n->count_before[i];
	for (unsigned s = 0; s < 16; s++)
		found->sums_before[s] += n->sums_before[i][s];
	if (i + 1 < n->count)
		found->next = n->first[i + 1];
}

/* Walk down by TIME, or by INDEX when BY_INDEX, to the leaf, without touching it. */
static bool locate(const struct idx_series *s, int64_t time, uint64_t index, bool by_index, struct idx_found *found)
{
	unsigned level = IDX_MAX_LEVEL + 1;
	bool trusted;

	found->leaf = s->top;
	found->next = INT64_MAX;
	found->count_before = 0;
	memset(found->sums_before, 0, sizeof found->sums_before);
	if (s->top.offset == 0)
		return false;
	do {
		const struct node *n = cached(s, found->leaf.offset);

		if (n == NULL) {
			const uint8_t *block = idx_map_block(s->map, &found->leaf, s->kind, s->row, &trusted);

			if (block == NULL)
				return false;
			if (block[0] == s->kind)
				return true;
			n = load(s, &found->leaf, block);
		}
		if (n == NULL)
			return false;
		if (n->level >= level) {
			idx_map_note_damage(s->map, found->leaf.offset, "levels of nodes");
			return false;
		}
		level = n->level;
		if (by_index)
			descend(n, last_at_most(n->count_before, n->count, (int64_t)(index - found->count_before)), found);
		else
			descend(n, last_at_most(n->first, n->count, time), found);
	} while (level > 1);
	return true;
}

static bool check_leaf(const struct idx_series *s, const struct idx_child *child, const uint8_t *block)
{
	struct idx_leaf leaf;

	if (block[0] != s->kind || idx_get16(block + 2) != child->count)
		return false;
	if (s->kind != IDX_KIND_INTERVALS)
		return true;
	return idx_leaf_open(block, child->size, &leaf) && idx_leaf_check(&leaf, s->row_type, s->limits);
}

bool idx_node_arrive(const struct idx_series *s, struct idx_found *found)
{
	bool trusted;

	found->block = idx_map_block(s->map, &found->leaf, s->kind, s->row, &trusted);
	if (found->block == NULL)
		return false;
	if (!trusted && !check_leaf(s, &found->leaf, found->block)) {
		idx_map_note_damage(s->map, found->leaf.offset, "inside of a leaf");
		return false;
	}
	idx_map_trust(s->map, &found->leaf);
	return true;
}

bool idx_node_locate_time(const struct idx_series *s, int64_t time, struct idx_found *found)
{
	return locate(s, time, 0, false, found);
}

bool idx_node_find_time(const struct idx_series *s, int64_t time, struct idx_found *found)
{
	return locate(s, time, 0, false, found) && idx_node_arrive(s, found);
}

bool idx_node_find_index(const struct idx_series *s, uint64_t index, struct idx_found *found)
{
	return index < s->top.count && locate(s, 0, index, true, found) && idx_node_arrive(s, found);
}
