/* SPDX-License-Identifier: MIT */
/* What the files that measure rules share; inside src/analysis. */
#ifndef ANA_RULES_PARTS_H
#define ANA_RULES_PARTS_H

#include "analysis/ana_rules_lost.h"
#include "analysis/ana_rules_match.h"
#include "analysis/ana_rules_open.h"
#include "analysis/ana_latency_kind.h"

struct ana_rules_walk;

/* What was seen of entry or exit. */
struct ana_rules_seen {
	bool event;         /* one of that name */
	GPtrArray *missing; /* of const char *: fields that the rule names and no event had yet */
	char *fields;       /* those that the first event had; owned */
};

/* A rule while it is measured. */
struct ana_rules_measured {
	struct ana_rules_walk *run;
	const struct ana_rule *rule;
	struct qry_kept *cases; /* where they go; weak */
	struct ana_rules_open *open;
	struct ana_rules_seen entry, exit;
	bool of_cpu; /* only its CPU matters for what is lost */
};

struct ana_rules_walk {
	struct qry *q;
	GPtrArray *measured; /* of struct ana_rules_measured, owned */
	GHashTable *by_name; /* name as of struct qry_event → GPtrArray of struct ana_rules_measured that it
				is for; owned */
	GPtrArray *names;    /* of const char *: of all events on the way */
	GHashTable *threads; /* host and TID → GArray of rows; owned */
	struct ana_rules_lost *lost;
	struct ana_rules_facts facts; /* of the event that is looked at */
	GString *key;
};

/* Rows of threads by host and TID, as struct ana_rules_walk has them. */
GHashTable *ana_rules_threads(const struct qry *q);
/* The thread of a case of RULE by the event that is looked at; MDL_NONE unknown. */
uint32_t ana_rules_thread_here(const struct ana_rules_walk *run, const struct ana_rule *rule);
/* Puts an interval of DATA (struct ana_rules_measured) where it belongs: ana_rules_settle. */
void ana_rules_count(void *data, const struct ana_rules_interval *i, const char *key, gsize length,
	enum mdl_span_fate fate);
/* The event that is looked at is an exit of which nothing is open. */
void ana_rules_unmatched(struct ana_rules_measured *m);

#endif
