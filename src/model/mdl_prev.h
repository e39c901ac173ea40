/* SPDX-License-Identifier: MIT */
/* What prev_state of sched_switch says, in the bits of the kernel that wrote it. */
#ifndef MDL_PREV_H
#define MDL_PREV_H

#include "model/mdl_types.h"

/* The bits of one range of kernel versions. */
struct mdl_prev_bits;

/* Is the kernel with release string RELEASE that of MAJOR.MINOR or later?  One that cannot be read (trace-cmd
 * split does not write it) is taken for a current one's. */
bool mdl_prev_is_since(const char *release, unsigned major, unsigned minor);

/*
 * The bits as written by the kernel with release string RELEASE
 * ("6.1.0-50-amd64"); those of a current kernel when it cannot be read.  Static.
 */
const struct mdl_prev_bits *mdl_prev_bits_of(const char *release);

/* The same for MDL_PREV_. */
const struct mdl_prev_bits *mdl_prev_bits_told(void);

/*
 * The ways in which the kernel with release string RELEASE may write those bits (MDL_PREV_WAY_); which of
 * WAYS are left after thread TID was seen to leave in PREV_STATE.  Never none.
 */
enum { MDL_PREV_WAY_PLAIN = 1, MDL_PREV_WAY_SHIFTED = 2, MDL_PREV_WAY_INDEX = 4 };
unsigned mdl_prev_ways(const char *release);
unsigned mdl_prev_learn(unsigned ways, int64_t tid, int64_t prev_state);

/*
 * Read PREV_STATE, which is written in one of WAYS.  Returns MDL_ST_PREEMPTED (still runnable),
 * MDL_ST_EXITED or MDL_ST_BLOCKED, with *BLOCK set for the latter; MDL_ST_UNKNOWN where these differ.
 */
enum mdl_state mdl_prev_read(const struct mdl_prev_bits *bits, unsigned ways, int64_t prev_state,
	enum mdl_block *block);
/* Does PREV_STATE, written in one of WAYS and no other than MDL_ST_PREEMPTED, say that the thread's state was
 * TASK_RUNNING, not just that it was preempted? */
bool mdl_prev_says_runs(unsigned ways, int64_t prev_state);

#endif
