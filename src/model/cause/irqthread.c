/* SPDX-License-Identifier: MIT */
/*
 * How it works: some threads finish what an interrupt began. What they do has that interrupt as its origin,
 * as with a softirq.
 *
 * They are woken on the way out of the interrupt: after the exit event of its handler, while no context is
 * open any more. The interrupted thread has no part in it:
 *
 *   - irq/NR-NAME, if the handler returned IRQ_WAKE_THREAD (proofs.md R15.1).
 *   - ksoftirqd/N and, under PREEMPT_RT and threadirqs, ktimers/N: for softirqs that are pending, or that the
 *     softirqs which just ran left pending (R10.1, R10.2, R10.5). A thread that raises a softirq wakes
 *     ksoftirqd itself (raise_softirq_irqoff()).
 *
 * The chain of its wake-up is the origin of what the thread does until it sleeps. This holds also for threads
 * that interrupts wake while their contexts are open: rcuc/N, irq_work/N, napi/…, backlog_napi/N (R16.1). A
 * handler that asks for its thread while the thread runs wakes nobody: from then on the thread may work for
 * either interrupt (R15.2).
 *
 * Sleeping locks of PREEMPT_RT: a thread may wait for one in the middle of its work, in TASK_UNINTERRUPTIBLE
 * as sched_switch shows it (TASK_RTLOCK_WAIT, __task_state_index() in include/linux/sched.h), and any thread
 * may hand one over in the middle of a softirq. The owner gives back the priority that waiters lent it and
 * wakes the next waiter: sched_pi_setprio of the running thread, then sched_waking (R18.1). If nothing was
 * lent, there is no sched_pi_setprio, and the events leave open whether the wake-up is for the lock or for
 * the work of the softirq (R19). Hard interrupts hold no sleeping locks, and only a wake-up for the lock ends
 * the wait (ttwu_state_match()).
 *
 * Softirqs of PREEMPT_RT: a softirq is what a thread does between softirq_entry and softirq_exit. The thread
 * may sleep or be preempted in between (R17.1). So this level belongs to the thread, and is the innermost one
 * where the thread runs.
 */
#include "model/cause/irqthread.h"

#include "model/cause/pool.h"
#include "model/cause/parts.h"
#include "model/cause/chain.h"
#include "model/core/context.h"
#include "model/core/cpu.h"
#include "model/core/gap.h"
#include "model/cause/level.h"
#include "model/core/line.h"
#include "model/core/missing.h"
#include "model/core/thread.h"

#include <stdlib.h>
#include <string.h>

/* enum irqreturn, include/linux/irqreturn.h: a bit of its own since Linux 2.6.33. */
#define IRQ_WAKE_THREAD 2
#define KTHREADD 2 /* TID of the parent of all kernel threads */

#define TIMERS (1u << MDL_SOFTIRQ_TIMER | 1u << MDL_SOFTIRQ_HRTIMER)
#define ANY ((1u << MDL_SOFTIRQS) - 1)
/* Softirqs for which a thread sleeps uninterruptibly only if it armed a timer. */
#define LOCKING (TIMERS | 1u << MDL_SOFTIRQ_NET_TX | 1u << MDL_SOFTIRQ_NET_RX | 1u << MDL_SOFTIRQ_SCHED)

/* Threads that work for interrupts, by the first part of their name. */
static const struct helper {
	const char *prefix;
	unsigned vectors; /* 1 << vector: softirqs for which it is woken; 0: it is not woken for softirqs */
	enum {
		WAKES_ANYWHERE,
		/* by its own CPU, whose number is in its name (invoke_rcu_core(), kernel/rcu/tree.c) */
		WAKES_LOCALLY,
		WAKES_IN_HARD, /* by its own CPU in a hard interrupt (wake_irq_workd(), kernel/irq_work.c) */
	} wakes;               /* where it is woken for work */
} helpers[] = {
	{ "irq/", 0, WAKES_ANYWHERE },
	{ "ksoftirqd/", ANY, WAKES_LOCALLY },
	{ "ktimers/", TIMERS, WAKES_LOCALLY },
	{ "ktimersoftd/", TIMERS, WAKES_LOCALLY },
	{ "rcuc/", 0, WAKES_LOCALLY },
	{ "irq_work/", 0, WAKES_IN_HARD },
	{ "napi/", 0, WAKES_ANYWHERE },
	{ "backlog_napi/", 0, WAKES_ANYWHERE },
};

/* The kind of T; NULL: it works for itself. A program can choose its name, but not the parent of kernel
 * threads. */
static const struct helper *helper_of(const struct mdl_thread *t)
{
	if (t->track->row.ppid != -1 && t->track->row.ppid != KTHREADD)
		return NULL;
	for (size_t i = 0; i < G_N_ELEMENTS(helpers); i++)
		if (t->comm[0] == helpers[i].prefix[0] && g_str_has_prefix(t->comm, helpers[i].prefix))
			return &helpers[i];
	return NULL;
}

bool mdl_irqthread_is(const struct mdl_thread *t)
{
	return helper_of(t);
}

bool mdl_irqthread_runs_softirqs(const struct mdl_thread *t)
{
	const struct helper *h = helper_of(t);

	return h && h->vectors != 0;
}

bool mdl_irqthread_polls(const struct mdl_thread *t)
{
	const struct helper *h = helper_of(t);

	return h && g_str_has_suffix(h->prefix, "napi/");
}

/* True if H is the thread of a line. A line's handler may sleep for anything, the work of the others only for
 * locks. */
static bool is_line_thread(const struct helper *h)
{
	return h == &helpers[0];
}

/* True if T does not sleep for work, for which these threads wait in TASK_INTERRUPTIBLE. It sleeps for a
 * lock, or is parked until its CPU comes back (smpboot_thread_fn(), kernel/smpboot.c). */
static bool sleeps_for_else(const struct mdl_thread *t)
{
	return t->phase == MDL_PH_BLOCKED && t->block != MDL_BLOCK_UNKNOWN &&
		t->block != MDL_BLOCK_INTERRUPTIBLE;
}

/* True if T takes CPUs off-line and back, and meanwhile parks the threads of softirqs
 * (smpboot_park_threads()). */
static bool is_hotplug(const struct mdl_thread *t)
{
	return t && g_str_has_prefix(t->comm, "cpuhp/") &&
		(t->track->row.ppid == -1 || t->track->row.ppid == KTHREADD);
}

/* True if the thread on C itself acts; under PREEMPT_RT also in a softirq. */
static bool acts_itself(const struct mdl_cpu *c)
{
	return !c->is_unseen && !mdl_cpu_is_interrupted(c);
}

/* True if the thread on C itself may act. If it is unknown whether the kernel is PREEMPT_RT, open softirqs
 * and the hrtimers that they expire may be the thread's own work (proofs.md R17.2). */
static bool may_act_itself(const struct mdl_machine *m, const struct mdl_cpu *c)
{
	bool hard = m->told & MDL_TOLD_IRQ || (c->is_unseen && c->unseen.type != MDL_CTX_SOFTIRQ);

	if (mdl_machine_is_rt(m))
		return acts_itself(c);
	for (unsigned i = 0; i < c->depth; i++)
		hard |= c->stack[i].type != MDL_CTX_SOFTIRQ && c->stack[i].type != MDL_CTX_HRTIMER;
	return !hard;
}

/* The number after the first slash in the name of T; -1: there is none. */
static int64_t irqthread_number_of(const struct mdl_thread *t)
{
	const char *slash = strchr(t->comm, '/');
	char *end;
	long number = slash && g_ascii_isdigit(slash[1]) ? strtol(slash + 1, &end, 10) : -1;

	return number >= 0 && (*end == '\0' || *end == '-') ? number : -1;
}

/* True if T is a line's thread that another thread of the line wakes ("irq/NR-s-NAME", irq_wake_secondary(),
 * kernel/irq/manage.c). */
static bool is_secondary(const struct mdl_thread *t)
{
	const char *dash = strchr(t->comm, '-');

	return dash && g_str_has_prefix(dash, "-s-");
}

/* True if T is a thread of line NR. */
static bool is_thread_of(const struct mdl_thread *t, int64_t nr)
{
	return !strncmp(t->comm, "irq/", 4) && irqthread_number_of(t) == nr;
}

const struct mdl_level *mdl_irqthread_waker(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	const struct mdl_level *l = c->leaving;
	const struct helper *h = l ? helper_of(t) : NULL;

	if (!h || sleeps_for_else(t))
		return NULL;
	if (h->vectors != 0)
		return c->depth == 0 && irqthread_number_of(t) == cpu ? l : NULL;
	if (l->type != MDL_CTX_IRQ || !is_thread_of(t, l->nr))
		return NULL;
	return c->leaving_ret == MDL_ARG_ABSENT || c->leaving_ret & IRQ_WAKE_THREAD ? l : NULL;
}

/* The line's thread is awake: from now on it may do what this interrupt brought. */
static void want_again(struct mdl_machine *m, int64_t tid)
{
	struct mdl_thread *t = mdl_thread_peek(m, tid);
	struct mdl_cpu *c;

	if (!t || !t->origin || t->phase == MDL_PH_BLOCKED)
		return;
	mdl_chain_doubt(t->origin, MDL_DOUBT(SHARED));
	c = t->phase == MDL_PH_RUN ? mdl_cpu_peek(m, t->cpu) : NULL;
	if (c && c->current == t)
		mdl_chain_doubt(&c->own.origin, MDL_DOUBT(SHARED));
}

/* The handler of line NR, which has just ended on CPU, asked for its thread. */
static void note_call(struct mdl_machine *m, uint32_t cpu, int64_t nr)
{
	const struct mdl_level *l = mdl_cpu_get(m, cpu)->leaving;
	struct mdl_chain *call;
	struct mdl_act act;

	if (!l || l->type != MDL_CTX_IRQ || l->nr != nr)
		return;
	call = g_new(struct mdl_chain, 1);
	act = mdl_cpu_act_of(m, cpu, l);
	mdl_chain_origin(m, cpu, l, call);
	mdl_chain_add(call, &act, mdl_chain_open(m, l));
	g_hash_table_insert(m->causes->irq_calls, (gpointer)(intptr_t)nr, call);
}

const struct mdl_chain *mdl_irqthread_called(const struct mdl_machine *m, const struct mdl_thread *t)
{
	const struct helper *h = helper_of(t);
	const struct mdl_chain *call;

	if (!h || !is_line_thread(h) || is_secondary(t) || t->phase != MDL_PH_BLOCKED || sleeps_for_else(t))
		return NULL;
	call = g_hash_table_lookup(m->causes->irq_calls, (gpointer)(intptr_t)irqthread_number_of(t));
	return call && call->hops[call->n - 1].act.time >= t->phase_since ? call : NULL;
}

bool mdl_irqthread_is_local(const struct mdl_thread *t, uint32_t cpu)
{
	const struct helper *h = helper_of(t);

	return h && h->wakes != WAKES_ANYWHERE && irqthread_number_of(t) == cpu && !sleeps_for_else(t);
}

bool mdl_irqthread_in_hard(const struct mdl_thread *t)
{
	const struct helper *h = helper_of(t);

	return h && h->wakes == WAKES_IN_HARD;
}

void mdl_irqthread_handled(struct mdl_machine *m, uint32_t cpu, int64_t nr, int64_t ret)
{
	gpointer tid;

	mdl_cpu_get(m, cpu)->leaving_ret = ret;
	if (ret != MDL_ARG_ABSENT && ret & IRQ_WAKE_THREAD && !mdl_machine_has(m, MDL_GROUP_WAKING))
		note_call(m, cpu, nr);
	if (ret != MDL_ARG_ABSENT && !(ret & IRQ_WAKE_THREAD))
		return;
	if (g_hash_table_lookup_extended(m->causes->irq_threads, (gpointer)(intptr_t)nr, NULL, &tid))
		want_again(m, (int64_t)(intptr_t)tid);
}

bool mdl_irqthread_by_thread(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	const struct helper *h;
	bool parks, softirq;

	if (c->cause->gave_lent && m->coverage.kernel & MDL_KERNEL_LENDS_UNTIL_WAKE)
		return acts_itself(c);
	h = helper_of(t);
	if (!h || !mdl_cpu_is_own(c))
		return false;
	parks = is_hotplug(c->current) && !c->leaving && !c->cause->raised.just;
	softirq = c->current && c->current->softirq;
	return parks || (sleeps_for_else(t) && !(softirq && is_line_thread(h)));
}

/* True if T, which sleeps uninterruptibly, may have slept for what happened in L (FACTS), where a thread
 * acts. */
static bool answers(const struct mdl_level *l, const struct mdl_thread *t, const struct mdl_facts *facts)
{
	const struct mdl_act *armed = &facts->timer.armed;

	if (facts->has & MDL_FACT_REQUEST)
		return !helper_of(t);
	if (facts->has & MDL_FACT_TIMER)
		return armed->time != MDL_NEVER && armed->context == MDL_NONE &&
			armed->thread == t->track->id;
	return l->context != MDL_NONE && l->type == MDL_CTX_SOFTIRQ &&
		(l->nr < 0 || l->nr >= MDL_SOFTIRQS || !(LOCKING & 1u << l->nr));
}

/* True if W is awake for the work of its own interrupt. A line's thread may sleep in the middle of that
 * work. */
static bool is_awake_for_own(const struct mdl_machine *m, const struct mdl_thread *w)
{
	const struct helper *h = helper_of(w);
	uint32_t context;

	if (!h || !is_line_thread(h))
		return h;
	context = w->origin && w->origin->n > 0 ? w->origin->hops[w->origin->n - 1].act.context : MDL_NONE;
	return context != MDL_NONE && mdl_context_type(m, context) == MDL_CTX_IRQ &&
		mdl_context_get(m, context)->nr == irqthread_number_of(w);
}

/* True if W, which wakes T, cannot have held a lock that T waited for: W was at rest when T fell asleep, so
 * another thread held the lock. That thread wakes T as it gives the lock back, unless W waits for the lock,
 * too, and comes first. Then W sleeps, or spins and is woken awake (rtlock_slowlock_locked(),
 * kernel/locking/rtmutex.c; proofs.md R19.3). */
static bool had_no_lock(const struct mdl_machine *m, const struct mdl_thread *w, const struct mdl_thread *t)
{
	return is_awake_for_own(m, w) && t->phase == MDL_PH_BLOCKED && w->active_since != MDL_NEVER &&
		t->phase_since != MDL_NEVER && t->phase_since < w->active_since && !w->contended &&
		mdl_missing_none(&m->missing) && !mdl_gap_since(&m->gaps, t->phase_since);
}

enum mdl_unlock mdl_irqthread_unlocks(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	const struct mdl_thread *t, const struct mdl_facts *facts)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	bool asleep = t->phase == MDL_PH_BLOCKED && t->block != MDL_BLOCK_UNKNOWN,
	     about = l->context != MDL_NONE ||
		facts->has & (MDL_FACT_REQUEST | MDL_FACT_PACKET | MDL_FACT_TIMER);

	if (!mdl_doubt(&m->coverage, MDL_DOUBT(RT_LOCK)) || !about || !may_act_itself(m, c) ||
		mdl_pool_queued(c, t) || (asleep && t->block != MDL_BLOCK_UNINTERRUPTIBLE))
		return MDL_UNLOCK_NO;
	if (facts->has & MDL_FACT_REQUEST && !helper_of(t) && c->current && had_no_lock(m, c->current, t))
		return MDL_UNLOCK_NO;
	return asleep && mdl_machine_is_rt(m) && !answers(l, t, facts) ? MDL_UNLOCK_LIKELY : MDL_UNLOCK_MAYBE;
}

bool mdl_irqthread_explain(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t,
	struct mdl_cause *cause)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	const struct helper *h = helper_of(t);
	const struct mdl_level *leaving;
	const struct mdl_hop *last;
	mdl_doubts doubts;
	bool inside, left = false;

	if (!h || h->vectors == 0 || irqthread_number_of(t) != cpu)
		return false;
	leaving = mdl_irqthread_waker(m, cpu, t);
	if (leaving && leaving->type == MDL_CTX_SOFTIRQ)
		/* the round is over, so it had not taken the bits that it did not run */
		c->cause->raised.round = 0;
	cause->facts.pending = mdl_chain_pending(c, h->vectors, leaving, &cause->chain, &inside);
	if (cause->facts.pending == 0 && leaving && leaving->type == MDL_CTX_SOFTIRQ) {
		cause->facts.pending = mdl_chain_left(c, h->vectors, &cause->chain);
		left = cause->facts.pending != 0;
	}
	/* left by a round whose begin the events leave open: the raiser is unknown */
	if (cause->facts.pending == 0)
		return mdl_machine_has(m, MDL_GROUP_RAISE) && leaving && leaving->type == MDL_CTX_SOFTIRQ;
	cause->facts.has = MDL_FACT_PENDING;
	/* A raise is sure if it is inside the interrupt that ends, or since the first entry of the round that
	 * ends, or in the event before this one, or if the round can have left no other. handle_softirqs()
	 * may have taken the bit of an earlier raise before it traced the first entry. If softirqs are not
	 * recorded, the softirq may have run long ago. */
	last = &cause->chain.hops[cause->chain.n - 1];
	doubts = last->doubts | mdl_doubt(&m->coverage, MDL_DOUBT(SOFTIRQ));
	if (!inside && !left && !(c->cause->raised.just & cause->facts.pending) &&
		!(leaving && leaving->type == MDL_CTX_SOFTIRQ &&
			last->act.time >= c->cause->raised.round_since))
		doubts |= MDL_DOUBT(SHARED);
	mdl_chain_doubt(&cause->chain, doubts);
	return true;
}

/* True if T, which runs pending softirqs, is woken by a thread for no softirq: it is parked. */
static bool is_parking(const struct mdl_thread *t, const struct mdl_cause *cause)
{
	return helper_of(t)->vectors != 0 && cause->facts.has == 0 &&
		cause->chain.hops[cause->chain.n - 1].act.context == MDL_NONE;
}

void mdl_irqthread_woken(struct mdl_machine *m, uint32_t cpu, struct mdl_thread *t,
	const struct mdl_cause *cause)
{
	const struct mdl_level *leaving;

	if (cpu == MDL_NONE || !helper_of(t) || sleeps_for_else(t))
		return;
	leaving = mdl_irqthread_waker(m, cpu, t);
	if (leaving && leaving->type == MDL_CTX_IRQ && is_thread_of(t, leaving->nr))
		g_hash_table_insert(m->causes->irq_threads, (gpointer)(intptr_t)leaving->nr,
			(gpointer)(intptr_t)t->tid);
	if (!cause || cause->chain.n == 0 || is_parking(t, cause))
		return;
	if (!t->origin)
		t->origin = g_new(struct mdl_chain, 1);
	mdl_chain_copy(t->origin, &cause->chain);
}

void mdl_irqthread_rest(struct mdl_thread *t)
{
	if (t->block != MDL_BLOCK_UNINTERRUPTIBLE) /* uninterruptible: a lock, in the middle of its work */
		g_clear_pointer(&t->origin, g_free);
}

void mdl_irqthread_resume(struct mdl_cpu *c)
{
	if (c->current && c->current->origin)
		mdl_chain_copy(&c->own.origin, c->current->origin);
	else
		c->own.origin.n = 0;
}

void mdl_irqthread_softirq(struct mdl_machine *m, uint32_t cpu, int64_t vec, bool enter)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	struct mdl_thread *t = c->current;

	if (!t)
		return;
	if (!enter)
		mdl_coverage_leave(&m->coverage, MDL_CTX_SOFTIRQ);
	g_clear_pointer(&t->softirq, g_free);
	if (!enter)
		return;
	t->softirq = g_new(struct mdl_level, 1);
	t->softirq->context = MDL_NONE;
	mdl_level_begin(m, cpu, t->softirq, MDL_CTX_SOFTIRQ, vec, mdl_line_softirq_name(m, vec));
}

void mdl_irqthread_adopt(struct mdl_cpu *c)
{
	if (!c->current || c->depth == 0 || c->stack[0].type != MDL_CTX_SOFTIRQ)
		return;
	g_free(c->current->softirq);
	c->current->softirq = g_memdup2(&c->stack[0], sizeof c->stack[0]);
}
