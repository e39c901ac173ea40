/* SPDX-License-Identifier: MIT */
/* Bytes whose place is at the end of the file.  They stay in memory while they are few, then go to an unnamed
 * file beside it. */
#ifndef IDX_SPILL_H
#define IDX_SPILL_H

#include "index/file/out.h"

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

#endif
