/* SPDX-License-Identifier: MIT */
/* Formats for times on the screen; the user switches from one to the next.  To add one, add an entry to the
 * list in the .c file. */
#ifndef BASE_TIME_WAY_H
#define BASE_TIME_WAY_H

#include "base/base_time.h"

struct base_time_way {
	const char *name;  /* "since" */
	const char *unit;  /* "": none; ends each text, and a narrow list may omit it */
	unsigned width;    /* terminal cells of a text */
	bool counts_since; /* true if it counts from an origin; round numbers are then round relative to it */
	/* Format TIME with all digits, relative to ORIGIN if it counts from one.  The caller frees. */
	char *(*text)(int64_t time, int64_t origin);
	/* Format the label of a tick at TIME (at or after ORIGIN), with as many digits as STEP needs.  Ticks
	 * are STEP ns apart and end at MOST.  The caller frees. */
	char *(*tick)(int64_t time, int64_t origin, int64_t step, int64_t most);
};

/* Return the format after WAY; the first one after the last one and after NULL. */
const struct base_time_way *base_time_way_next(const struct base_time_way *way);
/* Return the format NAME; NULL if there is none. */
const struct base_time_way *base_time_way_find(const char *name);

#endif
