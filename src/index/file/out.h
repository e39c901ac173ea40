/* SPDX-License-Identifier: MIT */
/* Write a file of wakepath (an index, packets or spans).  It lies beside its place under a temporary name
 * until it is complete.  docs/index-format.md describes the bytes. */
#ifndef IDX_OUT_H
#define IDX_OUT_H

#include "index/file/map.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- the file ---- */

struct idx_out;

/* Begin the file that will become PATH.  Its folder must exist.  Removes temporary files that dead builds of
 * PATH by this user left.  NULL with BASE_ERROR_IO, also if a file of another user is in the place. */
struct idx_out *idx_out_new(const char *path, GError **error);

/* Append SIZE bytes.  Returns their offset.  After a failed write it does nothing; idx_out_error() and
 * idx_out_publish() report that. */
uint64_t idx_out_append(struct idx_out *o, const void *data, size_t size);

/* Bytes appended so far, plus those of the header. */
uint64_t idx_out_size(const struct idx_out *o);

/* Write all appended bytes to the file, so that others can read them.  O has no thread after it.  Failures:
 * idx_out_error(). */
void idx_out_flush(struct idx_out *o);
/* For the child of a fork(), right after idx_out_flush(): it appends to a file of its own, which will become
 * PATH in the folder of the parent's file.  The parent's file is untouched.  False with BASE_ERROR_IO. */
bool idx_out_branch(struct idx_out *o, const char *path, GError **error);
/* The file will become PATH instead, in the same folder. */
void idx_out_rename(struct idx_out *o, const char *path);

/* The first failed write, or NULL.  Owned by O. */
const GError *idx_out_error(const struct idx_out *o);

/* Write HEADER to the start of the file, sync it and rename it into place.  False with BASE_ERROR_IO; then
 * the temporary file is removed. */
bool idx_out_publish(struct idx_out *o, const void *header, size_t header_size, GError **error);

/* Free O, and remove the file unless it was published. */
void idx_out_free(struct idx_out *o);

/* ---- a growing byte array ---- */

/*
 * The writers of a row keep several such arrays while the row lives, and 200 000 threads may live at once. So
 * an array grows by a fifth only, plus the bytes that malloc() rounds up to.
 *
 * Initialise with zeros.  Only idx_bytes_…() changes SIZE, ROOM and DATA together.
 */
struct idx_bytes {
	uint8_t *data; /* owned; SIZE bytes of ROOM are used */
	uint32_t size, room;
};

/* bytes; malloc() hands out multiples of it, and needs 8 bytes of the first for itself */
#define IDX_BYTES_UNIT 16u

/* Make room for at least MORE bytes.  Returns where they go; the caller adds what it writes there to
 * B->size. */
static inline uint8_t *idx_bytes_reserve(struct idx_bytes *b, uint32_t more)
{
	if (G_UNLIKELY(b->size + more > b->room)) {
		uint32_t needed = b->size + more;

		b->room = ((needed + needed / 5 + 8) / IDX_BYTES_UNIT + 1) * IDX_BYTES_UNIT - 8;
		b->data = g_realloc(b->data, b->room);
	}
	return b->data + b->size;
}

static inline void idx_bytes_clear(struct idx_bytes *b)
{
	g_free(b->data);
	*b = (struct idx_bytes){ 0 };
}

/* ---- bytes whose place is at the end of the file ---- */

/* Bytes that stay in memory while they are few, then go to an unnamed file beside the one that is written. */
struct idx_spill;

/* OUT (weak) receives failures: see idx_out_error(). */
struct idx_spill *idx_spill_new(struct idx_out *out);
void idx_spill_free(struct idx_spill *s);

/* Append SIZE bytes, at most IDX_SPILL_ROOM. */
#define IDX_SPILL_ROOM (32 * 1024)
void idx_spill_add(struct idx_spill *s, const void *data, size_t size);
/* Bytes added so far. */
uint64_t idx_spill_size(const struct idx_spill *s);

/* Read back all bytes, piece by piece: returns the next piece and its size in *SIZE.  The piece is valid
 * until the next call.  NULL at the end, after which reading starts again, and after a failure.  Nothing may
 * be added once reading has started. */
const uint8_t *idx_spill_next(struct idx_spill *s, size_t *size);

/* ---- the end of the file: chunks, their table of contents, the header ---- */

/* The chunks of an index, in file order; see struct idx_chunk_kind.  META is last because its length varies
 * with the digits of the build time: all other chunks keep their offsets. */
#define IDX_CHUNKS(C) \
	C(rows)       \
	C(times)      \
	C(strings)    \
	C(contexts)   \
	C(names) C(priorities) C(ipi_waits) C(counts) C(streams) C(causes) C(transfers) C(devices) C(meta)
enum {
#define IDX_CHUNK_ID(name) IDX_CHUNK_##name,
	IDX_CHUNKS(IDX_CHUNK_ID)
#undef IDX_CHUNK_ID
		IDX_CHUNKS_MAX
};

/* Chunks written after the blocks in OUT. */
struct idx_chunks {
	struct idx_out *out; /* weak */
	unsigned n;
	uint8_t toc[IDX_CHUNKS_MAX * IDX_TOC_ENTRY];
};

/* Write chunk ID (4 characters). */
void idx_chunks_put(struct idx_chunks *c, const char *id, const void *data, size_t size);
/* Write what was spilled as chunk ID. */
void idx_chunks_put_spilled(struct idx_chunks *c, const char *id, struct idx_spill *spill);
/* Write chunk ID, which is only a reference to the series below TOP. */
void idx_chunks_put_ref(struct idx_chunks *c, const char *id, const struct idx_child *top);
/* Write table of contents, tail and header of a file of KIND with FINGERPRINT (32 hex digits), and put the
 * file in place (idx_out_publish()). */
bool idx_chunks_finish(struct idx_chunks *c, const struct idx_map_kind *kind, const char *fingerprint,
	GError **error);

#endif
