/* SPDX-License-Identifier: MIT */
/* Threads that finish the work of an interrupt: private to src/model. */
#ifndef MDL_IRQTHREAD_H
#define MDL_IRQTHREAD_H

#include "model/event/fact.h"

struct mdl_chain;
struct mdl_cpu;
struct mdl_level;
struct mdl_machine;
struct mdl_thread;

/* True if T is a thread that works for interrupts. */
bool mdl_irqthread_is(const struct mdl_thread *t);
/* True if T is a thread that only polls network devices. */
bool mdl_irqthread_polls(const struct mdl_thread *t);
/* The handler of line NR, which ran on CPU, ended and returned RET (MDL_ARG_ABSENT: unknown). */
void mdl_irqthread_handled(struct mdl_machine *m, uint32_t cpu, int64_t nr, int64_t ret);
/* The context that wakes T on its way out of CPU now; NULL: none. */
const struct mdl_level *mdl_irqthread_waker(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t);
/* Without sched_waking: the chain up to and with the handler that woke T, the thread of its line, wherever
 * the wake-up arrives; NULL: none. */
const struct mdl_chain *mdl_irqthread_called(const struct mdl_machine *m, const struct mdl_thread *t);
/* True if T is a per-CPU thread that only CPU itself wakes. */
bool mdl_irqthread_is_local(const struct mdl_thread *t, uint32_t cpu);
/* True if hard interrupts alone wake T for work. */
bool mdl_irqthread_in_hard(const struct mdl_thread *t);
/* True if T, like ksoftirqd, is woken for softirqs that are left pending. */
bool mdl_irqthread_runs_softirqs(const struct mdl_thread *t);
/* T is woken on CPU. If T runs softirqs that are pending there, store in CAUSE which they are and who raised
 * them, and return true. Otherwise return false. */
bool mdl_irqthread_explain(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t,
	struct mdl_cause *cause);
/* True if T is woken on CPU because the thread there hands over a lock, or takes CPUs off-line or back, and
 * not because of that thread's other work. */
bool mdl_irqthread_by_thread(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t);
/* PREEMPT_RT: whether L of CPU, in which FACTS happened, wakes T by handing over a sleeping lock, and not
 * because of the work of L. */
enum mdl_unlock {
	MDL_UNLOCK_NO,
	MDL_UNLOCK_MAYBE,  /* the work of L may be the reason as well */
	MDL_UNLOCK_LIKELY, /* as far as the events show, T did not sleep for that work */
};
enum mdl_unlock mdl_irqthread_unlocks(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	const struct mdl_thread *t, const struct mdl_facts *facts);
/* T was woken on CPU because of CAUSE (may be NULL).  If T works for interrupts, this is now its work. */
void mdl_irqthread_woken(struct mdl_machine *m, uint32_t cpu, struct mdl_thread *t,
	const struct mdl_cause *cause);
/* T sleeps, or is unknown from now on: its work for an interrupt is over. */
void mdl_irqthread_rest(struct mdl_thread *t);
/* The thread of C has changed: set the origin of the CPU's own level to that of the new thread. */
void mdl_irqthread_resume(struct mdl_cpu *c);
/* PREEMPT_RT: the thread on CPU begins or ends softirq VEC. */
void mdl_irqthread_softirq(struct mdl_machine *m, uint32_t cpu, int64_t vec, bool enter);

/* The open softirq of C turned out to be part of the thread there. */
void mdl_irqthread_adopt(struct mdl_cpu *c);

#endif
