/* SPDX-License-Identifier: MIT */
/* Finds where, in a window, rows have latencies over a limit. */
#ifndef ANA_LATENCY_OVER_H
#define ANA_LATENCY_OVER_H

#include "analysis/latency/latency.h"

/* Bits of a column of a row: some case lies in it; some case begins in it. */
enum { ANA_LATENCY_OVER_THERE = 1, ANA_LATENCY_OVER_BEGINS = 2 };

struct ana_latency_over_options {
	const char *kind;              /* one of ana_latency_kinds(), or the name of a rule in RULES */
	const struct ana_rules *rules; /* NULL: KIND is a kind */
	int64_t limit;                 /* ns: only cases of at least this */
	int64_t from, to;              /* the window, in COLUMNS columns (base_time_column()) */
	uint32_t columns;
	const uint32_t *rows; /* N of them: threads, or other rows as the kind has them */
	uint32_t n;
};

/* Returns COLUMNS bytes for each row, row after row, about cases that lie in the window, also those that
 * began before it.  The caller frees.  Costs time in the number of such cases in and near the window.  NULL
 * with an error, see ana_latency_new(). */
uint8_t *ana_latency_over(struct qry *q, const struct ana_latency_over_options *options,
	struct base_progress *progress, GError **error);

#endif
