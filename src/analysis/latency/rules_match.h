/* SPDX-License-Identifier: MIT */
/* Events as rules see them: do they meet what a rule asks, and which key do they have; inside src/analysis.
 */
#ifndef ANA_RULES_MATCH_H
#define ANA_RULES_MATCH_H

#include "analysis/latency/rules.h"

/* The fields of one event at a time. */
struct ana_rules_facts {
	struct qry *q; /* weak */
	struct qry_event event;
	GArray *fields; /* of struct ana_rules_field, in the order of the event */
	GString *texts; /* names and texts of them */
};

void ana_rules_facts_init(struct ana_rules_facts *f, struct qry *q);
void ana_rules_facts_clear(struct ana_rules_facts *f);
/* EVENT, which E stepped over last.  False with an error. */
bool ana_rules_facts_read(struct ana_rules_facts *f, struct qry_events *e, const struct qry_event *event,
	GError **error);
/* The value of FIELD, or of "$cpu" and its like, in *VALUE, good until the next event is read; false: the
 * event has none. */
bool ana_rules_facts_get(const struct ana_rules_facts *f, const char *field, struct trc_value *value);
/* Names of all fields: "dev, sector".  The caller frees. */
char *ana_rules_facts_names(const struct ana_rules_facts *f);

/* Is NAME an event of SIDE? */
bool ana_rules_is_called(const struct ana_rule_side *side, const char *name);
/* Does the event meet all conditions of SIDE? */
bool ana_rules_meets(const struct ana_rules_facts *f, const struct ana_rule_side *side);
/* The key of the event in KEY, which is emptied before; with its host unless ACROSS.  False: it lacks a
 * field. */
bool ana_rules_key(const struct ana_rules_facts *f, const struct ana_rule_side *side, bool across,
	GString *key);
/* Such a KEY in words: "266338304, 4722048", cleaned.  The caller frees; NULL for a key without fields. */
char *ana_rules_key_text(const char *key, gsize length);

/* Up to three of NAMES (of const char *) that NAME may be meant for: "block_rq_issue, block_rq_insert".  The
 * caller frees; NULL: none is near. */
char *ana_rules_near(const char *name, const GPtrArray *names);

#endif
