/* SPDX-License-Identifier: MIT */
/* The threads that ran on a CPU while a thread waited for it. */
#ifndef ANA_OCCUPANTS_H
#define ANA_OCCUPANTS_H

#include "analysis/cpu/blame.h"

/*
 * As text: "ran instead: wk-rt[547]"; with TIMES "ran instead: wk-rt[547] 2.90 ms, interrupts 120 µs"; plus "
 * and 2 others" if there were more.  Or "interrupts on CPU 1" or "CPU 1 was idle" if that took longer than
 * all threads together.  Of a virtual CPU of a recorded guest, each thread that it ran counts.  Times of
 * threads exclude interrupts on top of them, as in the account.  NULL if nothing is known.  The caller frees.
 * Costs time in the number of changes on the CPU in [FROM, TO).
 */
char *ana_occupants_text(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to, bool times);
/* Like ana_occupants_text(), for BLAME, which may cover several CPUs: "CPU 1 was idle" names the one that was
 * idle longest.  Adds "throttled 38.7 ms, CPU quota: ..." and "it had not left its CPU yet" if that took
 * longest. */
char *ana_occupants_text_of(const struct qry *q, const struct ana_blame *blame, bool times);

#endif
