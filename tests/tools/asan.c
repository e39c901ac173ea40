/* SPDX-License-Identifier: MIT */
/*
 * Linked into what is built with the sanitizers: the trace library unloads its
 * plugins when it is done, and a leak of theirs would have no name by which
 * tests/tools/lsan.supp could know it.
 *
 * And memory that the sanitizers are sure to touch is made ready by one call for
 * many pages, not by a page fault for each of them, in thousands of runs
 * (MADV_POPULATE_*, Linux 5.14; older ones refuse it): at the beginning their
 * variables, five megabytes, into which all that is allocated writes somewhere
 * and which LeakSanitizer reads at the end; before that end the first 64 KB of
 * each size of AddressSanitizer's heap, the least that it takes, which are read
 * as well.  (Where the heap lies elsewhere, nothing is there to make ready.)
 */
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

extern char __bss_start[], _end[];

int dlclose(void *handle);

int dlclose(void *handle)
{
	(void)handle;
	return 0;
}

__attribute__((no_sanitize("address", "undefined"))) static void ready_variables(void)
{
	uintptr_t page = (uintptr_t)getpagesize();
	uintptr_t from = (uintptr_t)__bss_start & ~(page - 1);

	madvise((void *)from, (uintptr_t)_end - from, MADV_POPULATE_WRITE);
}

/* Before all constructors: each file of ours has one that registers its variables with the sanitizer. */
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = ready_variables;

__attribute__((destructor)) static void ready_heap(void)
{
	uintptr_t heap = 0x600000000000;

	for (uintptr_t size = 0; size < 64; size++)
		madvise((void *)(heap + (size << 36)), 65536, MADV_POPULATE_READ);
}
