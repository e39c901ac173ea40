/* SPDX-License-Identifier: MIT */
/*
 * Made once, with all its events: enabling a hundred events takes some 50 ms, in which the kernel changes its own
 * code and interrupts all CPUs for it.  While a ring does not record, its events cost a look at a flag
 * (ring_buffer_lock_reserve(), kernel/trace/ring_buffer.c).
 */
#include "record/rec_ring.h"

#include "base/base_error.h"
#include "record/rec_dat.h"
#include "record/rec_tracefs.h"

#include <tracefs.h>

struct rec_ring {
	struct tracefs_instance *instance; /* owned */
	unsigned cpus;
};

struct rec_ring *rec_ring_new(const char *name, uint64_t buffer, unsigned cpus, GPtrArray *events,
	GError **error)
{
	struct rec_ring *r = g_new0(struct rec_ring, 1);

	r->cpus = cpus;
	r->instance = rec_tracefs_new(name, buffer, error);
	if (!r->instance || !rec_tracefs_enable(r->instance, events, true, error))
		g_clear_pointer(&r, rec_ring_free);
	return r;
}

void rec_ring_free(struct rec_ring *r)
{
	if (!r)
		return;
	rec_tracefs_free(r->instance);
	g_free(r);
}

bool rec_ring_record(struct rec_ring *r, bool on)
{
	return rec_tracefs_record(r->instance, on);
}

bool rec_ring_enable(struct rec_ring *r, GPtrArray *events, bool on, GError **error)
{
	return rec_tracefs_enable(r->instance, events, on, error);
}

void rec_ring_clear(struct rec_ring *r)
{
	tracefs_instance_file_clear(r->instance, "trace");
}

void rec_ring_count(struct rec_ring *r, uint64_t *events, uint64_t *bytes, int64_t *whole)
{
	struct rec_tracefs_count c;

	rec_tracefs_count(r->instance, r->cpus, &c);
	*events = c.read + c.unread + c.overwritten;
	*bytes = c.bytes;
	*whole = (int64_t)c.whole;
}

/* The pages of the ring into DAT. */
static bool ring_fill(struct rec_ring *r, struct rec_drain *drain, struct rec_dat *dat, const char *path,
	int64_t *begin, GError **error)
{
	struct rec_dat_cpu *cpus = rec_drain_cpus(drain);
	int problem;

	rec_drain_end(drain);
	for (unsigned i = 0; i < r->cpus; i++)
		cpus[i].stats = rec_tracefs_stats(r->instance, i);
	problem = rec_drain_problem(drain);
	if (problem)
		return base_error_false_errno(error, problem, "cannot write", path);
	*begin = (int64_t)rec_drain_cut(drain);
	return rec_dat_finish(dat, cpus, r->cpus, "mono", false, error);
}

bool rec_ring_save(struct rec_ring *r, const GByteArray *head, const char *path, int64_t *begin,
	GError **error)
{
	g_autofree char *instance = rec_tracefs_path(r->instance);
	struct rec_drain *drain = rec_drain_new(instance, r->cpus, path, error);
	struct rec_dat *dat = drain ? rec_dat_new(path, head, error) : NULL;
	bool ok = dat && ring_fill(r, drain, dat, path, begin, error);

	if (dat)
		rec_dat_free(dat);
	if (drain)
		rec_drain_free(drain);
	rec_ring_clear(r);
	return ok;
}
