/* SPDX-License-Identifier: MIT */
/*
 * A trace that is followed while it is written: its index grows, and what there is of it can be opened at any
 * time.  For a process with no other threads that hold locks: see ing_follow.c.
 */
#ifndef ING_FOLLOW_H
#define ING_FOLLOW_H

#include "ingest/ing.h"

struct ing_follow;

/* How far it is. */
struct ing_follow_view {
	char *const *folders; /* of the trace as far as it is read; weak */
	const char *index; /* what can be opened, with FINGERPRINT; NULL: nothing yet; weak, as is the next */
	const char *fingerprint;
	const char *waits_for; /* the stream that all others wait for; NULL: none; weak */
	const char *note;      /* why there is nothing to read yet, or why all was read again; NULL; weak */
	uint64_t events;       /* in the index */
	unsigned times;        /* that an index was made to be opened */
	double share;          /* 0..1: read of what is written */
	bool more;             /* there is more to read than was read */
	int64_t from, to;      /* ns: that the index covers, BASE_TIME_NONE: nothing yet */
	int64_t behind; /* ns from TO to now, if nothing was lost on the way: what is written and waits, and
			   what is not written yet */
	int64_t idle;   /* ns since something was written */
};

/* Follow the one recording at or below PATHS (NULL-terminated); WHOLE: it is written, and only its index
 * grows.  NULL with an error when none can be there. */
struct ing_follow *ing_follow_new(char *const *paths, bool whole, const struct ing_options *options,
	GError **error);
/* Without ing_follow_close() nothing is left of it. */
void ing_follow_free(struct ing_follow *f);

#define ING_FOLLOW_RARER (-1) /* after a tenth of a second, then each time after twice as long */

/*
 * Look what was written, read what is certain, and when that is new make an index that can be opened, at most
 * once in EVERY ns, or ING_FOLLOW_RARER.  Returns as soon as there is one, although there may be more to
 * read, and when a signal asks the program to stop.  False with BASE_ERROR_IO when it cannot be written. What
 * cannot be read yet is a note.
 */
bool ing_follow_step(struct ing_follow *f, int64_t every, GError **error);
struct ing_follow_view ing_follow_view(const struct ing_follow *f);

/*
 * The recording has ended: read the rest, and leave the index as if it was built now; *INDEX and
 * *FINGERPRINT, for the caller to free.  BASE_ERROR_DATA when it is still written, or there was no event.
 */
bool ing_follow_close(struct ing_follow *f, char **index, char **fingerprint, GError **error);

#endif
