/* SPDX-License-Identifier: MIT */
/* Leaves of wake-ups: write and read. */
#ifndef IDX_WAKE_H
#define IDX_WAKE_H

#include "index/tree/leaf.h"

/* the sum, in nodes, that counts wake-ups for which mdl_wakeup_is_empty() is true */
#define IDX_WAKE_EMPTY 0

/* Members are private to index/tree/wake.c. */
struct idx_wake_writer {
	struct idx_tree *tree;  /* NULL until a first leaf is full */
	struct idx_bytes bytes; /* head and records of the open leaf; empty before the first record */
	uint32_t row, count;
	int64_t first, last;
	uint64_t rank;
	uint32_t cause; /* the last cause number in the open leaf; 0: none */
	uint32_t empty; /* empty wake-ups in the open leaf */
};

void idx_wake_writer_init(struct idx_wake_writer *w, uint32_t row);
void idx_wake_writer_clear(struct idx_wake_writer *w);
/* Append a wake-up; times must not step back. */
void idx_wake_writer_add(struct idx_wake_writer *w, struct idx_out *o, const struct mdl_wakeup *wakeup);
void idx_wake_writer_finish(struct idx_wake_writer *w, struct idx_out *o, struct idx_child *top);

/* Returns how many wake-ups the leaf BLOCK claims, at most IDX_LEAF_WAKEUPS; 0 if it is damaged. */
unsigned idx_wake_count(const uint8_t *block);
/*
 * Read the leaf of SIZE bytes at BLOCK, which begins at FIRST, into WAKEUPS (room for COUNT, the result of
 * idx_wake_count()).  Returns how many; 0 if it is damaged or an id exceeds LIMITS.
 */
unsigned idx_wake_read(const uint8_t *block, uint32_t size, unsigned count, int64_t first,
	const struct idx_limits *limits, struct mdl_wakeup *wakeups);
/* Like idx_wake_read(), in a third of the time: sets only via, time, since and ran_at. */
unsigned idx_wake_read_times(const uint8_t *block, uint32_t size, unsigned count, int64_t first,
	struct mdl_wakeup *wakeups);

#endif
