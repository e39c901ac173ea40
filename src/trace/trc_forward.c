/* SPDX-License-Identifier: MIT */
/*
 * How it works: hrtimer_expire_entry has, beside its own time, the time of the timer's clock
 * (__run_hrtimer(), kernel/time/hrtimer.c). For nearly all timers this is CLOCK_MONOTONIC, which cannot be
 * set. The difference of the two changes if the clock of the trace is set (timekeeping_inject_offset(),
 * do_settimeofday64(), kernel/time/timekeeping.c), or if the machine wakes from suspend, during which
 * CLOCK_MONOTONIC stops. Timers with one function have one clock.
 *
 * The difference is checked only after a time without events on any CPU, because a clock that is set forward
 * skips a time without events. If no such timers are recorded, a pause shows the step if it is longer than a
 * machine that records switches ever makes.
 */
#include "trace/trc_forward.h"

#include <string.h>

#define LEAST 100000000   /* ns: shorter steps are not looked for */
#define PAUSE 60000000000 /* ns: kworkers run more often on every machine, even an idle one */

static bool is_settable(const char *clock)
{
	g_autofree char *name = g_ascii_strdown(clock, -1);

	return strstr(name, "real") || strstr(name, "tai");
}

static void note_step(struct trc_info *info, int64_t step)
{
	info->stepped_on++;
	info->longest_step = MAX(info->longest_step, step);
}

static void look_at_timer(struct trc_forward *f, struct trc_info *info, int64_t function, int64_t ahead)
{
	struct trc_forward_timer *t = f->timers, *end = f->timers + f->n_timers;

	while (t < end && t->function != function)
		t++;
	if (t < end) {
		if (f->quiet > 0 && ahead - t->ahead >= LEAST / 2) {
			note_step(info, ahead - t->ahead);
			f->n_timers = 0; /* the other timers are from before the step */
			t = f->timers;
		}
		f->quiet = 0;
	}
	if (t == f->timers + TRC_FORWARD_TIMERS)
		return;
	f->n_timers = MAX(f->n_timers, (unsigned)(t - f->timers) + 1);
	*t = (struct trc_forward_timer){ function, ahead };
}

void trc_forward_event(struct trc_forward *f, struct trc_info *info, const struct mdl_event *event,
	int64_t since)
{
	int64_t now, ahead;

	if (!f->begun) {
		f->begun = true;
		f->settable = is_settable(info->clock_name);
	}
	if (!f->settable)
		return;
	if (since >= LEAST)
		f->quiet += since;
	if (since >= PAUSE && f->n_timers == 0 && f->switches)
		note_step(info, since);
	f->switches |= event->kind == MDL_EV_SCHED_SWITCH;
	now = event->kind == MDL_EV_HRTIMER_ENTRY ? event->arg[MDL_HRTIMER_NOW] : MDL_ARG_ABSENT;
	if (now == MDL_ARG_ABSENT || now < 0 || __builtin_sub_overflow(event->time, now, &ahead))
		return;
	look_at_timer(f, info, event->arg[MDL_HRTIMER_FUNCTION], ahead);
}
