/* SPDX-License-Identifier: MIT */
/* Measures the opened cases of a kind: asks for them, and collects their latencies by group and by class of
 * the histogram.  Private to src/analysis. */
#ifndef ANA_LATENCY_MEASURE_H
#define ANA_LATENCY_MEASURE_H

#include "analysis/latency/kind.h"
#include "analysis/latency/latency.h"

/* A question, and where its answer is collected. */
struct ana_latency_asked {
	struct qry *q;
	const struct ana_latency_options *options;
	const struct ana_latency_kind
		*kind;  /* NULL for further pages of the worst cases, which may outlive it */
	bool has_texts; /* has_texts of KIND */
	struct qry_spans spans;
	struct qry_spans_filter filter;
	int64_t least;           /* threshold of the worst cases, ns */
	struct ana_tally *tally; /* NULL until needed */
	/* Cases found while opening, by scheduling class; NULL: none was found, or not asked for. */
	struct ana_tally *classes;
	struct ana_latency_options by_class; /* options of CLASSES */
	bool crowded;                        /* there are more than ANA_TALLY_TEXTS groups */

	/* For reports of results so far: */
	enum ana_latency_stage stage;
	/* Of struct ana_latency_case: the worst, with their figures, if they are known before all is counted;
	 * NULL: they are not. */
	GArray *worst;
	unsigned unseen;  /* number of cases since the clock was last checked */
	gint64 next_time; /* g_get_monotonic_time() of the next report */
};

/* Open the cases of M by calling OPEN with DATA.  Reports cases found meanwhile as results so far, and counts
 * them by class.  False with an error, also if the progress of M's filter was cancelled. */
bool ana_latency_find(struct ana_latency_asked *m,
	bool (*open)(struct ana_latency_asked *m, const void *data, GError **error), const void *data,
	GError **error);

/* Measure.  The result is incomplete if the progress of M's filter was cancelled, or M is crowded then. */
struct ana_latency *ana_latency_measure(struct ana_latency_asked *m);

/* ---- the latencies of cases by group, collected while they are counted ---- */

struct ana_tally_group {
	uint64_t id;
	char *name;    /* owned; NULL: the group of all cases */
	bool left_out; /* another group was selected */
	GArray *cases; /* of int64_t: every latency, ns */
	uint64_t unfinished, dropped;
};

#define ANA_TALLY_TEXTS 131072 /* groups identified by a text */

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
	GPtrArray *texts;                  /* by id, for groups identified by a text; owned */
	GHashTable *ids;                   /* text → its id; weak */
	GHashTable *names;                 /* address of a name → its id + 1 */
	const struct qry_classes *classes; /* for groups by class; weak; NULL: not needed */
	/* More than ANA_TALLY_TEXTS groups: cases of further groups are in none. */
	bool crowded;
	uint64_t fates[MDL_SPAN_FATES];
};

/* Make a tally without cases for KIND, grouped as OPTIONS say. The caller frees it, not NULL. */
struct ana_tally *ana_tally_new(struct qry *q, const struct ana_latency_kind *kind,
	const struct ana_latency_options *options);
void ana_tally_free(struct ana_tally *t);

/* Add C, which ended with FATE.  The end of C is MDL_NEVER if it has none. */
void ana_tally_add(struct ana_tally *t, const struct ana_latency_case *c, enum mdl_span_fate fate);

/* The lowest priority of CLASS, which identifies its group. ana_tally_class_name() has the name of the class
 * with that priority, static, "not known" if there is none. */
int ana_tally_class(enum mdl_span_class class);
const char *ana_tally_class_name(int least);

/* True if C is of a selected group. */
bool ana_tally_wants(struct ana_tally *t, const struct ana_latency_case *c);

/* Sort the N NUMBERS, ascending. */
void ana_tally_sort(int64_t *numbers, guint n);
/* Free the members of DATA, a struct ana_latency_group. */
void ana_latency_group_clear(void *data);

/* ---- the cases of each class of the histogram ---- */

/* The cases of each class of the histogram (powers of two) that a screen shows: the worst ones, and the worst
 * one that begins in each column of time.  So any part of a histogram can be selected without measuring
 * again, in memory that does not grow with the number of cases. */
struct ana_parts;

/* One struct ana_latency_part for each bucket of HISTOGRAM.  The caller unrefs. */
GArray *ana_parts_copy(const struct ana_parts *parts, const GArray *histogram);

#endif
