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
/* The context that wakes T on its way out, on CPU now; NULL: none does. */
const struct mdl_level *mdl_irqthread_waker(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t);
/* Where sched_waking is not recorded: the chain up to and with the handler that has woken T, its line's thread,
 * wherever that arrives; NULL: none has. */
const struct mdl_chain *mdl_irqthread_called(const struct mdl_machine *m, const struct mdl_thread *t);
/* True if nothing except CPU itself wakes T, which is one of the threads that each CPU has. */
bool mdl_irqthread_is_local(const struct mdl_thread *t, uint32_t cpu);
/* True if hard interrupts alone wake T for work. */
bool mdl_irqthread_in_hard(const struct mdl_thread *t);
/* True if T, like ksoftirqd, is woken for softirqs that were left pending. */
bool mdl_irqthread_runs_softirqs(const struct mdl_thread *t);
/* T is woken on CPU.  If it runs softirqs that are pending there, store in CAUSE which they are and who
 * raised them; otherwise return false. */
bool mdl_irqthread_explain(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t,
	struct mdl_cause *cause);
/* True if T is woken on CPU because the thread there hands over a lock, or takes CPUs off-line or back, and
 * not because of that thread's other work. */
bool mdl_irqthread_by_thread(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t);
/* PREEMPT_RT: whether L of CPU, in which FACTS happened, wakes T by handing over a lock for which threads
 * sleep, and not because of the work of L. */
enum mdl_unlock {
	MDL_UNLOCK_NO,
	MDL_UNLOCK_MAYBE,  /* the work of L may be the reason as well */
	MDL_UNLOCK_LIKELY, /* as far as is known, T did not sleep for that work */
};
enum mdl_unlock mdl_irqthread_unlocks(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	const struct mdl_thread *t, const struct mdl_facts *facts);
/* T was woken on CPU because of CAUSE (may be NULL).  If T works for interrupts, this is now its work. */
void mdl_irqthread_woken(struct mdl_machine *m, uint32_t cpu, struct mdl_thread *t,
	const struct mdl_cause *cause);
/* T sleeps, or is unknown from now on: its work for an interrupt is over. */
void mdl_irqthread_rest(struct mdl_thread *t);
/* The thread of C has changed: give the CPU's own level the origin of the new thread. */
void mdl_irqthread_resume(struct mdl_cpu *c);
/* PREEMPT_RT: the thread on CPU begins or ends softirq VEC. */
void mdl_irqthread_softirq(struct mdl_machine *m, uint32_t cpu, int64_t vec, bool enter);

/* The open softirq of C turns out to be part of the thread there. */
void mdl_irqthread_adopt(struct mdl_cpu *c);

#endif
