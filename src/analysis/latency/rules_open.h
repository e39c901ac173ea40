/* SPDX-License-Identifier: MIT */
/* The open intervals of a rule; their number is bounded.  Private to src/analysis. */
#ifndef ANA_RULES_OPEN_H
#define ANA_RULES_OPEN_H

#include "analysis/latency/rules.h"
#include "model/mdl_span.h"

struct ana_rules_interval {
	int64_t start;
	uint32_t host, cpu; /* of its entry */
	uint32_t row;       /* of its thread; MDL_NONE unknown */
};

/* Receives each interval once, with its key of LENGTH bytes. */
typedef void ana_rules_settle(void *data, const struct ana_rules_interval *interval, const char *key,
	gsize length, enum mdl_span_fate fate);

struct ana_rules_open;

/* Keep at most MAX intervals of RULE open at once, and at most 256 MiB of keys: beyond that the oldest are
 * dropped.  RULE must outlive it. */
struct ana_rules_open *ana_rules_open_new(const struct ana_rule *rule, uint64_t max, ana_rules_settle *settle,
	void *data);
/* Settle all intervals still open at END, the end of the trace. */
void ana_rules_open_finish(struct ana_rules_open *o, int64_t end);
void ana_rules_open_free(struct ana_rules_open *o);

/* Open an interval.  Calls of enter and exit must come in order of time. */
void ana_rules_open_enter(struct ana_rules_open *o, const GString *key, const struct ana_rules_interval *i);
/* End intervals of KEY.  False if none is open. */
bool ana_rules_open_exit(struct ana_rules_open *o, const GString *key, int64_t time);

#endif
