/* SPDX-License-Identifier: MIT */
/* Does a label go with any of many variables?  Permutation tests, corrected for how many variables there are.
 */
#ifndef ANA_PERMUTE_H
#define ANA_PERMUTE_H

#include "base/base_progress.h"

/* A variable: what case AT has in it; cases that it does not name have 0. */
struct ana_permute_value {
	uint32_t at;
	double value;
};

struct ana_permute {
	guint n;               /* cases, 0 … N - 1 */
	const uint32_t *label; /* of each: its group, below N_GROUPS */
	uint32_t n_groups;
	uint32_t first; /* the group that stands against all others; UINT32_MAX: … */
	/* … the one whose cases together have most of this beyond the mean of all, which each permutation
	 * chooses anew. */
	const double *by;
	/* Only what the first group has more of counts, and values of the groups may be spread differently.
	 */
	bool more;
	GPtrArray *variables; /* of GArray of struct ana_permute_value, in order of cases; weak */
};

/*
 * For each variable into P how likely it is that any of them goes with the label as clearly as this one, by
 * its mean or by its ranks (MORE: by its mean), where labels mean nothing.  NAN where all cases have the
 * same.  Always the same for the same input.  SKIP (may be NULL): variables that are not looked at, of which
 * P stays.  False when PROGRESS (may be NULL) was cancelled.
 */
bool ana_permute(const struct ana_permute *a, const bool *skip, double *p, struct base_progress *progress);

#endif
