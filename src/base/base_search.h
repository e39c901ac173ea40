/* SPDX-License-Identifier: MIT */
/* Binary searches, and the orders that lists have for them.  All inline: most look for one time among a few,
 * often. */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * The first of [LOW, HIGH) that is not BEFORE what is looked for, HIGH when all are.  BEFORE must hold up to
 * some place and not behind it; DATA is given to it.
 */
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

/* N numbers in ascending order, STRIDE bytes apart: members of an array of structs. */
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

/* How many of the N numbers at FIRST, STRIDE bytes apart and ascending, are below KEY. */
static inline uint64_t base_search_below(const int64_t *first, uint64_t n, size_t stride, int64_t key)
{
	struct base_search_list list = { first, stride, key };

	return base_search(0, n, base_search_is_below, &list);
}

/* The last of the same numbers that is at most KEY, 0 when none is: which of several stretches holds KEY. */
static inline uint64_t base_search_holding(const int64_t *first, uint64_t n, size_t stride, int64_t key)
{
	uint64_t behind = key == INT64_MAX ? n : base_search_below(first, n, stride, key + 1);

	return behind > 0 ? behind - 1 : 0;
}

/*
 * For qsort() and its like, which number comes first: below 0 X, 0: they are the same, above 0 Y.  One key
 * after the other: "BASE_BY(x, y, host) ?: BASE_BY(y, x, time)": by host, of each the latest first.
 */
#define BASE_ORDER(x, y) (((x) > (y)) - ((x) < (y)))
/* The same of MEMBER of two structs. */
#define BASE_BY(x, y, member) BASE_ORDER((x)->member, (y)->member)

/* The same of int64_t, also as the first member of structs; */
static inline int base_search_by_int64(const void *a, const void *b)
{
	return BASE_ORDER(*(const int64_t *)a, *(const int64_t *)b);
}

/* and of char *, by their bytes. */
static inline int base_search_by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

#endif
