/* SPDX-License-Identifier: MIT */
/*
 * Between which bounds the truth of a clock is: what packets tell of it, whatever line is drawn.
 *
 * Where one line holds all packets, the clock is taken to be straight, and the bounds at an instant are the
 * lowest and the highest of all lines that no packet contradicts: convex polygons, whose corners are packets.
 * (A clock that bends by less than the quickest round trip looks straight; it may be off by as much more.)
 * Where several lines were needed, it is known to bend, and bounds are those of sync_recount.c.
 */
#ifndef SYNC_BOUND_H
#define SYNC_BOUND_H

#include "sync/sync_clock.h"

#include <stdbool.h>

/* When a host's clock shows HOST, the other one's shows at least, or at most, OTHER; both in ns. */
struct sync_point {
	int64_t host, other;
};

/* What bounds one line of a clock.  From point to point the bound is straight. */
struct sync_bound {
	int64_t from;       /* ns of the host; INT64_MIN for the first */
	int64_t seen;       /* ns of the host: after that, and before the next one's FROM, either may hold */
	int64_t slow, fast; /* the least and the greatest rate, 2^-62 ns per ns: before the first point and
			       after the last */
	GArray *low, *high; /* of struct sync_point in order of time, never empty; owned */
};

/* For an array of them that owns what they have. */
GArray *sync_bounds_new(void);
/* Add a copy. */
void sync_bounds_add(GArray *bounds, const struct sync_bound *bound);

/* Two clocks that are the same but for an offset: one shows HOST when the other shows OTHER.  No error. */
void sync_bounds_add_exact(GArray *bounds, int64_t host, int64_t other);
/* Are BOUNDS (NULL: they are not) such? */
bool sync_bounds_are_exact(const GArray *bounds);

/* Between which times the other clock is at HOST, ns: rounded outwards. */
void sync_bounds_at(const GArray *bounds, int64_t host, sync_wide *low, sync_wide *high);

/*
 * Call SEE for FROM, TO and all instants between them where bounds may have a corner, in ns of the host:
 * between two of those that follow each other no bound is further off than at both.
 */
void sync_bounds_corners(const GArray *bounds, int64_t from, int64_t to,
	void (*see)(void *data, int64_t host), void *data);

/* The most in [FROM, TO] by which a line in the middle of the bounds may be off, ns; cut at INT64_MAX. */
int64_t sync_bounds_half(const GArray *bounds, int64_t from, int64_t to);

/*
 * The line of RATE that is as far above the low points as below the high ones: FROM, SEEN, ORIGIN, OFFSET and
 * RATE.  Returns how wide the corridor is, in 2^-62 ns; negative when points contradict RATE.
 */
sync_wide sync_bound_line(const struct sync_bound *bound, int64_t rate, struct sync_line *line);

/* Can it be reckoned with?  For bounds that come from outside: order, ranges, rates. */
bool sync_bounds_are_valid(const GArray *bounds);

#endif
