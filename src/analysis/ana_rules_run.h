/* SPDX-License-Identifier: MIT */
/* Rules of one's own, measured: each event that a rule names is read from the trace, in the order of time. */
#ifndef ANA_RULES_RUN_H
#define ANA_RULES_RUN_H

#include "analysis/ana_latency.h"
#include "analysis/ana_rules.h"

struct ana_rules_found {
	GPtrArray *latencies; /* of struct ana_latency *, owned: of the rules that could be measured, in order
			       */
	GPtrArray *rules;     /* of const struct ana_rule *: which those are */
	GPtrArray *warnings;  /* of char *, owned: a line for each other one */
};

/*
 * Measure all RULES, which outlive the result, or (not NULL) ONLY one of them, as OPTIONS say; their kind
 * does not matter.  The errors are those of ana_latency_new() and of qry_events_new(); BASE_ERROR_NO_ANSWER
 * also when for none of the rules there are such events, or fields.
 */
struct ana_rules_found *ana_rules_run(struct qry *q, const struct ana_rules *rules,
	const struct ana_rule *only, const struct ana_latency_options *options,
	struct base_progress *progress, GError **error);
void ana_rules_found_free(struct ana_rules_found *found);

#endif
