/* SPDX-License-Identifier: MIT */
/* The META chunk: facts of the trace as JSON. */
#ifndef IDX_META_H
#define IDX_META_H

#include "index/idx_map.h"
#include "index/idx_types.h"

/* META as bytes; the caller frees. */
char *idx_meta_to_json(const struct idx_meta *meta, gsize *size);

/* META of the index that M maps; NULL with BASE_ERROR_STALE. */
struct idx_meta *idx_meta_load(const struct idx_map *m, GError **error);

#endif
