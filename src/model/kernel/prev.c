/* SPDX-License-Identifier: MIT */
/*
 * How it works: the tracepoint copies the task's state bits (up to Linux 4.13) or a mapping of them (from
 * 4.14, __trace_sched_switch_state() in include/trace/events/sched.h). So the meaning of a bit depends on the
 * kernel's version. Sources: TASK_* in include/linux/sched.h of Linux 2.6.33, 3.9, 3.14, 4.2, 4.8 and 4.14,
 * task_state_array[] in fs/proc/array.c, and for the value of a preempted thread ("R+") TASK_STATE_MAX, later
 * TASK_REPORT_MAX.
 *
 * 3.14 swapped EXIT_DEAD and EXIT_ZOMBIE; a thread is gone in both.
 *
 * Linux 4.14 to 4.19 wrote these bits in other ways. Stable and distribution kernels fixed that at any of
 * their releases, and LTTng did so in its own copy (instrumentation/events/sched.h), so the release does not
 * show the way:
 *
 *   INDEX     the number of the bit, from 1, 0 for none, and TASK_STATE_MAX for R+: 4.14 (commit
 *             efb40f588b43 "sched/tracing: Fix trace_sched_switch task-state printing")
 *   SHIFTED   1 << that number, so that R is 1, and I looks like R+: 4.15 to 4.19 (3f5fe9fef5b2 "sched/debug:
 *             Fix task state recording/printout")
 *   PLAIN     the bits, from 4.20 on (3054426dc68e "sched, trace: Fix prev_state output in sched_switch
 *             tracepoint")
 *
 * The states in the trace show the way (proofs.md R25.1). Only SHIFTED writes 1 for the idle thread, which is
 * always runnable, and SHIFTED never writes 0. More than one of the low bits is only possible as an INDEX.
 * Until the way is known, a state counts only if all remaining ways agree on it.
 */
#include "model/kernel/prev.h"

#include "model/event/event.h"

#include <stddef.h>
#include <stdio.h>

struct mdl_prev_bits {
	unsigned major, minor; /* first kernel that writes these */
	uint64_t preempted;    /* the R+ flag */
	uint64_t dead;         /* EXIT_DEAD, EXIT_ZOMBIE, TASK_DEAD */
	uint64_t wakekill;
	uint64_t parked;
	uint64_t idle; /* since 4.14 a bit of its own, before that TASK_NOLOAD with TASK_UNINTERRUPTIBLE */
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

unsigned mdl_prev_ways(const char *release)
{
	if (!mdl_prev_is_since(release, 4, 14) || mdl_prev_is_since(release, 4, 20))
		return MDL_PREV_WAY_PLAIN;
	return MDL_PREV_WAY_PLAIN | MDL_PREV_WAY_SHIFTED | MDL_PREV_WAY_INDEX;
}

/* TASK_STATE_MAX of Linux 4.14, which is not in the letters of its own format (MDL_PREV_UNKNOWN). */
#define INDEX_PREEMPTED (0x1000 | MDL_PREV_UNKNOWN)
#define INDEX_LAST 8

unsigned mdl_prev_learn(unsigned ways, int64_t tid, int64_t prev_state)
{
	uint64_t s = (uint64_t)prev_state;
	unsigned left = ways;

	if (tid == 0 && s == 1) /* also if the release is unknown */
		return MDL_PREV_WAY_SHIFTED;
	if (s == 0)
		left &= ~(unsigned)MDL_PREV_WAY_SHIFTED;
	else if (s & INDEX_PREEMPTED || (s < INDEX_LAST && (s & (s - 1)) != 0))
		left &= MDL_PREV_WAY_INDEX;
	else if (s > INDEX_LAST)
		left &= ~(unsigned)MDL_PREV_WAY_INDEX;
	return left != 0 ? left : ways;
}

static enum mdl_state read_bits(const struct mdl_prev_bits *bits, uint64_t s, enum mdl_block *block)
{
	*block = MDL_BLOCK_UNKNOWN;
	if (s == 0 || s & bits->preempted)
		return MDL_ST_PREEMPTED;
	if (s & bits->dead)
		return MDL_ST_EXITED;
	*block = block_of(bits, s);
	return MDL_ST_BLOCKED;
}

static enum mdl_state read_way(const struct mdl_prev_bits *bits, unsigned way, uint64_t s,
	enum mdl_block *block)
{
	*block = MDL_BLOCK_UNKNOWN;
	if (way == MDL_PREV_WAY_SHIFTED && s == MDL_PREV_PREEMPTED)
		return MDL_ST_UNKNOWN;
	if (way == MDL_PREV_WAY_SHIFTED && s < MDL_PREV_PREEMPTED)
		s >>= 1;
	else if (way == MDL_PREV_WAY_INDEX && s & INDEX_PREEMPTED)
		s = MDL_PREV_PREEMPTED;
	else if (way == MDL_PREV_WAY_INDEX && s > 0 && s <= INDEX_LAST)
		s = UINT64_C(1) << (s - 1);
	return read_bits(bits, s, block);
}

enum mdl_state mdl_prev_read(const struct mdl_prev_bits *bits, unsigned ways, int64_t prev_state,
	enum mdl_block *block)
{
	enum mdl_state state = MDL_ST_N;

	*block = MDL_BLOCK_UNKNOWN;
	if (ways == MDL_PREV_WAY_PLAIN) /* nearly always */
		return read_bits(bits, (uint64_t)prev_state, block);
	for (unsigned way = MDL_PREV_WAY_PLAIN; way <= MDL_PREV_WAY_INDEX; way <<= 1) {
		enum mdl_block other;
		enum mdl_state s;

		if (!(ways & way))
			continue;
		s = read_way(bits, way, (uint64_t)prev_state, &other);
		if (state == MDL_ST_N)
			*block = other;
		else if (s != state)
			s = MDL_ST_UNKNOWN;
		if (s == MDL_ST_UNKNOWN || other != *block)
			*block = MDL_BLOCK_UNKNOWN;
		state = s;
	}
	return state;
}

bool mdl_prev_says_runs(unsigned ways, int64_t prev_state)
{
	return prev_state == (ways == MDL_PREV_WAY_SHIFTED ? 1 : 0);
}
