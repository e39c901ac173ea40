/* SPDX-License-Identifier: MIT */
/* The blocks that were checked, each exactly as its parent claims it, and which of a node's children were. */
#ifndef IDX_SEEN_H
#define IDX_SEEN_H

#include "index/idx_format.h"

#include <stdbool.h>

struct idx_seen;

struct idx_seen *idx_seen_new(void);
void idx_seen_free(struct idx_seen *s);

/*
 * Was this block, with this offset, size, checksum and count, added for a series of KIND?  NULL, or one bit
 * for each of its children that was checked as a leaf; the caller sets them.  It stays where it is.
 */
uint64_t *idx_seen_find(const struct idx_seen *s, uint8_t kind, const struct idx_child *child);
/* Add it; it was not there.  Its bits, all 0. */
uint64_t *idx_seen_add(struct idx_seen *s, uint8_t kind, const struct idx_child *child);

#endif
