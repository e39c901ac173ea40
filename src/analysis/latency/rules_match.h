/* SPDX-License-Identifier: MIT */
/* Matches events with rules: conditions and keys.  Private to src/analysis. */
#ifndef ANA_RULES_MATCH_H
#define ANA_RULES_MATCH_H

#include "analysis/latency/mark.h"
#include "analysis/latency/rules_open.h"
#include "query/events/scan.h"

/* The wanted fields of one event at a time. */
struct ana_rules_facts {
	struct qry *q; /* weak */
	struct qry_event event;
	GPtrArray *wanted;              /* of const char *, weak */
	struct qry_scan *scan;          /* owned; NULL until it is opened */
	const struct trc_value *values; /* weak: of WANTED */
	bool has_thread;                /* the thread of EVENT was looked up */
	/* If the event marks a span of a program: the mark, once looked up, and "$mark_owner"; MARK_FIELDS:
	 * the numbers of the fields of marks, in the order of rules_match.c. */
	struct ana_mark mark;
	bool has_mark;
	char owner[32];
	GArray *mark_fields; /* of uint32_t, owned; empty: no mark is wanted */
	GHashTable *
		names; /* an event's name, by its address → struct ana_mark, owned: ana_rules_facts_of_name */
	GHashTable *twice; /* name of an event, likewise → bool, owned: both sides have a key */
	GPtrArray *types;  /* of struct qry_scan_type *, owned; NULL until they are wanted */
	GPtrArray *keys;   /* of struct ana_rules_facts_key, owned */
	uint64_t number;   /* of the event, from 1 on */
	GError *error;     /* owned: of a look-up; NULL: none failed */
};

/* Initialise F for the events of Q (weak), without wanted fields. The caller clears it. */
void ana_rules_facts_init(struct ana_rules_facts *f, struct qry *q);
void ana_rules_facts_clear(struct ana_rules_facts *f);
/* Want FIELD (weak), or "$cpu" etc., before the events are opened.  Returns its number. */
uint32_t ana_rules_facts_want(struct ana_rules_facts *f, const char *field);
/* Open the events that FILTER selects.  False with an error. */
bool ana_rules_facts_open(struct ana_rules_facts *f, const struct qry_events_filter *filter, GError **error);
/* Read the next event without its thread.  Returns like qry_scan_next(); reports errors of earlier look-ups,
 * too. */
int ana_rules_facts_next(struct ana_rules_facts *f, struct base_progress *progress, GError **error);
/* The row of the thread that ran at the event; MDL_NONE unknown. */
uint32_t ana_rules_facts_thread(struct ana_rules_facts *f);
/* Look up field number FIELD into *VALUE, which is valid until the next look-up of a thread or event.  False
 * if the event has no such field. */
bool ana_rules_facts_get(struct ana_rules_facts *f, uint32_t field, struct trc_value *value);
/*
 * The mark of events called NAME (valid while the traces are open): ana_mark_of_name(); also, "work" and
 * "p_work_0" are begins if the trace has their ends, "work__return", "work_ret" or "r_work_0".
 */
const struct ana_mark *ana_rules_facts_of_name(struct ana_rules_facts *f, const char *name);
/* The source of the span that the event marks: "marker", "ust", "usdt", "uprobe", "track".  Static. */
const char *ana_rules_facts_source(struct ana_rules_facts *f);
/* Append VALUE as text, which may hold any bytes except NUL. */
void ana_rules_append_value(GString *to, const struct trc_value *value);
/* Names of all fields: "dev, sector".  The caller frees.  NULL with an error. */
char *ana_rules_facts_names(struct ana_rules_facts *f, GError **error);

struct ana_rules_facts_key;

/* The numbers of the fields that a side names. */
struct ana_rules_wanted {
	const struct ana_rule_side *side; /* weak */
	uint32_t *conditions;             /* owned: as many as SIDE has */
	struct ana_rules_facts_key *key;  /* weak: of the facts; sides with the same key share it */
};

/* Want all fields of SIDE: ana_rules_facts_want().  ACROSS: the key does not contain the host. */
void ana_rules_wanted_init(struct ana_rules_wanted *w, struct ana_rules_facts *f,
	const struct ana_rule_side *side, bool across);
void ana_rules_wanted_clear(struct ana_rules_wanted *w);

/* True if events called NAME match the name of SIDE. */
bool ana_rules_is_called(struct ana_rules_facts *f, const struct ana_rule_side *side, const char *name);
/* True if the event meets all conditions of W. */
bool ana_rules_meets(struct ana_rules_facts *f, const struct ana_rules_wanted *w);
/* The key of the event, made once for all sides that share it.  Keys with the same text are equal.  Valid
 * until the next event is read.  NULL if the event lacks a field. */
const struct ana_rules_key *ana_rules_facts_key(struct ana_rules_facts *f, const struct ana_rules_wanted *w);
/* The first PARTS fields of KEY as text: "266338304, 4722048", sanitised.  The caller frees.  NULL: none. */
char *ana_rules_key_text(const struct ana_rules_key *key, guint parts);

#endif
