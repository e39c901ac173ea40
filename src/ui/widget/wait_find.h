/* SPDX-License-Identifier: MIT */
/* The wait that is meant by a thread and a time, for several panes. */
#ifndef WAIT_FIND_H
#define WAIT_FIND_H

#include "query/qry.h"

/* If thread ROW is blocked at TIME: *WAKEUP becomes the wake-up that ended this wait; otherwise, the last
 * wake-up at or before TIME.  False if it is not known. */
bool wait_find(struct qry *q, uint32_t row, int64_t time, struct mdl_wakeup *wakeup);

/* The thread that waits for a CPU of its host while ROW (a thread, CPU or virtual CPU) does not run at TIME:
 * the thread of the virtual CPU if that is preempted, otherwise ROW itself. */
uint32_t wait_find_waiter(struct qry *q, uint32_t row, int64_t time);

/*
 * *WAITER becomes the result of wait_find_waiter(), *END the end of the interval in which it waits for a CPU
 * at TIME.  False if it does not wait for a CPU, or if ROW was woken exactly at TIME: then the wait that this
 * wake-up ended is meant.
 */
bool wait_find_cpu(struct qry *q, uint32_t row, int64_t time, uint32_t *waiter, int64_t *end);

#endif
