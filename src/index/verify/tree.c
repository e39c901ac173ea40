/* SPDX-License-Identifier: MIT */
/*
 * How it works: each value of a node about a child (begin, end, count, sums) is compared with the content of
 * the child. The bytes of blocks are counted, which finds bytes that nothing refers to.
 */
#include "index/verify/tree.h"

void idx_verify_found(struct idx_verify_tree *t, const char *format, ...)
{
	va_list args;
	g_autofree char *text = NULL;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	t->totals->findings++;
	t->report(t->data, text);
}

void idx_verify_found_at(struct idx_verify_tree *t, const struct idx_child *at, const char *what)
{
	g_autofree char *row = t->series.row == MDL_NONE ? NULL : g_strdup_printf("row %u, ", t->series.row);

	idx_verify_found(t, "%sblock at offset %" G_GUINT64_FORMAT ": %s", row ? row : "", at->offset, what);
}

static void check_block(struct idx_verify_tree *t, const struct idx_child *claimed, unsigned below,
	struct idx_child *real);

static void check_node(struct idx_verify_tree *t, const struct idx_child *at, const uint8_t *block,
	unsigned below, struct idx_child *real)
{
	struct idx_child children[IDX_NODE_CHILDREN];
	unsigned level, n = idx_node_decode(at, block, children, &level);

	if (n == 0 || level >= below) {
		idx_verify_found_at(t, at, "a node is invalid");
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		struct idx_child child = { .first = children[i].first };

		check_block(t, &children[i], level, &child);
		if (memcmp(child.sums, children[i].sums, sizeof child.sums) != 0)
			idx_verify_found_at(t, &children[i], "its sums differ from those in its node");
		if (t->series.kind == IDX_KIND_INTERVALS && child.end != children[i].end)
			idx_verify_found_at(t, &children[i], "its end differs from that in its node");
		if (child.tail != children[i].tail)
			idx_verify_found_at(t, &children[i],
				"its last interval differs from that in its node");
		real->end = child.end;
		real->count += child.count;
		for (unsigned s = 0; s < 16; s++)
			real->sums[s] += child.sums[s];
	}
}

/* Check the block CLAIMED, whose level must be lower than BELOW. *REAL is set to its content. */
static void check_block(struct idx_verify_tree *t, const struct idx_child *claimed, unsigned below,
	struct idx_child *real)
{
	uint64_t *leaves;
	const uint8_t *block = idx_map_block(t->series.map, claimed, t->series.kind, t->series.row, &leaves);

	if (!block) {
		idx_verify_found_at(t, claimed,
			"it lies outside the file, its checksum is wrong, or it belongs elsewhere");
		return;
	}
	t->totals->blocks++;
	idx_map_use_block(t->series.map, &t->use, claimed);
	if (block[0] == IDX_KIND_NODE)
		check_node(t, claimed, block, below, real);
	else
		t->leaf(t->owner, claimed, block, real);
	if (block[0] != IDX_KIND_NODE && real->count == 0)
		idx_verify_found_at(t, claimed, "the leaf is invalid");
	if (block[0] != IDX_KIND_NODE && (block[1] != 0 || idx_get16(block + 2) != claimed->count))
		idx_verify_found_at(t, claimed, "its head has another level or number of records");
	if (real->count != claimed->count)
		idx_verify_found_at(t, claimed,
			"its number of records differs from that in the reference to it");
}

void idx_verify_series(struct idx_verify_tree *t)
{
	struct idx_child real = { .first = t->series.top.first };

	if (t->series.top.offset != 0)
		check_block(t, &t->series.top, IDX_MAX_LEVEL + 1, &real);
}

void idx_verify_size(struct idx_verify_tree *t, const struct idx_map *map)
{
	const char *wrong = idx_map_layout(map, &t->use);

	if (wrong)
		idx_verify_found(t, "%s", wrong);
}
