/* SPDX-License-Identifier: MIT */
/* Leaves of state intervals: writing, checking, reading. */
#ifndef IDX_LEAF_H
#define IDX_LEAF_H

#include "index/idx_bytes.h"
#include "index/idx_tree.h"

/* ---- writing ---- */

/* The inside is idx_leaf.c's.  One for each row that lives, maybe 200 000 of them: what a leaf can tell
 * itself is not kept beside it. */
struct idx_leaf_writer {
	struct idx_tree *tree; /* NULL until a leaf was full */
	/* The open leaf: tag, length, detail and aux of one interval after the other. */
	struct idx_bytes records;
	uint32_t row, count;
	int64_t first, to;
	uint32_t last_aux;
	uint32_t last_detail[7];
};

void idx_leaf_writer_init(struct idx_leaf_writer *w, uint32_t row);
void idx_leaf_writer_clear(struct idx_leaf_writer *w);
/* Append an interval; it must begin where the one before ended. */
void idx_leaf_writer_add(struct idx_leaf_writer *w, struct idx_out *o, const struct mdl_interval *interval);
/* Write what is open; *TOP as idx_tree_finish(). */
void idx_leaf_writer_finish(struct idx_leaf_writer *w, struct idx_out *o, struct idx_child *top);

/* ---- reading ---- */

/* What numbers in a leaf may point to. */
struct idx_limits {
	uint32_t rows, strings, contexts, causes;
};

/* A leaf taken apart; pointers into the file. */
struct idx_leaf {
	unsigned count;
	const uint8_t *tags, *lengths, *details, *auxes, *end;
};

/* Take the block of SIZE bytes apart.  False when its parts do not fit. */
bool idx_leaf_open(const uint8_t *block, uint32_t size, struct idx_leaf *leaf);

/* Does everything inside LEAF make sense for a row of TYPE?  Once it does, the functions below are safe. */
bool idx_leaf_check(const struct idx_leaf *leaf, enum mdl_row_type type, const struct idx_limits *limits);

/* All intervals of LEAF into INTERVALS (room for IDX_LEAF_INTERVALS). */
void idx_leaf_read(const struct idx_leaf *leaf, int64_t first, struct mdl_interval *intervals);
/* The same, for less time, but for aux, which is not set. */
void idx_leaf_read_states(const struct idx_leaf *leaf, int64_t first, struct mdl_interval *intervals);

#endif
