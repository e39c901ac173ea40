/* SPDX-License-Identifier: MIT */
/* Makes checksums right again after bytes were changed, so that a test reaches the checks behind them. */
#ifndef IDX_REPAIR_H
#define IDX_REPAIR_H

#include "index/file/map.h"

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Correct magic, version, size and all checksums of the SIZE bytes at BYTES, a file of KIND, as far as its
 * references can be followed: blocks from the leaves up, then chunks, table of contents and header.
 */
void idx_repair_checksums(uint8_t *bytes, size_t size, const struct idx_map_kind *kind);

/* A header, table of contents, chunk or block. */
struct idx_repair_place {
	size_t at, size;
};
/* Like idx_repair_checksums(), and return all places met, of struct idx_repair_place. The checksums of the
 * file are right already. The caller unrefs the array. */
GArray *idx_repair_places(uint8_t *bytes, size_t size, const struct idx_map_kind *kind);

/* Return the offset of chunk ID and set its size; 0 if there is none. */
size_t idx_repair_chunk(const uint8_t *bytes, size_t size, const char *id, size_t *chunk_size);

#endif
