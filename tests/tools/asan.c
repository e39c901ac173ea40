/* SPDX-License-Identifier: MIT */
/*
 * Linked into all programs with the sanitizers.
 *
 * dlclose() does nothing: libbabeltrace2 unloads its plugins at its end, and tests/tools/lsan.supp could not
 * match a leak of an unloaded plugin by name.
 *
 * Memory that the sanitizers always touch is populated by one call instead of a page fault per page, which
 * counts in thousands of runs (MADV_POPULATE_*, Linux 5.14; older kernels refuse it).  At the start these are
 * the sanitizers' variables, 5 MB, which every allocation writes to and LeakSanitizer reads at the end.
 * Before the end it is the first 64 KB of each size class of AddressSanitizer's heap, the least that a class
 * takes, which LeakSanitizer reads, too.  If the heap is at another address, that call has no effect.
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

/* Runs before all constructors, because each source file has one that registers its variables with the
 * sanitizer. */
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = ready_variables;

__attribute__((destructor)) static void ready_heap(void)
{
	uintptr_t heap = 0x600000000000;

	for (uintptr_t size = 0; size < 64; size++)
		madvise((void *)(heap + (size << 36)), 65536, MADV_POPULATE_READ);
}
