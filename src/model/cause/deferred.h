/* SPDX-License-Identifier: MIT */
/* Wake-ups whose cause may still show: private to src/model. */
#ifndef MDL_DEFERRED_H
#define MDL_DEFERRED_H

#include "model/event/fact.h"

struct mdl_machine;
struct mdl_thread;

/* A wake-up that is not handed out yet. */
struct mdl_deferred {
	struct mdl_wakeup wakeup;
	struct mdl_cause *cause; /* owned; NULL: there is nothing to say */
	bool in_time;            /* the thread may still cancel its time-out (cause/deferred.c) */
	/* the next work item that the thread executes may show its waker (cause/remote.c), or the reason */
	bool for_work;
	bool by_pool; /* with FOR_WORK: a worker of its own pool woke it (cause/pool.c) */
	bool takes;   /* with BY_POOL: that worker executed no item, and begins one */
};

/* Memory of wake-ups that were handed out, for reuse: nearly every wake-up needs it for a short time. */
struct mdl_deferreds {
	struct mdl_deferred *spare[256]; /* owned */
	unsigned n_spare;
};

void mdl_deferred_clear(struct mdl_deferreds *deferreds);
/* A copy of W with its CAUSE (may be NULL), which it takes over. */
struct mdl_deferred *mdl_deferred_new(struct mdl_machine *m, const struct mdl_wakeup *w,
	struct mdl_cause *cause);
void mdl_deferred_free(struct mdl_deferred *d);
/* Hand out D, the wake-up of T, now or when all of it is known. Takes D over. IN_TIME: the timer that T armed
 * last before its wait has not expired. */
void mdl_deferred_give(struct mdl_machine *m, struct mdl_thread *t, struct mdl_deferred *d, bool in_time);
/* Hand out the wake-ups of T as they are: as far as the trace shows, T has not run (yet). */
void mdl_deferred_drop(struct mdl_machine *m, struct mdl_thread *t);
/* Hand out T's deferred wake-up, unless something about it is open. */
void mdl_deferred_settle(struct mdl_machine *m, struct mdl_thread *t);
/* T sleeps again: what is still open about its last wake-up stays unknown. */
void mdl_deferred_sleep(struct mdl_machine *m, struct mdl_thread *t);
/* T began or ended a work item, which settles the waker of T. */
void mdl_deferred_work(struct mdl_machine *m, struct mdl_thread *t);
/* T cancelled TIMER, the time-out of its wait. NULL: it will not. */
void mdl_deferred_time_out(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_timer *timer);
/* The facts of the wake-up that CPU sent to T last, for additions. NULL if it is handed out, or causes are
 * not wanted. */
struct mdl_facts *mdl_deferred_facts(const struct mdl_machine *m, struct mdl_thread *t, uint32_t cpu);
/* sched_wakeup of T, whose wait has just ended, on CPU: if the wake-up was sent elsewhere, note that it
 * arrived here. */
void mdl_deferred_arrive(struct mdl_machine *m, struct mdl_thread *t, uint32_t cpu);

#endif
