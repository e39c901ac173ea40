/* SPDX-License-Identifier: MIT */
/* Leaves of transfers (packets that a host sent or received): write and read. */
#ifndef IDX_TRANSFER_H
#define IDX_TRANSFER_H

#include "index/tree/leaf.h"

struct idx_transfer_writer;

struct idx_transfer_writer *idx_transfer_writer_new(void);
void idx_transfer_writer_free(struct idx_transfer_writer *w);
/* Append a transfer; times must not step back. */
void idx_transfer_writer_add(struct idx_transfer_writer *w, struct idx_out *o,
	const struct mdl_transfer *transfer);
/* Write the open leaf.  *TOP: see idx_tree_finish(). */
void idx_transfer_writer_finish(struct idx_transfer_writer *w, struct idx_out *o, struct idx_child *top);

/* Read the leaf of SIZE bytes at BLOCK, which begins at time FIRST, into TRANSFERS (room for
 * IDX_LEAF_TRANSFERS).  Returns how many; 0 if it is damaged or an id exceeds LIMITS. */
unsigned idx_transfer_read(const uint8_t *block, uint32_t size, int64_t first,
	const struct idx_limits *limits, struct mdl_transfer *transfers);

#endif
