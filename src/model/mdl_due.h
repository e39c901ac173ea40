/* SPDX-License-Identifier: MIT */
/* When timers were due, by the clock of the trace: private to src/model. */
#ifndef MDL_DUE_H
#define MDL_DUE_H

#include "model/mdl_types.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- hrtimers: nanoseconds of a base's clock ---- */

/* At which time of the trace a clock showed 0: between the two. */
struct mdl_zero {
	int64_t lo, hi;
};

/* As many clocks as there are bases: CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME, CLOCK_TAI. */
#define MDL_ZEROS 4

struct mdl_zeros {
	struct mdl_zero zero[MDL_ZEROS];
	unsigned n; /* ever put in */
};

/* CLOCK_MONOTONIC showed 0 at ZERO. */
void mdl_due_know(struct mdl_zeros *z, int64_t zero);

/*
 * An hrtimer expires at TIME, which its base's clock calls NOW: read a little before, but not before EARLIEST
 * (MDL_NEVER: not known). The time at which that clock shows EXPIRES, or the latest it can be; MDL_NEVER
 * where it does not fit into an int64_t.
 */
int64_t mdl_due_hrtimer(struct mdl_zeros *z, int64_t time, int64_t earliest, int64_t now, int64_t expires);

/* ---- the timer wheel: jiffies ---- */

/* How jiffies go by the clock of the trace. */
struct mdl_jiffies {
	bool known;          /* the next three are set */
	int64_t first, time; /* that many jiffies at that time … */
	int64_t last;        /* … and the most ever seen since */
	int64_t tick;        /* ns of a jiffy; 0 not known yet */
	int64_t ahead[2]; /* ns after TIME at which jiffy FIRST began at the latest, by what was seen lately
			     and just before that: 0 or less */
	int64_t turn;     /* how many jiffies after FIRST the older of the two is dropped */
};

/* The kernel's counter is JIFFIES at TIME. */
void mdl_due_tick(struct mdl_jiffies *j, int64_t time, int64_t jiffies);
/* By when a timer for jiffy EXPIRES, in the bucket of jiffy BUCKET, must have expired, and how long before
 * that it was free to; MDL_NEVER not known. */
int64_t mdl_due_wheel(const struct mdl_jiffies *j, int64_t expires, int64_t bucket, int64_t *slack);
/* The bucket that a timer for jiffy EXPIRES gets at jiffy NOW. */
int64_t mdl_due_bucket(int64_t now, int64_t expires);

#endif
