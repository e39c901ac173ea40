/* SPDX-License-Identifier: MIT */
/* Who ran on a CPU while a thread waited for it. */
#ifndef ANA_INSTEAD_H
#define ANA_INSTEAD_H

#include "query/qry.h"

/*
 * In words: "ran instead: wk-rt[547]", with TIMES "ran instead: wk-rt[547]
 * 2.90 ms", with " and 2 others" where more did and ", much of it interrupts"
 * where so; "interrupts on CPU 1" or "CPU 1 was idle" where no thread ran for
 * longer than the busiest one did.  Looks at the last 512 changes on the CPU at
 * most, without TIMES at the last 64.  NULL when nothing is known.  The caller frees.
 */
char *ana_instead_text(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to, bool times);

#endif
