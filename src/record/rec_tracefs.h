/* SPDX-License-Identifier: MIT */
/* An instance of tracefs that nobody else uses: a ring buffer with events of its own. */
#ifndef REC_TRACEFS_H
#define REC_TRACEFS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct tracefs_instance;

/* Why instances cannot be made, one line, static; NULL: they can. */
const char *rec_tracefs_problem(void);
/* Make the instance NAME: the clock mono, a ring of BUFFER bytes for each CPU that overwrites the oldest, not
 * yet recording.  NULL with BASE_ERROR_IO. */
struct tracefs_instance *rec_tracefs_new(const char *name, uint64_t buffer, GError **error);
/* Enable EVENTS (char *, "system:event"); what the kernel does not have is taken out of the list.  False with
 * BASE_ERROR_IO: it has none of them. */
bool rec_tracefs_enable(struct tracefs_instance *instance, GPtrArray *events, GError **error);
/* Let it record, or hold; false with errno. */
bool rec_tracefs_record(struct tracefs_instance *instance, bool on);

/* What the kernel counted in the rings of all CPUs. */
struct rec_tracefs_count {
	uint64_t read, unread;         /* events that were taken out, and that are there */
	uint64_t overwritten, refused; /* events that gave way to newer ones, and that found no place */
	uint64_t bytes;                /* of those that are there */
	uint64_t fullest;              /* bytes in the ring of one CPU */
};
void rec_tracefs_count(struct tracefs_instance *instance, unsigned cpus, struct rec_tracefs_count *count);
/* The same of one CPU as the kernel tells it; the caller frees.  NULL: it cannot be read. */
char *rec_tracefs_stats(struct tracefs_instance *instance, unsigned cpu);
/* Take it away, with what it has; INSTANCE may be NULL. */
void rec_tracefs_free(struct tracefs_instance *instance);

/* The events of LIST ("system:event", an event may have a '*', between commas) that this kernel has: a new
 * array of char *. */
GPtrArray *rec_tracefs_events(const char *list);

/* Instances whose process was killed: a new array of char *. */
GPtrArray *rec_tracefs_left(void);
/* Take them away; false with BASE_ERROR_IO. */
bool rec_tracefs_clean(GError **error);

#endif
