/* SPDX-License-Identifier: MIT */
/*
 * How it works: the fields of timers have clocks of their own.
 *
 * hrtimers: "expires" and "now" are ns of the clock of the timer's base, CLOCK_MONOTONIC for most, otherwise
 * CLOCK_REALTIME, _BOOTTIME or _TAI (kernel/time/hrtimer.c). For a timer that was made before the trace no
 * event names its base, but the expiry shows it. NOW was read at the start of the loop of expiries in the
 * interrupt or softirq (hrtimer_interrupt(), hrtimer_run_softirq(): hrtimer_update_base()), so between the
 * entry of that context and the event. So the clock's zero lies in an interval, which each expiry narrows.
 * The end of the interval is used: a timer may have been due earlier, but never later than reported. An
 * expiry that contradicts those before it (a clock was set, or runs at another rate than the trace's) starts
 * a new interval. If the entry of the context is unknown, a drift would go unnoticed. So then only a zero
 * that is known exactly is used.
 *
 * The wheel: its times are jiffies (kernel/time/timer.c), so a tick is its finest step. Far timers lie in
 * buckets of 8, 64, 512, … jiffies, always later than the time asked for: calc_wheel_index() since Linux 4.8
 * (before that the wheel was finer). The softirq TIMER empties a bucket after the tick that begins its jiffy,
 * or after the next tick if another CPU counts jiffies. A timer is late after that. The counter never runs
 * ahead of the clock (tick_do_update_jiffies64()), so a jiffy has begun when it is first seen. The distance
 * of two sightings shows its length, which is one of the values of HZ.
 */
#include "model/timer/due.h"

#include <glib.h>

#define ONE_CLOCK 1000000000 /* ns: zeros that are nearer to each other are of one clock */

#define TICKS_TO_TELL 128 /* jiffies needed to distinguish the values of HZ */
/* Jiffies for which a sighting is used: the trace's clock may drift. */
#define TICKS_KEPT 1024
#define TICKS_MAX (1LL << 36) /* times the longest tick, this is less than 2^62 ns */
#define WHEEL_LEVELS 9        /* LVL_DEPTH; one less with HZ below 100 */
#define LEVEL_SHIFT 3         /* LVL_CLK_SHIFT */
#define LEVEL_SIZE 64         /* LVL_SIZE */

/* ---- hrtimers ---- */

void mdl_due_know(struct mdl_zeros *z, int64_t zero)
{
	z->zero[z->n++ % MDL_ZEROS] = (struct mdl_zero){ zero, zero };
}

static struct mdl_zero *near(struct mdl_zeros *z, int64_t hi)
{
	for (unsigned i = 0; i < MIN(z->n, MDL_ZEROS); i++) {
		int64_t distance;

		if (!__builtin_sub_overflow(z->zero[i].hi, hi, &distance) && distance > -ONE_CLOCK &&
			distance < ONE_CLOCK)
			return &z->zero[i];
	}
	return NULL;
}

/* Narrow a clock's zero to [LO, HI], which an expiry allows (LO MDL_NEVER: no lower bound). Returns its
 * latest time now. */
static int64_t learn(struct mdl_zeros *z, int64_t lo, int64_t hi)
{
	struct mdl_zero *zero = near(z, hi);

	if (!zero) {
		zero = &z->zero[z->n++ % MDL_ZEROS];
		*zero = (struct mdl_zero){ lo, hi };
	} else if (lo == MDL_NEVER && zero->lo != zero->hi) {
		return hi;
	} else if (MAX(zero->lo, lo) > MIN(zero->hi, hi)) {
		*zero = (struct mdl_zero){ lo, hi };
	} else {
		zero->lo = MAX(zero->lo, lo);
		zero->hi = MIN(zero->hi, hi);
	}
	return zero->hi;
}

int64_t mdl_due_hrtimer(struct mdl_zeros *z, int64_t time, int64_t earliest, int64_t now, int64_t expires)
{
	int64_t lo = MDL_NEVER, hi, due;

	if (__builtin_sub_overflow(time, now, &hi) ||
		(earliest != MDL_NEVER && __builtin_sub_overflow(earliest, now, &lo)))
		return MDL_NEVER;
	return __builtin_add_overflow(expires, learn(z, lo, hi), &due) ? MDL_NEVER : due;
}

/* ---- the wheel ---- */

/* The length of a jiffy in ns if N of them, one more or less, take SPAN ns; 0: no such HZ. */
static int64_t due_tick_of(int64_t n, int64_t span)
{
	static const int64_t rates[] = { 24, 32, 48, 64, 100, 128, 200, 250, 256, 300, 500, 512, 1000, 1024,
		1200 };

	for (size_t i = 0; i < G_N_ELEMENTS(rates); i++) {
		int64_t tick = (1000000000 + rates[i] / 2) / rates[i]; /* TICK_NSEC */

		if (ABS(span / n - tick) < tick / 100)
			return tick;
	}
	return 0;
}

static void due_begin(struct mdl_jiffies *j, int64_t time, int64_t jiffies)
{
	*j = (struct mdl_jiffies){ .known = true, .first = jiffies, .last = jiffies, .time = time };
}

/* Jiffy N after the first is seen SPAN ns after it. */
static void due_see(struct mdl_jiffies *j, int64_t n, int64_t span)
{
	int64_t ahead = span - n * j->tick;

	if (n >= j->turn) {
		j->ahead[1] = j->ahead[0];
		j->ahead[0] = ahead;
		j->turn = n + TICKS_KEPT;
	}
	j->ahead[0] = MIN(j->ahead[0], ahead);
}

void mdl_due_tick(struct mdl_jiffies *j, int64_t time, int64_t jiffies)
{
	int64_t n, span;

	if (!j->known || __builtin_sub_overflow(jiffies, j->first, &n) || n < 0 || n > TICKS_MAX ||
		j->last - jiffies > TICKS_TO_TELL || __builtin_sub_overflow(time, j->time, &span)) {
		due_begin(j, time, jiffies); /* the counter is 32 bits wide on small machines */
		return;
	}
	j->last = MAX(j->last, jiffies);
	if (j->tick != 0) {
		due_see(j, n, span);
	} else if (n >= TICKS_TO_TELL) {
		j->tick = due_tick_of(n, span);
		if (j->tick == 0)
			due_begin(j, time, jiffies);
		else
			due_see(j, n, span);
	}
}

int64_t mdl_due_wheel(const struct mdl_jiffies *j, int64_t expires, int64_t bucket, int64_t *slack)
{
	int64_t n, early, ahead, due;

	*slack = 0;
	if (j->tick == 0 || __builtin_sub_overflow(bucket, j->first, &n) || n < -TICKS_MAX ||
		n >= TICKS_MAX ||
		__builtin_add_overflow(MIN(j->ahead[0], j->ahead[1]), (n + 1) * j->tick, &ahead) ||
		__builtin_add_overflow(j->time, ahead, &due))
		return MDL_NEVER;
	if (!__builtin_sub_overflow(bucket, expires, &early) && early >= -1 && early < TICKS_MAX)
		*slack = (early + 1) * j->tick;
	return due;
}

int64_t mdl_due_bucket(int64_t now, int64_t expires)
{
	int64_t left;
	unsigned level = 0, shift;

	if (expires < 0 || expires > INT64_MAX / 4 || __builtin_sub_overflow(expires, now, &left))
		return MDL_NEVER;
	if (left < 0)
		return now + 1; /* the bucket that is emptied with the next tick */
	while (level + 1 < WHEEL_LEVELS && left >= (LEVEL_SIZE - 1LL) << level * LEVEL_SHIFT)
		level++;
	shift = level * LEVEL_SHIFT;
	return ((expires >> shift) + 1) << shift;
}
