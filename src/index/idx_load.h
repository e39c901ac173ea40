/* SPDX-License-Identifier: MIT */
/* The tables of an open index, decoded; private to src/index. */
#ifndef IDX_LOAD_H
#define IDX_LOAD_H

#include "index/idx_node.h"
#include "index/idx_reader.h"

struct idx_load_row {
	struct mdl_row row;
	struct idx_child intervals, wakeups;	/* top blocks; sums unused */
	uint32_t first_name, n_names;		/* in the reader's names */
};

struct idx_load_stream {
	struct idx_stream stream;	/* texts into the map */
	struct idx_child packets;	/* top block; sums unused */
};

struct idx_reader {
	struct idx_map *map;
	struct idx_node_cache *cache;
	struct idx_meta *meta;
	struct idx_limits limits;	/* how many rows, strings, contexts there are */
	const char **strings;		/* into the map */
	struct mdl_context *contexts;
	struct idx_name *names;
	uint32_t n_names;
	struct idx_load_row *rows;
	struct idx_child times;
	struct idx_load_stream *streams;
	uint32_t n_streams;
};

/* Decode all chunks of R->map; false with BASE_ERROR_STALE naming the chunk that does not hold. */
bool idx_load_tables(struct idx_reader *r, GError **error);

#endif
