/* SPDX-License-Identifier: MIT */
/*
 * How it works: the tracepoint copies the task's state bits (up to Linux 4.13)
 * or a mapping of them (from 4.14 on, __trace_sched_switch_state() in
 * include/trace/events/sched.h), so the meaning of a bit depends on the
 * kernel's version.  Sources: TASK_* in include/linux/sched.h of Linux 2.6.33,
 * 3.9, 3.14, 4.2, 4.8 and 4.14, task_state_array[] in fs/proc/array.c, and for
 * the value of a preempted thread ("R+") TASK_STATE_MAX, later TASK_REPORT_MAX.
 *
 * 3.14 swapped EXIT_DEAD and EXIT_ZOMBIE; a thread is gone in both.
 */
#include "model/mdl_prev.h"

#include "model/mdl_event.h"

#include <stddef.h>
#include <stdio.h>

struct mdl_prev_bits {
	unsigned major, minor; /* first kernel that writes these */
	uint64_t preempted;    /* the R+ flag */
	uint64_t dead;         /* EXIT_DEAD, EXIT_ZOMBIE, TASK_DEAD */
	uint64_t wakekill;
	uint64_t parked;
	uint64_t idle; /* from 4.14 on a bit of its own, before that TASK_NOLOAD with TASK_UNINTERRUPTIBLE */
	uint64_t frozen;
};

static const struct mdl_prev_bits told = { 0, 0, MDL_PREV_PREEMPTED, MDL_PREV_DEAD | MDL_PREV_ZOMBIE,
	MDL_PREV_KILLABLE, MDL_PREV_PARKED, MDL_PREV_IDLE, MDL_PREV_FROZEN };

static const struct mdl_prev_bits versions[] = {
	{ 4, 14, MDL_PREV_PREEMPTED, MDL_PREV_DEAD | MDL_PREV_ZOMBIE, 0, MDL_PREV_PARKED, MDL_PREV_IDLE,
		MDL_PREV_FROZEN },
	{ 4, 8, 4096, 16 | 32 | 64, 128, 512, 1024, 0 },
	{ 4, 2, 2048, 16 | 32 | 64, 128, 512, 1024, 0 },
	{ 3, 9, 1024, 16 | 32 | 64, 128, 512, 0, 0 },
	{ 0, 0, 512, 16 | 32 | 64, 128, 0, 0, 0 },
};

bool mdl_prev_is_since(const char *release, unsigned major, unsigned minor)
{
	unsigned its_major, its_minor;

	return !release || sscanf(release, "%u.%u", &its_major, &its_minor) != 2 || its_major > major ||
		(its_major == major && its_minor >= minor);
}

const struct mdl_prev_bits *mdl_prev_bits_of(const char *release)
{
	size_t i = 0;

	while (!mdl_prev_is_since(release, versions[i].major, versions[i].minor))
		i++;
	return &versions[i];
}

const struct mdl_prev_bits *mdl_prev_bits_told(void)
{
	return &told;
}

static enum mdl_block block_of(const struct mdl_prev_bits *bits, uint64_t s)
{
	if (s & bits->idle)
		return MDL_BLOCK_IDLE;
	if (s & bits->parked)
		return MDL_BLOCK_PARKED;
	if (s & bits->frozen)
		return MDL_BLOCK_FROZEN;
	if (s & 1)
		return MDL_BLOCK_INTERRUPTIBLE;
	if (s & 4)
		return MDL_BLOCK_STOPPED;
	if (s & 8)
		return MDL_BLOCK_TRACED;
	if (s & 2)
		return s & bits->wakekill ? MDL_BLOCK_KILLABLE : MDL_BLOCK_UNINTERRUPTIBLE;
	return MDL_BLOCK_UNKNOWN;
}

enum mdl_state mdl_prev_read(const struct mdl_prev_bits *bits, int64_t prev_state, enum mdl_block *block)
{
	uint64_t s = (uint64_t)prev_state;

	*block = MDL_BLOCK_UNKNOWN;
	if (s == 0 || s & bits->preempted)
		return MDL_ST_PREEMPTED;
	if (s & bits->dead)
		return MDL_ST_EXITED;
	*block = block_of(bits, s);
	return MDL_ST_BLOCKED;
}
