/* SPDX-License-Identifier: MIT */
/* Latencies, or causes of waits, of one recording or time compared with another: which are longer now, and
 * how sure that is. */
#ifndef ANA_AGAINST_H
#define ANA_AGAINST_H

#include "analysis/kind/difference.h"
#include "analysis/latency/latency.h"

#define ANA_AGAINST_CONFIDENCE 0.95

/* All cases together, or those of a group with one name in both. */
struct ana_against_row {
	const char *name;                        /* weak; NULL: all cases */
	const struct base_figures *before, *now; /* weak; NULL: it has no cases there */
	struct ana_difference difference;
	double p; /* corrected for the number of groups compared; NAN unknown */
	/* By how much the sum of all cases grew, ns per second of the time measured.  Rows are sorted by it;
	 * over the groups it sums to that of all cases. */
	double more;
};

struct ana_against {
	struct ana_latency *before, *now; /* owned */
	struct ana_against_row all;
	GArray *groups; /* of struct ana_against_row, those that explain most of the difference first */
};

/* Compare BEFORE, measured over BEFORE_LENGTH ns, with NOW, measured over NOW_LENGTH ns.  Both are of one
 * kind, have the same grouping and have values.  Takes ownership of both. */
struct ana_against *ana_against_new(struct ana_latency *before, int64_t before_length,
	struct ana_latency *now, int64_t now_length);
void ana_against_free(struct ana_against *against);

/* "longer" or "shorter" (static): how they are now; NULL: no difference is proven. */
const char *ana_against_change(const struct ana_against_row *row);
/* True if ROW has too few cases to prove any difference, however large. */
bool ana_against_is_few(const struct ana_against_row *row);
/* The group that explains most of the difference of all cases, with the same sign; NULL: none. */
const struct ana_against_row *ana_against_most(const struct ana_against *against);
/* Sort ALL (of struct ana_against, of several kinds): sure differences first, then what explains most.  Then
 * corrects each p for their number. */
void ana_against_rank(GPtrArray *all);

#endif
