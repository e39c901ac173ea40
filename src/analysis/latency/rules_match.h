/* SPDX-License-Identifier: MIT */
/* Matches events with rules: whether they meet the conditions of a rule, and their key.  Private to
 * src/analysis. */
#ifndef ANA_RULES_MATCH_H
#define ANA_RULES_MATCH_H

#include "analysis/latency/mark.h"
#include "analysis/latency/rules.h"
#include "query/events/scan.h"

/* The fields of one event at a time, those that are wanted. */
struct ana_rules_facts {
	struct qry *q; /* weak */
	struct qry_event event;
	GPtrArray *wanted;              /* of const char *, weak */
	struct qry_scan *scan;          /* owned; NULL until it is opened */
	const struct trc_value *values; /* weak: of WANTED */
	struct ana_mark mark;           /* of the event, if HAS_MARK */
	bool wants_marks, has_mark;
	char owner[32]; /* "$mark_owner" of it */
};

void ana_rules_facts_init(struct ana_rules_facts *f, struct qry *q);
void ana_rules_facts_clear(struct ana_rules_facts *f);
/* Want the fields that SIDE, or (FIELD, may be NULL) a rule itself, names; before the events are opened. */
void ana_rules_facts_want(struct ana_rules_facts *f, const struct ana_rule_side *side, const char *field);
/* Open the events that FILTER selects.  False with an error. */
bool ana_rules_facts_open(struct ana_rules_facts *f, const struct qry_events_filter *filter, GError **error);
/* Read the next event.  As qry_scan_next(). */
int ana_rules_facts_next(struct ana_rules_facts *f, struct base_progress *progress, GError **error);
/* Look up FIELD, one that is wanted, or "$cpu" etc., into *VALUE, which is valid until the next event is read.  False
 * if the event has no such field. */
bool ana_rules_facts_get(const struct ana_rules_facts *f, const char *field, struct trc_value *value);
/* Where the phase of the event is from, if the event has "$mark": "marker", "ust", "usdt", "uprobe", "track".  Static. */
const char *ana_rules_facts_source(const struct ana_rules_facts *f);
/* Names of all fields: "dev, sector".  The caller frees.  NULL with an error. */
char *ana_rules_facts_names(struct ana_rules_facts *f, GError **error);

/* True if events called NAME are events of SIDE. */
bool ana_rules_is_called(const struct ana_rule_side *side, const char *name);
/* True if the event meets all conditions of SIDE. */
bool ana_rules_meets(const struct ana_rules_facts *f, const struct ana_rule_side *side);
/* Set KEY to the key of the event, with its host unless ACROSS.  False if it lacks a field. */
bool ana_rules_key(const struct ana_rules_facts *f, const struct ana_rule_side *side, bool across,
	GString *key);
/* KEY, made by ana_rules_key(), as text: "266338304, 4722048", sanitised.  The caller frees.  NULL for a key
 * without fields. */
char *ana_rules_key_text(const char *key, gsize length);

/* Append VALUE as text; a text may hold NULs no more, but anything else. */
void ana_rules_append_value(GString *to, const struct trc_value *value);

/* Up to three of NAMES (of const char *) that are similar to NAME: "block_rq_issue, block_rq_insert".  The
 * caller frees.  NULL: none is. */
char *ana_rules_near(const char *name, const GPtrArray *names);

#endif
