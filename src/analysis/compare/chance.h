/* SPDX-License-Identifier: MIT */
/* Finds out if chance explains a difference: permutation tests of whether a label goes with any of many
 * variables, corrected for the number of variables; the rank-sum test; and gaps between two populations of
 * numbers. */
#ifndef ANA_CHANCE_H
#define ANA_CHANCE_H

#include "base/base_progress.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* The value of a variable in case AT. Cases that are not listed have the value 0. */
struct ana_permute_value {
	uint32_t at;
	double value;
};

struct ana_permute {
	guint n;               /* cases, 0 … N - 1 */
	const uint32_t *label; /* of each case: its group, below N_GROUPS */
	uint32_t n_groups;
	uint32_t first; /* the group that is compared with all others; UINT32_MAX: … */
	/* … the one whose cases together exceed the mean of all by most in this variable; each permutation
	 * chooses it again. */
	const double *by;
	/* Test only if the first group has more; the variances of the groups may differ. */
	bool more;
	GPtrArray *variables; /* of GArray of struct ana_permute_value, in order of cases; weak */
};

/*
 * Set P of each variable to the probability that, if labels mean nothing, any variable goes with the label as
 * clearly as this one, by its mean or by its ranks (MORE: by its mean).  NAN if all cases have the same
 * value.  Deterministic.  SKIP (may be NULL): variables that are not tested; their P stays.  False if
 * PROGRESS (may be NULL) was cancelled.
 */
bool ana_permute(const struct ana_permute *a, const bool *skip, double *p, struct base_progress *progress);

/* The logarithm of the number of choices of K of N things. */
double ana_log_choose(double n, double k);

/* ---- rank-sum test: do some of the cases have larger numbers than the others? ---- */

/* Rank N numbers.  The caller frees. */
struct ana_ranks *ana_ranks_new(const int64_t *values, guint n);
void ana_ranks_free(struct ana_ranks *r);
/* The probability that chance gives as many cases as are IN (a flag for each) such large numbers (LONGER), or
 * such small ones: one-sided, exact if few cases are IN or few are not. 1 if all or none are IN. */
double ana_ranks_p(const struct ana_ranks *r, const bool *in, bool longer);

/* ---- gaps: do numbers come from one population or from two? ---- */

/* Two populations with a gap between them. */
struct ana_modes {
	double p;         /* probability of such a clear gap in one population; 1: no gap */
	int64_t from, to; /* the gap: no number lies between; both 0 if there is none */
};

/* Find the clearest gap between two populations of the N numbers VALUES, in ascending order, or of their
 * logarithms.  Some numbers may lie in it: FROM and TO are its widest part without one.  Costs n log n. */
struct ana_modes ana_modes_find(const int64_t *values, guint n);

/* Find a gap in few numbers, too few for ana_modes_find(): the one whose ratio is by far larger than all
 * others, with at least two numbers above it. */
struct ana_modes ana_modes_ratio(const int64_t *values, guint n);

#endif
