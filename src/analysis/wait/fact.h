/* SPDX-License-Identifier: MIT */
/* What each fact of the model means: which kind of wait it tells, who began it, in words and as steps of an
 * explanation. */
#ifndef ANA_FACT_H
#define ANA_FACT_H

#include "analysis/wait/why_parts.h"

/* What a source is made from. */
struct ana_look {
	struct qry *q; /* weak */
	struct mdl_chain chain;
	const struct mdl_cause *cause; /* NULL: none */
};

/* Who began what ended a wait, and when. */
struct ana_beginner {
	uint32_t row; /* a thread; MDL_NONE not known */
	int64_t time;
};

/* One fact; all hooks may be NULL.  FACTS always has it. */
struct ana_fact_ops {
	/* Does it tell that a wait was for KIND?  NULL: always, where KIND_RANK is not 0. */
	bool (*tells)(const struct mdl_facts *facts);
	enum ana_kind kind;
	unsigned kind_rank; /* of several that tell a kind the lowest does; 0: it tells none */
	bool only_then;     /* a wait of another kind was not for it */
	/* It tells the kind of S, whose grade is that of the chain's end: what else it tells, grade, device
	   and thread. */
	void (*source)(const struct ana_look *look, const struct mdl_facts *facts, struct ana_source *s);

	/* In words without the kind in front ("read of vdb, 64 KiB"); CHAIN NULL: without who brought it.
	   NULL: it has none.  The caller frees. */
	char *(*words)(struct qry *q, uint32_t host, const struct mdl_facts *facts,
		const struct mdl_chain *chain);
	const char *before_steps; /* stands between these and how long each step took; NULL: the steps are no
				     part of it */

	/* The thread that sent, queued or armed it; and who is asked first, the lowest. */
	struct ana_beginner (*begin)(struct qry *q, uint32_t host, const struct mdl_facts *facts);
	unsigned rank;

	/* Hops of what was waited for, before those of the chain, and after. */
	void (*before)(struct ana_why_maker *m, const struct mdl_facts *facts);
	void (*after)(struct ana_why_maker *m, const struct mdl_facts *facts);
	/* What the last step of the chain did ("sent signal 14 ALRM"); NULL: nothing that it would not do for
	   any wake-up.  By RANK; the caller frees. */
	char *(*did)(const struct mdl_facts *facts);
	/* Further events on which that rests. */
	void (*evidence)(struct ana_why_maker *m, const struct mdl_facts *facts);
};

/* ana_fact_request, …: each in a file of its own. */
#define ANA_FACT_OPS(NAME, member, type) extern const struct ana_fact_ops ana_fact_##member;
MDL_FACTS(ANA_FACT_OPS)
#undef ANA_FACT_OPS

/* All of them, by enum mdl_fact_nr. */
extern const struct ana_fact_ops *const ana_fact_all[MDL_FACTS_N];

/* Does fact NR, if FACTS has it, tell the kind of a wait? */
bool ana_fact_tells(const struct mdl_facts *facts, unsigned nr);
/* The fact in FACTS that tells the kind of a wait best; NULL: none does. */
const struct ana_fact_ops *ana_fact_teller(const struct mdl_facts *facts);
/* Is it fact NR that FACTS has, and next in order of rank after RANK? */
const struct ana_fact_ops *ana_fact_next(const struct mdl_facts *facts, unsigned rank);

#endif
