/* SPDX-License-Identifier: MIT */
/*
 * A kind of latency: where cases come from and how one is explained.  A new
 * kind is one file with such a struct and one line in the registry of
 * ana_latency.c.
 */
#ifndef ANA_LATENCY_KIND_H
#define ANA_LATENCY_KIND_H

#include "analysis/ana_latency.h"

/* Where cases go: statistics and the worst ones. */
struct ana_tally;

/* ROW's effect at END had its cause at START. */
void ana_tally_case(struct ana_tally *tally, uint32_t row, int64_t start, int64_t end);
/* A cause whose effect is not in the trace. */
void ana_tally_unfinished(struct ana_tally *tally);

struct ana_latency_kind {
	const char *name;
	/* Put all cases of thread ROW whose cause lies in [from, to) into the tally. */
	void (*collect)(struct qry *q, uint32_t row, int64_t from, int64_t to, struct ana_tally *tally);
	/* Fill cpu and cause of one of the worst cases. */
	void (*explain)(struct qry *q, struct ana_latency_case *c);
};

extern const struct ana_latency_kind ana_latency_wakeup;

#endif
