/* SPDX-License-Identifier: MIT */
/* Two kernel rings that take turns: one records the last events, the other one is saved as a trace.dat. */
#ifndef REC_RING_H
#define REC_RING_H

#include "record/rec_budget.h"

struct rec_rings;

/* Create the tracefs instances NAME-0 and NAME-1, each with BUFFER bytes for each of CPUS CPUs.  EVENTS
 * ("system:event"; taken) are the events of each level; those that the kernel does not have are removed from
 * them.  Nothing is recorded yet: the level is REC_LEVEL_PAUSED.  NULL with BASE_ERROR_IO. */
struct rec_rings *rec_rings_new(const char *name, uint64_t buffer, unsigned cpus,
	GPtrArray *const events[REC_LEVEL_PAUSED], GError **error);
/* Remove the instances from the kernel.  R may be NULL. */
void rec_rings_free(struct rec_rings *r);
/* Clear both rings, and record the events of LEVEL from now on.  No save may be running.  False with
 * BASE_ERROR_IO. */
bool rec_rings_set_level(struct rec_rings *r, enum rec_level level, GError **error);

/* Counters of both rings. */
struct rec_rings_count {
	uint64_t events; /* recorded so far, by both */
	uint64_t bytes;  /* in the active ring, which records now */
	int64_t whole;   /* ns, CLOCK_MONOTONIC: the active ring is complete since then; 0: since its start */
};
void rec_rings_count(const struct rec_rings *r, struct rec_rings_count *count);
/* Return an estimate of the largest recording of the active ring, bytes. */
uint64_t rec_rings_size(struct rec_rings *r);
/* Return when the active ring began to record (µs of g_get_monotonic_time()).  The ring that is being saved,
 * if any, has the earlier events. */
gint64 rec_rings_since(const struct rec_rings *r);

/* Let the other ring record, and save this one in a thread as the file PATH (taken), which must not exist.
 * No other save may be running. */
void rec_rings_turn(struct rec_rings *r, char *path);
/* True if a save is complete, so that rec_rings_end() does not wait. */
bool rec_rings_is_saved(struct rec_rings *r);
/* Wait until the save ends.  *BEGIN: the file has all events since then (ns of CLOCK_MONOTONIC).  False with
 * BASE_ERROR_IO: there is no file. */
bool rec_rings_end(struct rec_rings *r, int64_t *begin, GError **error);

#endif
