/* SPDX-License-Identifier: MIT */
/*
 * How it works: the origin of an IPI is its sender.
 *
 * Recorded: the sender is proved if the event names the CPUs to which the IPI goes (proofs.md R3.1). A mask
 * that the reader cannot read may name any CPU: then the last event of this kind is taken, with a doubt.
 * ipi_send_… covers only rescheduling and function calls; irq_work and others have no event (R3.2). ipi_raise
 * names its kind, and repeats an IPI for which ipi_send_… was just written (smp_cross_call(),
 * arch/arm64/kernel/smp.c).
 *
 * The function that an IPI calls is queued for its CPU before, and is found by its address (R3.3), however
 * many IPIs are under way, and also if an idle CPU that polls needs no IPI. After its return other functions
 * without an event may follow. If these calls are not recorded, any CPU may have queued what is called in the
 * IPI of another CPU (R3.4).
 *
 * Not recorded: completions of requests are the one thing that ends waits in IPIs. The sender is the last
 * hard interrupt that another CPU entered between the request's issue and the IPI's entry, with a doubt
 * (R3.5). If no IPIs are recorded at all, an IPI seems to be part of the context that it came upon: a softirq
 * BLOCK that RCU, TIMER or SCHED raised. An idle CPU that polls needs no IPI: it raises the softirq in the
 * idle thread (R3.6).
 */
#include "model/cause/sender.h"

#include "model/cause/parts.h"
#include "model/cause/chain.h"
#include "model/core/context.h"
#include "model/core/cpu.h"
#include "model/core/gap.h"
#include "model/core/recent.h"

#include <string.h>

#define QUEUED_MAX 4096
#define IPI_FLIGHT 1000000 /* ns; longer than a CPU keeps interrupts off */

/* Make ACT the origin of CHAIN. A full chain stays as it is. */
static void prepend(struct mdl_chain *chain, const struct mdl_act *act, mdl_doubts doubts)
{
	if (chain->n == MDL_HOPS_MAX)
		return;
	memmove(&chain->hops[1], &chain->hops[0], sizeof chain->hops[0] * chain->n++);
	chain->hops[0] = (struct mdl_hop){ .act = *act, .doubts = doubts };
}

/* The time of the last step of CHAIN. */
static int64_t sender_time_of(const struct mdl_chain *chain)
{
	return chain->hops[chain->n - 1].act.time;
}

/* IPI number I to C is no longer on its way. */
static void drop_sent(struct mdl_cpu *c, unsigned i)
{
	c->cause->ipis.n--;
	for (; i < c->cause->ipis.n; i++) {
		mdl_chain_copy(&c->cause->ipis.sent[i], &c->cause->ipis.sent[i + 1]);
		c->cause->ipis.reasons[i] = c->cause->ipis.reasons[i + 1];
	}
}

/* Forget IPIs that were sent to C long ago: they have arrived, together with another one. If none has arrived
 * since, they are still to come: C keeps interrupts off for long, or is a virtual CPU that does not run. */
static void forget_old(const struct mdl_machine *m, struct mdl_cpu *c)
{
	bool awaited = false;

	while (c->cause->ipis.n > 0 && m->now - sender_time_of(&c->cause->ipis.sent[0]) > IPI_FLIGHT) {
		awaited |= !c->cause->ipis.rest;
		drop_sent(c, 0);
	}
	if (c->cause->ipis.n == 0 || awaited)
		c->cause->ipis.rest = awaited;
}

/* True if the last of IPIS, known from ipi_send_cpu or _cpumask, is the one that ACT now repeats by
 * ipi_raise. */
static bool is_told_again(const struct mdl_ipis *ipis, const struct mdl_act *act)
{
	const struct mdl_chain *last = &ipis->sent[ipis->n - 1];
	const struct mdl_act *by = &last->hops[last->n - 1].act;

	return ipis->reasons[ipis->n - 1] == 0 && by->cpu == act->cpu && by->context == act->context &&
		by->entry == act->entry && by->thread == act->thread;
}

/* The current activity of CPU sends an IPI to CPU number TO, for REASON (0: unknown). */
static void note_one(struct mdl_machine *m, uint32_t cpu, int64_t to, uint32_t reason)
{
	struct mdl_ipis *ipis;
	struct mdl_act act;
	struct mdl_cpu *c;

	if (to < 0 || to >= m->cpus->len)
		return;
	c = mdl_cpu_get(m, (uint32_t)to);
	ipis = &c->cause->ipis;
	forget_old(m, c);
	act = mdl_cpu_act(m, cpu);
	if (reason != 0 && ipis->n > 0 && is_told_again(ipis, &act)) {
		ipis->reasons[ipis->n - 1] = reason;
	} else if (ipis->n < MDL_SENT_MAX) {
		ipis->reasons[ipis->n] = reason;
		mdl_chain_here(m, cpu, &ipis->sent[ipis->n++]);
	}
}

void mdl_sender_note(struct mdl_machine *m, const struct mdl_event *e)
{
	int64_t to = e->arg[MDL_IPI_SEND_CPU], mask = e->arg[MDL_IPI_SEND_MASK];
	uint32_t reason = e->text[0] ? base_strings_add_hostile(m->strings, e->text[0], -1) : 0;

	mdl_ipiwait_send(m, e);
	if (mdl_cpu_get(m, e->cpu)->gap != MDL_GAP_NONE)
		return;
	if (to != MDL_ARG_ABSENT) {
		note_one(m, e->cpu, to, reason);
	} else if (mask == MDL_ARG_ABSENT) {
		mdl_chain_here(m, e->cpu, &m->causes->senders.to_several);
		m->causes->senders.several_reason = reason;
	} else {
		for (unsigned i = 0; i < 63; i++)
			if (mask >> i & 1)
				note_one(m, e->cpu, i, reason);
	}
}

/* ---- functions that are queued ---- */

void mdl_sender_clear(struct mdl_senders *senders)
{
	g_clear_pointer(&senders->queued, mdl_recent_free);
}

void mdl_sender_queue(struct mdl_machine *m, const struct mdl_event *e)
{
	uint64_t csd = mdl_event_address(e, MDL_CSD_CSD);

	if (csd == 0 || mdl_cpu_get(m, e->cpu)->gap != MDL_GAP_NONE)
		return;
	if (!m->causes->senders.queued)
		m->causes->senders.queued = mdl_recent_new(sizeof(struct mdl_chain), QUEUED_MAX);
	mdl_chain_here(m, e->cpu, mdl_recent_put(m->causes->senders.queued, csd));
}

/* The level of CPU that calls the functions which other CPUs queued: an IPI, or the idle thread. NULL: the
 * innermost level is neither. */
static struct mdl_level *calling(struct mdl_machine *m, uint32_t cpu)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	struct mdl_level *l = mdl_cpu_level(m, cpu);

	if (l->context != MDL_NONE)
		return l->type == MDL_CTX_IPI ? l : NULL;
	return c->current && c->current == c->idle ? l : NULL;
}

void mdl_sender_call(struct mdl_machine *m, const struct mdl_event *e)
{
	uint64_t csd = mdl_event_address(e, MDL_CSD_CSD);
	const struct mdl_chain *by = m->causes->senders.queued
		? mdl_recent_find(m->causes->senders.queued, csd)
		: NULL;
	struct mdl_level *l = calling(m, e->cpu);

	if (l)
		l->facts.has &= ~(unsigned)MDL_FACT_REQUEST; /* completed by an earlier call */
	if (!l || !by)
		return;
	mdl_chain_copy(&l->origin, by);
	l->others = MDL_OTHERS_REST;
	mdl_recent_drop(m->causes->senders.queued, csd);
}

void mdl_sender_called(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_level *l = calling(m, e->cpu);

	if (!l)
		return;
	l->others = MDL_OTHERS_MAY;
	l->facts.has &= ~(unsigned)MDL_FACT_REQUEST;
	if (l->context == MDL_NONE)
		l->origin.n = 0; /* the idle thread does no work for others */
}

/* True if L is of the kind of IPI that was sent for REASON. */
static bool is_sent_for(const struct mdl_machine *m, const struct mdl_level *l, uint32_t reason)
{
	if (reason != 0)
		return reason == mdl_context_get(m, l->context)->name;
	return mdl_context_calls(m, l->context) || strstr(mdl_context_name(m, l->context), "esched");
}

/* The sender of IPI L of C is that of the first IPI of its kind under way; false: there is none. One IPI may
 * serve all that are under way. So if there are several, or some are left from before, another one may be the
 * sender: a doubt. */
static bool take_sent(const struct mdl_machine *m, struct mdl_cpu *c, struct mdl_level *l)
{
	unsigned first = 0, n = 0;

	for (unsigned i = c->cause->ipis.n; i-- > 0;) {
		if (!is_sent_for(m, l, c->cause->ipis.reasons[i]))
			continue;
		first = i;
		n++;
	}
	if (n == 0)
		return false;
	mdl_chain_copy(&l->origin, &c->cause->ipis.sent[first]);
	if (n > 1 || c->cause->ipis.rest)
		mdl_chain_doubt(&l->origin, MDL_DOUBT(SHARED));
	drop_sent(c, first);
	c->cause->ipis.rest = c->cause->ipis.n > 0 && (n > 1 || c->cause->ipis.rest);
	return true;
}

void mdl_sender_take(const struct mdl_machine *m, uint32_t cpu, struct mdl_cpu *c, struct mdl_level *l)
{
	const struct mdl_chain *several = &m->causes->senders.to_several;

	if (!strcmp(mdl_context_name(m, l->context), "irq_work")) /* a CPU sends it to itself */
		return;
	forget_old(m, c);
	if (take_sent(m, c, l)) {
		/* the event of another sender may be lost */
		if (mdl_gap_since(&m->gaps, m->now - IPI_FLIGHT))
			mdl_chain_doubt(&l->origin, MDL_DOUBT(LOST));
	} else if (several->n > 0 && several->hops[several->n - 1].act.cpu != cpu &&
		is_sent_for(m, l, m->causes->senders.several_reason) &&
		m->now - sender_time_of(several) <= IPI_FLIGHT) {
		mdl_chain_copy(&l->origin, several);
		mdl_chain_doubt(&l->origin, MDL_DOUBT(SHARED));
	}
}

/* True if interrupt LINE completes no requests: that of a network card, of a CPU's timer, or of IPIs, as on
 * arm64 (handle_percpu_devid_irq(), kernel/irq/chip.c). */
static bool completes_none(const char *line)
{
	static const char *const prefixes[] = { "arch_timer", "IPI", "eth", "eno", "ens", "enp", "enx",
		"wlan", "wlp", "iwl", "e1000", "mlx", NULL };

	for (unsigned i = 0; prefixes[i]; i++)
		if (g_str_has_prefix(line, prefixes[i]))
			return true;
	return strstr(line, "-input") || strstr(line, "-output");
}

/* The last hard interrupt on a CPU other than CPU that was entered in [FROM, BEFORE); NULL: none. */
static const struct mdl_act *find_irq(const struct mdl_machine *m, uint32_t cpu, int64_t from, int64_t before)
{
	for (unsigned i = 1; i <= MDL_IRQS_KEPT; i++) {
		const struct mdl_act *irq =
			&m->causes->senders.irqs[(m->causes->senders.n_irqs - i) % MDL_IRQS_KEPT];

		if (i > m->causes->senders.n_irqs || irq->entry < from)
			break;
		if (irq->cpu != cpu && irq->entry < before &&
			!completes_none(mdl_context_name(m, irq->context)))
			return irq;
	}
	return NULL;
}

static bool sender_is_idle(struct mdl_machine *m, const struct mdl_act *act)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, act->cpu);

	return act->context == MDL_NONE && c->idle && c->idle->track->id == act->thread;
}

/* True if ACT's context is softirq NR. */
static bool is_softirq(const struct mdl_machine *m, const struct mdl_act *act, int64_t nr)
{
	return act->context != MDL_NONE && mdl_context_type(m, act->context) == MDL_CTX_SOFTIRQ &&
		mdl_context_get(m, act->context)->nr == nr;
}

/* True if ACT's context is a softirq that only the timer's interrupt raises: run_local_timers(),
 * scheduler_tick(), hrtimer_interrupt(). */
static bool is_of_tick(const struct mdl_machine *m, const struct mdl_act *act)
{
	return is_softirq(m, act, MDL_SOFTIRQ_TIMER) || is_softirq(m, act, MDL_SOFTIRQ_SCHED) ||
		is_softirq(m, act, MDL_SOFTIRQ_HRTIMER);
}

/* True if CHAIN begins with a thread that has no part in it: an unseen interrupt came upon that thread. */
static bool was_hit(struct mdl_machine *m, const struct mdl_chain *chain)
{
	const struct mdl_act *first = &chain->hops[0].act;

	return chain->n > 1 && first->context == MDL_NONE &&
		(sender_is_idle(m, first) || is_of_tick(m, &chain->hops[1].act));
}

/* The step of CHAIN that raised BLOCK and is another softirq, if IPIs are not recorded. No work of that
 * softirq completes requests, so an IPI may have come upon it. 0: there is none. */
static unsigned hit_softirq(const struct mdl_machine *m, const struct mdl_chain *chain)
{
	unsigned i = chain->n > 1 ? chain->n - 2 : 0;

	if (i == 0 || !mdl_doubt(&m->coverage, MDL_DOUBT(CALL)) ||
		!is_softirq(m, &chain->hops[i + 1].act, MDL_SOFTIRQ_BLOCK))
		return 0;
	return is_softirq(m, &chain->hops[i].act, MDL_SOFTIRQ_RCU) ||
			is_softirq(m, &chain->hops[i].act, MDL_SOFTIRQ_TIMER) ||
			is_softirq(m, &chain->hops[i].act, MDL_SOFTIRQ_SCHED)
		? i
		: 0;
}

/* Remove the first N steps of CHAIN. */
static void sender_cut(struct mdl_chain *chain, unsigned n)
{
	chain->n -= n;
	memmove(&chain->hops[0], &chain->hops[n], sizeof chain->hops[0] * chain->n);
}

void mdl_sender_find(struct mdl_machine *m, struct mdl_chain *chain, const struct mdl_facts *facts)
{
	const struct mdl_act *first = &chain->hops[0].act, *irq = NULL;
	bool hit = was_hit(m, chain), ipi;
	unsigned upon = hit_softirq(m, chain);
	struct mdl_act sender;
	int64_t before;

	if (chain->n == 0)
		return;
	if (upon > 0)
		first = &chain->hops[upon].act;
	ipi = first->context != MDL_NONE && mdl_context_type(m, first->context) == MDL_CTX_IPI;
	before = ipi ? first->entry : first->time;
	if ((ipi || hit || upon > 0) && facts->has & MDL_FACT_REQUEST && facts->request.issued != MDL_NEVER &&
		!mdl_gap_since(&m->gaps, facts->request.issued)) /* the entry of its interrupt may be lost */
		irq = find_irq(m, first->cpu, facts->request.issued, before);
	if (irq) {
		sender = *irq;
		sender.time = sender.time == MDL_NEVER ? before : MIN(sender.time, before);
	}
	if (upon > 0 && irq)
		sender_cut(chain, upon + 1);
	else if (hit)
		sender_cut(chain, 1);
	if (irq)
		prepend(chain, &sender, MDL_DOUBT(NO_SENDER));
}

void mdl_sender_irq(struct mdl_machine *m, uint32_t cpu, const struct mdl_cpu *c, const struct mdl_level *l)
{
	m->causes->senders.irqs[m->causes->senders.n_irqs++ % MDL_IRQS_KEPT] = (struct mdl_act){
		.time = MDL_NEVER,
		.entry = l->entry,
		.cpu = cpu,
		.context = l->context,
		.thread = mdl_cpu_thread(c),
	};
}

void mdl_sender_irq_exit(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l)
{
	for (unsigned i = 1; i <= MDL_IRQS_KEPT && i <= m->causes->senders.n_irqs; i++) {
		struct mdl_act *irq =
			&m->causes->senders.irqs[(m->causes->senders.n_irqs - i) % MDL_IRQS_KEPT];

		if (irq->cpu != cpu || irq->entry != l->entry)
			continue;
		irq->time = m->now;
		return;
	}
}
