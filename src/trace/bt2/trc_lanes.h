/* SPDX-License-Identifier: MIT */
/* Fills queues ahead of the merge, several streams at a time: for a slow reader whose streams can be read
 * independently. */
#ifndef TRC_LANES_H
#define TRC_LANES_H

#include "trace/core/trc_queue.h"

struct trc_lanes;

/*
 * BACKS and FRONTS (of struct trc_queue *; the caller keeps both alive) correspond one to one.  Each queue of
 * BACKS has its own trc_info, was filled once, and its index is the number of its lane, below N_LANES.  Its
 * events go to the queue of FRONTS, which is empty at first; those that exist go there at once.  INFO is that
 * of the trace.  Each lane is a thread that calls FILL; FILL may add nothing and is then called again.  The
 * threads start with the first trc_lanes_fill().
 */
struct trc_lanes *trc_lanes_new(GPtrArray *backs, GPtrArray *fronts, struct trc_info *info, unsigned n_lanes,
	trc_fill_func fill, void *data);

/* Put the next events into FRONT, as a reader's fill() does.  At its end, its own info is added to INFO. */
void trc_lanes_fill(struct trc_lanes *l, struct trc_queue *front);

/* Stop all threads wherever they are, and free L.  FRONTS and BACKS survive. */
void trc_lanes_free(struct trc_lanes *l);

#endif
