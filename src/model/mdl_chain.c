/* SPDX-License-Identifier: MIT */
/*
 * How it works: what runs on a CPU was started by something.
 *
 *   - A softirq by who raised it first since it ran last: proved.
 *     __raise_softirq_irqoff() (kernel/softirq.c) sets a bit, __do_softirq() takes
 *     all bits, opens interrupts and only then traces the first entry.  So a
 *     raise in this gap seems to come before the entry and belongs to the next
 *     one: an entry without a raise of its own takes the last one before that.
 *     A card's interrupt for what it sent (virtio: "output") and the one for what it
 *     received raise the same softirq; packets came from the latter: inferred.
 *   - Without raise events a softirq belongs to the interrupt that just ended on
 *     the CPU, since irq_exit() runs what is pending: inferred.
 *   - An hrtimer by the interrupt, or softirq, it expires in.
 *   - An IPI by the CPU that sent it: proved where that was recorded.  Else there is
 *     one thing that ends waits in them, completions of requests:
 *     blk_mq_complete_request_remote() (block/blk-mq.c) sends the driver's to
 *     the CPU that submitted.  The sender is the last hard interrupt that another
 *     CPU entered before the IPI's entry and not before the request's issue, network
 *     cards excepted: inferred.  An idle CPU that polls needs no IPI:
 *     flush_smp_call_function_queue() (kernel/smp.c) raises the softirq in the
 *     idle thread.
 */
#include "model/mdl_parts.h"

#include <string.h>

#define EXIT_TO_SOFTIRQ 20000	/* ns between the end of an interrupt, or softirq, and the next softirq that irq_exit() runs */

#define IPI_FLIGHT 1000000	/* ns; longer than a CPU keeps interrupts off */

static const char *name_of(const struct mdl_machine *m, uint32_t context)
{
	return base_strings_get(m->strings, g_array_index(m->contexts, struct mdl_context, context).name);
}

static enum mdl_ctx_type type_of(const struct mdl_machine *m, uint32_t context)
{
	return g_array_index(m->contexts, struct mdl_context, context).type;
}

void mdl_chain_add(struct mdl_chain *chain, const struct mdl_act *act, enum mdl_grade grade)
{
	if (chain->n == MDL_HOPS_MAX)
		memmove(&chain->hops[0], &chain->hops[1], sizeof chain->hops[0] * --chain->n);
	chain->hops[chain->n++] = (struct mdl_hop){ .act = *act, .grade = (uint8_t)grade };
}

/* ACT becomes the origin; a full chain stays as it is. */
static void prepend(struct mdl_chain *chain, const struct mdl_act *act, enum mdl_grade grade)
{
	if (chain->n == MDL_HOPS_MAX)
		return;
	memmove(&chain->hops[1], &chain->hops[0], sizeof chain->hops[0] * chain->n++);
	chain->hops[0] = (struct mdl_hop){ .act = *act, .grade = (uint8_t)grade };
}

void mdl_chain_copy(struct mdl_chain *to, const struct mdl_chain *from)
{
	to->n = from->n;	/* most chains are short */
	memcpy(to->hops, from->hops, sizeof from->hops[0] * from->n);
}

/* May an interrupt, or a timer, come upon a thread without being seen? */
static bool misses_interrupts(const struct mdl_machine *m)
{
	return !(m->seen_contexts & 1u << MDL_CTX_IRQ) || !(m->seen_contexts & (1u << MDL_CTX_HRTIMER | 1u << MDL_CTX_VECTOR));
}

/* The chain up to and with what CPU does now. */
static void chain_here(struct mdl_machine *m, uint32_t cpu, struct mdl_chain *chain)
{
	struct mdl_act act = mdl_cpu_act(m, cpu);
	bool unsure = act.context == MDL_NONE && misses_interrupts(m);

	mdl_chain_copy(chain, &mdl_cpu_level(m, cpu)->origin);
	mdl_chain_add(chain, &act, unsure ? MDL_INFERRED : MDL_PROVED);
}

/* ---- softirqs ---- */

void mdl_chain_raise(struct mdl_machine *m, const struct mdl_event *e)
{
	int64_t vec = e->arg[MDL_SOFTIRQ_VEC];
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	struct mdl_raises *r;

	m->has_raises = true;
	if (vec < 0 || vec >= MDL_SOFTIRQS || c->gap != MDL_GAP_NONE)
		return;
	r = &c->raises[vec];
	if (r->n == 0) {
		chain_here(m, e->cpu, &r->first);
	} else {
		chain_here(m, e->cpu, &r->last);
		if (r->other.n == 0 && r->last.hops[r->last.n - 1].act.context != r->first.hops[r->first.n - 1].act.context)
			mdl_chain_copy(&r->other, &r->last);
	}
	r->n++;
}

static bool is_sending_card(const struct mdl_machine *m, const struct mdl_chain *chain)
{
	uint32_t context = chain->hops[chain->n - 1].act.context;

	return context != MDL_NONE && type_of(m, context) == MDL_CTX_IRQ && strstr(name_of(m, context), "output") != NULL;
}

static void infer_all(struct mdl_chain *chain)
{
	for (unsigned i = 0; i < chain->n; i++)
		chain->hops[i].grade = MAX(chain->hops[i].grade, MDL_INFERRED);
}

static void take_raise(const struct mdl_machine *m, struct mdl_raises *r, struct mdl_chain *origin)
{
	if (r->n > 0 && r->other.n > 0 && is_sending_card(m, &r->first)) {
		mdl_chain_copy(origin, &r->other);
		infer_all(origin);
	} else if (r->n > 0) {
		mdl_chain_copy(origin, &r->first);
	} else if (r->spare.n > 0) {
		mdl_chain_copy(origin, &r->spare);
	}
	r->spare.n = 0;
	if (r->n > 1)
		mdl_chain_copy(&r->spare, &r->last);
	r->n = r->other.n = 0;
}

/* The interrupt that has just ended, or after which LEFT, a softirq, ran. */
static void take_left(const struct mdl_machine *m, const struct mdl_chain *left, struct mdl_chain *origin)
{
	mdl_chain_copy(origin, left);
	while (origin->n > 0 && type_of(m, origin->hops[origin->n - 1].act.context) == MDL_CTX_SOFTIRQ)
		origin->n--;
	infer_all(origin);
}

/* Has a context just ended on C, and nothing else begun? */
static bool has_just_left(const struct mdl_machine *m, const struct mdl_cpu *c)
{
	bool switched = c->current != NULL && c->current->phase_since > c->left_at;

	return c->depth == 0 && c->left.n > 0 && !switched && m->now - c->left_at <= EXIT_TO_SOFTIRQ;
}

static void begin_softirq(struct mdl_machine *m, struct mdl_cpu *c, struct mdl_level *l)
{
	if (l->nr < 0 || l->nr >= MDL_SOFTIRQS)
		return;
	if (m->has_raises) {
		take_raise(m, &c->raises[l->nr], &l->origin);
	} else if (has_just_left(m, c)) {
		take_left(m, &c->left, &l->origin);
	}
}

/* ---- senders ---- */

void mdl_chain_send(struct mdl_machine *m, const struct mdl_event *e)
{
	int64_t to = e->arg[MDL_IPI_SEND_CPU];
	struct mdl_cpu *c;

	if (to < 0 || to >= m->cpus->len || mdl_cpu_get(m, e->cpu)->gap != MDL_GAP_NONE)
		return;
	c = mdl_cpu_get(m, (uint32_t)to);
	if (c->n_sent < MDL_SENT_MAX)
		chain_here(m, e->cpu, &c->sent[c->n_sent++]);
}

static void shift_sent(struct mdl_cpu *c)
{
	c->n_sent--;
	for (unsigned i = 0; i < c->n_sent; i++)
		mdl_chain_copy(&c->sent[i], &c->sent[i + 1]);
}

/*
 * The oldest of what was sent to C and may still be on its way.  One IPI may serve all that
 * was sent before it: when there are several, or what is left of such, another may be meant.
 */
static void begin_ipi(const struct mdl_machine *m, struct mdl_cpu *c, struct mdl_level *l)
{
	if (strcmp(name_of(m, l->context), "irq_work") == 0)	/* which a CPU sends to itself */
		return;
	while (c->n_sent > 0 && m->now - c->sent[0].hops[c->sent[0].n - 1].act.time > IPI_FLIGHT)
		shift_sent(c);
	if (c->n_sent == 0) {
		c->rest_sent = false;
		return;
	}
	mdl_chain_copy(&l->origin, &c->sent[0]);
	if (c->n_sent > 1 || c->rest_sent)
		infer_all(&l->origin);
	c->rest_sent = c->n_sent > 1;
	shift_sent(c);
}

static bool is_card(const char *line)
{
	static const char *const prefixes[] = { "eth", "eno", "ens", "enp", "enx", "wlan", "wlp", "iwl", "e1000", "mlx", NULL };

	for (unsigned i = 0; prefixes[i] != NULL; i++)
		if (g_str_has_prefix(line, prefixes[i]))
			return true;
	return strstr(line, "-input") != NULL || strstr(line, "-output") != NULL;
}

/* The last hard interrupt on another CPU than CPU that was entered in [FROM, BEFORE); NULL none. */
static const struct mdl_act *find_irq(const struct mdl_machine *m, uint32_t cpu, int64_t from, int64_t before)
{
	for (unsigned i = 1; i <= MDL_IRQS_KEPT; i++) {
		const struct mdl_act *irq = &m->irqs_kept[(m->n_irqs_kept - i) % MDL_IRQS_KEPT];

		if (i > m->n_irqs_kept || irq->entry < from)
			break;
		if (irq->cpu != cpu && irq->entry < before && !is_card(name_of(m, irq->context)))
			return irq;
	}
	return NULL;
}

static bool is_idle(struct mdl_machine *m, const struct mdl_act *act)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, act->cpu);

	return act->context == MDL_NONE && c->idle != NULL && c->idle->track->id == act->thread;
}

/* Softirqs that are raised by the timer's interrupt alone: run_local_timers(), scheduler_tick(), hrtimer_interrupt(). */
static bool is_of_tick(const struct mdl_machine *m, uint32_t context)
{
	int64_t nr = g_array_index(m->contexts, struct mdl_context, context).nr;

	return type_of(m, context) == MDL_CTX_SOFTIRQ &&
		(nr == MDL_SOFTIRQ_TIMER || nr == MDL_SOFTIRQ_SCHED || nr == MDL_SOFTIRQ_HRTIMER);
}

/* Does CHAIN begin with a thread that had nothing to do with it: something unseen came upon it? */
static bool was_hit(struct mdl_machine *m, const struct mdl_chain *chain)
{
	const struct mdl_act *first = &chain->hops[0].act;

	return chain->n > 1 && first->context == MDL_NONE && (is_idle(m, first) || is_of_tick(m, chain->hops[1].act.context));
}

void mdl_chain_find_sender(struct mdl_machine *m, struct mdl_chain *chain, const struct mdl_facts *facts)
{
	const struct mdl_act *first = &chain->hops[0].act, *irq = NULL;
	bool hit = was_hit(m, chain), ipi;
	struct mdl_act sender;
	int64_t before;

	if (chain->n == 0)
		return;
	ipi = first->context != MDL_NONE && type_of(m, first->context) == MDL_CTX_IPI;
	before = ipi ? first->entry : first->time;
	if ((ipi || hit) && facts->has & MDL_FACT_REQUEST && facts->request.issued != MDL_NEVER)
		irq = find_irq(m, first->cpu, facts->request.issued, before);
	if (irq != NULL) {
		sender = *irq;
		sender.time = sender.time == MDL_NEVER ? before : MIN(sender.time, before);
	}
	if (hit)
		memmove(&chain->hops[0], &chain->hops[1], sizeof chain->hops[0] * --chain->n);
	if (irq != NULL)
		prepend(chain, &sender, MDL_INFERRED);
}

/* ---- contexts begin and end ---- */

static void keep_irq(struct mdl_machine *m, uint32_t cpu, const struct mdl_cpu *c, const struct mdl_level *l)
{
	m->irqs_kept[m->n_irqs_kept++ % MDL_IRQS_KEPT] = (struct mdl_act){
		.time = MDL_NEVER, .entry = l->entry, .cpu = cpu, .context = l->context,
		.thread = c->current != NULL ? c->current->track->id : MDL_NONE,
	};
}

/* May hrtimers expire in L?  In what else they seem to, a vector that was not recorded came upon it. */
static bool expires_timers(const struct mdl_level *l)
{
	return l->type == MDL_CTX_IRQ || l->type == MDL_CTX_VECTOR || (l->type == MDL_CTX_SOFTIRQ && l->nr == MDL_SOFTIRQ_HRTIMER);
}

void mdl_chain_enter(struct mdl_machine *m, uint32_t cpu, struct mdl_cpu *c, struct mdl_level *l)
{
	const struct mdl_level *outer = c->depth > 0 ? l - 1 : NULL;

	l->origin.n = 0;
	if (l->type == MDL_CTX_SOFTIRQ) {
		begin_softirq(m, c, l);
	} else if (l->type == MDL_CTX_IPI) {
		begin_ipi(m, c, l);
	} else if (l->type == MDL_CTX_IRQ) {
		keep_irq(m, cpu, c, l);
	} else if (l->type == MDL_CTX_HRTIMER && outer != NULL && expires_timers(outer)) {
		struct mdl_act act = mdl_cpu_act(m, cpu);

		mdl_chain_copy(&l->origin, &outer->origin);
		mdl_chain_add(&l->origin, &act, MDL_PROVED);
	}
}

/* The time at which the hard interrupt of level L on CPU ended. */
static void keep_exit(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l)
{
	for (unsigned i = 1; i <= MDL_IRQS_KEPT && i <= m->n_irqs_kept; i++) {
		struct mdl_act *irq = &m->irqs_kept[(m->n_irqs_kept - i) % MDL_IRQS_KEPT];

		if (irq->cpu != cpu || irq->entry != l->entry)
			continue;
		irq->time = m->now;
		return;
	}
}

void mdl_chain_leave(struct mdl_machine *m, uint32_t cpu, struct mdl_cpu *c, const struct mdl_level *l)
{
	struct mdl_act act = {
		.time = m->now, .entry = l->entry, .cpu = cpu, .context = l->context,
		.thread = c->current != NULL ? c->current->track->id : MDL_NONE,
	};

	c->left_at = m->now;
	if (l->type == MDL_CTX_IRQ)
		keep_exit(m, cpu, l);
	if (m->has_raises && m->has_wakings)
		return;
	mdl_chain_copy(&c->left, &l->origin);
	mdl_chain_add(&c->left, &act, MDL_INFERRED);
}

void mdl_chain_lose(struct mdl_cpu *c)
{
	for (unsigned i = 0; i < MDL_SOFTIRQS; i++)
		c->raises[i].n = c->raises[i].other.n = c->raises[i].spare.n = 0;
	c->n_sent = 0;
	c->left.n = 0;
	c->left_at = c->gone_at = MDL_NEVER;
}
