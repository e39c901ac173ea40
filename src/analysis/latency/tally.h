/* SPDX-License-Identifier: MIT */
/* Where the latencies of cases go while they are counted, by groups; inside src/analysis. */
#ifndef ANA_TALLY_H
#define ANA_TALLY_H

#include "analysis/latency/kind.h"
#include "analysis/latency/parts.h"

struct ana_tally_group {
	uint64_t id;
	char *name;    /* owned; NULL: of all */
	bool left_out; /* another one alone is asked for */
	GArray *cases; /* of int64_t: every latency */
	uint64_t unfinished, dropped;
};

struct ana_tally {
	struct qry *q; /* weak */
	const struct ana_latency_kind *kind;
	const struct ana_latency_options *options;
	struct ana_parts *parts;      /* owned; NULL: not asked for */
	GPtrArray *groups;            /* of struct ana_tally_group, owned; by nothing one, of all */
	GHashTable *numbers;          /* id of a group → its number + 1 */
	struct ana_tally_group *last; /* the one asked for last, as most cases follow one of theirs; weak */
	GPtrArray *texts;             /* by id, for groups that are told apart by a text; owned */
	GHashTable *ids;              /* text → its id; weak */
	uint64_t fates[MDL_SPAN_FATES];
};

struct ana_tally *ana_tally_new(struct qry *q, const struct ana_latency_kind *kind,
	const struct ana_latency_options *options);
void ana_tally_free(struct ana_tally *t);

/* Add C, which met FATE; one without an end has MDL_NEVER for that. */
void ana_tally_add(struct ana_tally *t, const struct ana_latency_case *c, enum mdl_span_fate fate);

/* Is C of a group that is asked for? */
bool ana_tally_wants(struct ana_tally *t, const struct ana_latency_case *c);

/* Sort NUMBERS (of int64_t). */
void ana_tally_sort(GArray *numbers);
/* Free what DATA, a struct ana_latency_group, owns. */
void ana_latency_group_clear(void *data);

#endif
