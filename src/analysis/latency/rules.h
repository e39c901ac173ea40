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
	ANA_RULE_NEXT,   /* one is open: the new one ends it, as an exit does */
};

/* The meaning of a state for the time of its thread. */
enum ana_rule_waits {
	ANA_RULE_WORKS,      /* no wait */
	ANA_RULE_WAITS,      /* the thread waits, for whom is unknown */
	ANA_RULE_FOR_PEERS,  /* … until the last thread is in a state of that name and key: a barrier */
	ANA_RULE_FOR_HOLDER, /* … for the thread that is in another state of that key: a lock */
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
	/* Name, or a shell pattern for it; "$text": any event with a text that a program wrote; "$program":
	 * any event of a program's tracepoint or probe.  NULL: none, for the exit of a state. */
	char *event;
	GArray *conditions; /* of struct ana_rule_condition */
	GPtrArray *key;     /* of char *: fields, as many for entry as for exit */
};

struct ana_rule {
	char *name;
	unsigned line; /* of its file, where it begins */
	struct ana_rule_side entry, exit;
	bool thread_of_exit; /* the case belongs to the thread that ran at its exit; false: at its entry */
	/* Field of that event with the TID of the thread to take instead; NULL none. */
	char *thread;
	/* Field of the entry with the name of the case (analysis/latency/program.h); NULL: the rule's name.
	 * For a state: the field with its value or, if the event has no such field, the value itself. */
	char *label;
	/* For a state: its meaning; HOLDER: the state of the thread waited for, NULL: none; WAITING: shell
	 * pattern for the values that are waits, NULL: all. */
	enum ana_rule_waits waits;
	char *holder, *waiting;
	enum ana_rule_open open;
	bool across;       /* entry and exit may be on different hosts */
	int64_t timeout;   /* ns after which an open interval is dropped; 0: never */
	int64_t threshold; /* ns; 0: none */
};

struct ana_rules {
	char *file;        /* as messages call it */
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

/* True if RULE declares spans, or states, of programs. */
bool ana_rules_is_program(const struct ana_rule *rule);
bool ana_rules_is_state(const struct ana_rule *rule);
/* True if NAME, "STATE:VALUE" or "STATE", is the state OF, or OF with a value. */
bool ana_rules_state_is(const char *name, const char *of);

/* Like ana_rules_meaning(), for all spans and states that RULES and MORE (NULL: none) declare. */
char *ana_rules_all_mean(const struct ana_rules *rules, const struct ana_rules *more);

/* The rule called NAME.  NULL with BASE_ERROR_USAGE, which lists all names. */
const struct ana_rule *ana_rules_find(const struct ana_rules *rules, const char *name, GError **error);

#endif
