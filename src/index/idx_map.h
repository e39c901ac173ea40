/* SPDX-License-Identifier: MIT */
/* An index file, or another of ours, mapped for reading: structure proved at opening, blocks at first use. */
#ifndef IDX_MAP_H
#define IDX_MAP_H

#include "index/idx_format.h"

#include <stdbool.h>

struct idx_map;

/* What a file of ours is. */
struct idx_map_kind {
	const char *magic; /* its first 8 bytes */
	uint32_t version;
	const char *name;    /* in messages */
	const char *foreign; /* what is said where the fingerprint is another one */
};
extern const struct idx_map_kind idx_map_index, idx_map_pairs, idx_map_spans;

/* Does the file PATH begin like one of KIND?  It may be damaged all the same. */
bool idx_map_is(const char *path, const struct idx_map_kind *kind);

/*
 * Map PATH, a file of KIND, and check header and table of contents.  FINGERPRINT is
 * that of the trace as it is now: what shall be believed for it must be a file of this user and no link, as
 * anybody can forge one.  With NULL it is of any trace and anybody's.  NULL with BASE_ERROR_STALE when it is
 * foreign, of another version or trace, or damaged; BASE_ERROR_IO when it
 * cannot be read (a file that is not there is BASE_ERROR_STALE).
 */
struct idx_map *idx_map_open(const char *path, const struct idx_map_kind *kind, const char *fingerprint,
	GError **error);
/* The same file for another thread, which may have it for longer than M; it is mapped once.  Safe while M is
 * used. */
struct idx_map *idx_map_again(const struct idx_map *m);
void idx_map_free(struct idx_map *m);

/*
 * For a handler of SIGBUS, which comes when what is read lies beyond the end of a file that became shorter:
 * the line to say when ADDRESS is in one of the open files, else NULL.
 */
const char *idx_map_cut_short(const void *address);

const char *idx_map_path(const struct idx_map *m);
uint64_t idx_map_size(const struct idx_map *m);
/* Is it of a trace that still grows (idx_writer_branch())? */
bool idx_map_grows(const struct idx_map *m);
/* The fingerprint of what it was built from; the caller frees. */
char *idx_map_fingerprint(const struct idx_map *m);

/* A checksum of all chunks: of another index of the same trace it is another one. */
uint64_t idx_map_checksum(const struct idx_map *m);

/* Chunk ID (4 characters): its bytes, checked; NULL with BASE_ERROR_STALE when it is missing or damaged. */
const uint8_t *idx_map_chunk(const struct idx_map *m, const char *id, uint64_t *size, GError **error);

/* The same as records of SIZE bytes; *COUNT of them. */
const uint8_t *idx_map_records(const struct idx_map *m, const char *id, size_t size, uint32_t *count,
	GError **error);
/* False with BASE_ERROR_STALE: what is in chunk ID does not hold. */
bool idx_map_bad_chunk(const struct idx_map *m, const char *id, GError **error);

/* Bytes of all chunks, the table of contents and the tail. */
uint64_t idx_map_chunk_bytes(const struct idx_map *m);

/*
 * The block CHILD of KIND (or a node) and ROW, or NULL and a damage noted when
 * it is out of bounds, its checksum is wrong or it is another block.
 * *LEAVES is what idx_map_trust() gave for it, NULL when that was not called yet.
 */
const uint8_t *idx_map_block(struct idx_map *m, const struct idx_child *child, uint8_t kind, uint32_t row,
	uint64_t **leaves);
/*
 * The inside of the block CHILD, in a series of KIND, was checked too: neither needs to be done again.  Gives
 * a bit for each child of a node, for the caller to set when it has checked that as a leaf; owned by M.
 */
uint64_t *idx_map_trust(struct idx_map *m, const struct idx_child *child, uint8_t kind);
/* The block CHILD, which was checked as a child of a trusted node. */
const uint8_t *idx_map_trusted(const struct idx_map *m, const struct idx_child *child);
/*
 * Will blocks be asked for that lie far apart?  Then the kernel reads nothing around those that are not in
 * memory; at first, and with false again, it does.
 */
void idx_map_expect(struct idx_map *m, bool scattered);
/* What was read so far need not stay in this process' memory; whoever looks at it again has it from the page
 * cache, or the file.  A hint. */
void idx_map_let_go(const struct idx_map *m);
/* Was there, not long ago, anything that had to come from the disk?  Then it is worth to ask for blocks ahead
 * of their use. */
bool idx_map_waits(struct idx_map *m);
/* Have the kernel begin to read the block CHILD, which will be asked for soon. */
void idx_map_fetch(const struct idx_map *m, const struct idx_child *child);
/* Have the processor fetch the bytes FROM to TO of the block CHILD, which will be asked for soon. */
void idx_map_prefetch(const struct idx_map *m, const struct idx_child *child, uint32_t from, uint32_t to);

/* Note that something at OFFSET is damaged; the first note stays. */
void idx_map_note_damage(struct idx_map *m, uint64_t offset, const char *what);
/* The damage met so far, or NULL.  Owned by M. */
const GError *idx_map_damage(const struct idx_map *m);

#endif
