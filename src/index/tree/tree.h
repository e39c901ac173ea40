/* SPDX-License-Identifier: MIT */
/* Write a series: leaves come in, nodes are written as they fill. */
#ifndef IDX_TREE_H
#define IDX_TREE_H

#include "index/file/format.h"
#include "index/file/out.h"

struct idx_tree;

/* Begin the series of ROW (any number if it belongs to no row). */
struct idx_tree *idx_tree_new(uint32_t row);
void idx_tree_free(struct idx_tree *t);

/* Write the leaf of SIZE bytes at BYTES and enter it into its node.  The caller sets count, first, end and
 * sums of CHILD; this sets offset, size and checksum. */
void idx_tree_add_leaf(struct idx_tree *t, struct idx_out *o, const uint8_t *bytes, size_t size,
	struct idx_child *child);

/* Write the open nodes.  *TOP is the top block; its offset is 0 if nothing was added. */
void idx_tree_finish(struct idx_tree *t, struct idx_out *o, struct idx_child *top);

/* Write the head of a block (IDX_BLOCK_HEAD bytes). */
void idx_tree_put_head(uint8_t *p, uint8_t kind, unsigned level, unsigned count, uint32_t row);

#endif
