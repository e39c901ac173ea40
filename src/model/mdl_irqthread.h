/* SPDX-License-Identifier: MIT */
/* Threads that finish what an interrupt began: private to src/model. */
#ifndef MDL_IRQTHREAD_H
#define MDL_IRQTHREAD_H

#include "model/mdl_fact.h"

struct mdl_cpu;
struct mdl_level;
struct mdl_machine;
struct mdl_thread;

/* Is T a thread that works for interrupts? */
bool mdl_irqthread_is(const struct mdl_thread *t);
/* Is T a thread that polls network devices, and does nothing else? */
bool mdl_irqthread_polls(const struct mdl_thread *t);
/* The handler of line NR, which ran on CPU, ended and returned RET (MDL_ARG_ABSENT unknown). */
void mdl_irqthread_handled(struct mdl_machine *m, uint32_t cpu, int64_t nr, int64_t ret);
/* The context that, on its way out, wakes T on CPU now; NULL: none does. */
const struct mdl_level *mdl_irqthread_waker(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t);
/* Is T woken for softirqs that were left pending, as ksoftirqd is? */
bool mdl_irqthread_runs_softirqs(const struct mdl_thread *t);
/* T is woken on CPU: if it runs softirqs that are pending there, CAUSE says which and who raised them. False:
 * it does not. */
bool mdl_irqthread_explain(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t,
	struct mdl_cause *cause);
/* Is T woken on CPU because the thread there hands a lock over, or takes CPUs off-line or back, and not for
 * what else that thread does? */
bool mdl_irqthread_by_thread(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t);
/* PREEMPT_RT: does L of CPU, in which FACTS happened, wake T by handing it a lock that threads sleep for, and
 * not for what L is about? */
enum mdl_unlock {
	MDL_UNLOCK_NO,
	MDL_UNLOCK_MAYBE,  /* what it is about may be the reason as well */
	MDL_UNLOCK_LIKELY, /* T did not sleep for that, by all that is known */
};
enum mdl_unlock mdl_irqthread_unlocks(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	const struct mdl_thread *t, const struct mdl_facts *facts);
/* T was woken on CPU by what CAUSE (may be NULL) says: it is awake for that, if it is a thread that works for
 * interrupts. */
void mdl_irqthread_woken(struct mdl_machine *m, uint32_t cpu, struct mdl_thread *t,
	const struct mdl_cause *cause);
/* T sleeps, or is not known any more: what it was awake for is past. */
void mdl_irqthread_rest(struct mdl_thread *t);
/* The thread of C is another: the CPU's own level has the origin of that. */
void mdl_irqthread_resume(struct mdl_cpu *c);
/* PREEMPT_RT: the thread on CPU begins or ends softirq VEC. */
void mdl_irqthread_softirq(struct mdl_machine *m, uint32_t cpu, int64_t vec, bool enter);

/* The softirq that is open on C turns out to be what the thread there does. */
void mdl_irqthread_adopt(struct mdl_cpu *c);

#endif
