/* SPDX-License-Identifier: MIT */
/* Changes one thing in a wakepath file, anywhere, and makes its checksums right again. The result is what a
 * bug of the program or an attacker could leave. */
#ifndef IDX_MUTATE_H
#define IDX_MUTATE_H

#include "index/idx_repair.h"

struct idx_mutate;

/* Copy the SIZE bytes at BYTES, a whole file of KIND. SEED chooses the changes. */
struct idx_mutate *idx_mutate_new(const uint8_t *bytes, size_t size, const struct idx_map_kind *kind,
	guint32 seed);
void idx_mutate_free(struct idx_mutate *m);
/*
 * Return the file with another change each time; the caller frees it. The header, the table of contents, each
 * chunk and each block are hit equally often, whatever their size. REPAIR: make the checksums right. *WHAT
 * (static buffer, valid until the next call) names the changed place.
 */
uint8_t *idx_mutate_next(struct idx_mutate *m, bool repair, const char **what);

/*
 * The number of changes a test makes: FEW, or, where tests are slow (-m slow), 100 000 or WAKEPATH_MUTATIONS.
 */
unsigned idx_mutate_count(unsigned few);

#endif
