/* SPDX-License-Identifier: MIT */
/*
 * How it works: each level of a CPU (a thread, or an interrupt context on top of it) keeps what led to it and
 * what happened in it. A wake-up is explained by the level that sends it, and by what its thread had armed
 * before it waited.
 *
 * Lost events: a step is as sure as the events of its CPU since that step. A fact that is found by a number
 * which the kernel reuses (sector, address) may also be replaced by an unseen event of any other CPU
 * (proofs.md R14.2).
 */
#include "model/cause/parts.h"

#include "model/cause/chain.h"
#include "model/core/cpu.h"
#include "model/kernel/exit.h"
#include "model/core/gap.h"
#include "model/cause/irqthread.h"
#include "model/cause/pool.h"
#include "model/cause/sender.h"
#include "model/core/thread.h"

/* ---- lost events ---- */

static bool lost_on(const struct mdl_machine *m, uint32_t cpu, int64_t since)
{
	const struct mdl_cpu *c = mdl_cpu_peek(m, cpu);

	return c && (c->gap != MDL_GAP_NONE || (c->lost_until != MDL_NEVER && since <= c->lost_until));
}

/* True if events were lost since the older event that a fact with OPS in FACTS is joined with. */
static bool is_fact_lossy(const struct mdl_machine *m, const struct mdl_fact_ops *ops,
	const struct mdl_facts *facts)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(ops->joined) && ops->joined[i] != 0; i++)
		if (mdl_gap_since(&m->gaps, *(const int64_t *)mdl_fact_peek(facts, ops->joined[i])))
			return true;
	return false;
}

static bool is_lossy(const struct mdl_machine *m, const struct mdl_cause *cause)
{
	for (unsigned i = 0; i < cause->chain.n; i++) {
		const struct mdl_act *act = &cause->chain.hops[i].act;

		if (lost_on(m, act->cpu, act->entry != MDL_NEVER ? act->entry : act->time))
			return true;
	}
	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		if (cause->facts.has & 1u << i && is_fact_lossy(m, mdl_fact_all[i], &cause->facts))
			return true;
	return false;
}

static void doubt_facts(struct mdl_facts *facts, mdl_doubts doubts)
{
	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		if (facts->has & 1u << i && mdl_fact_all[i]->doubts != 0)
			*(mdl_doubts *)mdl_fact_at(facts, mdl_fact_all[i]->doubts) |= doubts;
}

void mdl_cause_doubt(struct mdl_cause *cause, mdl_doubts doubts)
{
	mdl_chain_doubt(&cause->chain, doubts);
	doubt_facts(&cause->facts, doubts);
}

/* ---- causes ---- */

/* True if L, in which FACTS happened, seems to end T's wait for the disk or the network, but may only queue
 * work for T, a worker at rest (proofs.md R7.4). */
static bool may_bring_work(const struct mdl_level *l, const struct mdl_thread *t,
	const struct mdl_facts *facts)
{
	bool about = l->context != MDL_NONE && l->type == MDL_CTX_SOFTIRQ &&
		(l->nr == MDL_SOFTIRQ_BLOCK || l->nr == MDL_SOFTIRQ_NET_RX);

	if (facts->has & MDL_FACT_WORK)
		return false;
	return (about || facts->has & (MDL_FACT_REQUEST | MDL_FACT_PACKET)) && mdl_pool_awaits(t);
}

/* The doubts that L, in which FACTS happened, is the waker: other contexts that may do it unrecorded. An
 * unrecorded IPI does not end a wait for a request, packet, timer or item: it raises softirqs and moves
 * threads (proofs.md R11.8). */
static mdl_doubts others_of(const struct mdl_machine *m, const struct mdl_level *l,
	const struct mdl_facts *facts)
{
	mdl_doubts open = mdl_chain_open(m, l);

	if (open == 0 || facts->has == 0 || l->context == MDL_NONE || mdl_chain_may_be_over(m, l) ||
		mdl_doubt(&m->coverage, MDL_DOUBT(DEVICE) | MDL_DOUBT(UNTOLD)))
		return open;
	return 0;
}

/* Set the chain of CAUSE: from the origin over L to the wake-up of T. Without STEPS it stays empty: a thread
 * is the waker, and nothing led to that. */
static void set_chain(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	const struct mdl_thread *t, bool steps, struct mdl_cause *cause)
{
	struct mdl_act act;
	mdl_doubts doubts;

	if (!steps)
		return;
	act = mdl_cpu_act_of(m, cpu, l);
	doubts = others_of(m, l, &cause->facts);
	if (may_bring_work(l, t, &cause->facts) || mdl_pool_guesses(m, t))
		doubts |= MDL_DOUBT(WORK);
	if (cause->facts.has & MDL_FACT_TIMER)
		doubts |= cause->facts.timer.doubts;
	mdl_chain_origin(m, cpu, l, &cause->chain);
	mdl_chain_add(&cause->chain, &act, doubts);
	mdl_sender_find(m, &cause->chain, &l->facts);
}

/* Collect in FACTS what happened in L of CPU before it wakes T. L is not on its way out. */
static void set_facts(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	const struct mdl_thread *t, struct mdl_facts *facts)
{
	if (l->facts.has != 0)
		*facts = l->facts;
	for (const struct mdl_part *const *p = m->collect; *p; p++)
		(*p)->collect(m, cpu, l, t, facts);
}

/* Note that an item is left in the pool; which item is not known yet. The item that the waker itself executes
 * is no fact (cause/pool.c). */
static void set_left_work(struct mdl_facts *facts)
{
	facts->has = MDL_FACT_WORK;
	facts->work = (struct mdl_work){ .started = MDL_NEVER, .queued.time = MDL_NEVER };
}

/* True if a context that seems open on C may be over. */
static bool is_stale(const struct mdl_machine *m, const struct mdl_cpu *c)
{
	bool stale = c->current && c->current->softirq && mdl_chain_may_be_over(m, c->current->softirq);

	for (uint32_t i = 0; i < c->depth && !stale; i++)
		stale = mdl_chain_may_be_over(m, &c->stack[i]);
	return stale;
}

/* True if CAUSE says no more than the wake-up of T itself. Softirqs of threads are not in the wake-up's
 * contexts. */
static bool is_plain(const struct mdl_cpu *c, const struct mdl_thread *t, const struct mdl_cause *cause)
{
	const struct mdl_hop *hop = &cause->chain.hops[0];

	if (cause->facts.has != 0 || cause->chain.n > 1)
		return false;
	return cause->chain.n == 0 ||
		(hop->doubts == 0 && hop->act.context != MDL_NONE && c->depth > 0 && !mdl_irqthread_is(t));
}

/* True if T waits for a page, in user mode. In a guest of KVM, the host may announce that page by an
 * interrupt without an event (proofs.md R11.7). A thread that faults in the kernel is not woken so
 * (__kvm_handle_async_pf()). */
static bool awaits_page(const struct mdl_machine *m, const struct mdl_thread *t)
{
	return (t->mode == MDL_MODE_USER || !mdl_machine_has_calls(m, t->tid)) &&
		t->phase == MDL_PH_BLOCKED && t->block == MDL_BLOCK_UNINTERRUPTIBLE;
}

/* The doubts that L, if it is a thread, wakes T: an interrupt without an event may do it. */
static mdl_doubts untraced_doubts(const struct mdl_machine *m, const struct mdl_cpu *c,
	const struct mdl_level *l, const struct mdl_thread *t)
{
	mdl_doubts doubts = awaits_page(m, t) ? MDL_DOUBT(UNTOLD) : 0;

	if (l->context != MDL_NONE || m->told & MDL_TOLD_WITHIN)
		return 0;
	for (const struct mdl_part *const *p = m->doubt; *p; p++)
		doubts |= (*p)->doubt(m, c, t);
	return doubts;
}

/* True if T, which runs pending softirqs, is woken where thread L seems to act, and no raise is known. Either
 * L raised one, or the way out of an interrupt wakes T, after its exit event. The events leave open which
 * (proofs.md R10.3). */
static bool may_be_left(const struct mdl_level *l, const struct mdl_thread *t)
{
	return l->context == MDL_NONE && mdl_irqthread_runs_softirqs(t);
}

/* True if the tracer's flags say "no interrupt here", so a thread is the waker although the events alone
 * leave it open. Also true if a cause is kept for FACTS anyway. */
static bool flags_show_thread(const struct mdl_machine *m, const struct mdl_thread *t,
	const struct mdl_facts *facts)
{
	return m->told & MDL_TOLD_WITHIN && mdl_machine_has(m, MDL_GROUP_WAKING) &&
		(mdl_doubt(&m->coverage, MDL_DOUBT_ARRIVALS) || facts->has != 0) && !mdl_irqthread_is(t);
}

struct mdl_cause *mdl_cause_new(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	const struct mdl_level *leaving = mdl_irqthread_waker(m, cpu, t),
			       *l = leaving ? leaving : mdl_cpu_level(m, cpu);
	static const struct mdl_level thread = { .context = MDL_NONE };
	enum mdl_unlock unlock = MDL_UNLOCK_NO;
	mdl_doubts doubts = 0;
	struct mdl_cause cause;

	if (!m->sink->cause || c->gap != MDL_GAP_NONE)
		return NULL;
	cause.chain.n = cause.facts.has = 0;
	cause.lossy = false;
	if (mdl_irqthread_by_thread(m, cpu, t)) {
		set_chain(m, cpu, &thread, t, true, &cause);
	} else if (!mdl_irqthread_explain(m, cpu, t, &cause) && !may_be_left(l, t)) {
		if (mdl_pool_wakes(m, c, t)) {
			set_left_work(&cause.facts);
			doubts |= MDL_DOUBT(WORK) |
				(mdl_machine_has(m, MDL_GROUP_WAKING) ? 0 : MDL_DOUBT(NO_WAKING));
		} else if (!leaving) {
			set_facts(m, cpu, l, t, &cause.facts);
			unlock = mdl_irqthread_unlocks(m, cpu, l, t, &cause.facts);
		}
		if (unlock == MDL_UNLOCK_LIKELY) {
			l = &thread;
			cause.facts.has = 0;
		}
		if (unlock != MDL_UNLOCK_NO)
			doubts |= MDL_DOUBT(RT_LOCK);
		doubts |= untraced_doubts(m, c, l, t);
		set_chain(m, cpu, l, t,
			doubts || l->context != MDL_NONE || l->origin.n > 0 ||
				flags_show_thread(m, t, &cause.facts) || mdl_pool_guesses(m, t),
			&cause);
		doubt_facts(&cause.facts, others_of(m, l, &cause.facts));
		if (c->is_unseen && cause.facts.has != 0)
			doubts |= MDL_DOUBT(INSIDE);
		if (leaving && mdl_irqthread_runs_softirqs(t)) /* no raise is known */
			doubts |= MDL_DOUBT(NO_RAISE);
		mdl_cause_doubt(&cause, doubts);
	}
	if (is_stale(m, c))
		mdl_cause_doubt(&cause, MDL_DOUBT(NO_EXIT));
	if (is_plain(c, t, &cause))
		return NULL; /* most wake-ups need no cause */
	if (m->gaps.had && is_lossy(m, &cause)) {
		cause.lossy = true;
		mdl_cause_doubt(&cause, MDL_DOUBT(LOST));
	}
	return g_memdup2(&cause, sizeof cause);
}

struct mdl_cause *mdl_cause_new_doubted(const struct mdl_machine *m, const struct mdl_chain *chain,
	const struct mdl_facts *facts)
{
	struct mdl_cause *cause = g_new0(struct mdl_cause, 1);

	mdl_chain_copy(&cause->chain, chain);
	if (facts)
		cause->facts = *facts;
	mdl_cause_doubt(cause, MDL_DOUBT(NO_WAKING));
	cause->lossy = m->gaps.had && is_lossy(m, cause);
	return cause;
}

/* ---- the part ---- */

static void cause_init(struct mdl_machine *m, G_GNUC_UNUSED const char *release)
{
	m->causes->irq_threads = g_hash_table_new(g_direct_hash, g_direct_equal);
	m->causes->irq_calls = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
}

static void cause_init_cpu(struct mdl_cpu *c)
{
	c->cause->gone_at = c->cause->raised.round_since = MDL_NEVER;
	c->cause->idle_until = c->cause->called_until = MDL_NEVER;
	c->cause->took[0].time = c->cause->took[1].time = MDL_NEVER;
}

static void cause_clear(struct mdl_machine *m)
{
	mdl_sender_clear(&m->causes->senders);
	mdl_deferred_clear(&m->causes->deferreds);
	mdl_ipiwait_clear(&m->causes->ipi_waits);
	g_hash_table_unref(m->causes->irq_threads);
	g_hash_table_unref(m->causes->irq_calls);
}

static void cause_clear_cpu(struct mdl_cpu *c)
{
	g_free(c->cause->woken);
}

static void cause_clear_thread(struct mdl_thread *t)
{
	mdl_deferred_free(t->pending);
	mdl_deferred_free(t->early);
	mdl_deferred_free(t->deferred);
	g_free(t->origin);
	g_free(t->softirq);
}

static void cause_lose(struct mdl_machine *m, uint32_t cpu, G_GNUC_UNUSED int64_t since)
{
	mdl_chain_lose(mdl_cpu_get(m, cpu));
	mdl_ipiwait_lose(m, cpu);
}

static void cause_forget(struct mdl_machine *m, struct mdl_thread *t, G_GNUC_UNUSED int64_t since)
{
	mdl_deferred_drop(m, t);
	g_clear_pointer(&t->origin, g_free);
	g_clear_pointer(&t->softirq, g_free);
}

static void cause_pass(struct mdl_machine *m, struct mdl_cpu *c, unsigned bits)
{
	if (bits & MDL_JUST_WOKEN)
		mdl_woken_pass(m, c);
	if (bits & MDL_JUST_RAISED)
		c->cause->raised.just = 0;
	if (bits & MDL_JUST_LEAVING)
		c->leaving = NULL;
	if (bits & MDL_JUST_LENT)
		c->cause->gave_lent = false;
	if (bits & MDL_JUST_QUEUED)
		c->cause->has_just_queued = false;
}

/* sched_waking and sched_wakeup are the rest of a wake-up. They end only what concerns the next wakee. */
#define WAKE (MDL_JUST_WOKEN | MDL_JUST_RAISED | MDL_JUST_LEAVING)
static const struct mdl_keep keeps[] = {
	{ MDL_EV_SCHED_WAKING, WAKE },
	{ MDL_EV_SCHED_WAKEUP, WAKE },
	{ MDL_EV_IPI_SEND, MDL_JUST_WOKEN }, /* to the CPU of the wakee: smp_send_reschedule() */
	{ MDL_EV_SOFTIRQ_RAISE, MDL_JUST_RAISED },
	{ MDL_EV_IRQ_EXIT, MDL_JUST_LEAVING },
	{ MDL_EV_SOFTIRQ_EXIT, MDL_JUST_LEAVING },
	{ MDL_EV_HRTIMER_EXIT, MDL_JUST_LEAVING },
	{ MDL_EV_VECTOR_EXIT, MDL_JUST_LEAVING },
	{ MDL_EV_IPI_EXIT, MDL_JUST_LEAVING },
	{ MDL_EV_PI_SETPRIO, MDL_JUST_LENT },
	{ MDL_EV_WORK_QUEUE, MDL_JUST_QUEUED },
	{ MDL_EV_NONE, 0 },
};

const struct mdl_part mdl_part_cause = {
	.machine = MDL_KEPT(struct mdl_machine, causes),
	.cpu = MDL_KEPT(struct mdl_cpu, cause),
	.init = cause_init,
	.init_cpu = cause_init_cpu,
	.clear = cause_clear,
	.clear_cpu = cause_clear_cpu,
	.clear_thread = cause_clear_thread,
	.lose = cause_lose,
	.forget = cause_forget,
	.pass = cause_pass,
	.keeps = keeps,
	.over = mdl_deferred_drop,
	.collect = mdl_futex_collect,
};
