/* SPDX-License-Identifier: MIT */
/* The sender of a wake-up in traces without sched_waking: private to src/model. */
#ifndef MDL_REMOTE_H
#define MDL_REMOTE_H

#include "model/event/event.h"
#include "model/event/fact.h"

struct mdl_cpu;
struct mdl_machine;
struct mdl_thread;

/* The cause of the wake-up of T by what CPU does now, inferred. Ownership as with mdl_cause_new(). */
struct mdl_cause *mdl_remote_here(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t);
/* W is the wake-up of T by sched_wakeup E: correct in W where it was sent. Returns the cause as
 * mdl_cause_new() does. */
struct mdl_cause *mdl_remote_find(struct mdl_machine *m, const struct mdl_event *e,
	const struct mdl_thread *t, struct mdl_wakeup *w);
/* T's wait ends with sched_wakeup on CPU, and has CAUSE (may be NULL). True if the act that queues the item
 * which T executes next may be the better answer. */
bool mdl_remote_awaits_work(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t,
	const struct mdl_cause *cause);
/* T begins WORK.  QUEUED is the chain up to and with the act that queued it.  If T's last wait contains that
 * act, the act woke T: correct the deferred wake-up. */
void mdl_remote_queued(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_work *work,
	const struct mdl_chain *queued);
/* C switches from thread PREV (NULL: unknown) to NEXT. */
void mdl_remote_switch(const struct mdl_machine *m, struct mdl_cpu *c, const struct mdl_thread *prev,
	const struct mdl_thread *next);
/* Forget T's last migration if it is long ago: then it did not begin T's wake-up. */
void mdl_remote_pass(struct mdl_machine *m, struct mdl_thread *t);
/* T is migrated. If T sleeps, this may begin its wake-up. */
void mdl_remote_migrate(struct mdl_machine *m, const struct mdl_event *e, struct mdl_thread *t);

#endif
