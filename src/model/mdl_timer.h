/* SPDX-License-Identifier: MIT */
/* Timers and who armed them: private to src/model. */
#ifndef MDL_TIMER_H
#define MDL_TIMER_H

#include "model/mdl_due.h"
#include "model/mdl_event.h"

struct mdl_level;
struct mdl_machine;
struct mdl_recent;
struct mdl_thread;

struct mdl_timers {
	struct mdl_recent *armed; /* owned: by address */
	struct mdl_recent *taken; /* owned: by CPU + 1, the one that was taken out of its queue there last */
	struct mdl_recent *functions; /* owned: of hrtimers that threads armed, by address of the function */
	uint64_t tick;                /* function of the tick, told by what it raises; 0 not known */
	uint64_t idle;                /* function of what idle threads arm; 0 none yet */
	struct mdl_zeros zeros;       /* clocks of hrtimers (mdl_due.c) */
	struct mdl_jiffies jiffies;
	bool lost;     /* of the one that expires: when it was armed is not known, since events were lost */
	int64_t asked; /* for when the one that expires was armed, past or not; MDL_NEVER: not known */
};

void mdl_timer_init(struct mdl_timers *timers);
void mdl_timer_clear(struct mdl_timers *timers);
void mdl_timer_start(struct mdl_machine *m, const struct mdl_event *e);
void mdl_timer_cancel(struct mdl_machine *m, const struct mdl_event *e);
/* An hrtimer expires: enters its context. */
void mdl_timer_hrtimer(struct mdl_machine *m, const struct mdl_event *e);
/* Entry or exit of a timer of the timer wheel. */
void mdl_timer_wheel(struct mdl_machine *m, const struct mdl_event *e);
/* A softirq is raised, E: only the tick raises some. */
void mdl_timer_raised(struct mdl_machine *m, const struct mdl_event *e);
/* Is the timer that T armed last before its wait still running? */
bool mdl_timer_is_armed(const struct mdl_machine *m, const struct mdl_thread *t);
/* May the hrtimer whose context L is be the tick, for all that is known so far? */
bool mdl_timer_may_be_tick(const struct mdl_machine *m, const struct mdl_level *l);

#endif
