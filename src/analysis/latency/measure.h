/* SPDX-License-Identifier: MIT */
/* Measures the opened cases of a kind.  Private to src/analysis. */
#ifndef ANA_LATENCY_MEASURE_H
#define ANA_LATENCY_MEASURE_H

#include "analysis/latency/tally.h"

/* A question, and where its answer is collected. */
struct ana_latency_asked {
	struct qry *q;
	const struct ana_latency_options *options;
	const struct ana_latency_kind *kind;
	struct qry_spans spans;
	struct qry_spans_filter filter;
	int64_t least;           /* threshold of the worst cases, ns */
	struct ana_tally *tally; /* NULL until needed */
	/* Cases found while opening, by scheduling class; NULL: none was found, or not asked for. */
	struct ana_tally *classes;
	struct ana_latency_options by_class; /* options of CLASSES */

	/* For results so far: */
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

/* Measure.  The result is incomplete if the progress of M's filter was cancelled. */
struct ana_latency *ana_latency_measure(struct ana_latency_asked *m);

#endif
