/* SPDX-License-Identifier: MIT */
/* What to show first of an experiment that nobody has asked about yet: one thread, and one of its waits. */
#ifndef ANA_STORY_H
#define ANA_STORY_H

#include "query/qry.h"

/*
 * The thread for which most was computed: it and the threads that it created within the trace were on CPUs
 * longest. Neither the kernel's own nor the tracer's, nor one that itself did less than half of what one that
 * it created did, as a shell that starts a program.  MDL_NONE: there is none.
 */
uint32_t ana_story_thread(struct qry *q);

/* The longest wait of thread ROW whose end is explained, and not by its own sleep; *WAKEUP ends it.  False:
 * there is none. */
bool ana_story_wait(struct qry *q, uint32_t row, struct mdl_wakeup *wakeup);

#endif
