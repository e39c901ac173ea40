/* SPDX-License-Identifier: MIT */
/* What ended the halts of a virtual CPU: the interrupts that its guest waited for. */
#ifndef ANA_HALTS_H
#define ANA_HALTS_H

#include "analysis/wait/source.h"

#define ANA_HALT_NO_VECTOR MDL_NONE

/* All halts that one interrupt ended. */
struct ana_halt {
	uint32_t vector; /* ANA_HALT_NO_VECTOR: none was taken, or which is not known */
	/* What it is for, learned from who posted it: TIMER, BLOCK, NETWORK, IPI; else UNKNOWN. */
	enum ana_kind kind;
	enum ana_grade grade; /* of the kind */
	uint32_t poster; /* the thread (a row) that posted it each time; MDL_NONE: several, or an interrupt */
	uint64_t count;
	int64_t time, worst; /* ns: of the halts in the window; the longest … */
	int64_t worst_at;    /* … and when it began */
};

/* Those of VCPU (a row) in [FROM, TO), most time first: of struct ana_halt, the caller unrefs.  Costs a look
 * at each halt, and at each interrupt that was posted. */
GArray *ana_halts_new(struct qry *q, uint32_t vcpu, int64_t from, int64_t to);
/* "timer", "disk", "net", "ipi", static; NULL: what it is for is not known. */
const char *ana_halt_kind_name(const struct ana_halt *halt);
/* What ended it: "timer, interrupt 236".  The caller frees. */
char *ana_halt_text(const struct qry *q, const struct ana_halt *halt);

#endif
