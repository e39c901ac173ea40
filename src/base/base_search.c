/* SPDX-License-Identifier: MIT */
#include "base/base_search.h"

static char *at(const GArray *heap, guint i)
{
	return heap->data + (gsize)i * g_array_get_element_size((GArray *)(guintptr)heap);
}

static bool is_behind(const GArray *heap, GCompareFunc first, guint i, guint j)
{
	return first(at(heap, i), at(heap, j)) > 0;
}

static void swap(const GArray *heap, guint i, guint j)
{
	char *a = at(heap, i), *b = at(heap, j);

	for (gsize n = (gsize)(at(heap, 1) - at(heap, 0)); n > 0; n--, a++, b++) {
		char c = *a;

		*a = *b;
		*b = c;
	}
}

static void replace_top(GArray *heap, GCompareFunc first, const void *item)
{
	guint i = 0, child;

	memcpy(at(heap, 0), item, g_array_get_element_size(heap));
	while ((child = 2 * i + 1) < heap->len) {
		if (child + 1 < heap->len && is_behind(heap, first, child + 1, child))
			child++;
		if (!is_behind(heap, first, child, i))
			break;
		swap(heap, i, child);
		i = child;
	}
}

void base_worst_keep(GArray *heap, guint top, GCompareFunc first, const void *item)
{
	guint i = heap->len;

	if (i < top) {
		g_array_append_vals(heap, item, 1);
		for (; i > 0 && is_behind(heap, first, i, (i - 1) / 2); i = (i - 1) / 2)
			swap(heap, i, (i - 1) / 2);
	} else if (top > 0 && first(item, at(heap, 0)) < 0) {
		replace_top(heap, first, item);
	}
}
