/* SPDX-License-Identifier: MIT */
/* Who ran on a CPU while a thread waited for it. */
#ifndef ANA_OCCUPANTS_H
#define ANA_OCCUPANTS_H

#include "analysis/cpu/blame.h"

/*
 * In words: "ran instead: wk-rt[547]", with TIMES "ran instead: wk-rt[547] 2.90 ms, interrupts 120 µs", with
 * " and 2 others" where more did; "interrupts on CPU 1" or "CPU 1 was idle" where that was longer than all
 * threads together; of a virtual CPU of a
 * guest that was recorded each thread that it ran counts.  Threads' times are without interrupts upon them,
 * as in the account.  NULL when nothing is known.  The caller frees.  Costs as much as there are changes on
 * the CPU in [FROM, TO).
 */
char *ana_occupants_text(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to, bool times);
/* The same of BLAME, which may be of several CPUs: "CPU 1 was idle" is the one that was longest; with
 * "throttled 38.7 ms, CPU quota: ..." and "it had not left its CPU yet" where that was longest. */
char *ana_occupants_text_of(const struct qry *q, const struct ana_blame *blame, bool times);

#endif
