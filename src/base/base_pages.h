/* SPDX-License-Identifier: MIT */
/* Memory as the kernel has it, in pages. */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Give the kernel ADVICE (MADV_…) on all pages that the SIZE bytes at FROM are on.  It is a hint: it may be
 * refused. */
static inline void base_pages_advise(const void *from, size_t size, int advice)
{
	uintptr_t page = (uintptr_t)getpagesize(), behind = (uintptr_t)from & (page - 1);

	madvise((char *)(uintptr_t)from - behind, size + behind, advice);
}

#endif
