/* SPDX-License-Identifier: MIT */
/* Timers, and the acts that armed them: private to src/model. */
#ifndef MDL_TIMER_H
#define MDL_TIMER_H

#include "model/timer/due.h"
#include "model/core/part.h"

struct mdl_cpu;
struct mdl_level;
struct mdl_machine;
struct mdl_recent;
struct mdl_thread;

struct mdl_timers {
	struct mdl_recent *armed; /* owned: by address */
	/* owned: by CPU + 1, the timer that was last taken out of its queue there */
	struct mdl_recent *taken;
	struct mdl_recent *functions; /* owned: functions of hrtimers that threads armed, by address */
	uint64_t tick; /* function of the tick, recognized by the softirqs that it raises; 0: not known yet */
	uint64_t idle; /* function of the timer that idle threads arm; 0: none yet */
	struct mdl_zeros zeros; /* clocks of hrtimers (timer/due.c) */
	struct mdl_jiffies jiffies;
	bool lost; /* the arming of the timer that expires is unknown because events were lost */
	/* ns: the time for which the expiring timer was armed, past or not; MDL_NEVER: unknown */
	int64_t asked;
	uint64_t expired, bare; /* hrtimers that expired, and those in no recorded interrupt */
};

/* The state of a CPU. */
struct mdl_cpu_timer {
	bool is_bare;           /* many of its hrtimers expired in no recorded interrupt … */
	bool is_stray;          /* … or the last of few did, and its interrupt may still go on */
	uint32_t expired, bare; /* hrtimers that expired, and those in no recorded interrupt */
};

/* E arms a timer; cancels one. */
void mdl_timer_start(struct mdl_machine *m, const struct mdl_event *e);
void mdl_timer_cancel(struct mdl_machine *m, const struct mdl_event *e);
/* The unrecorded interrupt in which the last hrtimer of C expired (C->is_stray) is over. */
void mdl_timer_settle(struct mdl_machine *m, struct mdl_cpu *c);
/* An hrtimer expires: enter its context. */
void mdl_timer_hrtimer(struct mdl_machine *m, const struct mdl_event *e);
/* Entry or exit of a timer of the timer wheel. */
void mdl_timer_wheel(struct mdl_machine *m, const struct mdl_event *e);
/* Softirq raise E: only the tick raises some softirqs. */
void mdl_timer_raised(struct mdl_machine *m, const struct mdl_event *e);
/* True if the timer that T armed last before its wait still runs. */
bool mdl_timer_is_armed(const struct mdl_machine *m, const struct mdl_thread *t);
/* True if the hrtimer with context L may be the tick. */
bool mdl_timer_may_be_tick(const struct mdl_machine *m, const struct mdl_level *l);

extern const struct mdl_part mdl_part_timer;

#endif
