/* SPDX-License-Identifier: MIT */
/* Rules of one's own, measured: each event that a rule names is read from the trace, in the order of time,
 * and what was found is kept (query/cases/kept.h). */
#ifndef ANA_RULES_RUN_H
#define ANA_RULES_RUN_H

#include "analysis/latency/kind.h"

/*
 * Have the cases of all RULES open that are not kept yet, or (not NULL) of ONLY one of them, whose cases are
 * SPANS then.  Where a rule's events or fields are in none of the traces, idx_spans_note() tells.  The errors
 * are those of qry_kept_open() and of qry_events_new().
 */
bool ana_rules_open(struct qry *q, const struct ana_rules *rules, const struct ana_rule *only,
	struct qry_spans *spans, struct base_progress *progress, GError **error);

/* Are the cases of RULE, one of RULES, kept? */
bool ana_rules_at_hand(struct qry *q, const struct ana_rules *rules, const struct ana_rule *rule);

/* RULE as a kind, which has its name. */
struct ana_latency_kind ana_rules_kind(const struct ana_rule *rule);

#endif
