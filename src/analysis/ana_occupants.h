/* SPDX-License-Identifier: MIT */
/* Who ran on a CPU while a thread waited for it. */
#ifndef ANA_OCCUPANTS_H
#define ANA_OCCUPANTS_H

#include "query/qry.h"

/*
 * In words: "ran instead: wk-rt[547]", with TIMES "ran instead: wk-rt[547] 2.90 ms, interrupts 120 µs", with
 * " and 2 others" where more did; "interrupts on CPU 1" or "CPU 1 was idle" where that was longer than all
 * threads together; of a virtual CPU of a
 * guest that was recorded each thread that it ran counts.  Threads' times are without interrupts upon them,
 * as in the account.  NULL when nothing is known.  The caller frees.  Costs as much as there are changes on
 * the CPU in [FROM, TO).
 */
char *ana_occupants_text(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to, bool times);

#endif
