/* SPDX-License-Identifier: MIT */
/* User-defined rules for latencies, read from a file (docs/cli.md has its format). */
#ifndef ANA_RULES_H
#define ANA_RULES_H

#include "query/events/events.h"

#define ANA_RULES_OPEN_MAX 1000000 /* intervals of a rule open at once */

/* The effect of an entry while one with its key is open. */
enum ana_rule_open {
	ANA_RULE_NEWEST, /* one is open: the new one replaces it */
	ANA_RULE_OLDEST, /* one is open: the new one is ignored */
	ANA_RULE_ALL,    /* all are open: an exit ends all of them */
	ANA_RULE_QUEUE,  /* all are open: an exit ends the oldest */
	ANA_RULE_STACK,  /* all are open: an exit ends the newest */
};

enum ana_rule_compare {
	ANA_RULE_EQUAL,
	ANA_RULE_UNLIKE,
	ANA_RULE_MORE,
	ANA_RULE_LESS,
	ANA_RULE_AT_LEAST,
	ANA_RULE_AT_MOST
};

/* A condition on a field of an event, or on one of "$cpu", "$tid", "$pid", "$host", "$mark" and its like
 * (docs/cli.md: rules). */
struct ana_rule_condition {
	char *field;
	enum ana_rule_compare compare;
	char *text;      /* EQUAL, UNLIKE: a shell pattern */
	bool is_pattern; /* TEXT has wildcards */
	bool is_number;
	struct trc_value number; /* TEXT as a number, if IS_NUMBER */
};

/* Entry or exit of a rule. */
struct ana_rule_side {
	/* Name, or a shell pattern for it; "$text": any event whose text a program wrote, "$program": any event of a
	 * program's tracepoint or probe. */
	char *event;
	GArray *conditions; /* of struct ana_rule_condition */
	GPtrArray *key;     /* of char *: fields, as many for entry as for exit */
};

struct ana_rule {
	char *name;
	struct ana_rule_side entry, exit;
	bool thread_of_exit; /* the case belongs to the thread that ran at its exit; false: at its entry */
	/* Field of that event with the TID of the thread to take instead; NULL none. */
	char *thread;
	/* Field of the entry with the name of the case (analysis/latency/program.h); NULL: the rule's. */
	char *label;
	enum ana_rule_open open;
	bool across;       /* entry and exit may be on different hosts */
	int64_t timeout;   /* ns after which an open interval is dropped; 0: never */
	int64_t threshold; /* ns; 0: none */
};

struct ana_rules {
	GPtrArray *rules;  /* of struct ana_rule, in file order */
	uint64_t open_max; /* ANA_RULES_OPEN_MAX */
};

/* Read the rules in FILE.  BASE_ERROR_USAGE with file, rule and what to do if it cannot be read or is
 * invalid. */
struct ana_rules *ana_rules_read(const char *file, GError **error);
/* Parse TEXT (LENGTH bytes), which messages call FILE.  Errors: see ana_rules_read(). */
struct ana_rules *ana_rules_parse(const char *file, const char *text, gsize length, GError **error);
void ana_rules_free(struct ana_rules *rules);

/* Everything that the cases of RULE, one of RULES, depend on, as text.  Rules with equal texts differ only in
 * name and threshold.  The caller frees. */
char *ana_rules_meaning(const struct ana_rules *rules, const struct ana_rule *rule);

/* Likewise, of all spans that RULES and MORE (NULL: none) declare. */
char *ana_rules_all_mean(const struct ana_rules *rules, const struct ana_rules *more);

/* The rule called NAME.  NULL with BASE_ERROR_USAGE, which lists all names. */
const struct ana_rule *ana_rules_find(const struct ana_rules *rules, const char *name, GError **error);

#endif
