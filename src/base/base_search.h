/* SPDX-License-Identifier: MIT */
/* Binary searches, comparison functions for sorted lists, and the first N of many elements.  Searches are
 * inline, because most callers search few elements very often. */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Return the first index in [LOW, HIGH) for which BEFORE is false, or HIGH if there is none.  BEFORE gets
 * DATA; it must be true up to some index and false from there on. */
static inline uint64_t base_search(uint64_t low, uint64_t high, bool (*before)(const void *data, uint64_t i),
	const void *data)
{
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (before(data, middle))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Numbers in ascending order, STRIDE bytes apart: a member of each struct in an array. */
struct base_search_list {
	const void *first;
	size_t stride;
	int64_t key;
};

static inline bool base_search_is_below(const void *data, uint64_t i)
{
	const struct base_search_list *l = data;

	return *(const int64_t *)(const void *)((const char *)l->first + i * l->stride) < l->key;
}

/* Return how many of the N ascending numbers at FIRST, STRIDE bytes apart, are below KEY. */
static inline uint64_t base_search_below(const int64_t *first, uint64_t n, size_t stride, int64_t key)
{
	struct base_search_list list = { first, stride, key };

	return base_search(0, n, base_search_is_below, &list);
}

/* Return the index of the last of those numbers that is at most KEY, or 0 if there is none.  With the starts
 * of adjacent intervals this is the interval that contains KEY. */
static inline uint64_t base_search_holding(const int64_t *first, uint64_t n, size_t stride, int64_t key)
{
	uint64_t behind = key == INT64_MAX ? n : base_search_below(first, n, stride, key + 1);

	return behind > 0 ? behind - 1 : 0;
}

/* Three-way comparison for qsort(): <0, 0, >0.  Chain several keys with "?:".  "BASE_BY(x, y, host) ?:
 * BASE_BY(y, x, time)" sorts by host, then latest first. */
#define BASE_ORDER(x, y) (((x) > (y)) - ((x) < (y)))
/* Three-way comparison of MEMBER of two structs. */
#define BASE_BY(x, y, member) BASE_ORDER((x)->member, (y)->member)

/* For qsort(): compares int64_t, or structs whose first member is one. */
static inline int base_search_by_int64(const void *a, const void *b)
{
	return BASE_ORDER(*(const int64_t *)a, *(const int64_t *)b);
}

/* For qsort(): compares char * byte by byte. */
static inline int base_search_by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Keep the first TOP of many elements in the order of FIRST: add ITEM to HEAP (initially empty, of such
 * elements) if it is among the first TOP of all items so far.  The top of the heap is the last of them. */
void base_worst_keep(GArray *heap, guint top, GCompareFunc first, const void *item);

#endif
