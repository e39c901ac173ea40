/* SPDX-License-Identifier: MIT */
/* Leaves of pairs, and state that the readers of the file of packets share.  Private to src/index. */
#ifndef IDX_PAIRS_LEAF_H
#define IDX_PAIRS_LEAF_H

#include "index/tree/node.h"
#include "index/pairs/pairs.h"

#define IDX_PAIRS_HOST_SIZE 80 /* bytes of a host in the chunk HSTS */

/* ---- writing ---- */

struct idx_pairs_leaf_writer;

struct idx_pairs_leaf_writer *idx_pairs_leaf_writer_new(uint32_t receiver);
void idx_pairs_leaf_writer_free(struct idx_pairs_leaf_writer *w);
void idx_pairs_leaf_writer_add(struct idx_pairs_leaf_writer *w, struct idx_out *o,
	const struct idx_pair *pair);
/* Write the open leaf.  *TOP: see idx_tree_finish(). */
void idx_pairs_leaf_writer_finish(struct idx_pairs_leaf_writer *w, struct idx_out *o, struct idx_child *top);

/* ---- reading ---- */

struct idx_pairs {
	struct idx_map *map;
	struct idx_pairs_host *hosts;
	struct idx_ref *tops; /* the top of each host's series */
	uint32_t n;
	const char *clocks; /* in the chunk */
	size_t clocks_size;
};

/* The series of RECEIVER. */
struct idx_series idx_pairs_series(struct idx_pairs *p, uint32_t receiver);

/* Read the leaf of SIZE bytes at BLOCK, of the packets that RECEIVER received, into PAIRS (room for
 * IDX_LEAF_PAIRS).  FIRST is its first number.  Returns how many; 0 if it is damaged or names a host or
 * packet that does not exist. */
unsigned idx_pairs_leaf_read(const struct idx_pairs *p, uint32_t receiver, const uint8_t *block,
	uint32_t size, uint64_t first, struct idx_pair *pairs);

#endif
