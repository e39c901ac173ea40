/* SPDX-License-Identifier: MIT */
/*
 * How it works: everything that runs in the kernel may complete a request: interrupts, softirqs, timers'
 * functions, kworkers (drivers/block/loop.c, nbd.c) and calls (nbd_clear_que(), null_queue_rq()). A CPU
 * completes nothing while it idles or is in user mode and no interrupt comes, as its row shows (proofs.md
 * R2.5, R3.4).
 */
#include "model/cause/chain.h"

#include "model/cause/parts.h"
#include "model/core/cpu.h"
#include "model/core/track.h"

/* The end of the hard interrupt in which ACT was done. ACT's own time if the end is unknown, or ACT was in
 * none. */
static int64_t over_at(const struct mdl_machine *m, const struct mdl_act *act)
{
	const struct mdl_senders *s = &m->causes->senders;

	for (unsigned i = 1; act->context != MDL_NONE && i <= MDL_IRQS_KEPT && i <= s->n_irqs; i++) {
		const struct mdl_act *irq = &s->irqs[(s->n_irqs - i) % MDL_IRQS_KEPT];

		if (irq->cpu == act->cpu && irq->entry == act->entry && irq->context == act->context)
			return MAX(irq->time, act->time);
	}
	return act->time;
}

/* True if C is still in the context or thread that did ACT. */
static bool is_still(const struct mdl_cpu *c, const struct mdl_act *act)
{
	const struct mdl_level *l = c->depth > 0 ? &c->stack[c->depth - 1] : NULL;

	if (act->context != MDL_NONE)
		return l && l->context == act->context && l->entry == act->entry;
	return mdl_cpu_is_own(c) && mdl_cpu_thread(c) == act->thread && c->track->open.from <= act->time;
}

/* True if C has done nothing in the kernel since TIME. */
static bool rests(const struct mdl_cpu *c, int64_t time)
{
	const struct mdl_interval *now = &c->track->open;

	return !c->is_unseen && (now->state == MDL_ST_IDLE || now->state == MDL_ST_USERMODE) &&
		now->from <= time;
}

bool mdl_others_acted(const struct mdl_machine *m, uint32_t cpu, const struct mdl_act *first)
{
	bool unseen = mdl_doubt(&m->coverage, MDL_DOUBT(DEVICE) | MDL_DOUBT(UNTOLD));

	for (uint32_t i = 0; i < m->cpus->len; i++) {
		const struct mdl_cpu *c = mdl_cpu_peek(m, i);
		bool same = i == first->cpu;

		if (!c || i == cpu)
			continue;
		if (unseen || c->gap != MDL_GAP_NONE)
			return true;
		if (!(same && is_still(c, first)) && !rests(c, same ? over_at(m, first) : first->time))
			return true;
	}
	return false;
}
