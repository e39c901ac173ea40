/* SPDX-License-Identifier: MIT */
/* The tables of an open index, decoded; private to src/index. */
#ifndef IDX_LOAD_H
#define IDX_LOAD_H

#include "index/idx_node.h"
#include "index/idx_reader.h"

struct idx_load_row {
	struct mdl_row row;
	struct idx_ref intervals, wakeups;
	uint32_t first_name, n_names;		/* in the reader's names */
};

struct idx_load_stream {
	struct idx_stream stream;	/* texts into the map */
	struct idx_ref packets;
};

struct idx_reader {
	struct idx_map *map;
	struct idx_meta *meta;
	struct idx_limits limits;	/* how many rows, strings, contexts there are */
	const char **strings;		/* into the map */
	struct mdl_context *contexts;
	struct idx_name *names;
	struct idx_priority *priorities;	/* row by row, those of a row in order of time */
	uint32_t *first_priority;	/* of each row, and behind the last one how many there are */
	uint32_t *order;		/* row numbers in the order of the file; only while loading */
	struct idx_load_row *rows;
	struct idx_ref times, causes, transfers;
	struct mdl_device *devices;	/* by number */
	uint32_t n_devices;
	struct idx_load_stream *streams;
	uint32_t n_streams;
};

/* The series of KIND below TOP, of ROW (MDL_NONE: of none) and ROW_TYPE (for intervals only). */
struct idx_series idx_load_series(struct idx_reader *r, const struct idx_ref *top, uint8_t kind, uint32_t row, uint8_t row_type);

/* META of the index that M maps; NULL with BASE_ERROR_STALE. */
struct idx_meta *idx_load_meta(const struct idx_map *m, GError **error);

/* Decode all chunks of R->map; false with BASE_ERROR_STALE naming the chunk that does not hold. */
bool idx_load_tables(struct idx_reader *r, GError **error);

#endif
