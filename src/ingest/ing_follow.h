/* SPDX-License-Identifier: MIT */
/* Follows a trace while it is written: its index grows, and the part that exists can be opened at any time.
 * The process must have no other thread that may hold a lock: see ing_follow.c. */
#ifndef ING_FOLLOW_H
#define ING_FOLLOW_H

#include "ingest/ing.h"

struct ing_follow;

/* Progress of the index. */
struct ing_follow_view {
	const struct trc_recording *recording; /* the trace as far as it is read; weak; NULL: not found yet */
	const char *index; /* what can be opened, with FINGERPRINT; NULL: nothing yet; weak, as is the next */
	const char *fingerprint;
	const char *waits_for; /* the stream that all others wait for; NULL: none; weak */
	/* why nothing can be read yet, or why the trace was read again; NULL: neither; weak */
	const char *note;
	uint64_t events;  /* in INDEX */
	unsigned times;   /* how often an index that can be opened was made */
	double share;     /* 0..1: part of the written trace that is read */
	bool more;        /* true if the trace has more data than was read */
	int64_t from, to; /* ns: interval that INDEX covers; BASE_TIME_NONE: no index yet */
	/* ns from TO to now, if no event was lost on the way: data that waits to be read, and data that is
	 * not written yet */
	int64_t behind;
	int64_t idle; /* ns since the trace last grew */
};

/* Follow the only recording at or below PATHS (NULL-terminated).  WHOLE: the recording is complete, only its
 * index grows.  NULL with an error if no recording can be there. */
struct ing_follow *ing_follow_new(char *const *paths, bool whole, const struct ing_options *options,
	GError **error);
/* Removes the index unless ing_follow_close() finished it. */
void ing_follow_free(struct ing_follow *f);

#define ING_FOLLOW_RARER (-1) /* after 0.1 s, then after twice the time each time */

/*
 * Look for new data, read the events that are certain, and if there are new ones make an index that can be
 * opened, at most once per EVERY ns (or ING_FOLLOW_RARER).  Returns as soon as there is a new index, even if
 * there is more to read, and when a signal asks the program to stop.  False with BASE_ERROR_IO if the index
 * cannot be written, or with the error of the reader if the trace will never be readable.  Data that cannot
 * be read yet is no error: NOTE says why.
 */
bool ing_follow_step(struct ing_follow *f, int64_t every, GError **error);
struct ing_follow_view ing_follow_view(const struct ing_follow *f);

/* The recording has ended: read the rest and leave the index as a build would make it now.  The caller frees
 * *INDEX and *FINGERPRINT.  False with BASE_ERROR_DATA if the trace is still written or has no event. */
bool ing_follow_close(struct ing_follow *f, char **index, char **fingerprint, GError **error);

#endif
