/* SPDX-License-Identifier: MIT */
/* Measures rules: reads each event that a rule names from the trace, in order of time, and stores the cases
 * (query/cases/kept.h). */
#ifndef ANA_RULES_RUN_H
#define ANA_RULES_RUN_H

#include "analysis/latency/kind.h"

/* Open the cases of RULES; finds those that are not stored yet.  ONLY (unless NULL) restricts that to one of
 * the rules; then SPANS are its cases.  If no trace has a rule's events or fields, idx_spans_note() says so.
 * Errors: those of qry_kept_open() and qry_events_new(). */
bool ana_rules_open(struct qry *q, const struct ana_rules *rules, const struct ana_rule *only,
	struct qry_spans *spans, struct base_progress *progress, GError **error);

/* True if the cases of RULE, one of RULES, are stored. */
bool ana_rules_at_hand(struct qry *q, const struct ana_rules *rules, const struct ana_rule *rule);

/* RULE as a kind, with the rule's name. */
struct ana_latency_kind ana_rules_kind(const struct ana_rule *rule);

#endif
