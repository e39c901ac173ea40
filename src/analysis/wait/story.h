/* SPDX-License-Identifier: MIT */
/* Choose what to show first of an experiment: one thread and one of its waits. */
#ifndef ANA_STORY_H
#define ANA_STORY_H

#include "query/qry.h"

/*
 * Choose the thread to show first: among the busiest, the one woken most often, because it has most waits to
 * explain.  Busiest: its CPU time, with that of its children within the trace, is at least 1/8 of the
 * maximum.  Kernel threads, threads of the tracer, and threads that ran less than half the time of one of
 * their children (a shell that starts a program) do not count.  MDL_NONE if there is none.
 */
uint32_t ana_story_thread(struct qry *q);

/* The longest wait of thread ROW that has an explained end other than its own sleep; *WAKEUP ends it.  False
 * if there is none. */
bool ana_story_wait(struct qry *q, uint32_t row, struct mdl_wakeup *wakeup);

#endif
