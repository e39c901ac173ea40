/* SPDX-License-Identifier: MIT */
/* Spans of a CPU: handlers, softirqs. span/span.c has the rules. */
#include "model/span/parts.h"

#include "model/core/thread.h"

#define HANDLERS 8 /* open handlers of lines on one CPU: deeper than they nest */

struct handler {
	int64_t nr, since;
	uint32_t name;
};

struct cpu {
	struct handler handlers[HANDLERS];
	unsigned depth;
	int64_t softirq[MDL_SOFTIRQS], raised[MDL_SOFTIRQS]; /* begin, ns; MDL_NEVER: not open */
	/* the interrupt of the first raise since it ran, and of the current run */
	struct mdl_span_irq raiser[MDL_SOFTIRQS], origin[MDL_SOFTIRQS];
};

static const struct mdl_span_irq none = { .since = MDL_NEVER };

static void cpu_clear(struct cpu *c)
{
	c->depth = 0;
	for (unsigned i = 0; i < MDL_SOFTIRQS; i++)
		c->softirq[i] = c->raised[i] = MDL_NEVER;
	for (unsigned i = 0; i < MDL_SOFTIRQS; i++)
		c->raiser[i] = c->origin[i] = none;
}

static struct cpu *cpu_get(struct mdl_machine *m, uint32_t cpu)
{
	GPtrArray *cpus = m->spans->cpus;

	if (cpu >= cpus->len)
		g_ptr_array_set_size(cpus, (gint)cpu + 1);
	if (!cpus->pdata[cpu]) {
		cpus->pdata[cpu] = g_new(struct cpu, 1);
		cpu_clear(cpus->pdata[cpu]);
	}
	return cpus->pdata[cpu];
}

/* FATE, or MDL_SPAN_LOST if events of CPU were lost since START. The event that ends a loss may be the last
 * of a packet that had no room for other events: more may be lost after it. */
static enum mdl_span_fate fate_on(struct mdl_machine *m, uint32_t cpu, int64_t start, enum mdl_span_fate fate)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	return c->gap != MDL_GAP_NONE || (c->lost_until != MDL_NEVER && start <= c->lost_until)
		? MDL_SPAN_LOST
		: fate;
}

static uint32_t irq_row(const struct mdl_machine *m, int64_t nr)
{
	const struct mdl_track *t = g_hash_table_lookup(m->lines.irqs, (gpointer)(intptr_t)nr);

	return t ? t->id : MDL_NONE;
}

static uint64_t irq_key(const struct handler *h)
{
	return (uint64_t)h->nr << 32 | h->name;
}

void mdl_span_irq(struct mdl_machine *m, const struct mdl_event *e)
{
	struct cpu *c = cpu_get(m, e->cpu);
	int64_t nr = e->arg[MDL_IRQ_NR];
	unsigned at = c->depth;

	if (e->kind == MDL_EV_IRQ_ENTRY) {
		if (c->depth == HANDLERS) /* exits are missing */
			c->depth = 0;
		c->handlers[c->depth++] = (struct handler){ nr, m->now,
			mdl_line_irq_name(m, nr, e->text[0]) };
		return;
	}
	while (at > 0 && c->handlers[at - 1].nr != nr)
		at--;
	if (at == 0)
		return;
	c->depth = at - 1;
	mdl_span_put(m, MDL_SPAN_IRQ, fate_on(m, e->cpu, c->handlers[at - 1].since, MDL_SPAN_DONE),
		c->handlers[at - 1].since, m->now, irq_row(m, nr), e->cpu, irq_key(&c->handlers[at - 1]));
}

static uint32_t softirq_row(struct mdl_machine *m, uint32_t cpu, int64_t vec)
{
	const struct mdl_track *t = g_hash_table_lookup(mdl_cpu_get(m, cpu)->softirqs,
		(gpointer)(intptr_t)vec);

	return t ? t->id : MDL_NONE;
}

/* The span that began at *SINCE, of vector VEC on CPU, is over. */
static void end_softirq(struct mdl_machine *m, enum mdl_span_kind kind, enum mdl_span_fate fate,
	int64_t *since, uint32_t cpu, int64_t vec)
{
	if (*since != MDL_NEVER)
		mdl_span_put(m, kind, fate_on(m, cpu, *since, fate), *since, m->now, softirq_row(m, cpu, vec),
			cpu, (uint64_t)vec);
	*since = MDL_NEVER;
}

/* The hard IRQ of level L of CPU. */
static struct mdl_span_irq irq_of(const struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l)
{
	int64_t nr = l->type == MDL_CTX_IRQ ? l->nr : -1;

	return (struct mdl_span_irq){ .since = l->entry,
		.cpu = cpu,
		.key = (uint64_t)nr << 32 | mdl_context_get(m, l->context)->name };
}

/* The outermost hard IRQ open on CPU on top of its innermost softirq. If there is none: *VEC is that softirq,
 * -1: none. */
static struct mdl_span_irq irq_here(struct mdl_machine *m, uint32_t cpu, int64_t *vec)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	const struct mdl_level *hard = NULL, *softirq = c->current ? c->current->softirq : NULL;
	bool in_timer = false;

	for (uint32_t i = 0; i < c->depth; i++) {
		const struct mdl_level *l = &c->stack[i];

		if (l->type == MDL_CTX_SOFTIRQ) {
			softirq = l;
			hard = NULL;
		} else if (!hard && mdl_level_is_hard(l)) {
			hard = l;
		}
		in_timer = l->type == MDL_CTX_HRTIMER && !hard;
	}
	*vec = softirq && !hard && (!in_timer || softirq->nr == MDL_SOFTIRQ_HRTIMER) ? softirq->nr : -1;
	return hard ? irq_of(m, cpu, hard) : none;
}

void mdl_span_softirq(struct mdl_machine *m, const struct mdl_event *e)
{
	struct cpu *c = cpu_get(m, e->cpu);
	int64_t vec = e->arg[MDL_SOFTIRQ_VEC], inside;

	if (vec < 0 || vec >= MDL_SOFTIRQS)
		return;
	if (e->kind == MDL_EV_SOFTIRQ_EXIT) {
		end_softirq(m, MDL_SPAN_SOFTIRQ, MDL_SPAN_DONE, &c->softirq[vec], e->cpu, vec);
	} else if (e->kind == MDL_EV_SOFTIRQ_ENTRY) {
		end_softirq(m, MDL_SPAN_RAISE, MDL_SPAN_DONE, &c->raised[vec], e->cpu, vec);
		end_softirq(m, MDL_SPAN_SOFTIRQ, MDL_SPAN_OPEN, &c->softirq[vec], e->cpu, vec);
		c->softirq[vec] = m->now;
		c->origin[vec] = c->raiser[vec];
		c->raiser[vec] = none;
	} else if (c->raised[vec] == MDL_NEVER) {
		c->raised[vec] = m->now;
		c->raiser[vec] = irq_here(m, e->cpu, &inside);
	}
}

struct mdl_span_irq mdl_span_waker(struct mdl_machine *m, uint32_t cpu)
{
	int64_t vec;
	struct mdl_span_irq irq = irq_here(m, cpu, &vec);

	return vec >= 0 && vec < MDL_SOFTIRQS ? cpu_get(m, cpu)->origin[vec] : irq;
}

void mdl_span_end_cpu(struct mdl_machine *m, uint32_t cpu, enum mdl_span_fate fate)
{
	struct cpu *c = cpu_get(m, cpu);

	for (unsigned i = 0; i < c->depth; i++)
		mdl_span_put(m, MDL_SPAN_IRQ, fate, c->handlers[i].since, m->now,
			irq_row(m, c->handlers[i].nr), cpu, irq_key(&c->handlers[i]));
	for (unsigned vec = 0; vec < MDL_SOFTIRQS; vec++) {
		end_softirq(m, MDL_SPAN_SOFTIRQ, fate, &c->softirq[vec], cpu, vec);
		end_softirq(m, MDL_SPAN_RAISE, fate, &c->raised[vec], cpu, vec);
	}
	cpu_clear(c);
}
