/* SPDX-License-Identifier: MIT */
/* Bytes that have their place only at the end of the file: kept in memory while they are few, else in a
 * nameless file beside it. */
#ifndef IDX_SPILL_H
#define IDX_SPILL_H

#include "index/idx_out.h"

struct idx_spill;

/* OUT (weak) is told of failures, see idx_out_error(). */
struct idx_spill *idx_spill_new(struct idx_out *out);
void idx_spill_free(struct idx_spill *s);

/* Add SIZE bytes (at most IDX_SPILL_ROOM) behind those before them. */
#define IDX_SPILL_ROOM (32 * 1024)
void idx_spill_add(struct idx_spill *s, const void *data, size_t size);
/* Bytes added so far. */
uint64_t idx_spill_size(const struct idx_spill *s);

/*
 * Read what was added, from the first byte on, piece by piece: the next piece, its
 * size in *SIZE; NULL at the end, after which it begins anew, or after a failure.  It stays until the next
 * call; nothing may be added any more.
 */
const uint8_t *idx_spill_next(struct idx_spill *s, size_t *size);

#endif
