/* SPDX-License-Identifier: MIT */
/* Merges streams, each in time order, into one sequence in time order. */
#ifndef TRC_MERGE_H
#define TRC_MERGE_H

#include "trace/core/trc_queue.h"

struct trc_merge;

/* Merge QUEUES (of struct trc_queue *).  The caller keeps QUEUES and INFO alive. */
struct trc_merge *trc_merge_new(GPtrArray *queues, struct trc_info *info, trc_fill_func fill, void *data);
void trc_merge_free(struct trc_merge *m);

/* Get up to MAX of the next events that the model uses, as trc_reader_read() does.  Returns their number: 0
 * at the end, or if the trace must grow first.  Counts events and clock steps in INFO. */
int trc_merge_read(struct trc_merge *m, struct mdl_event *events, int max);

/* The trace grew: ask waiting queues again. */
void trc_merge_more(struct trc_merge *m);
/* Treat the trace as ending with the last event that was given out: put the gap marks that come next in each
 * stream (up to MAX in all) into EVENTS, with the time of that event.  They tell the model which states are
 * unknown at the end.  Returns their number.  Nothing can be read afterwards. */
int trc_merge_cut(struct trc_merge *m, struct mdl_event *events, int max);
/* Return the queue that all others wait for; NULL if there is none. */
const struct trc_queue *trc_merge_waits_for(const struct trc_merge *m);

#endif
