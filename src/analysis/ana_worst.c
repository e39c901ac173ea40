/* SPDX-License-Identifier: MIT */
#include "analysis/ana_worst.h"

int ana_worst_first(const void *a, const void *b)
{
	const struct ana_latency_case *x = a, *y = b;

	if (x->latency != y->latency)
		return x->latency < y->latency ? 1 : -1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static struct ana_latency_case *at(const GArray *heap, guint i)
{
	return &g_array_index(heap, struct ana_latency_case, i);
}

/* Is I less bad than J? */
static bool is_less(const GArray *heap, guint i, guint j)
{
	return ana_worst_first(at(heap, i), at(heap, j)) > 0;
}

static void swap(const GArray *heap, guint i, guint j)
{
	struct ana_latency_case c = *at(heap, i);

	*at(heap, i) = *at(heap, j);
	*at(heap, j) = c;
}

static void push(GArray *heap, const struct ana_latency_case *c)
{
	guint i = heap->len;

	g_array_append_val(heap, *c);
	for (; i > 0 && is_less(heap, i, (i - 1) / 2); i = (i - 1) / 2)
		swap(heap, i, (i - 1) / 2);
}

static void replace_top(GArray *heap, const struct ana_latency_case *c)
{
	guint i = 0, child;

	*at(heap, 0) = *c;
	while ((child = 2 * i + 1) < heap->len) {
		if (child + 1 < heap->len && is_less(heap, child + 1, child))
			child++;
		if (!is_less(heap, child, i))
			break;
		swap(heap, i, child);
		i = child;
	}
}

bool ana_worst_takes(const GArray *heap, uint32_t top, int64_t latency)
{
	return top > 0 && (heap->len < top || latency >= at(heap, 0)->latency);
}

void ana_worst_keep(GArray *heap, uint32_t top, const struct ana_latency_case *c)
{
	if (!ana_worst_takes(heap, top, c->latency))
		return;
	if (heap->len < top)
		push(heap, c);
	else if (ana_worst_first(c, at(heap, 0)) < 0)
		replace_top(heap, c);
}
