/* SPDX-License-Identifier: MIT */
/*
 * How it works: ftrace and perf write with each event whether the CPU was in a hard interrupt, or served a
 * softirq (tracing_gen_ctx_irq_test(), kernel/trace/trace.c; HARDIRQ_MASK and SOFTIRQ_OFFSET of
 * preempt_count(); before Linux 4.10 the latter was also told where softirqs were off; proofs.md R21.1).
 * Where the events tell of no such context, its entry was not recorded, and it is a level of its own for as
 * long as events come in it: the thread below has nothing to do with them.  Neither when it began is known,
 * nor whether two such events in a row are of one interrupt: what happened in it is joined to a wake-up as
 * inferred.
 *
 * Behind the handler of an interrupt it is this one still, unless one that is not recorded came since, such
 * as an irq_work (proofs.md R21.2).
 *
 * Entries and exits of hard interrupts are written within them, and speak for themselves.  That a CPU is in
 * no interrupt proves that its thread acts.  ksoftirqd and ktimers are the exception: they are woken on the
 * way out of an interrupt, which is not counted any more (proofs.md R10.1).
 */
#include "model/cause/level.h"

#include "model/cause/chain.h"
#include "model/core/context.h"
#include "model/core/cpu.h"

/* Is E written at the entry or the exit of a hard interrupt, or a gap? */
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

/*
 * Can a softirq be served whose entry was not recorded?  Where entries are, one is also served behind the
 * last of a round (handle_softirqs(), kernel/softirq.c).  Under PREEMPT_RT it is what a thread does.
 */
static bool may_miss_softirqs(const struct mdl_machine *m)
{
	return m->coverage.kernel & MDL_KERNEL_TELLS_SOFTIRQS && !mdl_machine_is_rt(m) &&
		!(m->coverage.entered & 1u << MDL_CTX_SOFTIRQ);
}

/* What C is in by E; MDL_CTX_TYPES: by its levels it is, too. */
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
	if (c->unseen.behind) /* its handler */
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
