/* SPDX-License-Identifier: MIT */
/* The interrupts that ended the halts of a virtual CPU: those that its guest waited for. */
#ifndef ANA_HALTS_H
#define ANA_HALTS_H

#include "analysis/wait/source.h"

#define ANA_HALT_NO_VECTOR MDL_NONE

/* All halts that one interrupt ended. */
struct ana_halt {
	uint32_t vector; /* ANA_HALT_NO_VECTOR: no interrupt was taken, or it is unknown */
	/* Its purpose, inferred from its poster: TIMER, BLOCK, NETWORK, IPI; else UNKNOWN. */
	enum ana_kind kind;
	enum ana_grade grade; /* of the kind */
	uint32_t poster; /* thread (a row) that posted it each time; MDL_NONE: several, or an interrupt */
	uint64_t count;
	int64_t time, worst; /* ns: total time of the halts in the window; the longest */
	int64_t worst_at;    /* begin of the longest */
};

/* The halts of VCPU (a row) in [FROM, TO), most time first (struct ana_halt).  The caller unrefs.  Costs a
 * look at each halt and each posted interrupt. */
GArray *ana_halts_new(struct qry *q, uint32_t vcpu, int64_t from, int64_t to);
/* Static: "timer", "disk", "net", "ipi"; NULL if the purpose is unknown. */
const char *ana_halt_kind_name(const struct ana_halt *halt);
/* The interrupt as text: "timer, interrupt 236".  The caller frees. */
char *ana_halt_text(const struct qry *q, const struct ana_halt *halt);

#endif
