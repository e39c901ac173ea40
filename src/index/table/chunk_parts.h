/* SPDX-License-Identifier: MIT */
/* The chunks of an index: for each the code that writes and loads it.  Private to src/index. */
#ifndef IDX_CHUNK_PARTS_H
#define IDX_CHUNK_PARTS_H

#include "index/table/load.h"
#include "index/table/writer_parts.h"

struct idx_chunk_kind {
	char id[5];
	bool is_base; /* loaded before the others, which refer to it */
	/* Write the chunk (idx_chunks_put…()) after all rows have ended. */
	void (*put)(struct idx_writer *w, const struct idx_tables *t, const char *id);
	/* Read it from R->map (idx_map_records()), check all of its content, and keep in R what answers need.
	 * False with idx_map_bad_chunk(). */
	bool (*load)(struct idx_reader *r, const char *id, GError **error);
};

#define IDX_CHUNK_DECLARE(name) extern const struct idx_chunk_kind idx_chunk_##name;
IDX_CHUNKS(IDX_CHUNK_DECLARE)
#undef IDX_CHUNK_DECLARE

/* All chunks in file order. */
extern const struct idx_chunk_kind *const idx_chunks_all[IDX_CHUNKS_MAX];

/* Load chunk ID, which is only a reference to a series of records of at least LEAST bytes (IDX_LEAST_…), as
 * idx_chunks_put_ref() writes it.  False with idx_map_bad_chunk(). */
bool idx_chunk_load_ref(struct idx_reader *r, const char *id, unsigned least, struct idx_ref *top,
	GError **error);
/* The times of events that wait for it as a leaf. */
void idx_chunk_put_time_leaf(struct idx_writer *w);

#endif
