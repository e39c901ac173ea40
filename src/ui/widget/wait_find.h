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

/* When the interval ends in which thread ROW waits for a CPU at TIME; false: it does not, or it was woken at
 * that very instant: then that wait is meant. */
bool wait_find_cpu(struct qry *q, uint32_t row, int64_t time, int64_t *end);

#endif
