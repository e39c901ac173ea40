/* SPDX-License-Identifier: MIT */
/* When timers were due, by the clock of the trace: private to src/model. */
#ifndef MDL_DUE_H
#define MDL_DUE_H

#include "model/event/types.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- hrtimers: nanoseconds of the clock of the timer's base ---- */

/* The time of the trace (ns) at which a clock showed 0 lies between LO and HI. */
struct mdl_zero {
	int64_t lo, hi;
};

/* One for each base: CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME, CLOCK_TAI. */
#define MDL_ZEROS 4

struct mdl_zeros {
	struct mdl_zero zero[MDL_ZEROS];
	unsigned n; /* number ever stored in ZERO */
};

/* CLOCK_MONOTONIC showed 0 at ZERO (ns of the trace). */
void mdl_due_know(struct mdl_zeros *z, int64_t zero);

/* An hrtimer expires at TIME. The clock of its base shows NOW, which the kernel read a little earlier, but
 * not before EARLIEST (MDL_NEVER: unknown). Returns the time at which that clock shows EXPIRES, or the latest
 * possible one. MDL_NEVER if it does not fit into an int64_t. All in ns. */
int64_t mdl_due_hrtimer(struct mdl_zeros *z, int64_t time, int64_t earliest, int64_t now, int64_t expires);

/* ---- the timer wheel: jiffies ---- */

/* How jiffies relate to the clock of the trace. */
struct mdl_jiffies {
	bool known;          /* FIRST, TIME and LAST are set */
	int64_t first, time; /* the counter was FIRST jiffies at TIME (ns) */
	int64_t last;        /* the highest number of jiffies seen since */
	int64_t tick;        /* ns per jiffy; 0: not known yet */
	/* Latest begin of jiffy FIRST, in ns after TIME (0 or less): by recent sightings, and by the
	 * sightings just before them. */
	int64_t ahead[2];
	int64_t turn; /* number of jiffies after FIRST at which the older of the two is dropped */
};

/* The kernel's counter is JIFFIES at TIME (ns). */
void mdl_due_tick(struct mdl_jiffies *j, int64_t time, int64_t jiffies);
/* Latest time (ns) by which a timer for jiffy EXPIRES, in the bucket of jiffy BUCKET, must have expired;
 * MDL_NEVER: unknown. *SLACK is the number of ns before that in which it was free to expire. */
int64_t mdl_due_wheel(const struct mdl_jiffies *j, int64_t expires, int64_t bucket, int64_t *slack);
/* The bucket of a timer that is armed for jiffy EXPIRES at jiffy NOW.  MDL_NEVER if EXPIRES is out of
 * range. */
int64_t mdl_due_bucket(int64_t now, int64_t expires);

#endif
