/* SPDX-License-Identifier: MIT */
/* A series: a tree of blocks, with records in its leaves (index/tree/leaf.h) and their sums in its nodes. */
#ifndef IDX_TREE_H
#define IDX_TREE_H

#include "index/file/map.h"
#include "index/file/out.h"

/* ---- writing: leaves come in, nodes are written as they fill (index/tree/tree.c) ---- */

struct idx_tree;

/* Begin the series of ROW (any number if it belongs to no row). */
struct idx_tree *idx_tree_new(uint32_t row);
void idx_tree_free(struct idx_tree *t);

/* Write the leaf of SIZE bytes at BYTES and enter it into its node.  The caller sets count, first, end and
 * sums of CHILD; this sets offset, size and checksum. */
void idx_tree_add_leaf(struct idx_tree *t, struct idx_out *o, const uint8_t *bytes, size_t size,
	struct idx_child *child);

/* Write the open nodes.  *TOP is the top block; its offset is 0 if nothing was added, or T is NULL. */
void idx_tree_finish(struct idx_tree *t, struct idx_out *o, struct idx_child *top);

/* Write the head of a block (IDX_BLOCK_HEAD bytes). */
void idx_tree_put_head(uint8_t *p, uint8_t kind, unsigned level, unsigned count, uint32_t row);

/* ---- reading: from the top block down to the leaf that holds an instant (index/tree/node.c) ---- */

/* Number of rows, strings, contexts and causes: ids in a leaf must be below. */
struct idx_limits {
	uint32_t rows, strings, contexts, causes;
};

/* A series of one row in an open index. */
struct idx_series {
	struct idx_map *map;             /* weak */
	const struct idx_limits *limits; /* weak */
	struct idx_child top;            /* offset 0: the series is empty */
	uint8_t kind;                    /* of its leaves */
	uint8_t row_type;                /* enum mdl_row_type */
	uint32_t row;
	/* Weak. The bit CHECKED_BIT in it is set if the top block is a leaf and was checked. NULL: the nodes
	 * have this bit. */
	uint64_t *checked, checked_bit;
};

/* A leaf, and the sums of everything before it in the series. */
struct idx_found {
	struct idx_child leaf; /* without sums; end only if known */
	/* the checked bytes; set by idx_node_find_…() and idx_node_arrive(), not by idx_walk_seek() */
	const uint8_t *block;
	uint64_t count_before;
	uint64_t sums_before[16]; /* before the leaf; with FROM_END: up to its end */
	int64_t next;             /* where the next leaf begins; INT64_MAX for the last */
	bool from_end;
	bool is_top; /* LEAF is the top block of the series */
	/* By idx_walk_seek(): the leaf is not needed; SUMS_BEFORE and COUNT_BEFORE are those at the instant
	 * itself. */
	bool known;
	bool cut; /* if KNOWN: the last interval counted continues after the instant */
	/* LEAF_BIT of *LEAVES notes that the leaf was checked: bits of its node, or of the series if it has
	 * no node.  NULL: no bit notes it. */
	uint64_t *leaves, leaf_bit;
};

/* Find the leaf that holds TIME: the last one that begins at or before TIME, or the first leaf if TIME is
 * before all.  False if the series is empty or damaged. */
bool idx_node_find_time(const struct idx_series *s, int64_t time, struct idx_found *found);
/* Find the leaf that holds the first record at or after TIME.  May find the leaf before it if that record is
 * the first of its leaf. */
bool idx_node_find_from(const struct idx_series *s, int64_t time, struct idx_found *found);
/* Find the leaf that holds record number INDEX (0 …).  False if there is no such record or the series is
 * damaged. */
bool idx_node_find_index(const struct idx_series *s, uint64_t index, struct idx_found *found);
/* Find the leaf that holds item number NTH (0 …) of those that sum number SUM counts.  In a series of one
 * leaf it is that leaf.  False if there are fewer items or the series is damaged. */
bool idx_node_find_counted(const struct idx_series *s, unsigned sum, uint64_t nth, struct idx_found *found);

/* ---- many instants ---- */

/* A decoded node: pointers into the mapped file, and the widths (bytes) of its columns. */
struct idx_node {
	const uint8_t *times, *sums, *children;
	unsigned count, level, n_sums;
	unsigned time_width, count_width, sum_width, offset_width, size_width, tail_width, child_width;
	uint16_t states;
	bool implied;
	int64_t first;
	uint64_t base;
};

/* A walk through a series from left to right. */
struct idx_walk {
	const struct idx_series *series;
	struct idx_node node;                   /* the lowest node met last; 0 children: none yet */
	unsigned at;                            /* number of the current child in NODE */
	uint64_t *leaves;                       /* a bit per child of NODE: the leaf was checked */
	uint64_t count_before, sums_before[16]; /* before NODE */
	int64_t next;                           /* where the next node begins */
	int64_t until;                          /* the last instant that will be asked for */
};

/* Start a walk.  All instants lie between the first one asked for and UNTIL. */
void idx_walk_init(struct idx_walk *w, const struct idx_series *series, int64_t until);
/*
 * Like idx_node_find_time(), but does not touch the leaf, so that the caller can prefetch it before
 * idx_node_arrive().  TIMEs must not step back.
 *
 * If the end of the leaf is known and TIME is nearer to it, FOUND has the sums up to the end.  If TIME lies
 * in the last interval of a leaf or where one begins, FOUND has the whole answer (KNOWN).
 */
bool idx_walk_seek(struct idx_walk *w, int64_t time, struct idx_found *found);
/* True if no bit notes yet that the leaf of FOUND was checked. idx_node_arrive() reads and checks the leaf,
 * and sets FOUND->block; false if it is damaged. */
bool idx_walk_is_new(const struct idx_found *found);
bool idx_node_arrive(const struct idx_series *s, struct idx_found *found);

/* ---- checking ---- */

/* Decode the node SELF at BLOCK: its children with their own sums into CHILDREN (room for IDX_NODE_CHILDREN),
 * its level into *LEVEL.  Returns the number of children; 0 if it is damaged. */
unsigned idx_node_decode(const struct idx_child *self, const uint8_t *block, struct idx_child *children,
	unsigned *level);

#endif
