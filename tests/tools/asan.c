/* SPDX-License-Identifier: MIT */
/*
 * Linked into what is built with the sanitizers: the trace library unloads its
 * plugins when it is done, and a leak of theirs would have no name by which
 * tests/tools/lsan.supp could know it.
 *
 * And LeakSanitizer reads all variables at the end, five megabytes of which are
 * the sanitizers' own, hardly ever written: a page fault each 4 KB, for
 * thousands of runs, where one call has them all (MADV_POPULATE_READ, Linux 5.14;
 * older ones refuse it).
 */
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

extern char __bss_start[], _end[];

int dlclose(void *handle);

int dlclose(void *handle)
{
	(void)handle;
	return 0;
}

__attribute__((constructor)) static void read_unset(void)
{
	uintptr_t page = (uintptr_t)getpagesize();
	uintptr_t from = (uintptr_t)__bss_start & ~(page - 1);

	madvise((void *)from, (uintptr_t)_end - from, MADV_POPULATE_READ);
}
