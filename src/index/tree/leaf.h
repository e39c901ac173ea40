/* SPDX-License-Identifier: MIT */
/* Leaves of state intervals: write, check, read. */
#ifndef IDX_LEAF_H
#define IDX_LEAF_H

#include "index/file/bytes.h"
#include "index/tree/tree.h"

/* ---- writing ---- */

/* Members are private to index/tree/leaf.c.  Each living row has one, maybe 200 000 in all, so nothing is
 * stored here that the open leaf itself tells. */
struct idx_leaf_writer {
	struct idx_tree *tree; /* NULL until a first leaf is full */
	/* The open leaf: tag, length, detail and aux of one interval after the other. */
	struct idx_bytes records;
	uint32_t row, count;
	int64_t first, to;
	uint32_t last_aux;
	uint32_t last_detail[7];
};

void idx_leaf_writer_init(struct idx_leaf_writer *w, uint32_t row);
void idx_leaf_writer_clear(struct idx_leaf_writer *w);
/* Append an interval.  It must begin where the previous one ended. */
void idx_leaf_writer_add(struct idx_leaf_writer *w, struct idx_out *o, const struct mdl_interval *interval);
/* Write the open leaf.  *TOP: see idx_tree_finish(). */
void idx_leaf_writer_finish(struct idx_leaf_writer *w, struct idx_out *o, struct idx_child *top);

/* ---- reading ---- */

/* Number of rows, strings, contexts and causes: ids in a leaf must be below. */
struct idx_limits {
	uint32_t rows, strings, contexts, causes;
};

/* The columns of a leaf: pointers into the mapped file. */
struct idx_leaf {
	unsigned count;
	const uint8_t *tags, *lengths, *details, *auxes, *end;
};

/* Find the columns of the block of SIZE bytes.  False if they do not fit into it. */
bool idx_leaf_open(const uint8_t *block, uint32_t size, struct idx_leaf *leaf);

/* True if everything in LEAF is valid for a row of TYPE, and all ids are within LIMITS. */
bool idx_leaf_check(const struct idx_leaf *leaf, enum mdl_row_type type, const struct idx_limits *limits);

/* Read all intervals of LEAF, which begins at FIRST, into INTERVALS (room for all).  False if LEAF is not
 * valid as above; then INTERVALS means nothing. */
bool idx_leaf_read(const struct idx_leaf *leaf, enum mdl_row_type type, const struct idx_limits *limits,
	int64_t first, struct mdl_interval *intervals);
/* Like idx_leaf_read(), but faster: leaves aux unset. */
bool idx_leaf_read_states(const struct idx_leaf *leaf, enum mdl_row_type type,
	const struct idx_limits *limits, int64_t first, struct mdl_interval *intervals);

#endif
