/* SPDX-License-Identifier: MIT */
/*
 * What babeltrace2 does with hostile traces must not harm.  It copies types for each use of their names, and
 * makes room for as many elements as a length in a packet says, so that a trace of a few KB may take all
 * memory there is; and it aborts the program over some metadata.
 */
#ifndef TRC_BT2_GUARD_H
#define TRC_BT2_GUARD_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes more than before the first trace was opened; the words say it too. */
#define TRC_BT2_GUARD_MAX (UINT64_C(1) << 30)

/*
 * From now on, up to as many calls of trc_bt2_guard_end(): who takes more ends the program with status 3 and
 * a line about the trace in DIRECTORY, where that was the last to begin.  From any thread.
 */
void trc_bt2_guard_begin(const char *directory);
void trc_bt2_guard_end(void);

/* What this thread does from now on babeltrace2 does for it, or (INSIDE false) no longer. */
void trc_bt2_guard_set_inside(bool inside);

/* For the handler of a fault: a line for people when it is babeltrace2's; NULL: it is our own. */
const char *trc_bt2_guard_fault(void);

#endif
