/* SPDX-License-Identifier: MIT */
/* Wake-ups of which something may still show: private to src/model. */
#ifndef MDL_DEFERRED_H
#define MDL_DEFERRED_H

#include "model/mdl_fact.h"

struct mdl_machine;
struct mdl_thread;

/* A wake-up that was not handed out yet. */
struct mdl_deferred {
	struct mdl_wakeup wakeup;
	struct mdl_cause *cause; /* owned; NULL: nothing to say */
	bool in_time;            /* the thread may yet take its time-out back (mdl_deferred.c) */
	bool for_work; /* the item of work that the thread executes next may tell who did it (mdl_remote.c) */
};

/* Memory of those that were handed out, for the next: nearly each wake-up needs one for a short while. */
struct mdl_deferreds {
	struct mdl_deferred *spare[256]; /* owned */
	unsigned n_spare;
};

void mdl_deferred_clear(struct mdl_deferreds *deferreds);
/* A copy of W with its CAUSE (may be NULL), which is taken over. */
struct mdl_deferred *mdl_deferred_new(struct mdl_machine *m, const struct mdl_wakeup *w,
	struct mdl_cause *cause);
void mdl_deferred_free(struct mdl_deferred *d);
/* Hand out D of T, which is taken over, now or when all of it is known.  IN_TIME: the timer that T armed last
 * before its wait still runs. */
void mdl_deferred_give(struct mdl_machine *m, struct mdl_thread *t, struct mdl_deferred *d, bool in_time);
/* Hand out what T was woken by, as it is: it has not run (yet) as far as the trace tells. */
void mdl_deferred_drop(struct mdl_machine *m, struct mdl_thread *t);
/* Hand out T's deferred wake-up, unless something is open. */
void mdl_deferred_settle(struct mdl_machine *m, struct mdl_thread *t);
/* T sleeps again: what has not shown of its last wake-up will not. */
void mdl_deferred_sleep(struct mdl_machine *m, struct mdl_thread *t);
/* T began or ended an item of work: what that tells of who woke T is told. */
void mdl_deferred_work(struct mdl_machine *m, struct mdl_thread *t);
/* T took back TIMER, with which it had limited its wait; NULL: it did not, and will not any more. */
void mdl_deferred_time_out(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_timer *timer);
/* The facts of the wake-up that CPU sent to T last, to be added to.  NULL: it was handed out, or causes are
 * not wanted. */
struct mdl_facts *mdl_deferred_facts(const struct mdl_machine *m, struct mdl_thread *t, uint32_t cpu);
/* sched_wakeup of T, whose wait has just ended, on CPU: notes that it arrived here, if sent elsewhere. */
void mdl_deferred_arrive(struct mdl_machine *m, struct mdl_thread *t, uint32_t cpu);

#endif
