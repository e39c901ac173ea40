/* SPDX-License-Identifier: MIT */
/* The texts of keys in a file of latencies: blocks of texts, and a line for each block in the chunk KEYS.
 * Reading a text loads no other block. Private to the files that write and read a file of latencies. */
#ifndef IDX_SPANS_TEXTS_H
#define IDX_SPANS_TEXTS_H

#include "index/file/map.h"
#include "index/file/out.h"

/* ---- writing ---- */

struct idx_texts_writer;

/* OUT (weak) receives blocks and failures. */
struct idx_texts_writer *idx_texts_writer_new(struct idx_out *out);
void idx_texts_writer_free(struct idx_texts_writer *w);
/* Add TEXT; a very long one is cut. Returns its key, which is not 0. Texts that repeat soon have one key. */
uint64_t idx_texts_writer_add(struct idx_texts_writer *w, const char *text);
/* Write what is left, and the chunk to CHUNKS. */
void idx_texts_writer_finish(struct idx_texts_writer *w, struct idx_chunks *chunks);

/* ---- reading ---- */

struct idx_texts;

/* Load the chunk from M, which is being opened and must outlive it.  NULL with BASE_ERROR_STALE. */
struct idx_texts *idx_texts_open(struct idx_map *m, GError **error);
void idx_texts_free(struct idx_texts *t);
/* The text of KEY; NULL if KEY is invalid, or with damage noted.  It is in the mapped file, so it may have
 * any bytes, and another process may change them; it always ends. */
const char *idx_texts_get(struct idx_texts *t, uint64_t key);
/* Count all blocks for idx_map_layout(). */
void idx_texts_use(const struct idx_texts *t, struct idx_map_use *use);
/* Read all blocks up to the first damaged one, and note that damage. */
void idx_texts_verify(struct idx_texts *t);

#endif
