/* SPDX-License-Identifier: MIT */
/* A private instance of tracefs: a ring buffer with its own set of events. */
#ifndef REC_TRACEFS_H
#define REC_TRACEFS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct tracefs_instance;

/* Return why instances cannot be made, one static line; NULL if they can. */
const char *rec_tracefs_problem(void);
/* Create the instance NAME: clock mono, a ring of BUFFER bytes per CPU that overwrites the oldest events, not
 * recording yet.  NULL with BASE_ERROR_IO. */
struct tracefs_instance *rec_tracefs_new(const char *name, uint64_t buffer, GError **error);
/* Return the path of INSTANCE; the caller frees. */
char *rec_tracefs_path(struct tracefs_instance *instance);
/* Enable (ON) or disable EVENTS (char *, "system:event"), and remove from EVENTS those that the kernel does
 * not have.  False with BASE_ERROR_IO if it has none of them. */
bool rec_tracefs_enable(struct tracefs_instance *instance, GPtrArray *events, bool on, GError **error);
/* Start (ON) or stop recording; false with errno. */
bool rec_tracefs_record(struct tracefs_instance *instance, bool on);

/* Counters of the kernel, over the rings of all CPUs. */
struct rec_tracefs_count {
	uint64_t read, unread; /* events read from the rings, and events still in them */
	/* events overwritten by newer ones, and events dropped for lack of space */
	uint64_t overwritten, refused;
	uint64_t bytes;   /* of the unread events */
	uint64_t fullest; /* bytes in the fullest ring */
	uint64_t whole; /* ns of the ring's clock: no ring lost events since then; 0: none was overwritten */
};
/* Set *COUNT for the rings of CPUS CPUs, without those whose counters cannot be read. */
void rec_tracefs_count(struct tracefs_instance *instance, unsigned cpus, struct rec_tracefs_count *count);
/* Return the kernel's counters of one CPU as text; the caller frees.  NULL if they cannot be read. */
char *rec_tracefs_stats(struct tracefs_instance *instance, unsigned cpu);
/* Remove INSTANCE (may be NULL) from the kernel with everything in it, and free it. */
void rec_tracefs_free(struct tracefs_instance *instance);

/* Return the events of LIST that this kernel has, a new array of char *; the caller unrefs.  LIST has
 * "system:event", separated by commas; the event may contain '*'. */
GPtrArray *rec_tracefs_events(const char *list);

/* Return the names of instances whose process was killed, a new array of char *; the caller unrefs. */
GPtrArray *rec_tracefs_left(void);
/* Remove those instances that nobody reads.  False with BASE_ERROR_IO if one stays. */
bool rec_tracefs_clean(GError **error);

#endif
