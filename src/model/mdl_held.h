/* SPDX-License-Identifier: MIT */
/* Wake-ups of which something may still show: private to src/model. */
#ifndef MDL_HELD_H
#define MDL_HELD_H

#include "model/mdl_types.h"

struct mdl_machine;
struct mdl_thread;

/* A wake-up that was not handed out yet. */
struct mdl_held {
	struct mdl_wakeup wakeup;
	struct mdl_cause *cause;	/* owned; NULL: nothing to say */
	bool in_time;			/* the thread may yet take its time-out back (mdl_held.c) */
	bool for_work;			/* the item of work that the thread executes next may tell who did it (mdl_remote.c) */
};

/* A copy of W with its CAUSE (may be NULL), which is taken over. */
struct mdl_held *mdl_held_new(const struct mdl_wakeup *w, struct mdl_cause *cause);
void mdl_held_free(struct mdl_held *h);
/* Hand out H of T, which is taken over, now or when all of it is known. */
void mdl_held_give(struct mdl_machine *m, struct mdl_thread *t, struct mdl_held *h);
/* Hand out what is held of T, as it is. */
void mdl_held_release(struct mdl_machine *m, struct mdl_thread *t);
/* Hand out what is held of T, unless something is open. */
void mdl_held_settle(struct mdl_machine *m, struct mdl_thread *t);
/* T sleeps again: what has not shown of its last wake-up will not. */
void mdl_held_sleep(struct mdl_machine *m, struct mdl_thread *t);
/* T begins WORK, which QUEUED, the chain up to and with who queued it, led to; NULL: not known, or T ended an item. */
void mdl_held_work(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_work *work, const struct mdl_chain *queued);
/* T took back TIMER, with which it had limited its wait; NULL: it did not, and will not any more. */
void mdl_held_time_out(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_timer *timer);
/* Where the cause stands of the wake-up that is held of T, if CPU sent it; NULL: there is none. */
struct mdl_cause **mdl_held_cause(struct mdl_thread *t, uint32_t cpu);

#endif
