/* SPDX-License-Identifier: MIT */
/* Times and durations as text.  All values are ns; times count from the Epoch. */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define BASE_TIME_NONE INT64_MIN /* unknown time: prints as "-", in JSON as null */
/* Limit for times of traces, ns from the Epoch (1824 to 2116), so that differences of two do not overflow. */
#define BASE_TIME_FARTHEST (INT64_MAX / 2)

/* Return T clamped to ±BASE_TIME_FARTHEST. */
static inline int64_t base_time_near(int64_t t)
{
	return CLAMP(t, -BASE_TIME_FARTHEST, BASE_TIME_FARTHEST);
}

/* Return A + B (neither is negative), or INT64_MAX on overflow.  Times summed over many threads can exceed 64
 * bits.  Parts of one window that do not overlap, such as the states of one row, cannot. */
static inline int64_t base_time_sum(int64_t a, int64_t b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* Return TIME + SPAN (may be negative), clamped to ±BASE_TIME_FARTHEST. */
static inline int64_t base_time_shift(int64_t time, int64_t span)
{
	int64_t sum;

	if (__builtin_add_overflow(time, span, &sum))
		sum = span < 0 ? INT64_MIN : INT64_MAX;
	return base_time_near(sum);
}

/*
 * Parse a TIME as cli.md defines it:
 *
 * - nanoseconds since the Epoch
 * - "[YYYY-MM-DD ]HH:MM:SS[.fraction]" in the local zone (TZ), without a date on the day of FROM;
 *   if FROM counts from boot (base_time_format_full()), so does this
 * - "+D" after FROM, "-D" before TO
 *
 * The result is clamped to ±BASE_TIME_FARTHEST.  False with BASE_ERROR_USAGE if TEXT is none of these or does
 * not fit in 64 bits.
 */
bool base_time_parse(const char *text, int64_t from, int64_t to, int64_t *time, GError **error);

/* Like base_time_parse(), for a recording from FROM to TO. False with BASE_ERROR_NO_ANSWER, which names that
 * span and the forms of a time, if the time is before FROM, or after the end of a window that ends with TO
 * (TO + 1). */
bool base_time_parse_inside(const char *text, int64_t from, int64_t to, int64_t *time, GError **error);

/* Parse a duration: a decimal number with ns, us, ms or s ("2.5ms").  False with BASE_ERROR_USAGE. */
bool base_time_parse_duration(const char *text, int64_t *duration, GError **error);

/* Format as "2026-11-20 10:03:04.947248975" in the local zone.  A time in the first ten years after the Epoch
 * comes from a clock that nobody set, and becomes "00:57:29.887037987 since boot".  The caller frees. */
char *base_time_format_full(int64_t time);

/* Format as "10:03:04.947248975", with DIGITS (0..9) of fraction.  The caller frees. */
char *base_time_format_clock(int64_t time, unsigned digits);

/* Format with up to four significant digits and a unit: "0", "17 ns", "1.25 µs", "12.0 ms", "3.40 s".  ASCII
 * writes "us".  The caller frees. */
char *base_time_format_duration(int64_t duration, bool ascii);

/* ---- windows ---- */

#define BASE_TIME_COARSE 28 /* columns of 2^28 ns (268 ms) or longer start at multiples of a power of two */

/* Return the time at which column C of N starts if [FROM, TO) is shown; C = N gives TO. Column c starts at
 * FROM + c · span / N. If columns are long (BASE_TIME_COARSE), all except the first start at the nearest
 * multiple of the largest power of two of ns that fits into a column, because the index has sums for those
 * intervals. A column is empty only if the window is shorter than N ns. */
int64_t base_time_column(int64_t from, int64_t to, uint32_t n, uint32_t c);
/* Return the column that contains TIME; -1 before FROM, N from TO on. */
int base_time_column_of(int64_t from, int64_t to, uint32_t n, int64_t time);

/* ---- formats for times on the screen ---- */

/* The user switches from one to the next.  To add one, add an entry to ways[] in the .c file. */
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
