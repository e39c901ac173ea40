/* SPDX-License-Identifier: MIT */
/*
 * How it works: without sched_waking (recorded on request since Linux 4.3) a wake-up shows where it arrives
 * (proofs.md R12). If the wakee's CPU is idle, try_to_wake_up() leaves the rest to that CPU (ttwu_queue() in
 * kernel/sched/core.c): an IPI or the idle loop calls sched_ttwu_pending() and writes sched_wakeup there. The
 * thread that runs there is not the waker.
 *
 *   - sched_wakeup on another CPU than the wakee's: the waker's own place (R12.1).
 *   - In an IPI, or in no context of the idle thread or of a thread in user mode (known if all system calls
 *     are recorded): it comes from elsewhere, if there are other CPUs. If exactly one other CPU was not idle
 *     at that instant, the waker is what it did. If all were idle, the waker is the CPU that has just ceased
 *     to do something (R12.2).
 *   - sched_migrate_task of a sleeping thread comes from try_to_wake_up() on the waker's CPU, if the thread
 *     is woken then: the waker is what that CPU does (R12.3).
 *   - A line's thread: the handler that asked for it during its sleep is the waker, wherever the wake-up
 *     arrives. A per-CPU thread (irq_work/N, rcuc/N): its own CPU (R12.6).
 *   - In any other context, or in a thread in a system call: that context or thread. In a softirq, where
 *     interrupts are on, this has a doubt if IPIs are not recorded (R12.5).
 *   - A kworker that slept for lack of work, and whose next item was queued during its wait: the act that
 *     queued the item is the waker, wherever the wake-up seems to come from (R12.4). insert_work() wakes the
 *     first worker of pool->idle_list at once (wake_up_worker(), since Linux 6.6 kick_pool(),
 *     kernel/workqueue.c), and that worker takes the oldest item. Two cases show their waker themselves.
 *     Either the event before the wake-up, on the same CPU, queued an item (then another worker was faster,
 *     and left it another item). Or a worker takes an item or goes to sleep, and wakes the next worker for
 *     what is left (process_one_work(), wq_worker_sleeping()). In the middle of an item a worker waits for
 *     something else, as the manager of a pool waits for kthreadd (create_worker()), and then it is not in
 *     TASK_IDLE (before Linux 4.14 TASK_INTERRUPTIBLE).
 */
#include "model/cause/remote.h"

#include "model/cause/pool.h"
#include "model/cause/parts.h"
#include "model/cause/chain.h"
#include "model/core/context.h"
#include "model/core/cpu.h"
#include "model/cause/deferred.h"
#include "model/core/gap.h"
#include "model/cause/irqthread.h"
#include "model/core/thread.h"

/* ns; the most that a wake-up takes from CPU to CPU, while interrupts are off at the other one */
#define FLIGHT 500000

static bool is_alone(const struct mdl_machine *m, const struct mdl_cpu *c)
{
	for (uint32_t i = 0; i < m->cpus->len; i++)
		if (g_ptr_array_index(m->cpus, i) && g_ptr_array_index(m->cpus, i) != c)
			return false;
	return true;
}

/* True if the sched_wakeup of a thread of C, which is written on C now, came from another CPU. */
static bool came_from_elsewhere(const struct mdl_machine *m, const struct mdl_cpu *c)
{
	if (is_alone(m, c))
		return false;
	if (c->depth > 0)
		return c->stack[c->depth - 1].type == MDL_CTX_IPI;
	if (!c->current)
		return false;
	return c->current == c->idle ? m->coverage.entered != 0 : c->current->mode == MDL_MODE_USER;
}

/* True if an unrecorded IPI may have come upon the context of CPU in which T is woken, to put T on its run
 * queue there. Not right after an item was queued: interrupts are off from there to the wake-up
 * (__queue_work()). */
static bool may_be_hit(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	const struct mdl_level *l = mdl_cpu_level(m, cpu);

	if (c->is_unseen)
		return c->unseen.type != MDL_CTX_SOFTIRQ;
	return l->context != MDL_NONE && mdl_chain_open(m, l) && !is_alone(m, c) && !mdl_pool_queued(c, t);
}

static bool remote_is_idle(const struct mdl_cpu *c)
{
	return c->gap == MDL_GAP_NONE && c->depth == 0 && c->current && c->current == c->idle;
}

/* The only CPU other than CPU that is busy now; MDL_NONE: none, or several. */
static uint32_t only_busy(const struct mdl_machine *m, uint32_t cpu)
{
	uint32_t found = MDL_NONE;

	for (uint32_t i = 0; i < m->cpus->len; i++) {
		const struct mdl_cpu *c = g_ptr_array_index(m->cpus, i);

		if (i == cpu || !c || remote_is_idle(c))
			continue;
		if (found != MDL_NONE)
			return MDL_NONE;
		found = i;
	}
	return found;
}

/* The time at which C ceased to do what it did last; MDL_NEVER: unknown. */
static int64_t ceased_at(const struct mdl_cpu *c)
{
	return MAX(c->left_at, c->cause->gone_at);
}

/* The only CPU other than CPU that has just become idle, if all others idle; MDL_NONE: none, or several. */
static uint32_t only_ceased(const struct mdl_machine *m, uint32_t cpu)
{
	uint32_t found = MDL_NONE;

	for (uint32_t i = 0; i < m->cpus->len; i++) {
		const struct mdl_cpu *c = g_ptr_array_index(m->cpus, i);

		if (i == cpu || !c)
			continue;
		if (!remote_is_idle(c))
			return MDL_NONE;
		if (ceased_at(c) == MDL_NEVER || m->now - ceased_at(c) > FLIGHT)
			continue;
		if (found != MDL_NONE)
			return MDL_NONE;
		found = i;
	}
	return found;
}

struct mdl_cause *mdl_remote_here(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t)
{
	struct mdl_cause *cause = mdl_cause_new(m, cpu, t);
	struct mdl_chain here;

	if (!m->sink->cause || mdl_cpu_get(m, cpu)->gap != MDL_GAP_NONE)
		return NULL;
	mdl_chain_here(m, cpu, &here);
	if (!cause && here.n == 1 && here.hops[0].act.context == MDL_NONE)
		return NULL; /* a thread: the wake-up alone says this, inferred */
	if (!cause)
		return mdl_cause_new_doubted(m, &here, NULL);
	if (cause->chain.n == 0) /* the chain has the doubts */
		mdl_chain_copy(&cause->chain, &here);
	mdl_cause_doubt(cause, MDL_DOUBT(NO_WAKING));
	return cause;
}

/* The last step of CHAIN sent W: set its place. */
static void place_by(const struct mdl_chain *chain, struct mdl_wakeup *w)
{
	const struct mdl_act *act = &chain->hops[chain->n - 1].act;

	w->cpu = act->cpu;
	w->waker = act->thread;
	w->n_contexts = act->context != MDL_NONE;
	w->contexts[0].context = act->context;
	w->contexts[0].entry = act->entry;
}

/* The activity that CPU has just ended sent W: set its place. Returns the cause. */
static struct mdl_cause *ceased_cause(struct mdl_machine *m, uint32_t cpu, struct mdl_wakeup *w)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	w->cpu = cpu;
	w->waker = c->cause->gone;
	w->n_contexts = 0;
	if (c->cause->gone_at >= c->left_at || c->cause->left.n == 0)
		return NULL;
	place_by(&c->cause->left, w);
	return m->sink->cause ? mdl_cause_new_doubted(m, &c->cause->left, NULL) : NULL;
}

/* CPU itself, which T belongs to, sent W: returns the cause. */
static struct mdl_cause *local_cause(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t,
	struct mdl_wakeup *w)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	if (!mdl_cpu_is_own(c) || !mdl_irqthread_in_hard(t))
		return mdl_cause_new(m, cpu, t);
	w->waker = MDL_NONE; /* an unrecorded interrupt */
	return NULL;
}

/* True if W arrives on CPU, which is C, in an unrecorded hard interrupt. That may be the IPI by which another
 * CPU sent W, or an interrupt that wakes the thread itself (R12.7). */
static bool arrives_unseen(const struct mdl_machine *m, const struct mdl_cpu *c, const struct mdl_wakeup *w,
	uint32_t cpu)
{
	return c->is_unseen && c->unseen.type != MDL_CTX_SOFTIRQ && w->target_cpu == cpu &&
		(m->coverage.n_cpus > 1 || !is_alone(m, c));
}

struct mdl_cause *mdl_remote_find(struct mdl_machine *m, const struct mdl_event *e,
	const struct mdl_thread *t, struct mdl_wakeup *w)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, e->cpu), *other;
	const struct mdl_chain *called;
	uint32_t cpu;

	if (c->gap != MDL_GAP_NONE)
		return NULL;
	if (mdl_irqthread_waker(m, e->cpu, t))
		return mdl_cause_new(m, e->cpu, t);
	called = mdl_irqthread_called(m, t);
	if (called) {
		place_by(called, w);
		return m->sink->cause ? mdl_cause_new_doubted(m, called, NULL) : NULL;
	}
	if (mdl_irqthread_is_local(t, e->cpu))
		return local_cause(m, e->cpu, t, w);
	if (arrives_unseen(m, c, w, e->cpu)) {
		w->waker = MDL_NONE;
		w->n_contexts = 0;
		return NULL;
	}
	if ((w->target_cpu != MDL_NONE && w->target_cpu != e->cpu) || !came_from_elsewhere(m, c))
		return w->target_cpu == e->cpu && may_be_hit(m, e->cpu, t) ? mdl_remote_here(m, e->cpu, t)
									   : mdl_cause_new(m, e->cpu, t);
	cpu = only_busy(m, e->cpu);
	other = cpu != MDL_NONE ? mdl_cpu_get(m, cpu) : NULL;
	if (other && other->gap == MDL_GAP_NONE && (other->current || other->depth > 0)) {
		mdl_cpu_place(m, cpu, w);
		return mdl_remote_here(m, cpu, t);
	}
	cpu = only_ceased(m, e->cpu);
	if (cpu != MDL_NONE)
		return ceased_cause(m, cpu, w);
	if (c->depth > 0)
		return mdl_remote_here(m, e->cpu, t);
	w->waker = MDL_NONE;
	return NULL;
}

/* True if CAUSE proves that the event before the wake-up queued an item. */
static bool is_just_queued(const struct mdl_cause *cause)
{
	if (!cause || !(cause->facts.has & MDL_FACT_WORK) || cause->facts.work.started != MDL_NEVER)
		return false;
	return cause->chain.n == 0 || cause->chain.hops[cause->chain.n - 1].doubts == 0;
}

bool mdl_remote_awaits_work(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t,
	const struct mdl_cause *cause)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	bool by_worker = mdl_cpu_is_own(c) && c->current && mdl_pool_is_worker(c->current);

	return !mdl_machine_has(m, MDL_GROUP_WAKING) && m->sink->cause && mdl_pool_awaits(t) && !by_worker &&
		!is_just_queued(cause);
}

/* Add to FACTS where D arrived, if that is not CPU, which sent it. */
static void add_arrival(struct mdl_machine *m, const struct mdl_deferred *d, uint32_t cpu,
	struct mdl_facts *facts)
{
	const struct mdl_wakeup *w = &d->wakeup;
	unsigned n = w->n_contexts;
	bool ipi = n > 0 && w->cpu == w->event_cpu &&
		mdl_context_type(m, w->contexts[n - 1].context) == MDL_CTX_IPI;

	if (w->event_cpu == cpu)
		return;
	facts->has |= MDL_FACT_ARRIVAL;
	if (d->cause && d->cause->facts.has & MDL_FACT_ARRIVAL)
		facts->arrival = d->cause->facts.arrival;
	else
		facts->arrival = (struct mdl_arrival){
			.time = w->time,
			.cpu = w->event_cpu,
			.context = ipi ? w->contexts[n - 1].context : MDL_NONE,
			.entry = ipi ? w->contexts[n - 1].entry : MDL_NEVER,
		};
}

void mdl_remote_queued(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_work *work,
	const struct mdl_chain *queued)
{
	struct mdl_deferred *d = t->deferred;
	struct mdl_facts facts = { .has = MDL_FACT_WORK, .work = *work };

	if (!d || !d->for_work || d->by_pool)
		return;
	if ((d->wakeup.since != MDL_NEVER && work->queued.time < d->wakeup.since) ||
		work->queued.time > d->wakeup.time)
		return;
	facts.work.started = MDL_NEVER;
	add_arrival(m, d, work->queued.cpu, &facts);
	g_free(d->cause);
	d->cause = mdl_cause_new_doubted(m, queued, &facts);
	place_by(queued, &d->wakeup);
}

void mdl_remote_switch(const struct mdl_machine *m, struct mdl_cpu *c, const struct mdl_thread *prev,
	const struct mdl_thread *next)
{
	if (!next || next != c->idle || !prev)
		return;
	c->cause->gone = prev->track->id;
	c->cause->gone_at = m->now;
}

void mdl_remote_pass(struct mdl_machine *m, struct mdl_thread *t)
{
	if (t->early && t->early->wakeup.via == MDL_VIA_WAKEUP && m->now - t->early->wakeup.time > FLIGHT)
		g_clear_pointer(&t->early, mdl_deferred_free);
}

void mdl_remote_migrate(struct mdl_machine *m, const struct mdl_event *e, struct mdl_thread *t)
{
	struct mdl_wakeup w;

	mdl_remote_pass(m, t);
	if (mdl_machine_has(m, MDL_GROUP_WAKING) || t->phase != MDL_PH_BLOCKED || t->early ||
		mdl_cpu_get(m, e->cpu)->gap != MDL_GAP_NONE)
		return;
	w = (struct mdl_wakeup){ .time = m->now,
		.since = MDL_NEVER,
		.ran_at = MDL_NEVER,
		.event_time = MDL_NEVER,
		.event_cpu = MDL_NONE,
		.target_cpu = MDL_NONE,
		.via = MDL_VIA_WAKEUP };
	mdl_cpu_place(m, e->cpu, &w);
	t->early = mdl_deferred_new(m, &w, mdl_remote_here(m, e->cpu, t));
}
