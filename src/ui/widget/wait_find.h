/* SPDX-License-Identifier: MIT */
/* Which wait one means by a thread and a time: shared by the panes that speak of it. */
#ifndef WAIT_FIND_H
#define WAIT_FIND_H

#include "query/qry.h"

/*
 * The wake-up that ended the wait in which thread ROW stands at TIME, else the
 * last one up to then.  False when none is known.
 */
bool wait_find(struct qry *q, uint32_t row, int64_t time, struct mdl_wakeup *wakeup);

/* The thread that waits for a CPU of its host where ROW, a thread, CPU or virtual CPU, does not run at TIME:
 * that of the virtual CPU that is preempted, else ROW itself. */
uint32_t wait_find_waiter(struct qry *q, uint32_t row, int64_t time);

/* When the interval ends in which thread WAITER, by wait_find_waiter() of what is asked for, waits for a CPU
 * at TIME; false: nobody waits for one, or ROW was woken at that very instant: then that wait is meant. */
bool wait_find_cpu(struct qry *q, uint32_t row, int64_t time, uint32_t *waiter, int64_t *end);

#endif
