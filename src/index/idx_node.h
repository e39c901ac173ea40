/* SPDX-License-Identifier: MIT */
/* The reading side of a series: from its top block down to the leaf that holds an instant. */
#ifndef IDX_NODE_H
#define IDX_NODE_H

#include "index/idx_leaf.h"
#include "index/idx_map.h"

/* A series of one row in an open index. */
struct idx_series {
	struct idx_map *map;             /* weak */
	const struct idx_limits *limits; /* weak */
	struct idx_child top;            /* offset 0: empty */
	uint8_t kind;                    /* of its leaves */
	uint8_t row_type;                /* enum mdl_row_type */
	uint32_t row;
	uint64_t *checked, checked_bit; /* weak: where it is noted that the top block is a leaf and was
					   checked; NULL: with the nodes */
};

/* A leaf found, with what lies before it in the series. */
struct idx_found {
	struct idx_child leaf; /* without sums; its end only when that is known */
	const uint8_t *block;  /* its checked bytes; not set by idx_node_seek() */
	uint64_t count_before;
	uint64_t sums_before[16]; /* FROM_END: up to the end of the leaf */
	int64_t next;             /* where the next leaf begins; INT64_MAX for the last */
	bool from_end;
	bool is_top; /* LEAF is the top block of the series */
	bool known;  /* idx_walk_seek(): all is known without the leaf, SUMS_BEFORE and COUNT_BEFORE are those
			at the instant itself */
	bool cut;    /* KNOWN: the last of these goes on after it */
	uint64_t *leaves, leaf_bit; /* of its node, or of the series where there is none: was it checked?
				       NULL: not known by a bit */
};

/*
 * Find the leaf that holds TIME: the last that begins at or before it (the
 * first leaf when TIME is before all).  False when the series is empty or damaged.
 */
bool idx_node_find_time(const struct idx_series *s, int64_t time, struct idx_found *found);
/* Find the leaf that holds the first record at or after TIME; when it is the first of its leaf, the leaf
 * before it may be found instead. */
bool idx_node_find_from(const struct idx_series *s, int64_t time, struct idx_found *found);
/* Find the leaf that holds record number INDEX (0 …); false beyond the end or when damaged. */
bool idx_node_find_index(const struct idx_series *s, uint64_t index, struct idx_found *found);
/* Find the leaf that holds number NTH (0 …) of what sum number SUM counts; where there is but one leaf, it is
 * that one.  False when there are not so many, or damaged. */
bool idx_node_find_counted(const struct idx_series *s, unsigned sum, uint64_t nth, struct idx_found *found);

/* ---- many instants ---- */

/* A node of an index: pointers into the file, and how to read there. */
struct idx_node {
	const uint8_t *times, *sums, *children;
	unsigned count, level, n_sums;
	unsigned time_width, count_width, sum_width, offset_width, size_width, tail_width, child_width;
	uint16_t states;
	bool implied;
	int64_t first;
	uint64_t base;
};

/* A way through a series, from left to right. */
struct idx_walk {
	const struct idx_series *series;
	struct idx_node node;                   /* the lowest one met last; no children: none yet */
	unsigned at;                            /* the child of it */
	uint64_t *leaves;                       /* which were checked */
	uint64_t count_before, sums_before[16]; /* before the node */
	int64_t next;                           /* where the next node begins */
	int64_t until;                          /* the last instant that will be asked for */
};

/* The instants to come lie between the first one asked for and UNTIL. */
void idx_walk_init(struct idx_walk *w, const struct idx_series *series, int64_t until);
/*
 * As idx_node_find_time(), but the leaf itself is not touched, so that the caller can have it fetched before
 * idx_node_arrive().  TIMEs do not step back.  Where the leaf's end is known and TIME is nearer to it, FOUND
 * has the sums there; where TIME lies in the last interval of a leaf or at the begin of one, FOUND has the
 * answer.
 */
bool idx_walk_seek(struct idx_walk *w, int64_t time, struct idx_found *found);
/* Has the leaf of FOUND never been touched? */
bool idx_walk_is_new(const struct idx_found *found);
bool idx_node_arrive(const struct idx_series *s, struct idx_found *found);

/* ---- checking ---- */

/*
 * Take the node SELF at BLOCK apart: its children, with their own sums, into
 * CHILDREN (room for IDX_NODE_CHILDREN), its level into *LEVEL.  Returns how
 * many; 0 when it is damaged.
 */
unsigned idx_node_decode(const struct idx_child *self, const uint8_t *block, struct idx_child *children,
	unsigned *level);

#endif
