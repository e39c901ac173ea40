/* SPDX-License-Identifier: MIT */
/* Tests whether one set of numbers is larger than another, or only looks so. */
#ifndef ANA_DIFFERENCE_H
#define ANA_DIFFERENCE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum ana_difference_test {
	ANA_DIFFERENCE_NONE,  /* too few numbers */
	ANA_DIFFERENCE_T,     /* Student's t-test with pooled deviation, as in ministat */
	ANA_DIFFERENCE_RANKS, /* Mann-Whitney: no normal distribution is assumed */
	ANA_DIFFERENCE_N
};

struct ana_difference {
	double by; /* mean of B minus mean of A */
	/* The true difference is within BY ± ERROR, at the confidence asked for, by Student's t. NAN:
	 * unknown, for example if neither set has any spread. */
	double error;
	enum ana_difference_test test;
	double p; /* probability to see this difference, or more, if there is none; NAN unknown */
};

/* Compare A with B (of int64_t, ascending).  CONFIDENCE: for example 0.95. */
struct ana_difference ana_difference_of(const GArray *a, const GArray *b, double confidence);
/* The least p that the rank test of N and M numbers can give: 1/3 for 2 and 2. */
double ana_difference_least(guint n, guint m);
/* P corrected (Bonferroni) for picking the best of TRIALS such tests; at most 1. */
double ana_difference_corrected(double p, uint64_t trials);
const char *ana_difference_test_name(enum ana_difference_test test); /* "t", "ranks"; static, NULL for none */

#endif
