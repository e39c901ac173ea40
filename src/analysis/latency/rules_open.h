/* SPDX-License-Identifier: MIT */
/* The intervals of one rule that are open, by their keys.  Private to src/analysis. */
#ifndef ANA_RULES_OPEN_H
#define ANA_RULES_OPEN_H

#include "analysis/latency/rules.h"
#include "model/span/span.h"

#define ANA_RULES_NO_TEXT UINT64_MAX

struct ana_rules_interval {
	int64_t start;
	uint32_t host, cpu; /* of its entry */
	uint32_t row;       /* of its thread; MDL_NONE unknown */
	uint64_t text;      /* text of a span, as the caller numbers it; 0: the text of its key */
};

/* The key of an event: words of eight bytes, as ana_rules_facts_key() makes them. */
struct ana_rules_key {
	const uint64_t *words; /* weak */
	gsize n;
	uint64_t hash; /* ana_rules_hash() */
};

/* The hash of a key of N WORDS. */
uint64_t ana_rules_hash(const uint64_t *words, gsize n);

struct ana_rules_slot;

/* An interval that is open. */
struct ana_rules_entry {
	struct ana_rules_interval interval;
	uint64_t number;                       /* entries of its rule before it */
	struct ana_rules_slot *slot;           /* weak; NULL: the entry is free */
	struct ana_rules_entry *older, *newer; /* of its key; weak */
	struct ana_rules_entry *before, *next; /* of all intervals, if these are in a list; weak */
};

#define ANA_RULES_SHORT 3 /* words of a key that are stored with it: of one field that is a number */

/* A key with intervals that are, or were, open.  The members that a look-up reads come first, in one cache
 * line. */
struct ana_rules_slot {
	struct ana_rules_slot *next; /* next slot at the same place of the table */
	struct ana_rules_key key;
	uint64_t words[ANA_RULES_SHORT]; /* of a short key; those of a longer one are after the slot */
	uint64_t text;                   /* the caller's; ANA_RULES_NO_TEXT at first */
	struct ana_rules_entry *oldest, *newest; /* NULL: no interval is open */
	struct ana_rules_entry own;              /* the place of one of them */
};

struct ana_rules_open {
	const struct ana_rule *rule; /* weak */
	uint64_t most;               /* intervals open at once; beyond, the oldest are given up */
	/* Called with DATA for each interval that met FATE, of the key of SLOT. */
	void (*settle)(void *data, const struct ana_rules_interval *i, struct ana_rules_slot *slot,
		enum mdl_span_fate fate);
	void *data;

	/* Private. */
	uint64_t entries; /* so far */
	gsize n;          /* intervals that are open */
	bool listed;      /* they are in a list, from OLDEST to NEWEST */
	struct ana_rules_entry *oldest, *newest;
	struct ana_rules_entry *spare; /* to use again, linked by NEXT; owned */
	struct ana_rules_slot **slots; /* owned: by hash, PLACES of them */
	gsize places, n_slots, n_idle; /* N_IDLE have no interval */
	gsize bytes;                   /* of the keys with open intervals */
};

/* Initialise O, in which RULE, MOST, SETTLE and DATA are set and all else is 0. The caller clears it; that
 * settles nothing. */
void ana_rules_open_init(struct ana_rules_open *o);
void ana_rules_open_clear(struct ana_rules_open *o);

/* Begin an interval of KEY.  Calls come in order of time. */
void ana_rules_open_enter(struct ana_rules_open *o, const struct ana_rules_key *key,
	const struct ana_rules_interval *i);
/* End intervals of KEY.  False if none is open. */
bool ana_rules_open_exit(struct ana_rules_open *o, const struct ana_rules_key *key, int64_t time);
/* End of the trace, at NOW: settle all open intervals. */
void ana_rules_open_finish(struct ana_rules_open *o, int64_t now);

#endif
