/* SPDX-License-Identifier: MIT */
/* Check a series of blocks from its top to its leaves.  Private to src/index. */
#ifndef IDX_VERIFY_TREE_H
#define IDX_VERIFY_TREE_H

#include "index/tree/tree.h"
#include "index/verify/verify.h"

/* Checks the records of the leaf BLOCK, which AT refers to, and sets count, end, sums and tail in *REAL to
 * those of the leaf.  COUNT stays 0 if the leaf is invalid. */
typedef void (*idx_verify_leaf)(void *owner, const struct idx_child *at, const uint8_t *block,
	struct idx_child *real);

struct idx_verify_tree {
	idx_verify_report report;
	void *data;
	struct idx_verify_totals *totals; /* findings and blocks are counted there */
	struct idx_map_use use;           /* of blocks seen */
	struct idx_series series;         /* the one being walked */
	idx_verify_leaf leaf;
	void *owner;
};

/* Report a finding; the second function: one in the block that AT refers to. */
void idx_verify_found(struct idx_verify_tree *t, const char *format, ...) G_GNUC_PRINTF(2, 3);
void idx_verify_found_at(struct idx_verify_tree *t, const struct idx_child *at, const char *what);

/* Walk t->series. */
void idx_verify_series(struct idx_verify_tree *t);

/* After the walk of all series: report it if their blocks and the chunks do not add up to the file that MAP
 * maps. */
void idx_verify_size(struct idx_verify_tree *t, const struct idx_map *map);

#endif
