/* SPDX-License-Identifier: MIT */
/*
 * Progress of a long task, shared between the thread that works and the one
 * that shows it.  Every field is written by one side only and read with the
 * accessors, so no lock is needed.
 */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct base_progress {
	gint64 started;    /* g_get_monotonic_time() of base_progress_init() */
	gint cancelled;    /* set by the watcher */
	gint share;        /* 0..10000, done of all */
	guint64 events;    /* events read so far */
	guint64 folders;   /* in which traces were looked for; 0: that is over */
	const char *label; /* static text: what is being done */
};

struct base_progress_view {
	double share; /* 0..1 */
	uint64_t events;
	uint64_t folders; /* in which traces are looked for now, so far; 0: they are known */
	double events_per_s;
	double seconds_left; /* -1 while nobody knows */
	const char *label;   /* static text or NULL */
};

void base_progress_init(struct base_progress *p);

/* Worker: say how far it is.  SHARE is clamped to 0..1. */
void base_progress_set(struct base_progress *p, double share, uint64_t events);
void base_progress_set_label(struct base_progress *p, const char *static_text);
/* Worker: in how many FOLDERS it has looked for traces; 0: that is over.  P may be NULL. */
void base_progress_set_folders(struct base_progress *p, uint64_t folders);

/* Watcher: ask the worker to stop. */
void base_progress_cancel(struct base_progress *p);

/* Worker: true when it should stop and clean up: P (may be NULL) is cancelled, or a signal asks the program
 * to stop. */
bool base_progress_cancelled(struct base_progress *p);

/* Watcher: a consistent enough view for a person. */
struct base_progress_view base_progress_view(struct base_progress *p);

#endif
