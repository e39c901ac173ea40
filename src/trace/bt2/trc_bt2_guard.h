/* SPDX-License-Identifier: MIT */
/*
 * Hostile traces make babeltrace2 do harm: it copies types for each use of their names, and makes room for as
 * many elements as a length in a packet says, so a trace of a few KB can take all memory; some metadata makes
 * it abort, divide by zero, or recurse until the stack is full.  A guard bounds the memory and the processor
 * time that babeltrace2 takes for one trace, and tells its faults from those of this program.
 */
#ifndef TRC_BT2_GUARD_H
#define TRC_BT2_GUARD_H

#include <stdint.h>

struct trc_bt2_guard;

/* For the trace in DIRECTORY, which has BYTES in all its files: the limits follow from these. */
struct trc_bt2_guard *trc_bt2_guard_new(const char *directory, uint64_t bytes);
void trc_bt2_guard_free(struct trc_bt2_guard *g);

/*
 * Around each call of babeltrace2, in any thread; such pairs may be nested.  Between them a limit that is
 * exceeded and a fatal signal of this thread end the program with status 3 and one line about the trace
 * of G, the guard of the outer pair.
 */
void trc_bt2_guard_enter(struct trc_bt2_guard *g);
void trc_bt2_guard_leave(void);

/* Between these two: babeltrace2 made progress, and its processor time counts anew. */
void trc_bt2_guard_progress(void);

/* For the handler of a fatal signal: the line to print if this thread is inside babeltrace2, else NULL.
 * Async-signal-safe. */
const char *trc_bt2_guard_fault(void);

#endif
