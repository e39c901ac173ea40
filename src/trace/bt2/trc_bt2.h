/* SPDX-License-Identifier: MIT */
/* The reader based on babeltrace2, its guard, and its threads. */
#ifndef TRC_BT2_H
#define TRC_BT2_H

#include "trace/core/trc_input.h"

#include <stdint.h>

extern const struct trc_source_ops trc_bt2_ops;

/*
 * Any event, with all fields, of streams that only babeltrace2 can read.  It reads a stream only from its
 * start, so an event is reached by winding: forward from the current position, or back to the start and
 * forward.  The last events passed are kept, so that steps in both directions are fast.  The events are those
 * of the reader "babeltrace2".
 */
#define TRC_BT2_TAPE_KEPT 4096 /* events kept per stream: a few MB */

/* Its pages need not be packets that were read: any run of events of a stream is a page. */
extern const struct trc_paging_ops trc_bt2_paging;

/* ---- the guard ---- */

/*
 * Hostile traces can make babeltrace2 do harm.  It copies types for each use of their names, and allocates as
 * many elements as a length in a packet says, so a trace of a few KB can take all memory.  Some metadata
 * makes it abort, divide by zero, or recurse until the stack is full.  A guard limits the memory and the
 * processor time of babeltrace2 for one trace, and distinguishes its faults from those of this program.
 */
struct trc_bt2_guard;

/* Make a guard for the trace in DIRECTORY, which has BYTES in all its files; the limits depend on them. */
struct trc_bt2_guard *trc_bt2_guard_new(const char *directory, uint64_t bytes);
void trc_bt2_guard_free(struct trc_bt2_guard *g);

/* Call these around each call of babeltrace2, in any thread; pairs may nest.  Between them an exceeded limit,
 * or a fatal signal of this thread, ends the program with status 3 and one line about the trace of G (the
 * guard of the outermost pair). */
void trc_bt2_guard_enter(struct trc_bt2_guard *g);
void trc_bt2_guard_leave(void);

/* Call between those two when babeltrace2 made progress: the limit of processor time starts anew. */
void trc_bt2_guard_progress(void);

/* For the handler of a fatal signal: return the line to print if this thread is inside babeltrace2, else
 * NULL.  Async-signal-safe. */
const char *trc_bt2_guard_fault(void);

/* ---- lanes: threads that fill queues ahead of the merge, for a slow reader of independent streams ---- */

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
