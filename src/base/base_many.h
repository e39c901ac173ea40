/* SPDX-License-Identifier: MIT */
/*
 * Arrays that may become very long. While one is short it lies in memory; then it moves into a file without a
 * name, which is mapped, so that the kernel can write its pages out when memory is short. If there is no room
 * for such a file, it stays in memory.
 */
#ifndef BASE_MANY_H
#define BASE_MANY_H

#include <glib.h>
#include <stddef.h>
#include <string.h>

/* Read DATA and LEN only; g_array_index() takes an element.  Adding elements moves DATA. */
struct base_many {
	char *data;
	guint len; /* elements */
	/* Private: */
	int fd;               /* of the file; -1: in memory, -2: in memory for good */
	size_t element, room; /* bytes */
};

/* Return an empty array of elements of ELEMENT bytes each. base_many_free() frees it. */
struct base_many *base_many_new(size_t element);
void base_many_free(struct base_many *m);
/* Set the number of elements to N.  New ones are zeros. */
void base_many_set_size(struct base_many *m, guint n);
/* Sort by ORDER (as for qsort()); equal ones keep their order. Sorted elements cost one pass. Otherwise R
 * sorted stretches are merged in ⌈log2 R⌉ rounds, of two passes each. */
void base_many_sort(struct base_many *m, GCompareFunc order);

/* The array as a heap (Knuth, TAOCP 3, 5.2.3): element 0 comes first in ORDER. push() adds the element at
 * VALUE. pop() removes element 0; M must not be empty. */
void base_many_push(struct base_many *m, const void *value, GCompareFunc order);
void base_many_pop(struct base_many *m, GCompareFunc order);

/* Private: make room for at least LEAST bytes. */
void base_many_grow(struct base_many *m, size_t least);
/* Append the element at VALUE. */
static inline void base_many_add(struct base_many *m, const void *value)
{
	size_t at = m->len * m->element;

	if (G_UNLIKELY(m->room - at < m->element))
		base_many_grow(m, at + m->element);
	memcpy(m->data + at, value, m->element);
	m->len++;
}

#endif
