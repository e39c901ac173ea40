/* SPDX-License-Identifier: MIT */
/* The ways to show a time; the user goes from one to the next.  A new one is an entry of the list in the .c.
 */
#ifndef BASE_TIME_WAY_H
#define BASE_TIME_WAY_H

#include "base/base_time.h"

struct base_time_way {
	const char *name;  /* "since" */
	const char *unit;  /* at the end of each text; "" none.  A narrow list may leave it out */
	unsigned width;    /* cells that texts take */
	bool counts_since; /* it counts from an origin, and what is round is so from there */
	/* TIME with all digits, where times count from ORIGIN.  The caller frees. */
	char *(*text)(int64_t time, int64_t origin);
	/*
	 * The label of a tick at TIME, which is not before ORIGIN, where ticks are STEP apart and times go up
	 * to MOST: as many digits as STEP needs.  The caller frees.
	 */
	char *(*tick)(int64_t time, int64_t origin, int64_t step, int64_t most);
};

/* The way after WAY; after the last one, and after NULL, the first one. */
const struct base_time_way *base_time_way_next(const struct base_time_way *way);
/* The way called NAME; NULL: there is none. */
const struct base_time_way *base_time_way_find(const char *name);

#endif
