/* SPDX-License-Identifier: MIT */
/* Collects the latencies of cases by group while they are counted.  Private to src/analysis. */
#ifndef ANA_TALLY_H
#define ANA_TALLY_H

#include "analysis/latency/kind.h"
#include "analysis/latency/parts.h"

struct ana_tally_group {
	uint64_t id;
	char *name;    /* owned; NULL: the group of all cases */
	bool left_out; /* another group was selected */
	GArray *cases; /* of int64_t: every latency, ns */
	uint64_t unfinished, dropped;
};

struct ana_tally {
	struct qry *q; /* weak */
	const struct ana_latency_kind *kind;
	const struct ana_latency_options *options;
	struct ana_parts *parts; /* owned; NULL: not asked for */
	/* of struct ana_tally_group, owned; only one, of all cases, if there is no grouping */
	GPtrArray *groups;
	GHashTable *numbers; /* id of a group → its number + 1 */
	/* the group used last, because most cases follow one of the same group; weak */
	struct ana_tally_group *last;
	GPtrArray *texts; /* by id, for groups identified by a text; owned */
	GHashTable *ids;  /* text → its id; weak */
	uint64_t fates[MDL_SPAN_FATES];
};

struct ana_tally *ana_tally_new(struct qry *q, const struct ana_latency_kind *kind,
	const struct ana_latency_options *options);
void ana_tally_free(struct ana_tally *t);

/* Add C, which met FATE.  The end of C is MDL_NEVER if it has none. */
void ana_tally_add(struct ana_tally *t, const struct ana_latency_case *c, enum mdl_span_fate fate);

/* True if C is of a selected group. */
bool ana_tally_wants(struct ana_tally *t, const struct ana_latency_case *c);

/* Sort NUMBERS (of int64_t). */
void ana_tally_sort(GArray *numbers);
/* Free the members of DATA, a struct ana_latency_group. */
void ana_latency_group_clear(void *data);

#endif
