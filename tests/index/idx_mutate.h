/* SPDX-License-Identifier: MIT */
/* Changing one thing in a file of ours, wherever it is, with checksums that are right again: what a fault of
 * the program, or somebody who means harm, would leave. */
#ifndef IDX_MUTATE_H
#define IDX_MUTATE_H

#include "index/idx_repair.h"

struct idx_mutate;

/* The whole file of KIND of SIZE bytes at BYTES, copied; SEED chooses what will be changed. */
struct idx_mutate *idx_mutate_new(const uint8_t *bytes, size_t size, const struct idx_map_kind *kind,
	guint32 seed);
void idx_mutate_free(struct idx_mutate *m);
/*
 * The file with another change each time; the caller frees.  The header, the table of contents, each chunk
 * and each block are met equally often, whatever their size.  REPAIR: with checksums that are right.  *WHAT
 * (static buffer, good until the next call) says where it was changed.
 */
uint8_t *idx_mutate_next(struct idx_mutate *m, bool repair, const char **what);

/*
 * How many changes a test makes: FEW, where tests are slow (-m slow) 100 000 or WAKEPATH_MUTATIONS.
 */
unsigned idx_mutate_count(unsigned few);

#endif
