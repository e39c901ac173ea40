/* SPDX-License-Identifier: MIT */
/*
 * The clock of one host in terms of another: one line, or several in sequence if the host's clock stepped or
 * changed its rate.
 *
 * Lines are exact: they are kept in units of 2^-62 ns.  The only rounding is that to whole nanoseconds,
 * always downwards.
 */
#ifndef SYNC_CLOCK_H
#define SYNC_CLOCK_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 sync_wide;

#define SYNC_FRACTION_BITS 62
/* Largest rate error of a clock: 2^-9, 1953 ppm (adjtimex(2) allows 500 ppm for the frequency and 500 ppm for
 * a slew). */
#define SYNC_RATE_MAX (INT64_C(1) << 53)

/* t_reference = t_host + offset + rate · (t_host − origin), for t_host from FROM to FROM of the next line. */
struct sync_line {
	int64_t from;     /* ns of the host; INT64_MIN for the first line */
	int64_t seen;     /* ns of the host: messages in both directions confirm the line up to here */
	int64_t origin;   /* ns of the host */
	sync_wide offset; /* at ORIGIN, in 2^-62 ns */
	int64_t rate; /* 2^-62 ns per ns, at most ±SYNC_RATE_MAX for each host on the way to the reference */
};

/* The lines of a host in order of time, at least one. The clock never steps back. If a line would overtake
 * the start of the next one, the clock stands still after the last message of the earlier line. If the next
 * line starts below that last message, the clock stands still at the last message's time. */
struct sync_clock {
	GArray *lines;  /* of struct sync_line */
	GArray *starts; /* of int64_t, for each line: the reference time that the clock shows at FROM */
};

/* The clock of a host that the reference is always AHEAD of by that many ns (64 bits and a sign).  The caller
 * frees. */
struct sync_clock *sync_clock_new_shifted(sync_wide ahead);
/* A clock of LINES (of struct sync_line), which it takes over: in order of time, at least one.  The caller
 * frees. */
struct sync_clock *sync_clock_new(GArray *lines);
/* The clock of a host in the reference's time.  INNER is its clock in the time of a second host, OUTER the
 * second host's clock in the reference's time.  The caller frees. */
struct sync_clock *sync_clock_new_chained(const struct sync_clock *inner, const struct sync_clock *outer);
void sync_clock_free(struct sync_clock *clock);

/* True if A and B have the same lines.  NULL means that no clock is known, and equals NULL only. */
bool sync_clock_is_same(const struct sync_clock *a, const struct sync_clock *b);

/* Reference time of HOST by LINE alone, without regard to the lines before and after it; cut to the range of
 * int64_t. */
int64_t sync_line_reference(const struct sync_line *line, int64_t host);

/* Reference time of HOST by LINE alone, exactly, in 2^-62 ns.  HOST must be less than 2^63 − 2^61 ns from the
 * Epoch. */
sync_wide sync_line_exact(const struct sync_line *line, int64_t host);

/* How fast the host's clock is while LINE holds, in parts per million; negative: slow. */
double sync_line_fast(const struct sync_line *line);

/* Reference time of time HOST of the host.  Never falls when HOST rises.  INT64_MIN and INT64_MAX stay as
 * they are. */
int64_t sync_clock_reference(const struct sync_clock *clock, int64_t host);

/* The first time of the host whose reference time is REFERENCE or later. */
int64_t sync_clock_host(const struct sync_clock *clock, int64_t reference);

/*
 * ---- bounds: the range in which the true time lies, from packets alone, whatever line is drawn ----
 *
 * If one line agrees with all packets, wakepath takes the clock to be straight.  The bounds at an instant are
 * then the lowest and the highest of all lines that no packet contradicts: convex polygons whose corners are
 * packets.  (A clock that bends by less than the quickest round trip looks straight.  It may be off by that
 * much more.)  If several lines were needed, the clock is known to bend, and sync_recount.c computes its
 * bounds.
 */

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
/* A copy of BOUNDS.  The caller frees. */
GArray *sync_bounds_copy(const GArray *bounds);

/* Append bounds without error, for two clocks that differ by an offset only: one shows HOST (ns) when the
 * other shows OTHER (ns). */
void sync_bounds_add_exact(GArray *bounds, int64_t host, int64_t other);
/* True if BOUNDS are bounds as sync_bounds_add_exact() makes them.  False for NULL. */
bool sync_bounds_are_exact(const GArray *bounds);

/* Set *LOW and *HIGH to the earliest and the latest time (ns, rounded outwards) that the other clock may show
 * when the host's clock shows HOST. */
void sync_bounds_at(const GArray *bounds, int64_t host, sync_wide *low, sync_wide *high);

/* Call SEE for FROM, TO, and every instant between them at which a bound may have a corner (ns of the host,
 * in no order). Between two neighbouring instants the bounds are straight, so they are never wider there than
 * at the wider of the two. */
void sync_bounds_corners(const GArray *bounds, int64_t from, int64_t to,
	void (*see)(void *data, int64_t host), void *data);

/* The largest error in [FROM, TO] of a line in the middle of the bounds, in ns; at most INT64_MAX. */
int64_t sync_bounds_half(const GArray *bounds, int64_t from, int64_t to);

/* Set *LINE to the line of RATE that runs in the middle between the low and the high points (FROM, SEEN,
 * ORIGIN, OFFSET and RATE). Returns the width of the corridor between them in 2^-62 ns; negative if the
 * points contradict RATE. */
sync_wide sync_bound_line(const struct sync_bound *bound, int64_t rate, struct sync_line *line);

/* True if BOUNDS, which may come from an edited file, are usable: order, ranges and rates are valid. */
bool sync_bounds_are_valid(const GArray *bounds);

#endif
