/* SPDX-License-Identifier: MIT */
/* Times and durations as text.  All values are nanoseconds; times count from the Epoch. */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define BASE_TIME_NONE INT64_MIN /* no such time: prints as "-", JSON null */
/* Times of traces are nearer to the Epoch (1824 to 2116): their differences do not overflow. */
#define BASE_TIME_FARTHEST (INT64_MAX / 2)

/* T, or what is nearest to it of the times that can be: within ±BASE_TIME_FARTHEST. */
static inline int64_t base_time_near(int64_t t)
{
	return CLAMP(t, -BASE_TIME_FARTHEST, BASE_TIME_FARTHEST);
}

/*
 * A + B, of which neither is negative: times of many threads together may be more than 64 bits hold, then
 * INT64_MAX.  Parts of one window that do not overlap, as the states of one row, are less.
 */
static inline int64_t base_time_sum(int64_t a, int64_t b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* TIME + SPAN, which may be negative, or what is nearest to it of the times that can be. */
static inline int64_t base_time_shift(int64_t time, int64_t span)
{
	int64_t sum;

	if (__builtin_add_overflow(time, span, &sum))
		sum = span < 0 ? INT64_MIN : INT64_MAX;
	return base_time_near(sum);
}

/*
 * Read a TIME as cli.md defines it: nanoseconds since the Epoch,
 * "HH:MM:SS[.fraction]" of the day of FROM in the local zone (TZ) or with its date before it
 * ("YYYY-MM-DD "), or since boot where FROM is (base_time_format_full()), "+D" from FROM or "-D" from TO.
 * False with BASE_ERROR_USAGE when TEXT is none of these or does not fit in 64 bits.  What is beyond all
 * times of traces becomes ±BASE_TIME_FARTHEST.
 */
bool base_time_parse(const char *text, int64_t from, int64_t to, int64_t *time, GError **error);

/* Read a duration: a decimal number with ns, us, ms or s (e.g. "2.5ms"). */
bool base_time_parse_duration(const char *text, int64_t *duration, GError **error);

/*
 * "2026-11-20 10:03:04.947248975" in the local zone; "00:57:29.887037987 since boot" for a time of the first
 * ten years after the Epoch, which is one of a clock that nobody set.  The caller frees.
 */
char *base_time_format_full(int64_t time);

/* "10:03:04.947248975", with DIGITS (0..9) of fraction.  The caller frees. */
char *base_time_format_clock(int64_t time, unsigned digits);

/* Three to four significant digits with a unit: "0", "17 ns", "1.25 µs", "12.0 ms", "3.40 s".  ASCII writes
 * "us".  The caller frees. */
char *base_time_format_duration(int64_t duration, bool ascii);

/* ---- windows ---- */

#define BASE_TIME_COARSE 28 /* columns from 2^28 ns (268 ms) on begin at multiples of a power of two */

/*
 * The instant at which column C of N begins when [FROM, TO) is shown; C = N gives TO.  Column c begins at
 * FROM + c · span / N; where columns are long, all but the first at the nearest multiple of the largest power
 * of two of ns that fits into a column: there an index knows sums without looking closer.  No column is empty
 * unless the window is shorter than N ns.
 */
int64_t base_time_column(int64_t from, int64_t to, uint32_t n, uint32_t c);
/* In which of these columns TIME is; -1 before FROM, N from TO on. */
int base_time_column_of(int64_t from, int64_t to, uint32_t n, int64_t time);

#endif
