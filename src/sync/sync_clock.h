/* SPDX-License-Identifier: MIT */
/*
 * The clock of one host in terms of another: a line, or several one after the
 * other where the host's clock stepped or changed its pace.
 *
 * All is exact: a line is kept in units of 2^-62 ns, so that rounding to whole
 * nanoseconds, always downwards, is the only rounding there is.
 */
#ifndef SYNC_CLOCK_H
#define SYNC_CLOCK_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 sync_wide;

#define SYNC_FRACTION_BITS 62
/* The most a clock may be fast or slow: 2^-9, 1953 ppm (adjtimex(2) allows 500 for a frequency, and 500 for a
 * slew). */
#define SYNC_RATE_MAX (INT64_C(1) << 53)

/* t_reference = t_host + offset + rate · (t_host − origin), for t_host from FROM to the next line's. */
struct sync_line {
	int64_t from;     /* ns of the host; INT64_MIN for the first line */
	int64_t seen;     /* ns of the host: up to there messages in both directions show that it holds */
	int64_t origin;   /* ns of the host */
	sync_wide offset; /* at ORIGIN, in 2^-62 ns */
	int64_t rate; /* 2^-62 ns per ns, at most ±SYNC_RATE_MAX for each host on the way to the reference */
};

/*
 * Lines of a host in order of time, never none.  The clock never steps back:
 * after the last message of a line it stands still where it would overtake the
 * beginning of the next one, and where that begins below the last message of the
 * line before, it stands still there.
 */
struct sync_clock {
	GArray *lines;  /* of struct sync_line */
	GArray *starts; /* of int64_t, for each: reference time that the clock shows at FROM */
};

/* The clock of a host whose time the reference's is AHEAD of by that many ns (64 bits and a sign), for ever.
 */
struct sync_clock *sync_clock_new_shifted(sync_wide ahead);
/* LINES (of struct sync_line, taken over) in order of time, at least one. */
struct sync_clock *sync_clock_new(GArray *lines);
/* The clock of a host whose time INNER shows in the clock of a second host, and OUTER that one's in the
 * reference's. */
struct sync_clock *sync_clock_new_chained(const struct sync_clock *inner, const struct sync_clock *outer);
void sync_clock_free(struct sync_clock *clock);

/* Do A and B show the same at any time, line by line?  NULL: no clock is known, which is as another such. */
bool sync_clock_is_same(const struct sync_clock *a, const struct sync_clock *b);

/* The line alone, without regard to its neighbours: reference time of HOST, cut to the range of int64_t. */
int64_t sync_line_reference(const struct sync_line *line, int64_t host);

/* The same exactly, in 2^-62 ns; HOST is less than 2^63 − 2^61 ns from the Epoch. */
sync_wide sync_line_exact(const struct sync_line *line, int64_t host);

/* By how many parts in a million the host's clock is fast while LINE holds; negative: slow. */
double sync_line_fast(const struct sync_line *line);

/* T of the host in the reference's clock.  Never falls with T.  INT64_MIN and INT64_MAX stay as they are. */
int64_t sync_clock_reference(const struct sync_clock *clock, int64_t host);

/* The first T of the host whose reference time is REFERENCE or later. */
int64_t sync_clock_host(const struct sync_clock *clock, int64_t reference);

#endif
