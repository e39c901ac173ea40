/* SPDX-License-Identifier: MIT */
/*
 * How it works: each context on a CPU has an origin.
 *
 *   - A softirq: the first raise since it last ran (proofs.md R2.1). A round runs the bits that it took,
 *     lowest vector first. A raise of a taken bit meanwhile is for the next round, and may share this one
 *     (R2.2). A raise between the taking of the bits and the first entry belongs to the next entry: an entry
 *     without a raise of its own takes the last raise before that (R2.3).
 *   - Several raisers leave a doubt (R2.4). One raiser does too if other interrupts came that need not raise
 *     the softirq, or if other CPUs may have added to what BLOCK takes (R2.5, R2.6). That an IPI raised BLOCK
 *     holds in any case.
 *   - Without raise events, a softirq belongs to the interrupt that just ended on the CPU (R2.8).
 *   - An hrtimer: the interrupt or softirq in which it expires (R1.2).
 *   - An IPI: the CPU that sent it (cause/sender.c). Another CPU may have queued what it calls (R3.4).
 *
 * An unrecorded interrupt can come upon everything that runs with interrupts on: threads, softirqs and soft
 * hrtimers, but not hard IRQs (R11.1). kernel/coverage.c finds which interrupts can be unrecorded.
 */
#include "model/cause/chain.h"

#include "model/cause/parts.h"
#include "model/core/context.h"
#include "model/core/cpu.h"
#include "model/core/gap.h"
#include "model/core/thread.h"
#include "model/core/track.h"

#include <string.h>

/* Most ns between the end of an interrupt or softirq and the next softirq that irq_exit() runs. */
#define EXIT_TO_SOFTIRQ 20000

/* Drop a step of a full chain: a repeated step of a context that raised itself, otherwise the oldest step. */
static void chain_make_room(struct mdl_chain *chain)
{
	unsigned drop = 0;

	for (unsigned i = 1; i < chain->n && drop == 0; i++)
		if (chain->hops[i].act.context != MDL_NONE &&
			chain->hops[i].act.context == chain->hops[i - 1].act.context)
			drop = i;
	chain->n--;
	memmove(&chain->hops[drop], &chain->hops[drop + 1], sizeof chain->hops[0] * (chain->n - drop));
}

void mdl_chain_add(struct mdl_chain *chain, const struct mdl_act *act, mdl_doubts doubts)
{
	if (chain->n == MDL_HOPS_MAX)
		chain_make_room(chain);
	chain->hops[chain->n++] = (struct mdl_hop){ .act = *act, .doubts = doubts };
}

/* The time of the last step of CHAIN. */
static int64_t chain_time_of(const struct mdl_chain *chain)
{
	return chain->hops[chain->n - 1].act.time;
}

void mdl_chain_copy(struct mdl_chain *to, const struct mdl_chain *from)
{
	to->n = from->n; /* most chains are short */
	memcpy(to->hops, from->hops, sizeof from->hops[0] * from->n);
}

bool mdl_chain_is_closed(const struct mdl_machine *m, const struct mdl_level *l)
{
	const struct mdl_chain *o = &l->origin;
	uint32_t before = o->n > 0 ? o->hops[o->n - 1].act.context : MDL_NONE;

	if (l->context == MDL_NONE || l->type == MDL_CTX_SOFTIRQ)
		return false;
	return l->type != MDL_CTX_HRTIMER || before == MDL_NONE ||
		mdl_context_type(m, before) != MDL_CTX_SOFTIRQ;
}

/* True if L may be over. UNSEEN: the interrupts that may come upon L unrecorded; 0: none. */
static bool may_be_over(const struct mdl_machine *m, const struct mdl_level *l, mdl_doubts unseen)
{
	/* A hard interrupt is one level as a whole. A timer's function is only a part: the tick goes on after
	 * it. */
	bool whole = mdl_level_is_hard(l);

	if (l->context == MDL_NONE || l->told || mdl_coverage_ends(&m->coverage, l->type))
		return false;
	/* If the tracer says that an interrupt is served now, it is this one, provided that all are
	 * recorded. */
	return !(whole && m->told & MDL_TOLD_IRQ) || unseen != 0;
}

bool mdl_chain_may_be_over(const struct mdl_machine *m, const struct mdl_level *l)
{
	return may_be_over(m, l, mdl_doubt(&m->coverage, MDL_DOUBT_ARRIVALS));
}

/* UNSEEN includes the local timer's own interrupt, a vector on x86: around its hrtimers it does other things
 * (update_process_times(), kernel/time/timer.c). */
mdl_doubts mdl_chain_past(const struct mdl_machine *m, const struct mdl_level *l)
{
	mdl_doubts unseen = mdl_doubt(&m->coverage, MDL_DOUBT_INTERRUPTS);

	return may_be_over(m, l, unseen) ? unseen | MDL_DOUBT(NO_EXIT) : 0;
}

mdl_doubts mdl_chain_open(const struct mdl_machine *m, const struct mdl_level *l)
{
	mdl_doubts past = mdl_chain_past(m, l);

	if (l->behind)
		past |= mdl_doubt(&m->coverage, MDL_DOUBT_INTERRUPTS);
	if (past)
		return past;
	if (mdl_chain_is_closed(m, l))
		return 0;
	if (m->told & MDL_TOLD_IRQ)
		return MDL_DOUBT(INSIDE);
	/* a softirq acts if the flag says that one is served, otherwise a thread */
	if (m->told & MDL_TOLD_WITHIN) {
		bool served = m->told & MDL_TOLD_SOFTIRQ;

		if ((l->context == MDL_NONE) == served)
			return MDL_DOUBT(SOFTIRQ);
		return served && m->coverage.kernel & MDL_KERNEL_UNKNOWN
			? mdl_doubt(&m->coverage, MDL_DOUBT(SOFTIRQ))
			: 0;
	}
	return mdl_doubt(&m->coverage,
		MDL_DOUBT_ARRIVALS | (l->context == MDL_NONE ? MDL_DOUBT(SOFTIRQ) : 0));
}

/* True if nothing is known of what C does in L. The entry of an open interrupt may be lost, or lie before the
 * trace, until a switch shows that no interrupt is open. */
static bool is_nobody(const struct mdl_cpu *c, const struct mdl_level *l)
{
	return l->context == MDL_NONE && !c->current;
}

void mdl_chain_here(struct mdl_machine *m, uint32_t cpu, struct mdl_chain *chain)
{
	struct mdl_act act = mdl_cpu_act(m, cpu);
	const struct mdl_level *l = mdl_cpu_level(m, cpu);
	mdl_doubts nobody = is_nobody(mdl_cpu_get(m, cpu), l) ? MDL_DOUBT(LOST) : 0;

	mdl_chain_origin(m, cpu, l, chain);
	mdl_chain_add(chain, &act, mdl_chain_open(m, l) | nobody);
}

/* ---- softirqs ---- */

/* Softirqs that work through a list, so each raiser may have brought some of it. The others look at the time
 * or at a flag, and run because of their first raiser. */
#define LISTS                                                                         \
	(1u << MDL_SOFTIRQ_HI | 1u << MDL_SOFTIRQ_NET_TX | 1u << MDL_SOFTIRQ_NET_RX | \
		1u << MDL_SOFTIRQ_BLOCK | 1u << MDL_SOFTIRQ_IRQ_POLL | 1u << MDL_SOFTIRQ_TASKLET)

/* True if A and B, which raise VEC, end with one actor. Each entry of a context is an actor of its own if VEC
 * has a list. */
static bool same_actor(unsigned vec, const struct mdl_chain *a, const struct mdl_chain *b)
{
	const struct mdl_act *x = &a->hops[a->n - 1].act, *y = &b->hops[b->n - 1].act;

	if (x->context != y->context)
		return false;
	return x->context == MDL_NONE ? x->thread == y->thread : !(LISTS & 1u << vec) || x->entry == y->entry;
}

/* CPU raises softirq VEC for its next round. */
static void raise_next(struct mdl_machine *m, uint32_t cpu, unsigned vec, struct mdl_raises *r)
{
	struct mdl_chain here;

	mdl_chain_here(m, cpu, &here);
	if (LISTS & 1u << vec && r->n > 0 && r->other.n == 0 && !same_actor(vec, &here, &r->first))
		mdl_chain_copy(&r->other, &here);
	if (r->next.n == 0) {
		mdl_chain_copy(&r->next, &here);
		r->next_irqs = mdl_cpu_get(m, cpu)->cause->raised.irqs;
	} else if (!same_actor(vec, &here, &r->next)) {
		mdl_chain_doubt(&r->next, MDL_DOUBT(SHARED));
	}
}

void mdl_chain_raise(struct mdl_machine *m, const struct mdl_event *e)
{
	int64_t vec = e->arg[MDL_SOFTIRQ_VEC];
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	struct mdl_raises *r;

	c->cause->raised.just = vec >= 0 && vec < MDL_SOFTIRQS ? 1u << vec : 0;

	c->just |= MDL_JUST_RAISED;
	if (vec < 0 || vec >= MDL_SOFTIRQS || c->gap != MDL_GAP_NONE ||
		is_nobody(c, mdl_cpu_level(m, e->cpu)))
		return;
	r = &c->cause->raised.by[vec];
	if (c->cause->raised.round & 1u << vec) {
		raise_next(m, e->cpu, (unsigned)vec, r);
		return;
	}
	if (r->n == 0) {
		mdl_chain_here(m, e->cpu, &r->first);
		r->irqs = c->cause->raised.irqs;
	} else {
		mdl_chain_here(m, e->cpu, &r->last);
		if (r->other.n == 0 && !same_actor((unsigned)vec, &r->last, &r->first))
			mdl_chain_copy(&r->other, &r->last);
	}
	r->n++;
}

static bool is_sending_card(const struct mdl_machine *m, const struct mdl_chain *chain)
{
	uint32_t context = chain->hops[chain->n - 1].act.context;

	return context != MDL_NONE && mdl_context_type(m, context) == MDL_CTX_IRQ &&
		strstr(mdl_context_name(m, context), "output");
}

/* Add DOUBTS to the first N steps of CHAIN. */
static void doubt_first(struct mdl_chain *chain, unsigned n, mdl_doubts doubts)
{
	for (unsigned i = 0; i < n; i++)
		chain->hops[i].doubts |= doubts;
}

void mdl_chain_doubt(struct mdl_chain *chain, mdl_doubts doubts)
{
	doubt_first(chain, chain->n, doubts);
}

/* True if the last raise of R may have come after the bits were taken, and the first before: the last came in
 * an interrupt, and not in that of the first. */
static bool is_apart(const struct mdl_raises *r)
{
	const struct mdl_act *first = &r->first.hops[r->first.n - 1].act,
			     *last = &r->last.hops[r->last.n - 1].act;

	return last->context != MDL_NONE && (last->context != first->context || last->entry != first->entry);
}

void mdl_chain_settle(struct mdl_chain *chain, mdl_doubts doubts)
{
	for (unsigned i = 0; i < chain->n; i++)
		chain->hops[i].doubts &= ~doubts;
}

static void take_raise(const struct mdl_machine *m, struct mdl_raises *r, struct mdl_chain *origin)
{
	if (r->n > 0 && r->other.n > 0 && is_sending_card(m, &r->first)) {
		mdl_chain_copy(origin, &r->other);
		mdl_chain_doubt(origin, MDL_DOUBT(SHARED));
	} else if (r->n > 0) {
		mdl_chain_copy(origin, &r->first);
		if (r->other.n > 0)
			mdl_chain_doubt(origin, MDL_DOUBT(SHARED));
	} else if (r->spare.n > 0) {
		mdl_chain_copy(origin, &r->spare);
	}
	r->spare.n = 0;
	if (r->n > 1) {
		mdl_chain_copy(&r->spare, &r->last);
		r->spare_at = m->now;
		r->spare_alone = r->n == 2;
		r->spare_apart = is_apart(r);
	}
	r->n = r->other.n = 0;
	if (r->next.n == 0)
		return;
	mdl_chain_copy(&r->first, &r->next);
	r->irqs = r->next_irqs;
	r->n = 1;
	r->next.n = r->spare.n = 0;
}

/* Softirq VEC of C begins: in the current round if that took its bit, otherwise in a new round. */
static void go_round(const struct mdl_machine *m, struct mdl_cpu *c, unsigned vec)
{
	if (!(c->cause->raised.round & 1u << vec)) {
		c->cause->raised.round = 0;
		c->cause->raised.is_second = c->cause->raised.round_since != MDL_NEVER;
		c->cause->raised.round_since = m->now;
		for (unsigned i = 0; i < MDL_SOFTIRQS; i++) {
			if (c->cause->raised.by[i].next.n > 0) { /* the round before ended without an event */
				mdl_chain_copy(&c->cause->raised.by[i].first, &c->cause->raised.by[i].next);
				c->cause->raised.by[i].irqs = c->cause->raised.by[i].next_irqs;
			}
			c->cause->raised.by[i].next.n = 0;
			c->cause->raised.round |= c->cause->raised.by[i].n > 0 ? 1u << i : 0;
		}
	}
	c->cause->raised.round &= ~(
		/* lower vectors that are raised now were raised after the bits were taken */
		(2u << vec) - 1);
}

/* True if L is among the steps of CHAIN. */
static bool chain_holds(const struct mdl_chain *chain, const struct mdl_level *l)
{
	for (unsigned i = 0; i < chain->n; i++)
		if (chain->hops[i].act.context == l->context && chain->hops[i].act.entry == l->entry)
			return true;
	return false;
}

/* The raise of R that came inside BY; NULL: none. A timer's function is only a part of its interrupt: if it
 * was not the first to raise, another function in that interrupt may have raised. */
static const struct mdl_chain *raise_inside(const struct mdl_raises *r, const struct mdl_level *by)
{
	if (!by)
		return NULL;
	if (chain_holds(&r->first, by))
		return &r->first;
	return r->n > 1 && by->type != MDL_CTX_HRTIMER && chain_holds(&r->last, by) ? &r->last : NULL;
}

unsigned mdl_chain_pending(const struct mdl_cpu *c, unsigned vectors, const struct mdl_level *by,
	struct mdl_chain *chain, bool *inside)
{
	const struct mdl_chain *best = NULL;
	unsigned pending = 0;

	*inside = false;
	for (unsigned i = 0; i < MDL_SOFTIRQS; i++) {
		const struct mdl_raises *r = &c->cause->raised.by[i];
		const struct mdl_chain *found = r->n > 0 ? raise_inside(r, by) : NULL;

		if (r->n == 0 || c->cause->raised.round & 1u << i || !(vectors & 1u << i))
			continue;
		pending |= 1u << i;
		if (*inside || (!found && best && chain_time_of(best) >= chain_time_of(&r->first)))
			continue;
		*inside = found;
		best = found ? found : &r->first;
	}
	if (best)
		mdl_chain_copy(chain, best);
	return pending;
}

unsigned mdl_chain_left(const struct mdl_cpu *c, unsigned vectors, struct mdl_chain *chain)
{
	const struct mdl_raises *best = NULL;
	unsigned left = 0;

	for (unsigned i = 0; i < MDL_SOFTIRQS; i++) {
		const struct mdl_raises *r = &c->cause->raised.by[i];

		if (r->spare.n == 0 || !r->spare_apart || r->spare_at < c->cause->raised.round_since ||
			!(vectors & 1u << i))
			continue;
		left |= 1u << i;
		if (!best || chain_time_of(&r->spare) > chain_time_of(&best->spare))
			best = r;
	}
	if (!best)
		return 0;
	mdl_chain_copy(chain, &best->spare);
	if (left & (left - 1) || !best->spare_alone || !c->cause->raised.is_second)
		mdl_chain_doubt(chain, MDL_DOUBT(SHARED));
	return left;
}

/* Set ORIGIN to the interrupt that has just ended, or after which softirq LEFT ran. */
static void take_left(const struct mdl_machine *m, const struct mdl_chain *left, struct mdl_chain *origin)
{
	mdl_chain_copy(origin, left);
	while (origin->n > 0 &&
		mdl_context_type(m, origin->hops[origin->n - 1].act.context) == MDL_CTX_SOFTIRQ)
		origin->n--;
	mdl_chain_doubt(origin, MDL_DOUBT(NO_RAISE));
}

/* True if a context has just ended on C and no other one has begun. */
static bool has_just_left(const struct mdl_machine *m, const struct mdl_cpu *c)
{
	bool switched = c->current && c->current->phase_since > c->left_at;

	return c->depth == 0 && c->cause->left.n > 0 && !switched && m->now - c->left_at <= EXIT_TO_SOFTIRQ;
}

void mdl_chain_softirq(const struct mdl_machine *m, struct mdl_cpu *c, struct mdl_level *l)
{
	l->irqs = c->cause->raised.irqs;
	if (l->nr < 0 || l->nr >= MDL_SOFTIRQS)
		return;
	if (mdl_machine_has(m, MDL_GROUP_RAISE)) {
		go_round(m, c, (unsigned)l->nr);
		if (l->nr == MDL_SOFTIRQ_BLOCK && c->cause->raised.by[l->nr].n > 0)
			l->irqs = c->cause->raised.by[l->nr].irqs;
		take_raise(m, &c->cause->raised.by[l->nr], &l->origin);
		if (l->nr == MDL_SOFTIRQ_NET_RX && l->origin.n > 0 &&
			l->origin.hops[l->origin.n - 1].act.context == l->context)
			/* net_rx_action() goes on polling: what it finds may have come with a later
			 * interrupt. */
			mdl_chain_doubt(&l->origin, MDL_DOUBT(SHARED));
	} else if (has_just_left(m, c)) {
		take_left(m, &c->cause->left, &l->origin);
	}
}

/* ---- what else a softirq does than what it was raised for ---- */

static bool is_block(const struct mdl_level *l)
{
	return l->context != MDL_NONE && l->type == MDL_CTX_SOFTIRQ && l->nr == MDL_SOFTIRQ_BLOCK;
}

/* True if softirq L of C may handle what another interrupt of C brought than the one in its origin. */
static bool is_shared(const struct mdl_cpu *c, const struct mdl_level *l)
{
	bool net = l->context != MDL_NONE && l->type == MDL_CTX_SOFTIRQ && l->nr == MDL_SOFTIRQ_NET_RX;

	return (is_block(l) || net) && l->irqs != c->cause->raised.irqs;
}

/* The number of steps to softirq BLOCK, L of C, that concern its first request alone. The last step concerns
 * all requests if it is an IPI that raised BLOCK, or the idle thread that polls for IPIs. */
static unsigned n_of_first(const struct mdl_machine *m, const struct mdl_cpu *c, const struct mdl_level *l)
{
	const struct mdl_chain *o = &l->origin;
	const struct mdl_act *by = o->n > 0 ? &o->hops[o->n - 1].act : NULL;
	bool asked = by &&
		(by->context != MDL_NONE ? mdl_context_type(m, by->context) == MDL_CTX_IPI
					 : c->idle && c->idle->track->id == by->thread);

	return asked ? o->n - 1 : o->n;
}

/* The part that CPUs other than CPU can have in the work of its softirq L, BLOCK. */
static enum mdl_others others_of(const struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l)
{
	unsigned n = n_of_first(m, mdl_cpu_peek(m, cpu), l);
	const struct mdl_act *first = n > 0 ? &l->origin.hops[n - 1].act : NULL;

	/* The request went to the driver after FIRST, so FIRST did not bring it. */
	if (first && l->facts.has & MDL_FACT_REQUEST && l->facts.request.issued != MDL_NEVER &&
		l->facts.request.issued > first->time)
		return MDL_OTHERS_MAY;
	if (l->others != MDL_OTHERS_OPEN)
		return l->others;
	return first && mdl_others_acted(m, cpu, first) ? MDL_OTHERS_MAY : MDL_OTHERS_REST;
}

/* True if a CPU other than the sender of IPI L of CPU may have queued the function that L calls now. */
static bool may_be_anothers(const struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l)
{
	const struct mdl_chain *o = &l->origin;

	if (l->context == MDL_NONE || o->n == 0 || !mdl_context_calls(m, l->context))
		return false;
	if (l->others != MDL_OTHERS_OPEN)
		return l->others == MDL_OTHERS_MAY;
	return mdl_others_acted(m, cpu, &o->hops[o->n - 1].act);
}

void mdl_chain_completes(struct mdl_machine *m, uint32_t cpu, struct mdl_level *l)
{
	if (is_block(l))
		l->others = (uint8_t)others_of(m, cpu, l);
}

void mdl_chain_origin(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l, struct mdl_chain *chain)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	mdl_chain_copy(chain, &l->origin);
	if (is_shared(c, l))
		mdl_chain_doubt(chain, MDL_DOUBT(SHARED));
	else if (may_be_anothers(m, cpu, l))
		mdl_chain_doubt(chain, MDL_DOUBT(OTHER_CPU));
	else if (is_block(l) && others_of(m, cpu, l) == MDL_OTHERS_MAY)
		doubt_first(chain, n_of_first(m, c, l), MDL_DOUBT(OTHER_CPU));
}

void mdl_chain_lose(struct mdl_cpu *c)
{
	for (unsigned i = 0; i < MDL_SOFTIRQS; i++)
		c->cause->raised.by[i].n = c->cause->raised.by[i].other.n = c->cause->raised.by[i].spare.n =
			c->cause->raised.by[i].next.n = 0;
	c->cause->raised.round = 0;
	c->cause->raised.round_since = MDL_NEVER;
	c->cause->ipis.n = 0;
	c->cause->left.n = 0;
	c->left_at = c->cause->gone_at = MDL_NEVER;
}
