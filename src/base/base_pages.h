/* SPDX-License-Identifier: MIT */
/* Memory as the kernel has it, in pages. */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Give the kernel ADVICE (MADV_…) on all pages that the SIZE bytes at FROM are on.  It is a hint: it may be
 * refused. */
static inline void base_pages_advise(const void *from, size_t size, int advice)
{
	uintptr_t page = (uintptr_t)getpagesize(), behind = (uintptr_t)from & (page - 1);

	madvise((char *)(uintptr_t)from - behind, size + behind, advice);
}

#define BASE_PAGES_LARGE ((size_t)1 << 21) /* bytes */

/* SIZE bytes on large pages where the kernel has such, as page faults of hundreds of small ones take as long
 * as the reading of a short trace; the caller calls free(). */
static inline void *base_pages_new(size_t size)
{
	size_t whole = (size + BASE_PAGES_LARGE - 1) / BASE_PAGES_LARGE * BASE_PAGES_LARGE;
	void *pages = aligned_alloc(BASE_PAGES_LARGE, whole);

	if (!pages)
		g_error("no memory for %zu bytes", whole);
	base_pages_advise(pages, whole, MADV_HUGEPAGE);
	return pages;
}

#define BASE_PAGES_ROOM (32 * BASE_PAGES_LARGE) /* bytes */

/*
 * Append the element at VALUE to ARRAY, which may become very long: it grows by large pages where the kernel
 * has such, as a page fault for each small one takes longer than what is put there.  When it has filled a
 * large one it is given room for many: that much malloc() maps by itself (above 32 MB always,
 * M_MMAP_THRESHOLD), so that realloc() never copies it.  From then on it has room for the next power of two
 * of bytes (GLib, g_array_maybe_expand()).
 */
static inline void base_pages_append(GArray *array, const void *value)
{
	size_t size = g_array_get_element_size(array), last = (size_t)array->len * size - 1;
	bool grows = last + size >= BASE_PAGES_LARGE && array->len > 0 && (last ^ (last + size)) > last;
	guint n = array->len;

	if (grows && last + size < BASE_PAGES_ROOM) {
		g_array_set_size(array, (guint)(BASE_PAGES_ROOM / size));
		g_array_set_size(array, n);
	}
	g_array_append_vals(array, value, 1);
	if (grows)
		base_pages_advise(array->data,
			MAX(BASE_PAGES_ROOM, (size_t)2 << g_bit_nth_msf(last + size, -1)), MADV_HUGEPAGE);
}

#endif
