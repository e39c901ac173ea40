/* SPDX-License-Identifier: MIT */
/* SOURCE of cli.md: what ended a wait, and the facts known about its cause.  Only for the export library. */
#ifndef EXP_SOURCE_H
#define EXP_SOURCE_H

#include "export/exp_evidence.h"

/* One fact about a cause. */
struct exp_fact_ops {
	const char *key; /* the name of its member in SOURCE */
	/* The JSON of the fact; WHY's cause must have it.  The caller frees. */
	GString *(*json)(struct qry *q, const struct ana_why *why);
	bool optional; /* an unknown fact is left out; otherwise it is null */
};

/* exp_fact_request, … */
#define EXP_FACT_OPS(NAME, member, type) extern const struct exp_fact_ops exp_fact_##member;
MDL_FACTS(EXP_FACT_OPS)
#undef EXP_FACT_OPS

/* The JSON object of what ended the wait of thread ROW, from WAKEUP.  EVIDENCE fills its evidence later. */
GString *exp_source_json(struct qry *q, uint32_t row, const struct mdl_wakeup *wakeup,
	struct exp_evidence *evidence);

#endif
