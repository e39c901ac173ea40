/* SPDX-License-Identifier: MIT */
/*
 * How it works: the fields of timers have times of their own.
 *
 * hrtimers.  "expires" and "now" are ns of the clock of the timer's base: CLOCK_MONOTONIC for most, else
 * CLOCK_REALTIME, _BOOTTIME or _TAI (kernel/time/hrtimer.c).  Which, no event says of a timer that was made
 * before the trace began; but the expiry tells both: NOW was read at the start of the interrupt's, or
 * softirq's, loop of expiries (hrtimer_interrupt(), hrtimer_run_softirq(): hrtimer_update_base()) and so
 * between the entry of that context and the event.  So the clock's zero lies in an interval, which each
 * expiry makes narrower.  What is taken is its end: then a timer may have been due earlier, never later than
 * is said.  An expiry that contradicts those before it (a clock that was set, or goes at another rate than
 * the trace's) begins anew. Where no context's entry is known a drift would go unnoticed, so only a zero that
 * is known exactly is believed there.
 *
 * The wheel.  Its times are jiffies (kernel/time/timer.c): a tick is the finest it can do, and far timers lie
 * in buckets of 8, 64, 512, … jiffies, always behind what was asked for: calc_wheel_index() since Linux 4.8
 * (before that the wheel was finer).  A bucket is emptied in the softirq TIMER after the tick that begins its
 * jiffy, or after the next one where another CPU counts jiffies: a timer is late when that is over.  The
 * counter never runs ahead of the clock (tick_do_update_jiffies64()), so a jiffy has begun when it is seen
 * first. How long it is, tells the distance of two sightings: it is one of the values of HZ.
 */
#include "model/timer/due.h"

#include <glib.h>

#define ONE_CLOCK 1000000000 /* ns: zeros that are nearer are of one clock */

#define TICKS_TO_TELL 128 /* jiffies after which HZ is told from the next value */
/* Jiffies for which a sighting tells when they begin: the trace's clock may drift. */
#define TICKS_KEPT 1024
#define TICKS_MAX (1LL << 36) /* times the longest tick less than 2^62 ns */
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

/* An expiry leaves [LO, HI] for a zero, LO MDL_NEVER where it tells nothing; what is known of it now. */
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

/* The ns of a jiffy if N of them are SPAN ns, one more or less; 0: of none. */
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
