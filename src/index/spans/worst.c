/* SPDX-License-Identifier: MIT */
/* The order of the worst spans, which those who keep them and those who look for them share. */
#include "index/spans/spans.h"

#include "base/base_search.h"

int idx_spans_worst_first(const void *a, const void *b)
{
	const struct idx_spans_found *x = a, *y = b;
	int64_t x_length = x->span.end - x->span.start, y_length = y->span.end - y->span.start;

	return BASE_ORDER(y_length, x_length) ?: BASE_BY(x, y, span.start) ?: BASE_BY(x, y, span.row)
		?: BASE_BY(x, y, leaf) ?: BASE_BY(x, y, number);
}
