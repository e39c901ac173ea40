/* SPDX-License-Identifier: MIT */
/*
 * How it works: ftrace and perf write with each event whether the CPU was in a hard interrupt or served a
 * softirq (tracing_gen_ctx_irq_test(), kernel/trace/trace.c; HARDIRQ_MASK and SOFTIRQ_OFFSET of
 * preempt_count(); before Linux 4.10 the softirq flag was also set while softirqs were off; proofs.md R21.1).
 * If no such context is open by the events, its entry was not recorded. It becomes a level of its own while
 * events come in it: the thread below has no part in them. Its begin is unknown, and two such events in a row
 * may be of two interrupts. So what happened in it is only inferred to belong to a wake-up in it.
 *
 * After the exit of a handler it is still that interrupt, unless an unrecorded one came since, for example an
 * irq_work (proofs.md R21.2).
 *
 * Entries and exits of hard interrupts are written within them and need no flag. A flag "no interrupt" proves
 * that the thread acts. ksoftirqd and ktimers are the exception: they are woken on the way out of an
 * interrupt, which the flag does not count any more (proofs.md R10.1).
 */
#include "model/cause/level.h"

#include "model/cause/chain.h"
#include "model/core/context.h"
#include "model/core/cpu.h"

/* True if E is the entry or exit of a context, or a switch, or has no flags. */
static bool is_border(const struct mdl_event *e)
{
	switch (e->kind) {
	case MDL_EV_IRQ_ENTRY:
	case MDL_EV_IRQ_EXIT:
	case MDL_EV_HRTIMER_ENTRY:
	case MDL_EV_HRTIMER_EXIT:
	case MDL_EV_VECTOR_ENTRY:
	case MDL_EV_VECTOR_EXIT:
	case MDL_EV_IPI_ENTRY:
	case MDL_EV_IPI_EXIT:
	case MDL_EV_SOFTIRQ_ENTRY:
	case MDL_EV_SOFTIRQ_EXIT:
	case MDL_EV_SCHED_SWITCH: return true;
	default: return !(e->told & MDL_TOLD_WITHIN);
	}
}

/* True if a softirq may be served whose entry was not recorded. If entries are recorded, the flag is also set
 * after the last exit of a round (handle_softirqs(), kernel/softirq.c). Under PREEMPT_RT a softirq is what a
 * thread does. */
static bool may_miss_softirqs(const struct mdl_machine *m)
{
	return m->coverage.kernel & MDL_KERNEL_TELLS_SOFTIRQS && !mdl_machine_is_rt(m) &&
		!(m->coverage.entered & 1u << MDL_CTX_SOFTIRQ);
}

/* The context of C that E shows and that is not open by the events; MDL_CTX_TYPES: none. */
static enum mdl_ctx_type type_of(struct mdl_machine *m, const struct mdl_cpu *c, const struct mdl_event *e)
{
	const struct mdl_level *l = mdl_cpu_level(m, e->cpu);

	if (e->told & MDL_TOLD_IRQ)
		return mdl_chain_is_closed(m, l) ? MDL_CTX_TYPES : MDL_CTX_VECTOR;
	if (e->told & MDL_TOLD_SOFTIRQ && may_miss_softirqs(m) && c->depth == 0)
		return MDL_CTX_SOFTIRQ;
	return MDL_CTX_TYPES;
}

/* C is in a context of TYPE from now on. */
static void within_begin(struct mdl_machine *m, struct mdl_cpu *c, enum mdl_ctx_type type)
{
	const struct mdl_level *leaving = c->leaving && c->leaving->type == MDL_CTX_IRQ ? c->leaving : NULL;

	c->unseen = (struct mdl_level){ .type = (uint8_t)type, .nr = -1, .entry = m->now, .told = true };
	c->unseen.behind = leaving && type != MDL_CTX_SOFTIRQ;
	if (c->unseen.behind) /* the interrupt of that handler */
		c->unseen.context = leaving->context;
	else
		c->unseen.context = mdl_context_id(&m->contexts, type, -1,
			base_strings_add(m->strings, MDL_CTX_UNRECORDED));
}

void mdl_within_tell(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	bool was = c->is_unseen;
	enum mdl_ctx_type type;

	c->is_unseen = false;
	type = is_border(e) ? MDL_CTX_TYPES : type_of(m, c, e);
	if (type == MDL_CTX_TYPES)
		return;
	if (!was || c->unseen.type != type)
		within_begin(m, c, type);
	c->is_unseen = true;
}
