/* SPDX-License-Identifier: MIT */
/* The set of blocks that were checked, each exactly as its parent claims it. */
#ifndef IDX_SEEN_H
#define IDX_SEEN_H

#include "index/idx_format.h"

#include <stdbool.h>

struct idx_seen;

struct idx_seen *idx_seen_new(void);
void idx_seen_free(struct idx_seen *s);

/* Was this block, with this offset, size, checksum and count, added? */
bool idx_seen_has(const struct idx_seen *s, const struct idx_child *child);
/* Have the processor fetch what idx_seen_has() will look at. */
void idx_seen_prefetch(const struct idx_seen *s, const struct idx_child *child);
void idx_seen_add(struct idx_seen *s, const struct idx_child *child);

#endif
