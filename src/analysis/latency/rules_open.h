/* SPDX-License-Identifier: MIT */
/* The intervals of a rule that are open: a bounded number of them; inside src/analysis. */
#ifndef ANA_RULES_OPEN_H
#define ANA_RULES_OPEN_H

#include "analysis/latency/rules.h"
#include "model/mdl_span.h"

struct ana_rules_interval {
	int64_t start;
	uint32_t host, cpu; /* of its entry */
	uint32_t row;       /* of its thread; MDL_NONE unknown */
};

/* Is told of each interval once, with its key, of LENGTH bytes. */
typedef void ana_rules_settle(void *data, const struct ana_rules_interval *interval, const char *key,
	gsize length, enum mdl_span_fate fate);

struct ana_rules_open;

/* At most MAX intervals of RULE, which outlives it, are open at once, with 256 MiB of keys: then the oldest
 * ones are given up. */
struct ana_rules_open *ana_rules_open_new(const struct ana_rule *rule, uint64_t max, ana_rules_settle *settle,
	void *data);
/* Settles what is still open.  END: of the trace. */
void ana_rules_open_finish(struct ana_rules_open *o, int64_t end);
void ana_rules_open_free(struct ana_rules_open *o);

/* Calls come in the order of time. */
void ana_rules_open_enter(struct ana_rules_open *o, const GString *key, const struct ana_rules_interval *i);
/* False: none of KEY is open. */
bool ana_rules_open_exit(struct ana_rules_open *o, const GString *key, int64_t time);

#endif
