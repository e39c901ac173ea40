/* SPDX-License-Identifier: MIT */
/* Latencies, or causes of waits, of one recording, or time, against those of another: which are longer now,
 * and how sure that is. */
#ifndef ANA_AGAINST_H
#define ANA_AGAINST_H

#include "analysis/kind/difference.h"
#include "analysis/latency/latency.h"

#define ANA_AGAINST_CONFIDENCE 0.95

/* All cases together, or those of a group that has one name in both. */
struct ana_against_row {
	const char *name;                        /* weak; NULL: all */
	const struct base_figures *before, *now; /* weak; NULL: it has none there */
	struct ana_difference difference;
	double p; /* corrected for how many groups were compared; NAN not known */
	/* By how much longer the sum of all cases is in each second of what was looked at, ns; this is what
	 * the rows are sorted by, and of the groups sums to that of all. */
	double more;
};

struct ana_against {
	struct ana_latency *before, *now; /* owned */
	struct ana_against_row all;
	GArray *groups; /* of struct ana_against_row, what explains most of the difference first */
};

/* BEFORE, measured over BEFORE_LENGTH ns, and NOW, over NOW_LENGTH, are of one kind, grouped alike, with
 * values; both are taken over. */
struct ana_against *ana_against_new(struct ana_latency *before, int64_t before_length,
	struct ana_latency *now, int64_t now_length);
void ana_against_free(struct ana_against *against);

/* How sure it is that cases are longer now, or shorter: p of ROW says so at ANA_AGAINST_CONFIDENCE. */
bool ana_against_is_proven(const struct ana_against_row *row);
/* Are the cases of ROW too few to be proven different, however far apart they are? */
bool ana_against_is_few(const struct ana_against_row *row);
/* The group that explains most of a difference of the sign of AGAINST's own; NULL: none. */
const struct ana_against_row *ana_against_most(const struct ana_against *against);
/* Sort ALL (of struct ana_against), of several kinds: what differs for sure first, of these what explains
 * most; p of each is then corrected for how many there are. */
void ana_against_rank(GPtrArray *all);

#endif
