/* SPDX-License-Identifier: MIT */
/* Finds the CPUs that ran lower classes, or were idle, for long: once for each CPU, for questions about many
 * waits. Private to analysis/cpu. */
#ifndef ANA_LOWER_H
#define ANA_LOWER_H

#include "query/qry.h"

/* ns from the timer to the thread's running: IPI, exit from idle.  A CPU that is idle for longer than that
 * could have taken the thread. */
#define ANA_SOON 2000000

struct ana_lower;
/* Make an empty cache of answers about Q (weak). The caller frees it, not NULL. */
struct ana_lower *ana_lower_new(struct qry *q);
void ana_lower_free(struct ana_lower *l);

/*
 * True if the CPU of row LINE idled, or ran threads of a lower class than PRIORITY has, for ANA_SOON ns or
 * more of [FROM, TO), interrupts left out, without a thread of another class in between.
 */
bool ana_lower_is_long(struct ana_lower *l, uint32_t line, int priority, int64_t from, int64_t to);

#endif
