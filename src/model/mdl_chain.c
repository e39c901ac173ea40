/* SPDX-License-Identifier: MIT */
/*
 * How it works: what runs on a CPU was started by something.
 *
 *   - A softirq by who raised it first since it ran last: proved.
 *     __raise_softirq_irqoff() (kernel/softirq.c) sets a bit, __do_softirq() takes
 *     all bits, opens interrupts and only then traces the first entry.  So a
 *     raise in this gap seems to come before the entry and belongs to the next
 *     one: an entry without a raise of its own takes the last one before that.
 *     A round runs what it took, lowest vector first; what is raised of that while
 *     it runs is for the next round.
 *     Of several that raised it any may have brought what it does: inferred.  So may who raised it for the
 *     next round before this one comes to it: a softirq takes its list as it begins
 *     (tasklet_action_common(), kernel/softirq.c; net_rx_action(), net_tx_action(), net/core/dev.c;
 *     blk_done_softirq(), block/blk-mq.c), and PREEMPT_RT before Linux 5.12 took each bit alone
 *     (do_current_softirqs()).  So it is where other interrupts came that need not raise it:
 *     blk_mq_raise_softirq() (block/blk-mq.c) does so for the first request of those that BLOCK takes at
 *     once, ____napi_schedule() (net/core/dev.c, since Linux 6.4) not while NET_RX runs.
 *     Other CPUs add to what BLOCK takes, too, and an IPI is sent for the first request alone
 *     (llist_add() in blk_mq_complete_send_ipi()): of who sent the IPI, or raised BLOCK here, it is proved
 *     only where all other CPUs did nothing from then on to the first completion.  That the IPI brought
 *     it holds in any case.
 *     A card's interrupt for what it sent (virtio: "output") and the one for what it
 *     received raise the same softirq; packets came from the latter: inferred.
 *   - Without raise events a softirq belongs to the interrupt that just ended on
 *     the CPU, since irq_exit() runs what is pending: inferred.
 *   - An hrtimer by the interrupt, or softirq, it expires in.
 *   - An interrupt that is not recorded can come upon anything that runs with
 *     interrupts on: threads, softirqs and soft hrtimers, not hard IRQs.  What
 *     happens there is proved only where interrupts are recorded, and IPIs, too:
 *     blk_mq_complete_request_remote() raises BLOCK in one, irq_work_run() wakes anybody.
 *     Of x86 all vectors must be declared: hrtimer_interrupt() (kernel/time/hrtimer.c)
 *     raises HRTIMER in that of the local timer, and PREEMPT_RT wakes ktimers behind it,
 *     outside of all functions of timers.  Recorded is what came before: an event that the
 *     metadata declares may have been enabled later, or but for some CPUs or threads.
 *     Where there is one CPU, no other can send it any, so that they never come; there the
 *     declaration must do.  Since Linux 6.4 all kernels declare ipi_entry (kernel/smp.c),
 *     though only those of arm and arm64 write it, of an irq_work, too (do_handle_IPI(),
 *     arch/arm64/kernel/smp.c); PowerPC runs one in its timer's interrupt
 *     (__timer_interrupt(), arch/powerpc/kernel/time.c), of which it has other events.
 *     So there the line of the timer of arm must be seen, too ("arch_timer",
 *     drivers/clocksource/arm_arch_timer.c).
 *     Some have no event at all: those of Hyper-V, by which all its devices and its timer come, tell nothing
 *     (sysvec_hyperv_callback() and sysvec_hyperv_stimer0(), arch/x86/kernel/cpu/mshyperv.c).  There are such
 *     where an hrtimer expires in no interrupt, though all vectors are recorded.
 *   - An IPI by the CPU that sent it (mdl_sender.c).  What it calls another CPU may have queued since,
 *     unseen: that it brought what is done there is proved where no other CPU did anything since, or the
 *     call itself is recorded.
 */
#include "model/mdl_chain.h"

#include "model/mdl_context.h"
#include "model/mdl_cpu.h"
#include "model/mdl_gap.h"
#include "model/mdl_others.h"
#include "model/mdl_thread.h"
#include "model/mdl_track.h"

#include <string.h>

/* ns between the end of an interrupt, or softirq, and the next softirq that irq_exit() runs. */
#define EXIT_TO_SOFTIRQ 20000

/* Drop a step of a full chain: a round of what started itself anew, else the oldest. */
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

void mdl_chain_add(struct mdl_chain *chain, const struct mdl_act *act, enum mdl_grade grade)
{
	if (chain->n == MDL_HOPS_MAX)
		chain_make_room(chain);
	chain->hops[chain->n++] = (struct mdl_hop){ .act = *act, .grade = (uint8_t)grade };
}

/* When what CHAIN ends with was done. */
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

bool mdl_chain_knows_calls(const struct mdl_machine *m)
{
	return (m->has_calls && !m->some_vectors) || (m->lone && (!m->lone_ipis || m->has_arch_timer));
}

bool mdl_chain_has_untold(const struct mdl_machine *m)
{
	return m->bare_timers && m->has_calls && !m->some_vectors && !m->declares_more;
}

bool mdl_chain_misses_devices(const struct mdl_machine *m)
{
	return !(m->contexts.seen & 1u << MDL_CTX_IRQ) || mdl_chain_has_untold(m) ||
		!(m->contexts.seen & (1u << MDL_CTX_HRTIMER | 1u << MDL_CTX_VECTOR));
}

bool mdl_chain_misses(const struct mdl_machine *m)
{
	return mdl_chain_misses_devices(m) || !mdl_chain_knows_calls(m);
}

/* The same, with the local timer's own interrupt, a vector on x86: around its hrtimers it does other things
 * (update_process_times()). */
static bool misses_any(const struct mdl_machine *m)
{
	return mdl_chain_misses(m) || !(m->has_ipis || m->contexts.seen & 1u << MDL_CTX_VECTOR);
}

/* May L be over, where MISSES: interrupts may come that are not recorded? */
static bool may_be_over(const struct mdl_machine *m, const struct mdl_level *l, bool misses)
{
	/* All of its interrupt, as a timer's function is not: the tick goes on behind it. */
	bool whole = mdl_level_is_hard(l);

	if (l->context == MDL_NONE || l->told || m->contexts.left & 1u << l->type)
		return false;
	/* The tracer may tell that an interrupt is served now; it is this one, if all are recorded. */
	return !(whole && m->told & MDL_TOLD_IRQ) || misses;
}

bool mdl_chain_may_be_over(const struct mdl_machine *m, const struct mdl_level *l)
{
	return may_be_over(m, l, mdl_chain_misses(m));
}

bool mdl_chain_may_be_past(const struct mdl_machine *m, const struct mdl_level *l)
{
	return may_be_over(m, l, misses_any(m));
}

bool mdl_chain_is_open(const struct mdl_machine *m, const struct mdl_level *l)
{
	if (mdl_chain_may_be_past(m, l) || (l->behind && misses_any(m)))
		return true;
	if (mdl_chain_is_closed(m, l))
		return false;
	if (m->told & MDL_TOLD_IRQ)
		return true;
	if (m->told & MDL_TOLD_WITHIN) /* it is a softirq where one is served, else a thread */
		return (l->context == MDL_NONE) == !!(m->told & MDL_TOLD_SOFTIRQ) ||
			(m->told & MDL_TOLD_SOFTIRQ && m->guesses_softirqs &&
				!(m->contexts.seen & 1u << MDL_CTX_SOFTIRQ));
	return mdl_chain_misses(m) || (l->context == MDL_NONE && !(m->contexts.seen & 1u << MDL_CTX_SOFTIRQ));
}

/* Is nothing known of what C does, in L?  The entry of an interrupt that is served may be among what was
 * lost, or have come before the trace, until a switch tells that there is none. */
static bool is_nobody(const struct mdl_cpu *c, const struct mdl_level *l)
{
	return l->context == MDL_NONE && !c->current;
}

/* The chain up to and with what CPU does now. */
void mdl_chain_here(struct mdl_machine *m, uint32_t cpu, struct mdl_chain *chain)
{
	struct mdl_act act = mdl_cpu_act(m, cpu);
	const struct mdl_level *l = mdl_cpu_level(m, cpu);
	bool open = mdl_chain_is_open(m, l) || is_nobody(mdl_cpu_get(m, cpu), l);

	mdl_chain_origin(m, cpu, l, chain);
	mdl_chain_add(chain, &act, open ? MDL_INFERRED : MDL_PROVED);
}

/* ---- softirqs ---- */

/* Softirqs that work off a list, so that it matters who brought what; the others look what time it is, and
 * who raised them first had them run. */
#define LISTS                                                                         \
	(1u << MDL_SOFTIRQ_HI | 1u << MDL_SOFTIRQ_NET_TX | 1u << MDL_SOFTIRQ_NET_RX | \
		1u << MDL_SOFTIRQ_BLOCK | 1u << MDL_SOFTIRQ_IRQ_POLL | 1u << MDL_SOFTIRQ_TASKLET)

/* Do A and B, which raise VEC, end with what one context, or one thread, did?  Of one that comes again each
 * time brings something of its own. */
static bool same_actor(unsigned vec, const struct mdl_chain *a, const struct mdl_chain *b)
{
	const struct mdl_act *x = &a->hops[a->n - 1].act, *y = &b->hops[b->n - 1].act;

	if (x->context != y->context)
		return false;
	return x->context == MDL_NONE ? x->thread == y->thread : !(LISTS & 1u << vec) || x->entry == y->entry;
}

/* What CPU does raises a softirq for its next round. */
static void raise_next(struct mdl_machine *m, uint32_t cpu, unsigned vec, struct mdl_raises *r)
{
	struct mdl_chain here;

	mdl_chain_here(m, cpu, &here);
	if (LISTS & 1u << vec && r->n > 0 && r->other.n == 0 && !same_actor(vec, &here, &r->first))
		mdl_chain_copy(&r->other, &here);
	if (r->next.n == 0) {
		mdl_chain_copy(&r->next, &here);
		r->next_irqs = mdl_cpu_get(m, cpu)->raised.irqs;
	} else if (!same_actor(vec, &here, &r->next)) {
		mdl_chain_infer(&r->next);
	}
}

void mdl_chain_raise(struct mdl_machine *m, const struct mdl_event *e)
{
	int64_t vec = e->arg[MDL_SOFTIRQ_VEC];
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	struct mdl_raises *r;

	m->has_raises = true;
	c->raised.just = vec >= 0 && vec < MDL_SOFTIRQS ? 1u << vec : 0;
	if (vec < 0 || vec >= MDL_SOFTIRQS || c->gap != MDL_GAP_NONE ||
		is_nobody(c, mdl_cpu_level(m, e->cpu)))
		return;
	r = &c->raised.by[vec];
	if (c->raised.round & 1u << vec) {
		raise_next(m, e->cpu, (unsigned)vec, r);
		return;
	}
	if (r->n == 0) {
		mdl_chain_here(m, e->cpu, &r->first);
		r->irqs = c->raised.irqs;
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

/* The first N steps of CHAIN are no more than inferred. */
static void infer_first(struct mdl_chain *chain, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		chain->hops[i].grade = MAX(chain->hops[i].grade, MDL_INFERRED);
}

void mdl_chain_infer(struct mdl_chain *chain)
{
	infer_first(chain, chain->n);
}

static void take_raise(const struct mdl_machine *m, struct mdl_raises *r, struct mdl_chain *origin)
{
	if (r->n > 0 && r->other.n > 0 && is_sending_card(m, &r->first)) {
		mdl_chain_copy(origin, &r->other);
		mdl_chain_infer(origin);
	} else if (r->n > 0) {
		mdl_chain_copy(origin, &r->first);
		if (r->other.n > 0)
			mdl_chain_infer(origin);
	} else if (r->spare.n > 0) {
		mdl_chain_copy(origin, &r->spare);
	}
	r->spare.n = 0;
	if (r->n > 1)
		mdl_chain_copy(&r->spare, &r->last);
	r->n = r->other.n = 0;
	if (r->next.n == 0)
		return;
	mdl_chain_copy(&r->first, &r->next);
	r->irqs = r->next_irqs;
	r->n = 1;
	r->next.n = r->spare.n = 0;
}

/* Softirq VEC of C begins: in the round under way, if that has taken its bit, else in a new one. */
static void go_round(const struct mdl_machine *m, struct mdl_cpu *c, unsigned vec)
{
	if (!(c->raised.round & 1u << vec)) {
		c->raised.round = 0;
		c->raised.round_since = m->now;
		for (unsigned i = 0; i < MDL_SOFTIRQS; i++) {
			if (c->raised.by[i].next.n > 0) { /* the round before ended unseen */
				mdl_chain_copy(&c->raised.by[i].first, &c->raised.by[i].next);
				c->raised.by[i].irqs = c->raised.by[i].next_irqs;
			}
			c->raised.by[i].next.n = 0;
			c->raised.round |= c->raised.by[i].n > 0 ? 1u << i : 0;
		}
	}
	c->raised.round &= ~((2u << vec) - 1); /* what is below it was raised since the bits were taken */
}

/* Is L, or what led to it, among the steps of CHAIN? */
static bool chain_holds(const struct mdl_chain *chain, const struct mdl_level *l)
{
	for (unsigned i = 0; i < chain->n; i++)
		if (chain->hops[i].act.context == l->context && chain->hops[i].act.entry == l->entry)
			return true;
	return false;
}

/*
 * The raise among those of R that was inside BY; NULL: none was.  A timer's function is not all of its
 * interrupt: where it did not raise first, one before it in the same interrupt may have.
 */
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
		const struct mdl_raises *r = &c->raised.by[i];
		const struct mdl_chain *found = r->n > 0 ? raise_inside(r, by) : NULL;

		if (r->n == 0 || c->raised.round & 1u << i || !(vectors & 1u << i))
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

/* The interrupt that has just ended, or after which LEFT, a softirq, ran. */
static void take_left(const struct mdl_machine *m, const struct mdl_chain *left, struct mdl_chain *origin)
{
	mdl_chain_copy(origin, left);
	while (origin->n > 0 &&
		mdl_context_type(m, origin->hops[origin->n - 1].act.context) == MDL_CTX_SOFTIRQ)
		origin->n--;
	mdl_chain_infer(origin);
}

/* Has a context just ended on C, and nothing else begun? */
static bool has_just_left(const struct mdl_machine *m, const struct mdl_cpu *c)
{
	bool switched = c->current && c->current->phase_since > c->left_at;

	return c->depth == 0 && c->left.n > 0 && !switched && m->now - c->left_at <= EXIT_TO_SOFTIRQ;
}

void mdl_chain_softirq(const struct mdl_machine *m, struct mdl_cpu *c, struct mdl_level *l)
{
	l->irqs = c->raised.irqs;
	if (l->nr < 0 || l->nr >= MDL_SOFTIRQS)
		return;
	if (m->has_raises) {
		go_round(m, c, (unsigned)l->nr);
		if (l->nr == MDL_SOFTIRQ_BLOCK && c->raised.by[l->nr].n > 0)
			l->irqs = c->raised.by[l->nr].irqs;
		take_raise(m, &c->raised.by[l->nr], &l->origin);
		if (l->nr == MDL_SOFTIRQ_NET_RX && l->origin.n > 0 &&
			l->origin.hops[l->origin.n - 1].act.context == l->context)
			mdl_chain_infer(&l->origin); /* net_rx_action() goes on polling: what it finds may
							have come with a later interrupt */
	} else if (has_just_left(m, c)) {
		take_left(m, &c->left, &l->origin);
	}
}

/* ---- what else a softirq does than what it was raised for ---- */

static bool is_block(const struct mdl_level *l)
{
	return l->context != MDL_NONE && l->type == MDL_CTX_SOFTIRQ && l->nr == MDL_SOFTIRQ_BLOCK;
}

/* May softirq L of C do what another interrupt of that CPU brought than the one that its origin tells? */
static bool is_shared(const struct mdl_cpu *c, const struct mdl_level *l)
{
	bool net = l->context != MDL_NONE && l->type == MDL_CTX_SOFTIRQ && l->nr == MDL_SOFTIRQ_NET_RX;

	return (is_block(l) || net) && l->irqs != c->raised.irqs;
}

/* How many steps of the way to softirq BLOCK, L of C, are those of its first request alone: an IPI that
 * raised it, or the idle thread that polls for such, brought all. */
static unsigned n_of_first(const struct mdl_machine *m, const struct mdl_cpu *c, const struct mdl_level *l)
{
	const struct mdl_chain *o = &l->origin;
	const struct mdl_act *by = o->n > 0 ? &o->hops[o->n - 1].act : NULL;
	bool asked = by &&
		(by->context != MDL_NONE ? mdl_context_type(m, by->context) == MDL_CTX_IPI
					 : c->idle && c->idle->track->id == by->thread);

	return asked ? o->n - 1 : o->n;
}

/* May other CPUs than CPU have brought what its softirq L, BLOCK, does? */
static enum mdl_others others_of(const struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l)
{
	unsigned n = n_of_first(m, mdl_cpu_peek(m, cpu), l);
	const struct mdl_act *first = n > 0 ? &l->origin.hops[n - 1].act : NULL;

	/* Given to the driver since then: it was not the first one's. */
	if (first && l->facts.has & MDL_FACT_REQUEST && l->facts.request.issued != MDL_NEVER &&
		l->facts.request.issued > first->time)
		return MDL_OTHERS_MAY;
	if (l->others != MDL_OTHERS_OPEN)
		return l->others;
	return first && mdl_others_acted(m, cpu, first, mdl_chain_misses_devices(m)) ? MDL_OTHERS_MAY
										     : MDL_OTHERS_REST;
}

/* May what IPI L of CPU calls now have been queued by another one than its sender? */
static bool may_be_anothers(const struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l)
{
	const struct mdl_chain *o = &l->origin;

	if (l->context == MDL_NONE || o->n == 0 || !mdl_context_calls(m, l->context))
		return false;
	if (l->others != MDL_OTHERS_OPEN)
		return l->others == MDL_OTHERS_MAY;
	return mdl_others_acted(m, cpu, &o->hops[o->n - 1].act, mdl_chain_misses_devices(m));
}

void mdl_chain_completes(struct mdl_machine *m, uint32_t cpu, struct mdl_level *l)
{
	if (is_block(l))
		l->others = (uint8_t)others_of(m, cpu, l);
}

void mdl_chain_origin(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l, struct mdl_chain *chain)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	unsigned n = 0;

	mdl_chain_copy(chain, &l->origin);
	if (is_shared(c, l) || may_be_anothers(m, cpu, l))
		n = chain->n;
	else if (is_block(l) && others_of(m, cpu, l) == MDL_OTHERS_MAY)
		n = n_of_first(m, c, l);
	infer_first(chain, n);
}

void mdl_chain_lose(struct mdl_cpu *c)
{
	for (unsigned i = 0; i < MDL_SOFTIRQS; i++)
		c->raised.by[i].n = c->raised.by[i].other.n = c->raised.by[i].spare.n =
			c->raised.by[i].next.n = 0;
	c->raised.round = 0;
	c->ipis.n = 0;
	c->left.n = 0;
	c->left_at = c->gone_at = MDL_NEVER;
}
