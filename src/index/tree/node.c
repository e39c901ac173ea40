/* SPDX-License-Identifier: MIT */
/*
 * How it works: a node is read in place. All columns have a fixed width, and counts and sums are running
 * totals. So a look-up is a binary search in the times, then one entry of each of the other two tables. A row
 * that was never read before costs only the check at the first use of each node.
 *
 * The sum of one state is not stored. Intervals have no holes between them, so this sum is the time that the
 * other states leave.
 */
#include "index/tree/leaf.h"

#include "base/base_search.h"

static inline uint64_t get(const uint8_t *p, unsigned width)
{
	return idx_get64(p) & idx_width_mask[width];
}

static inline uint64_t time_at(const struct idx_node *n, unsigned i)
{
	return get(n->times + (size_t)i * n->time_width, n->time_width);
}

static inline const uint8_t *sums_at(const struct idx_node *n, unsigned i)
{
	return n->sums + (size_t)i * (n->count_width + n->n_sums * n->sum_width);
}

static inline uint64_t count_at(const struct idx_node *n, unsigned i)
{
	return get(sums_at(n, i), n->count_width);
}

/* Set up NODE for the block SELF. False if the columns do not fill it exactly, or if it has no children or
 * too many. If true, the columns can be read safely, but their values may be wrong. */
static bool open_node(const struct idx_child *self, const uint8_t *block, struct idx_node *node)
{
	unsigned most;
	size_t size;

	if (self->size < IDX_NODE_COLUMNS)
		return false;
	node->level = block[1];
	node->count = idx_get16(block + 2);
	node->time_width = block[IDX_NODE_TIME_WIDTH];
	node->count_width = block[IDX_NODE_COUNT_WIDTH];
	node->sum_width = block[IDX_NODE_SUM_WIDTH];
	node->offset_width = block[IDX_NODE_OFFSET_WIDTH];
	node->size_width = block[IDX_NODE_SIZE_WIDTH];
	node->implied = (block[IDX_NODE_FLAGS] & IDX_NODE_IMPLIED) != 0;
	node->tail_width = block[IDX_NODE_FLAGS] >> IDX_NODE_TAIL_SHIFT;
	node->child_width = node->offset_width + node->size_width + 4 + node->tail_width;
	node->states = idx_get16(block + IDX_NODE_STATES);
	node->base = idx_get64(block + IDX_NODE_BASE);
	node->first = self->first;
	node->n_sums = (unsigned)__builtin_popcount(node->states);
	most = MAX(node->tail_width, MAX(node->time_width, MAX(node->count_width, node->sum_width)));
	most = MAX(most, MAX(node->offset_width, node->size_width));
	if (most > 8 || (node->implied && node->n_sums == 0) || node->count == 0 ||
		node->count > IDX_NODE_CHILDREN || node->level == 0 || node->level > IDX_MAX_LEVEL)
		return false;
	node->n_sums -= node->implied;
	node->times = block + IDX_NODE_COLUMNS;
	node->sums = node->times + (node->count + 1) * (size_t)node->time_width;
	node->children = node->sums +
		(node->count + 1) * ((size_t)node->count_width + node->n_sums * node->sum_width);
	size = (size_t)(node->children - block) + node->count * (size_t)node->child_width;
	return size == self->size;
}

static void get_child(const struct idx_node *n, unsigned i, struct idx_child *child)
{
	const uint8_t *p = n->children + i * (size_t)n->child_width;

	child->offset = n->base + get(p, n->offset_width);
	child->size = (uint32_t)get(p + n->offset_width, n->size_width);
	child->checksum = idx_get32(p + n->offset_width + n->size_width);
	child->tail = get(p + n->offset_width + n->size_width + 4, n->tail_width);
	child->count = count_at(n, i + 1) - count_at(n, i);
	child->first = (int64_t)((uint64_t)n->first + time_at(n, i));
	child->end = (int64_t)((uint64_t)n->first + time_at(n, i + 1));
}

/* Add to SUMS the sums of N before its child I. */
static inline void add_sums(const struct idx_node *n, unsigned i, uint64_t sums[16])
{
	const uint8_t *p = sums_at(n, i) + n->count_width;
	unsigned states = n->states;
	uint64_t left = n->implied ? time_at(n, i) : 0;

	for (unsigned stored = n->implied ? states & (states - 1) : states; stored != 0;
		stored &= stored - 1) {
		uint64_t sum = get(p, n->sum_width);

		sums[__builtin_ctz(stored)] += sum;
		left -= sum;
		p += n->sum_width;
	}
	if (n->implied)
		sums[__builtin_ctz(states)] += left;
}

static bool check_child(const struct idx_child *self, const struct idx_child *child,
	const uint64_t before[16], const uint64_t after[16])
{
	if (child->count == 0 || child->count > self->count || child->end < child->first ||
		child->size > IDX_MAX_BLOCK)
		return false;
	for (unsigned s = 0; s < 16; s++)
		if (after[s] < before[s])
			return false;
	return true;
}

unsigned idx_node_decode(const struct idx_child *self, const uint8_t *block, struct idx_child *children,
	unsigned *level)
{
	uint64_t sums[2][16] = { { 0 }, { 0 } };
	struct idx_node n;

	if (!open_node(self, block, &n))
		return 0;
	*level = n.level;
	add_sums(&n, 0, sums[0]);
	if (time_at(&n, 0) != 0 || count_at(&n, 0) != 0 || count_at(&n, n.count) != self->count)
		return 0;
	for (unsigned s = 0; s < 16; s++)
		if (sums[0][s] != 0)
			return 0;
	for (unsigned i = 0; i < n.count; i++) {
		uint64_t *before = sums[i % 2], *after = sums[(i + 1) % 2];

		memset(after, 0, sizeof sums[0]);
		add_sums(&n, i + 1, after);
		get_child(&n, i, &children[i]);
		if (!check_child(self, &children[i], before, after))
			return 0;
		for (unsigned s = 0; s < 16; s++)
			children[i].sums[s] = after[s] - before[s];
	}
	return n.count;
}

/* ---- going down ---- */

enum step { STEP_DAMAGED, STEP_LEAF, STEP_NODE };

/* The block of FOUND is a leaf. If it is the top, the series has the bit that says if it was checked. */
static enum step at_leaf(const struct idx_series *s, struct idx_found *found)
{
	found->leaves = found->is_top ? s->checked : NULL;
	found->leaf_bit = s->checked_bit;
	return STEP_LEAF;
}

/* Find out if the block of FOUND is the leaf, or a node; then set up NODE. found->leaves are the bits of the
 * node's checked children. */
static enum step step_into(const struct idx_series *s, struct idx_found *found, struct idx_node *node)
{
	const struct idx_child *self = &found->leaf;
	struct idx_child children[IDX_NODE_CHILDREN];
	unsigned level;
	const uint8_t *block;

	if (found->is_top && s->checked && *s->checked & s->checked_bit)
		return at_leaf(s, found);
	block = idx_map_block(s->map, self, s->kind, s->row, &found->leaves);
	if (!block)
		return STEP_DAMAGED;
	if (block[0] == s->kind)
		return at_leaf(s, found);
	if ((!found->leaves && idx_node_decode(self, block, children, &level) == 0) ||
		!open_node(self, block, node)) {
		idx_map_note_damage(s->map, self->offset, "invalid node");
		return STEP_DAMAGED;
	}
	if (!found->leaves)
		found->leaves = idx_map_trust(s->map, self, s->kind);
	return STEP_NODE;
}

struct sought {
	const struct idx_node *node;
	uint64_t key;
	unsigned sum;
};

static bool node_begins_by(const void *data, uint64_t i)
{
	const struct sought *s = data;

	return time_at(s->node, (unsigned)i) <= s->key;
}

static bool counts_by(const void *data, uint64_t i)
{
	const struct sought *s = data;

	return count_at(s->node, (unsigned)i + 1) <= s->key;
}

static bool sums_by(const void *data, uint64_t i)
{
	const struct sought *s = data;
	uint64_t sums[16] = { 0 };

	add_sums(s->node, (unsigned)i + 1, sums);
	return sums[s->sum] <= s->key;
}

/* The last child from AT that begins at TIME or before; AT if none does. */
static unsigned child_at_time(const struct idx_node *n, unsigned at, int64_t time)
{
	struct sought s = { n, (uint64_t)time - (uint64_t)n->first, 0 };

	/* often it is still the same child */
	if (time < n->first || (at + 1 < n->count && time_at(n, at + 1) > s.key))
		return at;
	return (unsigned)base_search(at + 1, n->count, node_begins_by, &s) - 1;
}

#define RECORDS 16 /* a number after those of the sums: the count of records */

/* Move FOUND from N to its child I. */
static void descend(const struct idx_node *n, unsigned i, struct idx_found *found)
{
	get_child(n, i, &found->leaf);
	found->is_top = false;
	found->leaf_bit = UINT64_C(1) << i;
	found->count_before += count_at(n, i);
	add_sums(n, i, found->sums_before);
	if (i + 1 < n->count)
		found->next = found->leaf.end;
}

static void begin_at_top(const struct idx_series *s, struct idx_found *found)
{
	found->leaf = s->top;
	found->next = INT64_MAX;
	found->count_before = 0;
	found->from_end = found->known = found->cut = false;
	found->is_top = true;
	found->leaves = NULL;
	memset(found->sums_before, 0, sizeof found->sums_before);
}

/* True if NODE has a lower level than BELOW, the level of its parent. */
static bool is_lower(const struct idx_series *s, const struct idx_found *found, const struct idx_node *node,
	unsigned below)
{
	if (node->level < below)
		return true;
	idx_map_note_damage(s->map, found->leaf.offset, "wrong level of a node");
	return false;
}

bool idx_node_find_counted(const struct idx_series *s, unsigned sum, uint64_t nth, struct idx_found *found)
{
	unsigned level = IDX_MAX_LEVEL + 1, child = 0;
	struct idx_node node;
	struct sought sought = { .node = &node, .sum = sum };
	struct idx_child next;
	enum step step;

	idx_map_expect(s->map, false);
	begin_at_top(s, found);
	if (s->top.offset == 0)
		return false;
	while ((step = step_into(s, found, &node)) == STEP_NODE && is_lower(s, found, &node, level)) {
		level = node.level;
		sought.key = nth - (sum == RECORDS ? found->count_before : found->sums_before[sum]);
		child = (unsigned)base_search(0, node.count, sum == RECORDS ? counts_by : sums_by, &sought);
		if (child == node.count)
			return false;
		descend(&node, child, found);
		if (level == 1)
			break;
	}
	/* A walk from leaf to leaf soon needs the next child. Prefetch it. */
	if (level == 1 && child + 1 < node.count) {
		get_child(&node, child + 1, &next);
		idx_map_prefetch(s->map, &next, 0, next.size);
	}
	return step != STEP_DAMAGED && (step == STEP_LEAF || level == 1) && idx_node_arrive(s, found);
}

bool idx_node_find_index(const struct idx_series *s, uint64_t index, struct idx_found *found)
{
	return index < s->top.count && idx_node_find_counted(s, RECORDS, index, found);
}

void idx_walk_init(struct idx_walk *w, const struct idx_series *series, int64_t until)
{
	w->until = until;
	w->series = series;
	w->node.count = w->node.level = 0;
	w->next = INT64_MIN;
}

/* The children of W's node are nodes. Request all that are needed from TIME up to the end of the walk. */
static void fetch_nodes(const struct idx_walk *w, int64_t time)
{
	unsigned last = child_at_time(&w->node, 0, w->until);
	struct idx_child child;

	for (unsigned i = child_at_time(&w->node, 0, time); i < last; i++) {
		get_child(&w->node, i, &child);
		idx_map_fetch(w->series->map, &child);
	}
}

/* Go down to the lowest node that holds TIME. *FOUND describes its block, or the leaf if there is no node. */
static enum step go_down(struct idx_walk *w, int64_t time, struct idx_found *found)
{
	unsigned level = IDX_MAX_LEVEL + 1;
	enum step step;

	begin_at_top(w->series, found);
	if (w->series->top.offset == 0)
		return STEP_DAMAGED;
	while ((step = step_into(w->series, found, &w->node)) == STEP_NODE) {
		if (!is_lower(w->series, found, &w->node, level))
			return STEP_DAMAGED;
		level = w->node.level;
		if (level == 1)
			return STEP_NODE;
		if (*found->leaves == 0 && idx_map_waits(w->series->map))
			fetch_nodes(w, time);
		*found->leaves = 1; /* used as a flag: none of its children is a leaf */
		descend(&w->node, child_at_time(&w->node, 0, time), found);
	}
	return step;
}

/* FOUND has the sums before the end of its leaf. True if TIME lies in the last interval of the leaf or after
 * it. Then FOUND is complete without reading the leaf. */
static bool is_in_tail(struct idx_found *found, int64_t time)
{
	uint64_t left;

	found->cut = time < found->leaf.end;
	if (!found->cut)
		return true;
	left = (uint64_t)found->leaf.end - (uint64_t)time;
	if (left >= found->leaf.tail >> 4)
		return false;
	found->sums_before[found->leaf.tail & 0xf] -= left;
	return true;
}

/* Set *FOUND to the child of W's node that holds TIME. */
static void pick(struct idx_walk *w, int64_t time, struct idx_found *found)
{
	const struct idx_node *n = &w->node;
	bool inside, timed = w->series->kind == IDX_KIND_INTERVALS;

	w->at = child_at_time(n, w->at, time);
	get_child(n, w->at, &found->leaf);
	found->leaves = w->leaves;
	found->leaf_bit = UINT64_C(1) << w->at;
	found->next = w->at + 1 < n->count ? found->leaf.end : w->next;
	inside = timed && time > found->leaf.first;
	found->from_end = inside &&
		(time >= found->leaf.end ||
			(uint64_t)found->leaf.end - (uint64_t)time < found->leaf.tail >> 4 ||
			(uint64_t)time - (uint64_t)found->leaf.first >
				(uint64_t)found->leaf.end - (uint64_t)time);
	memcpy(found->sums_before, w->sums_before, sizeof found->sums_before);
	add_sums(n, w->at + found->from_end, found->sums_before);
	found->known = timed && (inside ? found->from_end && is_in_tail(found, time) : true);
	found->cut = found->known && inside && found->cut;
	found->count_before = w->count_before + count_at(n, w->at + (found->known && inside));
}

bool idx_walk_seek(struct idx_walk *w, int64_t time, struct idx_found *found)
{
	enum step step = STEP_NODE;

	if (time >= w->next || w->node.count == 0) {
		w->node.count = 0;
		step = go_down(w, time, found);
		w->at = 0;
		w->leaves = found->leaves;
		w->next = found->next;
		w->count_before = found->count_before;
		memcpy(w->sums_before, found->sums_before, sizeof w->sums_before);
	}
	if (step == STEP_NODE)
		pick(w, time, found);
	else
		w->node.count = 0;
	return step != STEP_DAMAGED;
}

bool idx_walk_is_new(const struct idx_found *found)
{
	return found->leaves && !(*found->leaves & found->leaf_bit);
}

/* ---- the leaf ---- */

static bool check_leaf(const struct idx_series *s, const struct idx_child *child, const uint8_t *block)
{
	struct idx_leaf leaf;

	if (block[0] != s->kind || idx_get16(block + 2) != child->count)
		return false;
	if (s->kind != IDX_KIND_INTERVALS)
		return true;
	return idx_leaf_open(block, child->size, &leaf) &&
		idx_leaf_read(&leaf, s->row_type, s->limits, 0, NULL);
}

bool idx_node_arrive(const struct idx_series *s, struct idx_found *found)
{
	uint64_t *checked;

	if (found->leaves && *found->leaves & found->leaf_bit) {
		found->block = idx_map_trusted(s->map, &found->leaf);
		return found->block;
	}
	found->block = idx_map_block(s->map, &found->leaf, s->kind, s->row, &checked);
	if (!found->block)
		return false;
	if (!checked && !check_leaf(s, &found->leaf, found->block)) {
		idx_map_note_damage(s->map, found->leaf.offset, "invalid leaf");
		return false;
	}
	if (found->leaves)
		*found->leaves |= found->leaf_bit;
	else if (!checked)
		idx_map_trust(s->map, &found->leaf, s->kind);
	return true;
}

bool idx_node_find_time(const struct idx_series *s, int64_t time, struct idx_found *found)
{
	struct idx_walk w;

	idx_map_expect(s->map, false);
	idx_walk_init(&w, s, time);
	if (!idx_walk_seek(&w, time, found))
		return false;
	if (found->known || found->from_end) {
		memcpy(found->sums_before, w.sums_before, sizeof found->sums_before);
		add_sums(&w.node, w.at, found->sums_before);
		found->count_before = w.count_before + count_at(&w.node, w.at);
		found->known = found->from_end = false;
	}
	return idx_node_arrive(s, found);
}

bool idx_node_find_from(const struct idx_series *s, int64_t time, struct idx_found *found)
{
	/* A leaf may begin with the last time of the previous one. */
	return idx_node_find_time(s, time == INT64_MIN ? time : time - 1, found);
}
