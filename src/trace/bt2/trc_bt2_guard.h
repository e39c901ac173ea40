/* SPDX-License-Identifier: MIT */
/*
 * Hostile traces can make babeltrace2 do harm.  It copies types for each use of their names, and allocates as
 * many elements as a length in a packet says, so a trace of a few KB can take all memory.  Some metadata
 * makes it abort, divide by zero, or recurse until the stack is full.  A guard limits the memory and the
 * processor time of babeltrace2 for one trace, and distinguishes its faults from those of this program.
 */
#ifndef TRC_BT2_GUARD_H
#define TRC_BT2_GUARD_H

#include <stdint.h>

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

#endif
