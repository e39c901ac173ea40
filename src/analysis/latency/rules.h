/* SPDX-License-Identifier: MIT */
/* Rules of one's own for latencies, as a file has them (docs/cli.md tells its format). */
#ifndef ANA_RULES_H
#define ANA_RULES_H

#include "query/events/events.h"

#define ANA_RULES_OPEN_MAX 1000000 /* intervals of a rule that are open at once */

/* What becomes of several entries of one key. */
enum ana_rule_open {
	ANA_RULE_NEWEST, /* one is open: a further one takes its place */
	ANA_RULE_OLDEST, /* one is open: further ones are passed over */
	ANA_RULE_ALL,    /* all are open, and an exit ends all of them */
	ANA_RULE_QUEUE,  /* all are open, and an exit ends the one that was first */
	ANA_RULE_STACK,  /* all are open, and an exit ends the one that was last */
};

enum ana_rule_compare {
	ANA_RULE_EQUAL,
	ANA_RULE_UNLIKE,
	ANA_RULE_MORE,
	ANA_RULE_LESS,
	ANA_RULE_AT_LEAST,
	ANA_RULE_AT_MOST
};

/* A field of an event, or what is none: "$cpu", "$tid", "$pid", "$host". */
struct ana_rule_condition {
	char *field;
	enum ana_rule_compare compare;
	char *text; /* of EQUAL and UNLIKE a shell pattern */
	bool is_number;
	struct trc_value number; /* the same, where it is one */
};

/* Entry or exit. */
struct ana_rule_side {
	char *event;        /* its name, or a shell pattern for it */
	GArray *conditions; /* of struct ana_rule_condition */
	GPtrArray *key;     /* of char *: fields, as many of entry and exit */
};

struct ana_rule {
	char *name;
	struct ana_rule_side entry, exit;
	bool thread_of_exit; /* whose case it is: the thread that ran where it ended, else where it began … */
	char *thread;        /* … or the one that this field of that event names; NULL none */
	enum ana_rule_open open;
	bool across;       /* entry and exit may be on two hosts */
	int64_t timeout;   /* ns after which an open interval is given up; 0 never */
	int64_t threshold; /* ns; 0 none */
};

struct ana_rules {
	GPtrArray *rules;  /* of struct ana_rule, in the order of the file */
	uint64_t open_max; /* ANA_RULES_OPEN_MAX */
};

/* The rules in FILE.  BASE_ERROR_USAGE with file, rule and what to do when it cannot be read, or is no such
 * file. */
struct ana_rules *ana_rules_read(const char *file, GError **error);
/* The same of TEXT, which messages call FILE. */
struct ana_rules *ana_rules_parse(const char *file, const char *text, gsize length, GError **error);
void ana_rules_free(struct ana_rules *rules);

/* All that the cases of RULE, one of RULES, depend on, as a text: two rules that have the same are the same
 * but for name and threshold.  The caller frees. */
char *ana_rules_meaning(const struct ana_rules *rules, const struct ana_rule *rule);

/* The rule called NAME; NULL with BASE_ERROR_USAGE, which names those there are. */
const struct ana_rule *ana_rules_find(const struct ana_rules *rules, const char *name, GError **error);

#endif
