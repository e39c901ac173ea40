/* SPDX-License-Identifier: MIT */
/* A chunk of an index: what writes it, beside what reads it.  Private to src/index. */
#ifndef IDX_CHUNK_PARTS_H
#define IDX_CHUNK_PARTS_H

#include "index/idx_load.h"
#include "index/idx_verify_parts.h"
#include "index/idx_writer_parts.h"

struct idx_chunk_kind {
	char id[5];
	bool is_base; /* loaded before the others, which name what is in it */
	/* When all rows are over: idx_chunks_put() and its like. */
	void (*put)(struct idx_writer *w, const struct idx_tables *t, const char *id);
	/*
	 * Take it from R->map (idx_map_records()), check everything inside, and keep what is asked for in R;
	 * false with idx_map_bad_chunk().
	 */
	bool (*load)(struct idx_reader *r, const char *id, GError **error);
	/* Check all blocks that it refers to: idx_verify_walk().  Comes after those of the chunks before it;
	 * NULL: it refers to none. */
	void (*verify)(struct idx_verify *v);
};

#define IDX_CHUNK_DECLARE(name) extern const struct idx_chunk_kind idx_chunk_##name;
IDX_CHUNKS(IDX_CHUNK_DECLARE)
#undef IDX_CHUNK_DECLARE

/* All of them, in the order of the file. */
extern const struct idx_chunk_kind *const idx_chunks_all[IDX_CHUNKS_MAX];

/* Load chunk ID, which is no more than a reference to a series: idx_chunks_put_ref() wrote it.  False with
 * idx_map_bad_chunk(). */
bool idx_chunk_load_ref(struct idx_reader *r, const char *id, struct idx_ref *top, GError **error);
/* The times of events that wait for it as a leaf. */
void idx_chunk_put_time_leaf(struct idx_writer *w);

#endif
