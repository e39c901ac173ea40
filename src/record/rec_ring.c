/* SPDX-License-Identifier: MIT */
/*
 * How it works: both rings have all events of the level enabled, and one of them records.  Enabling a hundred
 * events takes some 50 ms: the kernel patches its own code and interrupts all CPUs for that.  While a ring
 * does not record, its events only test a flag (ring_buffer_lock_reserve(), kernel/trace/ring_buffer.c).  At
 * a turn the other ring starts before this one stops, so no event is missed.
 */
#include "record/rec_ring.h"

#include "base/base_error.h"
#include "base/base_memory.h"
#include "record/rec_dat.h"
#include "record/rec_tracefs.h"

#include <tracefs.h>

#define NAMES (UINT64_C(1) << 20) /* bytes: about the most that thread names take in a recording */
#define OF_CPU 65536              /* bytes of each CPU: a partly filled page, counters */

/* A ring that is being saved. */
struct save {
	GThread *thread; /* NULL: none */
	gint done;
	struct tracefs_instance *ring; /* weak */
	unsigned cpus;
	const GByteArray *head; /* weak */
	char *path;             /* owned */
	int64_t begin;          /* ns of CLOCK_MONOTONIC: the file has all events since then */
	bool ok;
	GError *problem;
};

struct rec_rings {
	struct tracefs_instance *rings[2]; /* owned */
	unsigned cpus, active;
	enum rec_level level;
	GPtrArray *events[REC_LEVEL_PAUSED]; /* owned */
	GByteArray *heads[REC_LEVEL_PAUSED]; /* owned; NULL: not needed yet */
	uint64_t events_before;              /* events of rings that were cleared or left */
	gint64 since;                        /* µs: the active ring records since then */
	struct save save;
};

/* ---- saving, in a thread ---- */

/* Write the pages of the ring to DAT. */
static bool ring_fill(struct save *s, struct rec_drain *drain, struct rec_dat *dat)
{
	struct rec_dat_cpu *cpus = rec_drain_cpus(drain);
	int problem;
	int64_t cut;

	rec_drain_end(drain);
	for (unsigned i = 0; i < s->cpus; i++)
		cpus[i].stats = rec_tracefs_stats(s->ring, i);
	problem = rec_drain_problem(drain);
	if (problem)
		return base_error_false_errno(&s->problem, problem, "cannot write", s->path);
	cut = (int64_t)rec_drain_cut(drain);
	s->begin = MAX(s->begin, cut);
	return rec_dat_finish(dat, cpus, s->cpus, "mono", false, &s->problem);
}

static void ring_clear(struct tracefs_instance *ring)
{
	tracefs_instance_file_clear(ring, "trace");
}

static gpointer save_work(gpointer data)
{
	struct save *s = data;
	g_autofree char *instance = rec_tracefs_path(s->ring);
	struct rec_drain *drain = rec_drain_new(instance, s->cpus, s->path, &s->problem);
	struct rec_dat *dat = drain ? rec_dat_new(s->path, s->head, &s->problem) : NULL;

	s->ok = dat && ring_fill(s, drain, dat);
	if (dat)
		rec_dat_free(dat);
	if (drain)
		rec_drain_free(drain);
	ring_clear(s->ring);
	g_atomic_int_set(&s->done, 1);
	return NULL;
}

static const GByteArray *head_of(struct rec_rings *r)
{
	if (!r->heads[r->level])
		r->heads[r->level] = rec_dat_head(r->events[r->level]);
	return r->heads[r->level];
}

/* ---- turns ---- */

static void count_active(const struct rec_rings *r, struct rec_tracefs_count *c)
{
	rec_tracefs_count(r->rings[r->active], r->cpus, c);
}

void rec_rings_count(const struct rec_rings *r, struct rec_rings_count *count)
{
	struct rec_tracefs_count c;

	count_active(r, &c);
	*count = (struct rec_rings_count){ .events = r->events_before + c.read + c.unread + c.overwritten,
		.bytes = c.bytes,
		.whole = (int64_t)c.whole };
}

uint64_t rec_rings_size(struct rec_rings *r)
{
	struct rec_rings_count c;

	rec_rings_count(r, &c);
	return head_of(r)->len + NAMES + (uint64_t)r->cpus * OF_CPU + c.bytes;
}

gint64 rec_rings_since(const struct rec_rings *r)
{
	return r->since;
}

void rec_rings_turn(struct rec_rings *r, char *path)
{
	struct tracefs_instance *now = r->rings[r->active];
	struct rec_rings_count c;

	r->save = (struct save){ .ring = now,
		.cpus = r->cpus,
		.head = head_of(r),
		.path = path,
		.begin = r->since * 1000 };
	rec_tracefs_record(r->rings[!r->active], true);
	r->since = g_get_monotonic_time(); /* while both record */
	rec_tracefs_record(now, false);
	rec_rings_count(r, &c);
	r->events_before = c.events;
	r->active = !r->active;
	r->save.thread = base_memory_thread("wakepath-save", save_work, &r->save);
}

bool rec_rings_is_saved(struct rec_rings *r)
{
	return r->save.thread && g_atomic_int_get(&r->save.done);
}

bool rec_rings_end(struct rec_rings *r, int64_t *begin, GError **error)
{
	struct save *s = &r->save;

	g_thread_join(g_steal_pointer(&s->thread));
	g_free(s->path);
	*begin = s->begin;
	if (s->problem)
		g_propagate_error(error, s->problem);
	return s->ok;
}

/* ---- levels ---- */

bool rec_rings_set_level(struct rec_rings *r, enum rec_level level, GError **error)
{
	struct rec_rings_count c;
	bool ok = true;

	rec_rings_count(r, &c);
	r->events_before = c.events;
	for (unsigned i = 0; i < G_N_ELEMENTS(r->rings); i++)
		rec_tracefs_record(r->rings[i], false);
	for (unsigned i = 0; i < G_N_ELEMENTS(r->rings) && ok; i++) {
		if (r->level != REC_LEVEL_PAUSED)
			ok = rec_tracefs_enable(r->rings[i], r->events[r->level], false, error);
		if (ok && level != REC_LEVEL_PAUSED)
			ok = rec_tracefs_enable(r->rings[i], r->events[level], true, error);
		ring_clear(r->rings[i]);
	}
	r->level = level;
	r->since = g_get_monotonic_time();
	return ok &&
		(level == REC_LEVEL_PAUSED || rec_tracefs_record(r->rings[r->active], true) ||
			base_error_false(error, BASE_ERROR_IO, "cannot record in tracefs"));
}

/* ---- life ---- */

struct rec_rings *rec_rings_new(const char *name, uint64_t buffer, unsigned cpus,
	GPtrArray *const events[REC_LEVEL_PAUSED], GError **error)
{
	struct rec_rings *r = g_new(struct rec_rings, 1);

	*r = (struct rec_rings){ .cpus = cpus, .level = REC_LEVEL_PAUSED };
	for (unsigned i = 0; i < REC_LEVEL_PAUSED; i++)
		r->events[i] = events[i];
	for (unsigned i = 0; i < G_N_ELEMENTS(r->rings); i++) {
		g_autofree char *own = g_strdup_printf("%s-%u", name, i);

		r->rings[i] = rec_tracefs_new(own, buffer, error);
		if (!r->rings[i]) {
			rec_rings_free(r);
			return NULL;
		}
	}
	return r;
}

void rec_rings_free(struct rec_rings *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < G_N_ELEMENTS(r->rings); i++)
		rec_tracefs_free(r->rings[i]);
	for (unsigned i = 0; i < REC_LEVEL_PAUSED; i++) {
		g_ptr_array_unref(r->events[i]);
		g_clear_pointer(&r->heads[i], g_byte_array_unref);
	}
	g_free(r);
}
