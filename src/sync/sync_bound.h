/* SPDX-License-Identifier: MIT */
/*
 * Bounds of a clock: the range in which the true time lies, from packets alone, whatever line is drawn.
 *
 * If one line agrees with all packets, wakepath takes the clock to be straight.  The bounds at an instant are
 * then the lowest and the highest of all lines that no packet contradicts: convex polygons whose corners are
 * packets.  (A clock that bends by less than the quickest round trip looks straight.  It may be off by that
 * much more.)  If several lines were needed, the clock is known to bend, and sync_recount.c computes its
 * bounds.
 */
#ifndef SYNC_BOUND_H
#define SYNC_BOUND_H

#include "sync/sync_clock.h"

#include <stdbool.h>

/* One corner of a bound, in ns.  When the host's clock shows HOST, the other clock shows OTHER: at least that
 * in a low bound, at most that in a high bound. */
struct sync_point {
	int64_t host, other;
};

/* The bounds of one line of a clock.  A bound is straight from one point to the next. */
struct sync_bound {
	int64_t from; /* ns of the host; INT64_MIN in the first bound */
	/* ns of the host; between SEEN and FROM of the next bound, either of the two may hold */
	int64_t seen;
	/* Lowest and highest rate, 2^-62 ns per ns.  They bound the clock before the first point and after
	 * the last. */
	int64_t slow, fast;
	GArray *low, *high; /* owned: of struct sync_point in order of time, never empty */
};

/* A new array of struct sync_bound that frees the points of its elements.  The caller frees. */
GArray *sync_bounds_new(void);
/* Append a copy of BOUND. */
void sync_bounds_add(GArray *bounds, const struct sync_bound *bound);

/* Append bounds without error, for two clocks that differ by an offset only: one shows HOST (ns) when the
 * other shows OTHER (ns). */
void sync_bounds_add_exact(GArray *bounds, int64_t host, int64_t other);
/* True if BOUNDS are bounds as sync_bounds_add_exact() makes them.  False for NULL. */
bool sync_bounds_are_exact(const GArray *bounds);

/* Set *LOW and *HIGH to the earliest and the latest time (ns, rounded outwards) that the other clock may show
 * when the host's clock shows HOST. */
void sync_bounds_at(const GArray *bounds, int64_t host, sync_wide *low, sync_wide *high);

/*
 * Call SEE for FROM, TO, and every instant between them at which a bound may have a corner (ns of the host,
 * in no order).  Between two neighbouring instants the bounds are straight, so they are never wider there
 * than at the wider of the two.
 */
void sync_bounds_corners(const GArray *bounds, int64_t from, int64_t to,
	void (*see)(void *data, int64_t host), void *data);

/* The largest error in [FROM, TO] of a line in the middle of the bounds, in ns; at most INT64_MAX. */
int64_t sync_bounds_half(const GArray *bounds, int64_t from, int64_t to);

/*
 * Set *LINE to the line of RATE that runs in the middle between the low and the high points (FROM, SEEN,
 * ORIGIN, OFFSET and RATE).  Returns the width of the corridor between them in 2^-62 ns; negative if the
 * points contradict RATE.
 */
sync_wide sync_bound_line(const struct sync_bound *bound, int64_t rate, struct sync_line *line);

/* True if BOUNDS, which may come from an edited file, are usable: order, ranges and rates are valid. */
bool sync_bounds_are_valid(const GArray *bounds);

#endif
