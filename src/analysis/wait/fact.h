/* SPDX-License-Identifier: MIT */
/* The meaning of each fact of the model: the kind of wait that it shows, the thread that began it, its text,
 * its steps in an explanation. */
#ifndef ANA_FACT_H
#define ANA_FACT_H

#include "analysis/wait/why.h"

/* An explanation under construction.  Facts add hops to it; analysis/wait/why.c adds the others. */
struct ana_why_maker {
	struct qry *q;       /* weak */
	struct ana_why *why; /* weak */
};

/* A new explanation of the wait of thread ROW in [FROM, TO), without hops. Free it with ana_why_free(). */
struct ana_why *ana_why_empty(const struct qry *q, uint32_t row, int64_t from, int64_t to);
/* Begin the next hop, one level below the last.  Takes ownership of TAKE_LABEL. */
struct ana_why_hop *ana_why_hop_add(struct ana_why_maker *m, char *take_label);
/* Add an event to the last hop.  Does nothing if TIME is MDL_NEVER. */
void ana_why_evidence_add(struct ana_why_maker *m, const char *event, int64_t time, uint32_t cpu);
/* Add the event that shows the wake-up, if there is one. */
void ana_why_evidence_of_wakeup(struct ana_why_maker *m);
/* Add a hop for the actor of ACT on HOST, with TEXT (static) and EVENT as its proof.  WAITER: see
 * ana_chain_act_doubts().  Valid until the next hop is added. */
struct ana_why_hop *ana_why_act_at(struct ana_why_maker *m, uint32_t host, const struct mdl_act *act,
	uint32_t waiter, const char *text, const char *event);
/* The row of the actor of ACT on HOST; MDL_NONE none. */
uint32_t ana_why_row_of(const struct ana_why_maker *m, uint32_t host, const struct mdl_act *act);

/* Add the event at which the context of ACT was entered, if there is one. */
void ana_why_evidence_of_entry(struct ana_why_maker *m, const struct mdl_act *act);

/* ---- facts ---- */

/* The input of ana_source_of(). */
struct ana_look {
	struct qry *q; /* weak */
	struct mdl_chain chain;
	const struct mdl_cause *cause; /* NULL: none */
};

/* The thread that began the operation that ended a wait, and when. */
struct ana_beginner {
	uint32_t row; /* a thread; MDL_NONE unknown */
	int64_t time;
};

/* The hooks of a fact.  All may be NULL.  FACTS, as passed, always has the fact. */
struct ana_fact_ops {
	/* True if the fact shows that a wait was for KIND. NULL: it always does, if KIND_RANK is not 0. */
	bool (*tells)(const struct mdl_facts *facts);
	enum ana_kind kind;
	unsigned kind_rank; /* if several facts show a kind, the lowest wins; 0: the fact shows none */
	bool only_then;     /* if the wait is of another kind, it was not for this fact */
	/* Set in S what else the fact shows: doubts, device, thread.  S has the fact's kind, and the doubts
	 * of the chain's last hop. */
	void (*source)(const struct ana_look *look, const struct mdl_facts *facts, struct ana_source *s);

	/* Text without the kind in front ("read of vdb, 64 KiB").  CHAIN NULL: without the contexts that
	 * brought it.  The caller frees.  NULL: it has no text. */
	char *(*words)(struct qry *q, uint32_t host, const struct mdl_facts *facts,
		const struct mdl_chain *chain);
	/* Text that joins WORDS and the times of the steps; NULL: the text has no steps. */
	const char *before_steps;

	/* The thread that sent, queued or armed what the fact is about. Facts are asked in order of RANK,
	 * lowest first. */
	struct ana_beginner (*begin)(struct qry *q, uint32_t host, const struct mdl_facts *facts);
	unsigned rank;

	/* Add hops before, and after, those of the chain. */
	void (*before)(struct ana_why_maker *m, const struct mdl_facts *facts);
	void (*after)(struct ana_why_maker *m, const struct mdl_facts *facts);
	/* The act of the chain's last hop as text ("sent signal 14 ALRM"); NULL: the hop did nothing besides
	 * the wake-up.  Asked in order of RANK.  The caller frees. */
	char *(*did)(const struct mdl_facts *facts);
	/* Add further events that prove the fact. */
	void (*evidence)(struct ana_why_maker *m, const struct mdl_facts *facts);
};

/* The hooks of all facts, by enum mdl_fact_nr. */
extern const struct ana_fact_ops *const ana_fact_all[MDL_FACTS_N];

/* True if FACTS has fact NR and it shows the kind of a wait. */
bool ana_fact_tells(const struct mdl_facts *facts, unsigned nr);
/* The fact in FACTS with the lowest KIND_RANK that shows the kind of a wait; NULL: none does. */
const struct ana_fact_ops *ana_fact_teller(const struct mdl_facts *facts);
/* The next fact in FACTS after RANK in order of rank; NULL: none. */
const struct ana_fact_ops *ana_fact_next(const struct mdl_facts *facts, unsigned rank);

#endif
