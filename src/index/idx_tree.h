/* SPDX-License-Identifier: MIT */
/* The writing side of a series: leaves come in, nodes are written as they fill. */
#ifndef IDX_TREE_H
#define IDX_TREE_H

#include "index/idx_format.h"
#include "index/idx_out.h"

struct idx_tree;

/* A new series of row ROW (any number for series without row). */
struct idx_tree *idx_tree_new(uint32_t row);
void idx_tree_free(struct idx_tree *t);

/*
 * Write the leaf of SIZE bytes at BYTES and enter it.  CHILD says count,
 * first, end and sums; offset, size and checksum are filled in here.
 */
void idx_tree_add_leaf(struct idx_tree *t, struct idx_out *o, const uint8_t *bytes, size_t size,
	struct idx_child *child);

/* Write the open nodes; *TOP is the block the row refers to (offset 0 when nothing was added). */
void idx_tree_finish(struct idx_tree *t, struct idx_out *o, struct idx_child *top);

/* Write the 8 bytes each block begins with. */
void idx_tree_put_head(uint8_t *p, uint8_t kind, unsigned level, unsigned count, uint32_t row);

#endif
