/* SPDX-License-Identifier: MIT */
/* The reading side of a series: from its top block down to the leaf that holds an instant. */
#ifndef IDX_NODE_H
#define IDX_NODE_H

#include "index/idx_leaf.h"
#include "index/idx_map.h"

/* A series of one row in an open index. */
struct idx_series {
	struct idx_map *map;		/* weak */
	struct idx_node_cache *cache;	/* weak */
	const struct idx_limits *limits; /* weak */
	struct idx_child top;		/* offset 0: empty */
	uint8_t kind;			/* of its leaves */
	uint8_t row_type;		/* enum mdl_row_type */
	uint32_t row;
};

/* A leaf found, with what lies before it in the series. */
struct idx_found {
	struct idx_child leaf;		/* without sums */
	const uint8_t *block;		/* its checked bytes; not set by idx_node_locate_time() */
	uint64_t count_before;
	uint64_t sums_before[16];
	int64_t next;			/* where the next leaf begins; INT64_MAX for the last */
};

struct idx_node_cache;
struct idx_node_cache *idx_node_cache_new(void);
void idx_node_cache_free(struct idx_node_cache *cache);

/*
 * Find the leaf that holds TIME: the last that begins at or before it (the
 * first leaf when TIME is before all).  False when the series is empty or damaged.
 */
bool idx_node_find_time(const struct idx_series *s, int64_t time, struct idx_found *found);
/* The same in two steps: the first does not touch the leaf itself, so that the caller can have it fetched meanwhile. */
bool idx_node_locate_time(const struct idx_series *s, int64_t time, struct idx_found *found);
bool idx_node_arrive(const struct idx_series *s, struct idx_found *found);
/* Find the leaf that holds record number INDEX (0 …); false beyond the end or when damaged. */
bool idx_node_find_index(const struct idx_series *s, uint64_t index, struct idx_found *found);

/*
 * Take the node SELF at BLOCK apart: its children, with their own sums, into
 * CHILDREN (room for IDX_NODE_CHILDREN), its level into *LEVEL.  Returns how
 * many; 0 when it is damaged.
 */
unsigned idx_node_decode(const struct idx_child *self, const uint8_t *block, struct idx_child *children, unsigned *level);

#endif
