/* SPDX-License-Identifier: MIT */
/* What is known of a cause, as JSON objects of SOURCE in cli.md.  Inside the library only. */
#ifndef EXP_FACTS_H
#define EXP_FACTS_H

#include "query/qry.h"

/* One fact. */
struct exp_fact_ops {
	const char *key; /* of its member in SOURCE */
	/* FACTS has it.  The caller takes what is returned. */
	GString *(*json)(struct qry *q, uint32_t host, const struct mdl_facts *facts);
	bool optional; /* there is no such member where it is not known; else null */
};

/* exp_fact_request, … */
#define EXP_FACT_OPS(NAME, member, type) extern const struct exp_fact_ops exp_fact_##member;
MDL_FACTS(EXP_FACT_OPS)
#undef EXP_FACT_OPS

/* Add the members of all facts to O: of FACTS (NULL: none are known), which have a timer or TIMER (taken
 * over; NULL: null) is what else is known of one. */
void exp_facts_json(GString *o, struct qry *q, uint32_t host, const struct mdl_facts *facts, GString *timer);

#endif
