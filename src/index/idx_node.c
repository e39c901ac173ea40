/* SPDX-License-Identifier: MIT */
/*
 * How it works: nodes are small and asked for again and again, so decoded ones
 * are kept in a direct-mapped cache by file offset.  A decoded node has the
 * running sums of its children, so that a look-up is a binary search per level.
 */
#include "index/idx_node.h"

#include "base/base_varint.h"

#define CACHE_SLOTS 1024

struct node {
	uint64_t offset;	/* 0: slot is empty */
	unsigned level, count;
	struct idx_child children[IDX_NODE_CHILDREN];	/* sums: of the children before it; count: its own */
	uint64_t count_before[IDX_NODE_CHILDREN];
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
	uint64_t count = 0;

	*level = block[1];
	if (n > IDX_NODE_CHILDREN || *level == 0 || *level > IDX_MAX_LEVEL)
		return 0;
	for (unsigned i = 0; i < n; i++) {
		p = get_entry(p, end, &c);
		if (p == NULL || (i > 0 && c.first < children[i - 1].first))
			return 0;
		children[i] = c;
		count += c.count;
	}
	return p == end && count == self->count ? n : 0;
}

/* Turn the children's own sums and counts into those of what lies before them. */
static void accumulate(struct node *n)
{
	uint64_t sums[16] = { 0 }, count = 0;

	for (unsigned i = 0; i < n->count; i++) {
		n->count_before[i] = count;
		count += n->children[i].count;
		for (unsigned s = 0; s < 16; s++) {
			uint64_t own = n->children[i].sums[s];

			n->children[i].sums[s] = sums[s];
			sums[s] += own;
		}
	}
}

static const struct node *node_at(const struct idx_series *s, const struct idx_child *child, const uint8_t *block)
{
	struct node **slot = &s->cache->slots[(child->offset * 0x9e3779b97f4a7c15u) >> 54];

	if (*slot == NULL)
		*slot = g_new(struct node, 1);
	else if ((*slot)->offset == child->offset)
		return *slot;
	(*slot)->offset = 0;
	(*slot)->count = idx_node_decode(child, block, (*slot)->children, &(*slot)->level);
	if ((*slot)->count == 0) {
		idx_map_note_damage(s->map, child->offset, "inside of a node");
		return NULL;
	}
	accumulate(*slot);
	(*slot)->offset = child->offset;
	return *slot;
}

static unsigned child_by_time(const struct node *n, int64_t time)
{
	unsigned low = 0, high = n->count;

	while (high - low > 1) {
		unsigned middle = (low + high) / 2;

		if (n->children[middle].first <= time)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static unsigned child_by_index(const struct node *n, uint64_t index)
{
	unsigned low = 0, high = n->count;

	while (high - low > 1) {
		unsigned middle = (low + high) / 2;

		if (n->count_before[middle] <= index)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void descend(const struct node *n, unsigned i, struct idx_found *found)
{
	found->leaf = n->children[i];
	found->count_before += n->count_before[i];
	for (unsigned s = 0; s < 16; s++)
		found->sums_before[s] += n->children[i].sums[s];
	if (i + 1 < n->count)
		found->next = n->children[i + 1].first;
}

static bool check_leaf(const struct idx_series *s, const struct idx_child *child, const uint8_t *block)
{
	struct idx_leaf leaf;

	if (idx_get16(block + 2) != child->count)
		return false;
	if (s->kind != IDX_KIND_INTERVALS)
		return true;
	return idx_leaf_open(block, child->size, &leaf) && idx_leaf_check(&leaf, s->row_type, s->limits);
}

static bool arrive(const struct idx_series *s, struct idx_found *found, bool trusted)
{
	if (!trusted && !check_leaf(s, &found->leaf, found->block)) {
		idx_map_note_damage(s->map, found->leaf.offset, "inside of a leaf");
		return false;
	}
	idx_map_trust(s->map, found->leaf.offset);
	return true;
}

/* Walk down by TIME, or by INDEX when BY_INDEX. */
static bool find(const struct idx_series *s, int64_t time, uint64_t index, bool by_index, struct idx_found *found)
{
	unsigned level = IDX_MAX_LEVEL + 1;
	bool trusted;

	*found = (struct idx_found){ .leaf = s->top, .next = INT64_MAX };
	memset(found->leaf.sums, 0, sizeof found->leaf.sums);
	if (s->top.offset == 0)
		return false;
	for (;;) {
		const struct node *n;

		found->block = idx_map_block(s->map, &found->leaf, s->kind, s->row, &trusted);
		if (found->block == NULL)
			return false;
		if (found->block[0] == s->kind)
			return arrive(s, found, trusted);
		n = node_at(s, &found->leaf, found->block);
		if (n == NULL)
			return false;
		idx_map_trust(s->map, found->leaf.offset);
		if (n->level >= level) {
			idx_map_note_damage(s->map, found->leaf.offset, "levels of nodes");
			return false;
		}
		level = n->level;
		descend(n, by_index ? child_by_index(n, index - found->count_before) : child_by_time(n, time), found);
	}
}

bool idx_node_find_time(const struct idx_series *s, int64_t time, struct idx_found *found)
{
	return find(s, time, 0, false, found);
}

bool idx_node_find_index(const struct idx_series *s, uint64_t index, struct idx_found *found)
{
	return index < s->top.count && find(s, 0, index, true, found);
}
