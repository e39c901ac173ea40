/* SPDX-License-Identifier: MIT */
/*
 * Filling queues ahead of the merge, several streams at a time: for a reader
 * that is slow and whose streams can be read each on its own.
 */
#ifndef TRC_LANES_H
#define TRC_LANES_H

#include "trace/core/trc_queue.h"

struct trc_lanes;

/*
 * Each of the queues BACKS (of struct trc_queue *, kept alive by the caller, as
 * FRONTS) has its own trc_info and was filled once; its index is the number of its
 * lane, below N_LANES.  For each, the empty queue at the same place of FRONTS gets
 * its events: at once those that are there.  INFO is that of the trace.  FILL is
 * called in a thread for each lane; it may also give nothing, and is then called
 * again.  Threads start with the first trc_lanes_fill().
 */
struct trc_lanes *trc_lanes_new(GPtrArray *backs, GPtrArray *fronts, struct trc_info *info, unsigned n_lanes,
	trc_fill_func fill, void *data);

/* Put what comes next into FRONT, as a reader's fill; with its end, what its own info holds goes to INFO. */
void trc_lanes_fill(struct trc_lanes *l, struct trc_queue *front);

/* Stop all threads, wherever they are, and free; FRONTS and BACKS live on. */
void trc_lanes_free(struct trc_lanes *l);

#endif
