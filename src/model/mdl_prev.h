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
 * Read PREV_STATE.  Returns MDL_ST_PREEMPTED (still runnable),
 * MDL_ST_EXITED or MDL_ST_BLOCKED, with *BLOCK set for the latter.
 */
enum mdl_state mdl_prev_read(const struct mdl_prev_bits *bits, int64_t prev_state, enum mdl_block *block);

#endif
