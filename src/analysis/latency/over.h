/* SPDX-License-Identifier: MIT */
/* Where in a window rows have latencies over a limit. */
#ifndef ANA_LATENCY_OVER_H
#define ANA_LATENCY_OVER_H

#include "analysis/latency/latency.h"

/* What a column of a row has of them (bits). */
enum { ANA_LATENCY_OVER_THERE = 1, ANA_LATENCY_OVER_BEGINS = 2 };

struct ana_latency_over_options {
	const char *kind;              /* of ana_latency_kinds(), or the name of one of these: */
	const struct ana_rules *rules; /* NULL: a kind */
	int64_t limit;                 /* ns: of cases of at least this */
	int64_t from, to;              /* the window, in COLUMNS columns as base_time_column() has them */
	uint32_t columns;
	const uint32_t *rows; /* N of them: threads, or by the kind other rows */
	uint32_t n;
};

/*
 * For each of the rows COLUMNS bytes, one behind the other, of cases that are in the window, also where they
 * began before it.  Costs as much as there are such cases in the window, and near it.  NULL with an error as
 * ana_latency_new().  The caller frees.
 */
uint8_t *ana_latency_over(struct qry *q, const struct ana_latency_over_options *options,
	struct base_progress *progress, GError **error);

#endif
