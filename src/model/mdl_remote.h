/* SPDX-License-Identifier: MIT */
/* Who sent a wake-up, in traces without sched_waking: private to src/model. */
#ifndef MDL_REMOTE_H
#define MDL_REMOTE_H

#include "model/mdl_event.h"
#include "model/mdl_fact.h"

struct mdl_cpu;
struct mdl_machine;
struct mdl_thread;

/* The cause of the wake-up of T by what CPU does now, which is inferred; as mdl_cause_new() returns it. */
struct mdl_cause *mdl_remote_here(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t);
/* sched_wakeup E of T, which is W: corrects where it was sent.  Returns the cause as mdl_cause_new() does. */
struct mdl_cause *mdl_remote_find(struct mdl_machine *m, const struct mdl_event *e,
	const struct mdl_thread *t, struct mdl_wakeup *w);
/* T's wait ends with sched_wakeup on CPU, as CAUSE (may be NULL) has it: may who queued what T executes next
 * be the better answer? */
bool mdl_remote_awaits_work(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t,
	const struct mdl_cause *cause);
/*
 * T begins WORK, which QUEUED, the chain up to and with who queued it, led to: if that came in its last wait,
 * it was what woke T, and corrects the deferred wake-up.
 */
void mdl_remote_queued(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_work *work,
	const struct mdl_chain *queued);
/* C switches from thread PREV (NULL unknown) to NEXT. */
void mdl_remote_switch(const struct mdl_machine *m, struct mdl_cpu *c, const struct mdl_thread *prev,
	const struct mdl_thread *next);
/* T, if it sleeps, was not woken where it was migrated last, if that was long ago. */
void mdl_remote_pass(struct mdl_machine *m, struct mdl_thread *t);
/* T is migrated: if it sleeps, that is the beginning of its wake-up. */
void mdl_remote_migrate(struct mdl_machine *m, const struct mdl_event *e, struct mdl_thread *t);

#endif
