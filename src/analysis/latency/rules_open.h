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
	uint64_t text;      /* of a span, the caller's; 0: of its key */
};

/* A key of which intervals are, or were, open. */
struct ana_rules_slot {
	struct ana_rules_slot *next; /* of those at one place of the table */
	uint64_t hash;
	GQueue intervals; /* oldest first */
	uint64_t text;    /* the caller's; ANA_RULES_NO_TEXT at first */
	GList idle;       /* its link while there are none */
	gsize words;
	uint64_t key[]; /* WORDS of them, as ana_rules_key() has it */
};

struct ana_rules_open {
	const struct ana_rule *rule; /* weak */
	uint64_t most;               /* intervals open at once; beyond, the oldest are given up */
	/* Called with DATA for each interval that met FATE, of the key of SLOT. */
	void (*settle)(void *data, const struct ana_rules_interval *i, struct ana_rules_slot *slot,
		enum mdl_span_fate fate);
	void *data;

	/* Private. */
	GQueue all;                    /* oldest first; owned */
	GList *spare;                  /* entries to use again */
	GQueue idle;                   /* of slots without intervals, the one that is so for longest first */
	struct ana_rules_slot **slots; /* owned: by hash, PLACES of them */
	gsize places, n_slots;
	gsize bytes; /* of the keys of which intervals are open */
};

/* RULE, MOST, SETTLE and DATA are set, all else is 0. */
void ana_rules_open_init(struct ana_rules_open *o);
void ana_rules_open_clear(struct ana_rules_open *o);

/* Calls come in the order of time. */
void ana_rules_open_enter(struct ana_rules_open *o, const GString *key, const struct ana_rules_interval *i);
/* End intervals of KEY.  False if none is open. */
bool ana_rules_open_exit(struct ana_rules_open *o, const GString *key, int64_t time);
/* It is NOW, and nothing comes any more. */
void ana_rules_open_finish(struct ana_rules_open *o, int64_t now);

#endif
