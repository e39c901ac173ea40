/* SPDX-License-Identifier: MIT */
/* Progress of a long task, shared by the thread that works (the worker) and the thread that shows it (the
 * watcher).  Only one side writes each field, and the accessors read it, so no lock is needed. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct base_progress {
	gint64 started;    /* g_get_monotonic_time() at base_progress_init(), µs */
	gint cancelled;    /* the watcher sets it */
	gint share;        /* 0..10000: the part that is done */
	guint64 events;    /* events read so far */
	guint64 folders;   /* folders searched for traces so far; 0: the search is over */
	const char *label; /* static text: what the worker does */
};

struct base_progress_view {
	double share; /* 0..1 */
	uint64_t events;
	uint64_t folders; /* folders searched for traces so far; 0: the search is over */
	double events_per_s;
	double seconds_left; /* -1 if unknown */
	const char *label;   /* static text or NULL */
};

void base_progress_init(struct base_progress *p);

/* Worker: set how much is done (SHARE is clamped to 0..1) and how many events it has read. */
void base_progress_set(struct base_progress *p, double share, uint64_t events);
void base_progress_set_label(struct base_progress *p, const char *static_text);
/* Worker: set how many FOLDERS it has searched for traces; 0: the search is over.  P may be NULL. */
void base_progress_set_folders(struct base_progress *p, uint64_t folders);

/* Watcher: ask the worker to stop. */
void base_progress_cancel(struct base_progress *p);

/* Worker: true if it should stop and clean up, because P (may be NULL) is cancelled or a signal asks the
 * program to stop. */
bool base_progress_cancelled(struct base_progress *p);

/* Watcher: return the current values.  They are read one by one, which is consistent enough for a person. */
struct base_progress_view base_progress_view(struct base_progress *p);

#endif
