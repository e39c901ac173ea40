/* SPDX-License-Identifier: MIT */
/* A file of wakepath (an index, packets or spans), mapped for reading.  Opening checks the structure; each
 * block is checked at its first use. */
#ifndef IDX_MAP_H
#define IDX_MAP_H

#include "index/file/format.h"

#include <stdbool.h>

struct idx_map;

/* A kind of file. */
struct idx_map_kind {
	const char *magic; /* its first 8 bytes */
	uint32_t version;
	const char *name;    /* its name in messages */
	const char *foreign; /* message for a file whose fingerprint differs */
};
extern const struct idx_map_kind idx_map_index, idx_map_pairs, idx_map_spans;

/* True if the file PATH begins with the magic of KIND.  It may still be damaged. */
bool idx_map_is(const char *path, const struct idx_map_kind *kind);

/*
 * Map PATH, a file of KIND, and check header and table of contents.  FINGERPRINT is the trace's current one.
 * Then PATH must belong to this user and be no link, because anybody can forge a file.  NULL: any trace, any
 * owner.
 *
 * NULL with BASE_ERROR_STALE if it does not exist, is another kind, of another version or trace, or damaged;
 * with BASE_ERROR_IO if it cannot be read.
 */
struct idx_map *idx_map_open(const char *path, const struct idx_map_kind *kind, const char *fingerprint,
	GError **error);
/* Another reference for another thread, which may outlive M.  The file is mapped once.  Safe while M is
 * used. */
struct idx_map *idx_map_again(const struct idx_map *m);
void idx_map_free(struct idx_map *m);

/*
 * For a handler of SIGBUS, which the kernel sends if the page that is read lies beyond the end of a file that
 * became shorter, or cannot be read from the disk.  Return the line to print if ADDRESS is in an open file,
 * else NULL.  Async-signal-safe.
 */
const char *idx_map_cut_short(const void *address);

const char *idx_map_path(const struct idx_map *m);
uint64_t idx_map_size(const struct idx_map *m);
/* True if it is the index of a trace that still grows (idx_writer_branch()). */
bool idx_map_grows(const struct idx_map *m);
/* The fingerprint of what the file was built from.  The caller frees. */
char *idx_map_fingerprint(const struct idx_map *m);

/* A checksum of all chunks.  It differs between two builds of an index of the same trace. */
uint64_t idx_map_checksum(const struct idx_map *m);

/*
 * Return a checked copy of the *SIZE bytes of chunk ID (4 characters), with a NUL at the end. M and all other
 * references to the file share it. Call it only while the file is being opened, once for each chunk, so that
 * all chunks together are not larger than the file. NULL with BASE_ERROR_STALE if it is missing or damaged.
 */
const uint8_t *idx_map_chunk(const struct idx_map *m, const char *id, uint64_t *size, GError **error);

/* Like idx_map_chunk(), for a chunk of *COUNT records of SIZE bytes each. */
const uint8_t *idx_map_records(const struct idx_map *m, const char *id, size_t size, uint32_t *count,
	GError **error);
/* Set BASE_ERROR_STALE: the content of chunk ID is invalid.  Returns false. */
bool idx_map_bad_chunk(const struct idx_map *m, const char *id, GError **error);

#define IDX_MAP_CHUNKS 64 /* more than any file has */
/* How many bytes of blocks lie before each chunk; begins as zeros. */
struct idx_map_use {
	uint64_t bytes[IDX_MAP_CHUNKS + 1];
	bool across; /* a block lies across a chunk */
};
/* Count the block CHILD, which idx_map_block() returned. */
void idx_map_use_block(const struct idx_map *m, struct idx_map_use *use, const struct idx_child *child);
/* Return NULL if blocks (USE has counted all), chunks and tables fill the file and use each byte once; else a
 * static text that says what is wrong. */
const char *idx_map_layout(const struct idx_map *m, const struct idx_map_use *use);

/* The block CHILD of ROW, a leaf of KIND or a node.  NULL, with the damage noted, if it is out of bounds, its
 * checksum is wrong or it is another block.  *LEAVES is what idx_map_trust() returned for it; NULL if that
 * was not called yet. */
const uint8_t *idx_map_block(struct idx_map *m, const struct idx_child *child, uint8_t kind, uint32_t row,
	uint64_t **leaves);
/* Note that the inside of the block CHILD, in a series of KIND, was checked too, so that nothing is checked
 * again.  Returns one bit per child of a node: the caller sets it once it has checked that child as a leaf.
 * Owned by M. */
uint64_t *idx_map_trust(struct idx_map *m, const struct idx_child *child, uint8_t kind);
/* Return the block CHILD, which was checked as a child of a trusted node.  Its bytes may have changed since.
 * NULL, with the damage noted, if CHILD leads out of the file. */
const uint8_t *idx_map_trusted(struct idx_map *m, const struct idx_child *child);
/*
 * Tell the kernel how blocks will be read.  SCATTERED: they lie far apart, so it reads nothing around those
 * that are not in memory.  False, as at first: it reads ahead.
 */
void idx_map_expect(struct idx_map *m, bool scattered);
/* A hint: drop the pages read so far from this process.  Later reads take them from the page cache or the
 * file. */
void idx_map_let_go(const struct idx_map *m);
/* True if a read recently had to wait for the disk (a major page fault).  Then it is worth prefetching
 * blocks. */
bool idx_map_waits(struct idx_map *m);
/* Ask the kernel to start reading the block CHILD, which is needed soon. */
void idx_map_fetch(const struct idx_map *m, const struct idx_child *child);
/* Ask the processor to prefetch the bytes FROM to TO of the block CHILD, which are needed soon. */
void idx_map_prefetch(const struct idx_map *m, const struct idx_child *child, uint32_t from, uint32_t to);

/* Note damage at OFFSET of the file.  Only the first note is kept. */
void idx_map_note_damage(struct idx_map *m, uint64_t offset, const char *what);
/* Return the first damage met so far; an error if the file was overwritten since it was opened; or NULL.
 * Owned by M. */
const GError *idx_map_damage(struct idx_map *m);
/* Remove the file of M, unless another file has taken its place. */
void idx_map_remove(const struct idx_map *m);

#endif
