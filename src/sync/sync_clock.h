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

/*
 * The lines of a host in order of time, at least one.  The clock never steps back.  If a line would overtake
 * the start of the next one, the clock stands still after the last message of the earlier line.  If the next
 * line starts below that last message, the clock stands still at the last message's time.
 */
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

#endif
