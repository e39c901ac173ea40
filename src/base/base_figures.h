/* SPDX-License-Identifier: MIT */
/* Statistics over many durations, exact, in memory that does not grow with them. */
#ifndef BASE_FIGURES_H
#define BASE_FIGURES_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct base_figures {
	uint64_t count;
	uint64_t unfinished;         /* begun, but not over before the trace ended */
	uint64_t dropped;            /* begun, but events were lost before their end */
	int64_t sum;                 /* ns; INT64_MAX where it would be more */
	int64_t min, max;            /* ns; BASE_TIME_NONE when count is 0, as are the next */
	int64_t p50, p90, p99, p999; /* nearest rank */
	double mean, stddev;         /* ns; population; 0 when count is 0 */
	/* Outliers: those far out above, which are longer than p75 + BASE_OUTLIERS_FAR × (p75 − p25), of
	 * nearest rank (Tukey, Exploratory Data Analysis, 1977: beyond the outer fence of a box plot).  The
	 * inner fence, with 1.5, is made for what is nearly normal: latencies have a long tail, of which it
	 * takes a tenth. */
	uint64_t outliers;
	int64_t fence; /* ns: outliers are longer; BASE_TIME_NONE when count is 0 */
};

#define BASE_OUTLIERS_FAR 3

/* A class of a histogram: [FROM, TO). */
struct base_bucket {
	int64_t from, to;
	uint64_t count;
};

/* Numbers that are gone over several times. */
struct base_numbers {
	/* The next piece of them, N (more than 0), good until the next call; NULL at the end, after which
	 * they begin anew. */
	const int64_t *(*next)(void *data, size_t *n);
	void *data;
};

/* A class of powers of two for each bit of a length, and those of 0 and of below. */
#define BASE_POWERS_MOST 65
/* Classes of one width, at most. */
#define BASE_LINEAR_MOST 52

/*
 * The figures of NUMBERS in F, but for unfinished and dropped, which are left; and, unless NULL, the
 * histograms, of struct base_bucket, which the caller unrefs: in powers of two ([0, 1), [1, 2), [2, 4), …)
 * and of one width (1, 2, 5, 10, … ns), without empty classes at the ends.
 */
void base_figures_find(const struct base_numbers *numbers, struct base_figures *f, GArray **powers,
	GArray **linear);

/* The same of numbers that come by themselves: all of them are added, then all come again. */
struct base_figuring;
struct base_figuring *base_figuring_new(void);
void base_figuring_add(struct base_figuring *find, const int64_t *numbers, size_t n);
/* All that was added to OTHER. */
void base_figuring_join(struct base_figuring *find, const struct base_figuring *other);
void base_figuring_turn(struct base_figuring *find);
void base_figuring_again(struct base_figuring *find, const int64_t *numbers, size_t n);
/* As above; where too many are alike, NUMBERS, which are the same, are gone over again.  Frees FIND. */
void base_figuring_finish(struct base_figuring *find, const struct base_numbers *numbers,
	struct base_figures *f, GArray **powers, GArray **linear);

#endif
