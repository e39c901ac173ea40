/* SPDX-License-Identifier: MIT */
/* Leaves of wake-ups: writing and reading. */
#ifndef IDX_WAKE_H
#define IDX_WAKE_H

#include "index/idx_leaf.h"

#define IDX_WAKE_EMPTY 0 /* the sum, in nodes, that counts those that mdl_wakeup_is_empty() */

/* The inside is idx_wake.c's. */
struct idx_wake_writer {
	struct idx_tree *tree;  /* NULL until a leaf was full */
	struct idx_bytes bytes; /* head and records of the open leaf; empty before the first */
	uint32_t row, count;
	int64_t first, last;
	uint64_t rank;
	uint32_t cause; /* the last number in the leaf; 0 */
	uint32_t empty; /* in the leaf */
};

void idx_wake_writer_init(struct idx_wake_writer *w, uint32_t row);
void idx_wake_writer_clear(struct idx_wake_writer *w);
/* Append a wake-up; times must not step back. */
void idx_wake_writer_add(struct idx_wake_writer *w, struct idx_out *o, const struct mdl_wakeup *wakeup);
void idx_wake_writer_finish(struct idx_wake_writer *w, struct idx_out *o, struct idx_child *top);

/* How many wake-ups the leaf BLOCK says to hold, at most IDX_LEAF_WAKEUPS; 0 when it is damaged. */
unsigned idx_wake_count(const uint8_t *block);
/*
 * Read the leaf of SIZE bytes at BLOCK, which begins at FIRST, into WAKEUPS
 * (room for idx_wake_count()).  Returns how many; 0 when it is damaged or points beyond LIMITS.
 */
unsigned idx_wake_read(const uint8_t *block, uint32_t size, int64_t first, const struct idx_limits *limits,
	struct mdl_wakeup *wakeups);
/* The same, for a third of the time: only via, time, since and ran_at of each. */
unsigned idx_wake_read_times(const uint8_t *block, uint32_t size, int64_t first, struct mdl_wakeup *wakeups);

#endif
