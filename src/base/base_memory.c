/* SPDX-License-Identifier: MIT */
/*
 * How it works: the program defines the functions of malloc() itself, so that all libraries call these. They
 * call those of the C library, and no caller ever sees a failure.
 *
 * Sanitizers have functions of their own, and end the program if these fail. No C library except glibc gives
 * its functions a second name: there GLib aborts.
 */
#include "base/base_memory.h"

#include "base/base_stop.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#define TOO_MUCH (UINT64_C(1) << 30) /* bytes in one allocation: no real trace needs that much */

static const char *(*blame)(void);

void base_memory_blame(const char *(*words)(void))
{
	blame = words;
}

_Noreturn void base_memory_out(void)
{
	base_stop_now(3,
		"wakepath: out of memory: close other programs or raise the limit (ulimit -v), or open less at once: fewer traces, a shorter window\n");
}

GThread *base_memory_thread(const char *name, GThreadFunc func, void *data)
{
	GThread *thread = g_thread_try_new(name, func, data, NULL);

	if (!thread)
		base_stop_no_thread();
	return thread;
}

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED
#endif
#endif

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
	!defined(SANITIZED)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

/* The link-time optimiser does not see the callers of these. */
#define FOR_ALL __attribute__((used, noinline))

/* MEMORY, of SIZE bytes. If it is NULL, end the program with a message. */
static void *there(void *memory, size_t size)
{
	const char *words;

	if (G_LIKELY(memory))
		return memory;
	words = size >= TOO_MUCH && blame ? blame() : NULL;
	if (words)
		base_stop_now(3, words);
	base_memory_out();
}

FOR_ALL void *malloc(size_t size)
{
	return there(__libc_malloc(size), size);
}

FOR_ALL void *calloc(size_t n, size_t size)
{
	return there(__libc_calloc(n, size), size > 0 && n > SIZE_MAX / size ? SIZE_MAX : n * size);
}

FOR_ALL void *realloc(void *old, size_t size)
{
	void *memory = __libc_realloc(old, size);

	return size > 0 ? there(memory, size) : memory;
}

FOR_ALL void *memalign(size_t alignment, size_t size)
{
	return there(__libc_memalign(alignment, size), size);
}

FOR_ALL void *aligned_alloc(size_t alignment, size_t size)
{
	return there(__libc_memalign(alignment, size), size);
}

FOR_ALL int posix_memalign(void **memory, size_t alignment, size_t size)
{
	if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
		return EINVAL;
	*memory = there(__libc_memalign(alignment, size), size);
	return 0;
}

#endif
