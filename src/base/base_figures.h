/* SPDX-License-Identifier: MIT */
/* Exact statistics over any number of durations, in constant memory. */
#ifndef BASE_FIGURES_H
#define BASE_FIGURES_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct base_figures {
	uint64_t count;
	uint64_t unfinished;         /* started, but not finished when the trace ended */
	uint64_t dropped;            /* started, but events were lost before the end */
	int64_t sum;                 /* ns; INT64_MAX if the sum does not fit */
	int64_t min, max;            /* ns; BASE_TIME_NONE if count is 0, also for the percentiles below */
	int64_t p50, p90, p99, p999; /* ns; by nearest rank */
	double mean, stddev;         /* ns; of the population; 0 if count is 0 */
	/* Number of outliers: durations longer than p75 + BASE_OUTLIERS_FAR × (p75 − p25), with quartiles by
	 * nearest rank (Tukey, Exploratory Data Analysis, 1977: beyond the outer fence of a box plot). The
	 * inner fence, with 1.5, suits distributions that are nearly normal: latencies have a long tail, and
	 * a tenth of it would be outliers. */
	uint64_t outliers;
	int64_t fence; /* ns: every longer duration is an outlier; BASE_TIME_NONE if count is 0 */
};

#define BASE_OUTLIERS_FAR 3

/* One class of a histogram: durations in [FROM, TO), in ns. */
struct base_bucket {
	int64_t from, to;
	uint64_t count;
};

/* A sequence of numbers that can be read several times. */
struct base_numbers {
	/* Return the next part, *N numbers (at least 1), valid until the next call; NULL at the end.  The
	 * call after NULL starts again at the first number. */
	const int64_t *(*next)(void *data, size_t *n);
	void *data;
};

/* Most classes by powers of two: one per bit of a length, one for 0, one for negative numbers. */
#define BASE_POWERS_MOST 65
/* Most classes of equal width. */
#define BASE_LINEAR_MOST 52

/* Compute the statistics of NUMBERS into F, except unfinished and dropped, which keep their values. If not
 * NULL, POWERS and LINEAR receive histograms (of struct base_bucket, the caller unrefs): POWERS by powers of
 * two ([0, 1), [1, 2), [2, 4), … ns), LINEAR by equal width (1, 2, 5, 10, … ns). Neither has empty classes at
 * its ends. */
void base_figures_find(const struct base_numbers *numbers, struct base_figures *f, GArray **powers,
	GArray **linear);

/* Like base_figures_find() for numbers that the caller pushes: add all of them, call base_figuring_turn(),
 * then pass all of them again with base_figuring_again(). */
struct base_figuring;
struct base_figuring *base_figuring_new(void);
void base_figuring_add(struct base_figuring *find, const int64_t *numbers, size_t n);
/* Add to FIND everything that was added to OTHER. */
void base_figuring_join(struct base_figuring *find, const struct base_figuring *other);
void base_figuring_turn(struct base_figuring *find);
void base_figuring_again(struct base_figuring *find, const int64_t *numbers, size_t n);
/* Finish: the results are those of base_figures_find(). NUMBERS must be the numbers that were added; they are
 * read again if too many of them are too close to each other. Frees FIND. */
void base_figuring_finish(struct base_figuring *find, const struct base_numbers *numbers,
	struct base_figures *f, GArray **powers, GArray **linear);

/* ---- deterministic pseudo-random numbers, for samples: SplitMix64 (G. Steele, D. Lea and C. Flood, "Fast
 * splittable pseudorandom number generators", OOPSLA 2014) ---- */

/* Return the hash of I: uniform over 64 bits, and different for each I. */
uint64_t base_mix(uint64_t i);
/* Return the next number of a sequence.  Any initial *STATE is valid. */
uint64_t base_mix_next(uint64_t *state);

#endif
