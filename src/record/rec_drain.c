/* SPDX-License-Identifier: MIT */
/*
 * How it works: splice() moves whole pages from the kernel's buffer to the page cache without a copy; at the
 * end read() returns the last pages, which are partly filled (tracing_buffers_splice_read() and
 * tracing_buffers_read() in kernel/trace/trace.c).  A few threads visit the CPUs in turn.  They poll and
 * sleep instead of waiting for the kernel: it would wake them for each page, and record that.
 */
#include "record/rec_dat.h"

#include "base/base_error.h"
#include "base/base_memory.h"
#include "base/base_out.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define THREADS_MAX 8
#define EVERY_US 50000
#define PAGE_MAX 65536
#define AT_ONCE (16 * PAGE_MAX) /* bytes; a pipe holds 16 pages */

struct rec_drain {
	unsigned n_cpus, n_threads;
	int *raw; /* of each CPU; -1: closed */
	struct rec_dat_cpu *cpus;
	struct worker {
		struct rec_drain *d;
		unsigned first;
		int pipe[2];
		GThread *thread; /* NULL: none */
	} workers[THREADS_MAX];
	gint ended, problem;
};

static void drain_fail(struct rec_drain *d, int problem)
{
	g_atomic_int_compare_and_exchange(&d->problem, 0, problem);
}

/* Move SIZE bytes from the pipe to the file of CPU. */
static bool empty_pipe(struct rec_drain *d, const struct worker *w, unsigned cpu, size_t size)
{
	while (size > 0) {
		ssize_t n = splice(w->pipe[0], NULL, d->cpus[cpu].fd, NULL, size, SPLICE_F_MOVE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			drain_fail(d, n < 0 ? errno : ENOSPC);
			return false;
		}
		size -= (size_t)n;
		d->cpus[cpu].size += (uint64_t)n;
	}
	return true;
}

/* Move all whole pages of CPU. */
static void move_pages(struct rec_drain *d, const struct worker *w, unsigned cpu)
{
	ssize_t n;

	do {
		n = splice(d->raw[cpu], NULL, w->pipe[1], NULL, AT_ONCE, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	} while (n > 0 ? empty_pipe(d, w, cpu, (size_t)n) : n < 0 && errno == EINTR);
	if (n < 0 && errno != EAGAIN)
		drain_fail(d, errno);
}

/* Move the rest of CPU, partly filled pages included. */
static void move_rest(struct rec_drain *d, unsigned cpu)
{
	size_t page = MIN((size_t)sysconf(_SC_PAGESIZE), PAGE_MAX);
	char buffer[PAGE_MAX] = { 0 };
	GError *problem = NULL;
	ssize_t n;

	while (!rec_drain_problem(d) && (n = read(d->raw[cpu], buffer, page)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			if (errno != EAGAIN)
				drain_fail(d, errno);
			return;
		}
		if (!base_out_write(d->cpus[cpu].fd, buffer, page, "", &problem)) {
			g_clear_error(&problem);
			drain_fail(d, ENOSPC);
			return;
		}
		d->cpus[cpu].size += page;
	}
}

static gpointer drain_work(gpointer data)
{
	struct worker *w = data;
	struct rec_drain *d = w->d;

	while (!g_atomic_int_get(&d->ended) && !rec_drain_problem(d)) {
		for (unsigned cpu = w->first; cpu < d->n_cpus && !rec_drain_problem(d); cpu += d->n_threads)
			move_pages(d, w, cpu);
		g_usleep(EVERY_US);
	}
	return NULL;
}

static bool open_cpu(struct rec_drain *d, unsigned cpu, const char *instance, const char *near,
	GError **error)
{
	g_autofree char *path = g_strdup_printf("%s/per_cpu/cpu%u/trace_pipe_raw", instance, cpu);

	d->raw[cpu] = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (d->raw[cpu] < 0)
		return base_error_false_errno(error, errno, "cannot read", path);
	d->cpus[cpu].fd = base_out_new(near, error);
	return d->cpus[cpu].fd >= 0;
}

struct rec_drain *rec_drain_new(const char *instance, unsigned cpus, const char *near, GError **error)
{
	struct rec_drain *d = g_new0(struct rec_drain, 1);
	bool ok = true;

	d->n_cpus = cpus;
	d->n_threads = MIN(cpus, THREADS_MAX);
	d->raw = g_new(int, cpus);
	d->cpus = g_new0(struct rec_dat_cpu, cpus);
	for (unsigned i = 0; i < cpus; i++)
		d->raw[i] = d->cpus[i].fd = -1;
	for (unsigned i = 0; i < d->n_threads; i++)
		d->workers[i] = (struct worker){ .d = d, .first = i, .pipe = { -1, -1 } };
	for (unsigned i = 0; i < cpus && ok; i++)
		ok = open_cpu(d, i, instance, near, error);
	for (unsigned i = 0; i < d->n_threads && ok; i++)
		if (pipe2(d->workers[i].pipe, O_CLOEXEC) != 0)
			ok = base_error_false_errno(error, errno, "cannot make", "a pipe");
	if (!ok)
		g_clear_pointer(&d, rec_drain_free);
	return d;
}

void rec_drain_begin(struct rec_drain *d)
{
	for (unsigned i = 0; i < d->n_threads; i++)
		d->workers[i].thread = base_memory_thread("wakepath-drain", drain_work, &d->workers[i]);
}

int rec_drain_problem(struct rec_drain *d)
{
	return g_atomic_int_get(&d->problem);
}

static void close_if_open(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Close the pipes before the instance is removed: a page in a pipe points to its ring buffer without a
 * reference, and the kernel crashes if the page is released later (buffer_pipe_buf_release() in
 * kernel/trace/trace.c). */
static void close_pipes(struct rec_drain *d)
{
	for (unsigned i = 0; i < d->n_threads; i++) {
		close_if_open(&d->workers[i].pipe[0]);
		close_if_open(&d->workers[i].pipe[1]);
	}
}

void rec_drain_end(struct rec_drain *d)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	g_atomic_int_set(&d->ended, 1);
	for (unsigned i = 0; i < d->n_threads; i++)
		if (d->workers[i].thread)
			g_thread_join(g_steal_pointer(&d->workers[i].thread));
	for (unsigned cpu = 0; cpu < d->n_cpus; cpu++) {
		if (!rec_drain_problem(d))
			move_pages(d, &d->workers[0], cpu);
		if (!rec_drain_problem(d))
			move_rest(d, cpu);
		d->cpus[cpu].size -= d->cpus[cpu].size % page; /* cut by a full disk */
		close_if_open(&d->raw[cpu]);
	}
	close_pipes(d);
}

struct rec_dat_cpu *rec_drain_cpus(struct rec_drain *d)
{
	return d->cpus;
}

unsigned rec_drain_count(const struct rec_drain *d)
{
	return d->n_cpus;
}

void rec_drain_free(struct rec_drain *d)
{
	close_pipes(d);
	for (unsigned i = 0; i < d->n_cpus; i++) {
		close_if_open(&d->raw[i]);
		close_if_open(&d->cpus[i].fd);
		g_free(d->cpus[i].stats);
	}
	g_free(d->raw);
	g_free(d->cpus);
	g_free(d);
}
