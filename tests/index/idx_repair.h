/* SPDX-License-Identifier: MIT */
/* Making checksums right again after bytes were changed, so that the checks behind them are reached. */
#ifndef IDX_REPAIR_H
#define IDX_REPAIR_H

#include "index/file/map.h"

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Correct magic, version, size and all checksums of the file of KIND, of SIZE bytes at
 * BYTES as far as its references can be followed: blocks from the leaves up,
 * then chunks, table of contents and header.
 */
void idx_repair_checksums(uint8_t *bytes, size_t size, const struct idx_map_kind *kind);

/* A header, table of contents, chunk or block. */
struct idx_repair_place {
	size_t at, size;
};
/* The same of a file whose checksums are right; all that was met, of struct idx_repair_place; the caller
 * unrefs. */
GArray *idx_repair_places(uint8_t *bytes, size_t size, const struct idx_map_kind *kind);

/* Where chunk ID begins, and its size; 0 when there is none. */
size_t idx_repair_chunk(const uint8_t *bytes, size_t size, const char *id, size_t *chunk_size);

#endif
