/* SPDX-License-Identifier: MIT */
/* Latencies: from a cause to its effect, with statistics, a histogram and the worst cases. */
#ifndef ANA_LATENCY_H
#define ANA_LATENCY_H

#include "analysis/ana_source.h"
#include "base/base_progress.h"

struct ana_latency_options {
	const char *kind; /* "wakeup": from the wake-up to running */
	uint32_t row;     /* only this thread; MDL_NONE all */
	bool hide_tracer; /* of all, leave out the tracer's own */
	int64_t from, to; /* wake-ups in [from, to); BASE_TIME_NONE open */
	uint32_t top;     /* how many worst cases to keep */
	/* Keep only worst cases of at least this, ns; 0 all.  Statistics stay over all cases. */
	int64_t threshold;
};

struct ana_latency_case {
	int64_t start, end, latency; /* ns */
	uint32_t row;                /* the thread */
	uint32_t cpu;                /* where it ran in the end; MDL_NONE */
	char *cause; /* what was in the way: "ran instead: wk-rt[547] 2.9 ms"; owned, NULL unknown */
};

struct ana_latency_bucket {
	int64_t from, to;
	uint64_t count;
};

struct ana_latency {
	char *kind;
	uint64_t count, unfinished;  /* unfinished: woken, but not run before the trace ended */
	int64_t min, max;            /* ns; statistics are over all cases; BASE_TIME_NONE when count is 0 */
	int64_t p50, p90, p99, p999; /* nearest rank */
	double mean, stddev;         /* ns; population; 0 when count is 0 */
	/* Of struct ana_latency_bucket: [0, 1), [1, 2), [2, 4), …, no empty ones at the ends. */
	GArray *histogram;
	GArray *worst; /* of struct ana_latency_case, longest first; ties by start */
};

/*
 * Measure.  BASE_ERROR_USAGE for an unknown kind, BASE_ERROR_NO_ANSWER when the
 * row is no thread, BASE_ERROR_CANCELLED when PROGRESS (may be NULL) was.  No
 * case at all is an answer: count is 0.
 */
struct ana_latency *ana_latency_new(struct qry *q, const struct ana_latency_options *options,
	struct base_progress *progress, GError **error);
void ana_latency_free(struct ana_latency *latency);

/* Names of all kinds, NULL-terminated, static. */
const char *const *ana_latency_kinds(void);

#endif
