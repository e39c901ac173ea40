/* SPDX-License-Identifier: MIT */
/* The meaning of prev_state of sched_switch, in the bits of the kernel that wrote it. */
#ifndef MDL_PREV_H
#define MDL_PREV_H

#include "model/event/types.h"

/* The bits of one range of kernel versions. */
struct mdl_prev_bits;

/* True if the kernel with release string RELEASE is MAJOR.MINOR or later.  A release that cannot be read
 * (trace-cmd split does not write it) counts as a current one. */
bool mdl_prev_is_since(const char *release, unsigned major, unsigned minor);

/* The bits as the kernel with release string RELEASE ("6.1.0-50-amd64") writes them; those of a current
 * kernel if RELEASE cannot be read.  Static. */
const struct mdl_prev_bits *mdl_prev_bits_of(const char *release);

/* The bits of MDL_PREV_.  Static. */
const struct mdl_prev_bits *mdl_prev_bits_told(void);

/* Some kernels may write these bits in several ways. mdl_prev_ways() returns the ways (MDL_PREV_WAY_) of the
 * kernel with release string RELEASE. mdl_prev_learn() returns the ways among WAYS that are left after thread
 * TID left its CPU in PREV_STATE. Neither returns 0. */
enum { MDL_PREV_WAY_PLAIN = 1, MDL_PREV_WAY_SHIFTED = 2, MDL_PREV_WAY_INDEX = 4 };
unsigned mdl_prev_ways(const char *release);
unsigned mdl_prev_learn(unsigned ways, int64_t tid, int64_t prev_state);

/* Read PREV_STATE, which is written in one of WAYS.  Returns MDL_ST_PREEMPTED (still runnable), MDL_ST_EXITED
 * or MDL_ST_BLOCKED, and sets *BLOCK for the latter.  MDL_ST_UNKNOWN if these differ between the ways. */
enum mdl_state mdl_prev_read(const struct mdl_prev_bits *bits, unsigned ways, int64_t prev_state,
	enum mdl_block *block);
/* True if PREV_STATE, written in one of WAYS and read as MDL_ST_PREEMPTED, says that the thread's state was
 * TASK_RUNNING, not only that it was preempted. */
bool mdl_prev_says_runs(unsigned ways, int64_t prev_state);

#endif
