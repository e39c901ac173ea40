/* SPDX-License-Identifier: MIT */
/*
 * Linked into all programs with ThreadSanitizer: GLib's locks and queues use futexes in a library that is not
 * instrumented, so ThreadSanitizer would see no order between threads that use them.  Each function here
 * reports the order to ThreadSanitizer and calls GLib's own.
 */
#include <dlfcn.h>
#include <glib.h>
#include <sanitizer/tsan_interface.h>

/* GLib's own function NAME. */
static void *own(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	if (!f)
		__builtin_trap();
	return f;
}

/* Released by all jobs of thread pools, acquired when a pool is freed. */
static char done;

void(g_mutex_lock)(GMutex *mutex)
{
	static void (*known)(GMutex *);
	void (*f)(GMutex *) = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (!f) {
		f = (void (*)(GMutex *))own("g_mutex_lock");
		__atomic_store_n(&known, f, __ATOMIC_RELAXED);
	}
	f(mutex);
	__tsan_acquire(mutex);
}

void(g_mutex_unlock)(GMutex *mutex)
{
	static void (*known)(GMutex *);
	void (*f)(GMutex *) = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (!f) {
		f = (void (*)(GMutex *))own("g_mutex_unlock");
		__atomic_store_n(&known, f, __ATOMIC_RELAXED);
	}
	__tsan_release(mutex);
	__tsan_release(&done);
	f(mutex);
}

void g_cond_wait(GCond *cond, GMutex *mutex)
{
	void (*f)(GCond *, GMutex *) = (void (*)(GCond *, GMutex *))own("g_cond_wait");

	__tsan_release(mutex);
	f(cond, mutex);
	__tsan_acquire(mutex);
}

gboolean g_cond_wait_until(GCond *cond, GMutex *mutex, gint64 end)
{
	gboolean (*f)(GCond *, GMutex *, gint64) = (gboolean(*)(GCond *, GMutex *, gint64))own(
		"g_cond_wait_until");
	gboolean woken;

	__tsan_release(mutex);
	woken = f(cond, mutex, end);
	__tsan_acquire(mutex);
	return woken;
}

void g_async_queue_push(GAsyncQueue *queue, gpointer data)
{
	void (*f)(GAsyncQueue *, gpointer) = (void (*)(GAsyncQueue *, gpointer))own("g_async_queue_push");

	__tsan_release(queue);
	f(queue, data);
}

gpointer g_async_queue_pop(GAsyncQueue *queue)
{
	gpointer (*f)(GAsyncQueue *) = (gpointer(*)(GAsyncQueue *))own("g_async_queue_pop");
	gpointer data = f(queue);

	__tsan_acquire(queue);
	return data;
}

void g_thread_pool_free(GThreadPool *pool, gboolean immediate, gboolean wait)
{
	void (*f)(GThreadPool *, gboolean, gboolean) = (void (*)(GThreadPool *, gboolean, gboolean))own(
		"g_thread_pool_free");

	f(pool, immediate, wait);
	__tsan_acquire(&done);
}
