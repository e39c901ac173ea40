/* SPDX-License-Identifier: MIT */
/* Measuring the cases of a kind that are open; inside src/analysis. */
#ifndef ANA_LATENCY_MEASURE_H
#define ANA_LATENCY_MEASURE_H

#include "analysis/latency/tally.h"

/* What is asked, and where the answer is. */
struct ana_latency_asked {
	struct qry *q;
	const struct ana_latency_options *options;
	const struct ana_latency_kind *kind;
	struct qry_spans spans;
	struct qry_spans_filter filter;
	int64_t least;           /* of the worst */
	struct ana_tally *tally; /* NULL until one is needed */
	/* What was found at the opening, by class of scheduling; NULL: nothing was, or it is not asked for.
	 */
	struct ana_tally *classes;
	struct ana_latency_options by_class; /* of that */

	/* Of what is told so far: */
	enum ana_latency_stage stage;
	GArray *worst;    /* of struct ana_latency_case: known before all is counted, as are figures then;
			     NULL: they are not */
	unsigned unseen;  /* cases since the clock was looked at last */
	gint64 next_time; /* when it is told next: g_get_monotonic_time() */
};

/* Open the cases of M by OPEN (with DATA); what is found for that is told so far, and counted by class.
 * False with an error, also where the progress of M's filter was cancelled. */
bool ana_latency_find(struct ana_latency_asked *m,
	bool (*open)(struct ana_latency_asked *m, const void *data, GError **error), const void *data,
	GError **error);

/* Measure.  Where the progress of M's filter was cancelled it is not all. */
struct ana_latency *ana_latency_measure(struct ana_latency_asked *m);

#endif
