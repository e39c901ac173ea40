/* SPDX-License-Identifier: MIT */
/* The order of the worst spans, which those who keep them and those who look for them share. */
#include "index/idx_spans.h"

int idx_spans_worst_first(const void *a, const void *b)
{
	const struct idx_spans_found *x = a, *y = b;
	int64_t x_length = x->span.end - x->span.start, y_length = y->span.end - y->span.start;

	if (x_length != y_length)
		return x_length < y_length ? 1 : -1;
	if (x->span.start != y->span.start)
		return x->span.start < y->span.start ? -1 : 1;
	if (x->span.row != y->span.row)
		return x->span.row < y->span.row ? -1 : 1;
	if (x->leaf != y->leaf)
		return x->leaf < y->leaf ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}
