/* SPDX-License-Identifier: MIT */
/*
 * Lack of memory ends the program with one line and status 3, after it has removed temporary files and
 * restored the terminal.  GLib would abort, and each library would handle NULL in its own way.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* End the program because memory ran out.  For any thread; does not return. */
_Noreturn void base_memory_out(void);

/* Register WORDS. If an allocation of 1 GiB or more fails, the program ends with the line that WORDS returns,
 * so that a trace is blamed that makes a library allocate too much. If WORDS returns NULL, it ends with the
 * usual line. WORDS must not allocate. */
void base_memory_blame(const char *(*words)(void));

/* Like g_thread_new(), but ends the program as above if no thread can be made. */
GThread *base_memory_thread(const char *name, GThreadFunc func, void *data);

/* ---- pages, as the kernel manages memory ---- */

/* Apply ADVICE (MADV_…) to all pages that contain any of the SIZE bytes at FROM. The kernel may ignore it. */
static inline void base_pages_advise(const void *from, size_t size, int advice)
{
	uintptr_t page = (uintptr_t)getpagesize(), behind = (uintptr_t)from & (page - 1);

	madvise((char *)(uintptr_t)from - behind, size + behind, advice);
}

#define BASE_PAGES_LARGE ((size_t)1 << 21) /* bytes */

/* Allocate SIZE bytes on huge pages if the kernel has them: hundreds of page faults on small pages take as
 * long as reading a short trace.  The caller calls free(). */
static inline void *base_pages_new(size_t size)
{
	size_t whole = (size + BASE_PAGES_LARGE - 1) / BASE_PAGES_LARGE * BASE_PAGES_LARGE;
	void *pages = aligned_alloc(BASE_PAGES_LARGE, whole);

	if (!pages)
		base_memory_out();
	base_pages_advise(pages, whole, MADV_HUGEPAGE);
	return pages;
}

#define BASE_PAGES_ROOM (32 * BASE_PAGES_LARGE) /* bytes */

/* Append the element at VALUE to ARRAY, which may become very long. ARRAY grows by huge pages if the kernel
 * has them, because a fault on a small page takes longer than filling it. Once ARRAY has filled one huge
 * page, it gets room for BASE_PAGES_ROOM bytes: malloc() maps a block of that size by itself (always above 32
 * MB, M_MMAP_THRESHOLD), so realloc() never copies it. From then on the room is the next power of two of
 * bytes (GLib, g_array_maybe_expand()). */
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
