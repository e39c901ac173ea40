/* SPDX-License-Identifier: MIT */
/* Is one set of numbers larger than another, or does it only look so? */
#ifndef ANA_DIFFERENCE_H
#define ANA_DIFFERENCE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum ana_difference_test {
	ANA_DIFFERENCE_NONE,  /* too few numbers to say */
	ANA_DIFFERENCE_T,     /* Student's t, with the pooled deviation, as ministat does */
	ANA_DIFFERENCE_RANKS, /* Mann and Whitney's: where the numbers are not known to be distributed
				 normally */
	ANA_DIFFERENCE_N
};

struct ana_difference {
	double by;    /* mean of B less mean of A */
	double error; /* BY is right within this with the confidence asked for, by Student's t; NAN: not
			 known, as where neither set has any spread */
	enum ana_difference_test test;
	double p; /* how likely it is to see this, or more, where there is no difference; NAN: not known */
};

/* Compare A with B, of int64_t in ascending order; CONFIDENCE as 0.95. */
struct ana_difference ana_difference_of(const GArray *a, const GArray *b, double confidence);
/* The least p that the ranks of N and M numbers can have: with 2 and 2 it is 1/3. */
double ana_difference_least(guint n, guint m);
/* P where the best of TRIALS such comparisons was picked (Bonferroni): never above 1. */
double ana_difference_corrected(double p, uint64_t trials);
const char *ana_difference_test_name(enum ana_difference_test test); /* "t", "ranks"; static, NULL for none */

#endif
