/* SPDX-License-Identifier: MIT */
/* What to show first of an experiment that nobody has asked about yet: one thread, and one of its waits. */
#ifndef ANA_STORY_H
#define ANA_STORY_H

#include "query/qry.h"

/*
 * The thread to show first: of those that much was computed for (an eighth at least of what was for any; by
 * it and by those that it created within the trace), the one that was woken most often, for it has most to
 * tell of waits.  Neither one of the kernel's own nor of the tracer's, nor one that itself did less than half
 * of what one did that it created, as a shell that starts a program.  MDL_NONE: there is none.
 */
uint32_t ana_story_thread(struct qry *q);

/* The longest wait of thread ROW whose end is explained, and not by its own sleep; *WAKEUP ends it.  False:
 * there is none. */
bool ana_story_wait(struct qry *q, uint32_t row, struct mdl_wakeup *wakeup);

#endif
