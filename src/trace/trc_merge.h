/* SPDX-License-Identifier: MIT */
/* Streams, each in time order, into one sequence in time order. */
#ifndef TRC_MERGE_H
#define TRC_MERGE_H

#include "trace/core/trc_queue.h"

struct trc_merge;

/* Merge QUEUES (of struct trc_queue *), which INFO and the merge's user keep alive. */
struct trc_merge *trc_merge_new(GPtrArray *queues, struct trc_info *info, trc_fill_func fill, void *data);
void trc_merge_free(struct trc_merge *m);

/*
 * The next up to MAX events with a use, as trc_reader_read().  Returns 0 at the
 * end, and where a trace must grow first.  Counts events and steps back in INFO.
 */
int trc_merge_read(struct trc_merge *m, struct mdl_event *events, int max);

/* The trace grew: ask queues that waited again. */
void trc_merge_more(struct trc_merge *m);
/*
 * The trace is taken to end here: the ends of gaps (up to MAX into EVENTS) of which all events were given
 * out, so that nothing is known there.  Returns how many; nothing is read after that.
 */
int trc_merge_cut(struct trc_merge *m, struct mdl_event *events, int max);
/* The queue that all others wait for, NULL: none. */
const struct trc_queue *trc_merge_waits_for(const struct trc_merge *m);

#endif
