/* SPDX-License-Identifier: MIT */
/* SOURCE of cli.md: what ended a wait, and what is known of its cause.  Inside the library only. */
#ifndef EXP_SOURCE_H
#define EXP_SOURCE_H

#include "export/exp_evidence.h"

/* One fact of a cause. */
struct exp_fact_ops {
	const char *key; /* of its member in SOURCE */
	/* The cause in WHY has it.  The caller takes what is returned. */
	GString *(*json)(struct qry *q, const struct ana_why *why);
	bool optional; /* there is no such member where it is not known; else null */
};

/* exp_fact_request, … */
#define EXP_FACT_OPS(NAME, member, type) extern const struct exp_fact_ops exp_fact_##member;
MDL_FACTS(EXP_FACT_OPS)
#undef EXP_FACT_OPS

/* The JSON object of what ended the wait of thread ROW, as WAKEUP tells; its evidence comes later, through
 * EVIDENCE. */
GString *exp_source_json(struct qry *q, uint32_t row, const struct mdl_wakeup *wakeup,
	struct exp_evidence *evidence);

#endif
