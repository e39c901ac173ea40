/* SPDX-License-Identifier: MIT */
/* Where the cases of a latency go while they are collected; inside src/analysis. */
#ifndef ANA_TALLY_H
#define ANA_TALLY_H

#include "analysis/ana_latency_kind.h"
#include "analysis/ana_parts.h"
#include "analysis/ana_worst.h"

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
	uint32_t host;           /* whose spans come in */
	GArray *heap;            /* the worst (ana_worst.h), and no parts; or */
	struct ana_parts *parts; /* owned; NULL: not asked for */
	GPtrArray *groups;       /* of struct ana_tally_group, owned; by nothing one, of all */
	GHashTable *numbers;     /* id of a group → its number + 1 */
	GPtrArray *texts;        /* by id, for groups that are told apart by a text; owned */
	GHashTable *ids;         /* text → its id; weak */
};

struct ana_tally *ana_tally_new(struct qry *q, const struct ana_latency_kind *kind,
	const struct ana_latency_options *options);
void ana_tally_free(struct ana_tally *t);

/* Add C, of which cause and key are NULL. */
void ana_tally_add(struct ana_tally *t, const struct ana_latency_case *c);
/* The group of C, one without an end having MDL_NEVER for that. */
struct ana_tally_group *ana_tally_group_of(struct ana_tally *t, const struct ana_latency_case *c);

/* May what O asks be asked of KIND?  False with an error, as ana_latency_new(). */
bool ana_latency_check(const struct qry *q, const struct ana_latency_kind *kind,
	const struct ana_latency_options *o, GError **error);
/* The measurement of what T has; what of it are texts is moved. */
struct ana_latency *ana_latency_of(struct ana_tally *t);

/* Is a case of LATENCY one of the worst so far? */
bool ana_tally_keeps(const struct ana_tally *t, int64_t latency);

/*
 * The statistics over CASES (of int64_t), which are sorted by it, into F but for unfinished and dropped; and,
 * unless NULL, the HISTOGRAM (of struct ana_latency_bucket).
 */
void ana_latency_figure(GArray *cases, struct ana_latency_figures *f);
/* The histogram of CASES, sorted: powers of two, or LINEAR. The caller unrefs. */
GArray *ana_latency_histogram(const GArray *cases, bool linear);

#endif
