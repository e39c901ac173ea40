/* SPDX-License-Identifier: MIT */
/* A ring of the kernel with the last events, which is saved as a trace.dat again and again. */
#ifndef REC_RING_H
#define REC_RING_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct rec_ring;

/* Create the tracefs instance NAME with BUFFER bytes for each of CPUS CPUs and EVENTS ("system:event"), not recording
 * yet; events that the kernel does not have are removed from EVENTS.  NULL with BASE_ERROR_IO. */
struct rec_ring *rec_ring_new(const char *name, uint64_t buffer, unsigned cpus, GPtrArray *events,
	GError **error);
/* Remove it from the kernel. */
void rec_ring_free(struct rec_ring *r);
/* Start (ON) or stop recording; false with errno. */
bool rec_ring_record(struct rec_ring *r, bool on);
/* Enable (ON) or disable EVENTS.  False with BASE_ERROR_IO. */
bool rec_ring_enable(struct rec_ring *r, GPtrArray *events, bool on, GError **error);
/* Drop everything recorded so far. */
void rec_ring_clear(struct rec_ring *r);
/* The number of events recorded since the ring was cleared; the bytes that are in it now; the time (ns of
 * CLOCK_MONOTONIC) from which on all events are in it, 0: all ever. */
void rec_ring_count(struct rec_ring *r, uint64_t *events, uint64_t *bytes, int64_t *whole);
/*
 * Write what is in the ring, which does not record, to the file PATH, which must not exist; HEAD is that of its events
 * (rec_dat_head()).  The ring is clear afterwards, also after a failure.  *BEGIN becomes the time (ns of
 * CLOCK_MONOTONIC) from which all events are there; 0: from when the ring was started.  False with BASE_ERROR_IO, and
 * nothing is left.
 */
bool rec_ring_save(struct rec_ring *r, const GByteArray *head, const char *path, int64_t *begin,
	GError **error);

#endif
