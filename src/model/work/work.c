/* SPDX-License-Identifier: MIT */
/*
 * How it works: queueing a work item wakes a worker in the next step. So a kworker that waits for an item,
 * and that the very next event of the CPU wakes, was woken for that item (proofs.md R7.1). If queueing is not
 * recorded, the waker of a kworker that waits for an item has most likely queued one (R7.5). The end of a
 * request may queue an item that wakes no worker, and then wake a kworker that reads a block for another item
 * (R7.4). What a kworker does between workqueue_execute_start and _end is for the item, also after a sleep in
 * between (R7.6). So that fact stays with the thread, and is in the CPU's own level while the thread is
 * there.
 */
#include "model/work/work.h"

#include "model/cause/parts.h"
#include "model/core/cpu.h"
#include "model/cause/pool.h"
#include "model/core/recent.h"
#include "model/cause/remote.h"
#include "model/core/thread.h"

#include <string.h>

/* A queued item. */
struct queued {
	uint64_t function; /* 0 unknown */
	struct mdl_act by;
	struct mdl_chain chain; /* up to and with the act that queued it; empty if sched_waking shows that */
};

void mdl_work_queue(struct mdl_machine *m, const struct mdl_event *e)
{
	uint64_t work = mdl_event_address(e, MDL_WORK_WORK);
	struct queued q = { .function = mdl_event_address(e, MDL_WORK_FUNCTION),
		.by = mdl_cpu_act(m, e->cpu) };
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);

	if (!mdl_machine_has(m, MDL_GROUP_WAKING))
		mdl_chain_here(m, e->cpu, &q.chain);
	if (work != 0)
		memcpy(mdl_recent_put(m->works, work), &q, sizeof q);
	c->cause->just_queued = (struct mdl_work){ .function = q.function,
		.started = MDL_NEVER,
		.queued = q.by };
	c->cause->has_just_queued = true;
	c->just |= MDL_JUST_QUEUED;
}

static void work_start(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_event *e)
{
	uint64_t work = mdl_event_address(e, MDL_WORK_WORK);
	const struct queued *q = mdl_recent_find(m->works, work);

	if (!t->work)
		t->work = g_new(struct mdl_work, 1);
	*t->work = (struct mdl_work){ .function = mdl_event_address(e, MDL_WORK_FUNCTION),
		.started = m->now,
		.queued.time = MDL_NEVER };
	if (q && t->work->function == 0)
		t->work->function = q->function;
	if (q)
		t->work->queued = q->by;
	if (q && q->chain.n > 0)
		mdl_remote_queued(m, t, t->work, &q->chain);
	mdl_pool_starts(m, mdl_cpu_get(m, e->cpu), t);
	mdl_deferred_work(m, t);
	mdl_recent_drop(m->works, work); /* it may be queued again from now on */
}

void mdl_work_execute(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	const struct mdl_level *l = mdl_cpu_level(m, e->cpu);

	/* BH workqueues, since Linux 6.9, execute in softirqs: bh_worker() */
	if (!c->current || (l != &c->own && !mdl_chain_may_be_over(m, l)))
		return;
	if (l != &c->own) { /* L or the thread executes it: what the thread executes is unknown */
		mdl_deferred_work(m, c->current);
		g_clear_pointer(&c->current->work, g_free);
	} else if (e->kind == MDL_EV_WORK_START) {
		work_start(m, c->current, e);
	} else {
		mdl_deferred_work(m, c->current);
		g_clear_pointer(&c->current->work, g_free);
	}
	mdl_work_resume(c);
}

/* If no event shows the end of an execution, the kind of sleep of worker_thread() does (kernel/workqueue.c;
 * before Linux 4.14 TASK_INTERRUPTIBLE). */
void mdl_work_rest(const struct mdl_machine *m, struct mdl_thread *t)
{
	if (!mdl_machine_has(m, MDL_GROUP_WORK_END) &&
		(t->block == MDL_BLOCK_IDLE || t->block == MDL_BLOCK_INTERRUPTIBLE))
		g_clear_pointer(&t->work, g_free);
}

void mdl_work_resume(struct mdl_cpu *c)
{
	c->own.facts.has &= ~(unsigned)MDL_FACT_WORK;
	if (!c->current || !c->current->work)
		return;
	c->own.facts.work = *c->current->work;
	c->own.facts.has |= MDL_FACT_WORK;
}

/* True if FACTS, which happened in L, show that the wait was for the disk or the network. Then the cause has
 * no more than that, inferred (may_bring_work(), cause/cause.c). */
static bool is_about(const struct mdl_level *l, const struct mdl_facts *facts)
{
	bool softirq = l->context != MDL_NONE && l->type == MDL_CTX_SOFTIRQ;

	return facts->has & (MDL_FACT_REQUEST | MDL_FACT_PACKET) ||
		(softirq && (l->nr == MDL_SOFTIRQ_BLOCK || l->nr == MDL_SOFTIRQ_NET_RX));
}

static void queued_work(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	const struct mdl_thread *t, struct mdl_facts *facts)
{
	const struct mdl_work *work = mdl_pool_queued(mdl_cpu_get(m, cpu), t);

	if (work)
		facts->work = *work;
	else if (mdl_pool_guesses(m, t) && !is_about(l, facts))
		facts->work = (struct mdl_work){ .started = MDL_NEVER, .queued = mdl_cpu_act_of(m, cpu, l) };
	else
		return;
	facts->has |= MDL_FACT_WORK;
}

static void work_init(struct mdl_machine *m, G_GNUC_UNUSED const char *release)
{
	m->works = mdl_recent_new(sizeof(struct queued), 16384);
}

static void work_clear(struct mdl_machine *m)
{
	mdl_recent_free(m->works);
}

static void work_lose(struct mdl_machine *m, G_GNUC_UNUSED uint32_t cpu, G_GNUC_UNUSED int64_t since)
{
	mdl_recent_clear(m->works); /* another item may have this address now */
}

static void work_clear_thread(struct mdl_thread *t)
{
	g_clear_pointer(&t->work, g_free);
}

static void work_forget(G_GNUC_UNUSED struct mdl_machine *m, struct mdl_thread *t,
	G_GNUC_UNUSED int64_t since)
{
	g_clear_pointer(&t->work, g_free);
}

const struct mdl_part mdl_part_work = {
	.init = work_init,
	.clear = work_clear,
	.clear_thread = work_clear_thread,
	.lose = work_lose,
	.forget = work_forget,
	.collect = queued_work,
};
