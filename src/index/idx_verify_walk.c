/* SPDX-License-Identifier: MIT */
/* What the chunks that refer to series check them with. */
#include "index/idx_verify_parts.h"

void idx_verify_time(struct idx_verify *v, const struct idx_child *at, int64_t time)
{
	if (v->has_last && time < v->last_time)
		idx_verify_found_at(&v->tree, at, "times step back");
	v->last_time = time;
	v->has_last = true;
}

void idx_verify_walk(struct idx_verify *v, const struct idx_ref *ref, uint8_t kind, uint32_t row,
	uint8_t row_type, idx_verify_leaf leaf)
{
	v->has_last = false;
	v->tree.leaf = leaf;
	v->tree.series = idx_load_series(v->r, ref, kind, row, row_type);
	idx_verify_series(&v->tree);
}
