/* SPDX-License-Identifier: MIT */
/*
 * How it works: each CPU has a stack of the open interrupt contexts, outermost first. An exit closes the
 * innermost context of its kind and all above it, whose exits were not recorded. An exit without an entry is
 * ignored. A thread switch cannot happen inside a context, so it empties the stack. Lost events empty it,
 * too: a stale context would explain wake-ups wrongly. (Under PREEMPT_RT a softirq belongs to its thread, and
 * stays with it: cause/irqthread.c, proofs.md R17.1.)
 *
 * If an exit is not recorded, the first event that cannot come in the context shows that it is over
 * (proofs.md R22.1):
 *
 *   - A system call, fork() or execve(): only a thread does these.
 *   - A work item begins or ends: no hard interrupt executes one (process_one_work(), kernel/workqueue.c).
 *   - The entry of a softirq: softirqs run one after the other when the outermost hard interrupt is over
 *     (irq_exit(), in_interrupt() in invoke_softirq(), kernel/softirq.c), or in a thread. IPIs are the
 *     exception: before Linux 5.8 scheduler_ipi() had its own irq_exit(), within reschedule_entry and _exit,
 *     and before 5.10 handle_IPI() of arm and arm64 had one.
 *   - This interrupt again, with no softirq in between: a line in progress is only marked as pending
 *     (handle_edge_irq(), kernel/irq/chip.c), and vectors run with interrupts off. Handlers of different
 *     lines may nest: the handler of a parent line calls those of its child lines (generic_handle_irq() in
 *     drivers/pinctrl).
 *
 * Until then the states show the interrupt, and on an idle CPU only up to the last event in it. All of them
 * are inferred if exits of a kind were not recorded (mdl_coverage_missing()). If exits of the kind are
 * recorded and one is missing, the reason is unknown. Then it is unknown who had the CPU since the last
 * change of state.
 *
 * The context that ended last is on its way out until the next event of the CPU: the kernel's wake-ups on the
 * way out come after the exit event (proofs.md R10.1, R15.1).
 */
#include "model/cause/level.h"

#include "model/cause/parts.h"
#include "model/cause/chain.h"
#include "model/core/context.h"
#include "model/core/cpu.h"
#include "model/core/line.h"
#include "model/cause/sender.h"
#include "model/core/thread.h"
#include "model/core/track.h"

/* True if hrtimers may expire in L. In any other context, an unrecorded vector came upon it. */
static bool expires_timers(const struct mdl_level *l)
{
	return l->type == MDL_CTX_IRQ || l->type == MDL_CTX_VECTOR || mdl_level_is_soft_timers(l);
}

/* Set the origin of L, which begins on CPU. */
static void find_origin(struct mdl_machine *m, uint32_t cpu, struct mdl_level *l)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	const struct mdl_level *outer = mdl_cpu_level(m, cpu);

	l->origin.n = 0;
	if (l->type == MDL_CTX_SOFTIRQ) {
		mdl_chain_softirq(m, c, l);
	} else if (l->type == MDL_CTX_IPI) {
		mdl_sender_take(m, cpu, c, l);
	} else if (l->type == MDL_CTX_IRQ) {
		mdl_sender_irq(m, cpu, c, l);
	} else if (l->type == MDL_CTX_HRTIMER && outer->context != MDL_NONE && expires_timers(outer)) {
		struct mdl_act act = mdl_cpu_act(m, cpu);

		mdl_chain_copy(&l->origin, &outer->origin);
		/* The local timer's own interrupt may have no event (hrtimer_interrupt(),
		 * kernel/time/hrtimer.c), and come after the end of OUTER. */
		mdl_chain_add(&l->origin, &act, mdl_chain_past(m, outer));
	}
}

/* Context L of CPU ends. */
static void level_end(struct mdl_machine *m, uint32_t cpu, struct mdl_cpu *c, const struct mdl_level *l)
{
	struct mdl_act act = {
		.time = m->now,
		.entry = l->entry,
		.cpu = cpu,
		.context = l->context,
		.thread = mdl_cpu_thread(c),
	};

	c->left_at = m->now;
	if (l->type == MDL_CTX_IRQ)
		mdl_sender_irq_exit(m, cpu, l);
	if (mdl_machine_has(m, MDL_GROUP_RAISE) && mdl_machine_has(m, MDL_GROUP_WAKING))
		return;
	mdl_chain_copy(&c->cause->left, &l->origin);
	mdl_chain_add(&c->cause->left, &act, MDL_DOUBT(NO_RAISE));
}

/* Set the states of CPU and of the thread that runs on it. */
static void refresh_both(struct mdl_machine *m, uint32_t cpu, struct mdl_cpu *c)
{
	mdl_cpu_refresh(m, cpu);
	if (c->current)
		mdl_thread_refresh(m, c->current);
}

void mdl_level_begin(struct mdl_machine *m, uint32_t cpu, struct mdl_level *l, enum mdl_ctx_type type,
	int64_t nr, uint32_t name)
{
	l->context = mdl_context_id(&m->contexts, type, nr, name);
	l->entry = m->now;
	l->type = (uint8_t)type;
	l->nr = nr;
	l->told = l->behind = false;
	l->irqs = 0;
	l->others = MDL_OTHERS_OPEN;
	find_origin(m, cpu, l);
	mdl_coverage_enter(&m->coverage, type);
	l->facts.has = 0;
	l->expired_timer = 0;
}

/* A context that came while C was idle seems to be over, and exits of its kind are not recorded. Most likely
 * it ended after its last event, because an idle CPU writes nothing else. */
static void end_on_idle(struct mdl_machine *m, struct mdl_cpu *c)
{
	if (c->depth == 0 || !c->current || c->current != c->idle || c->gap != MDL_GAP_NONE ||
		mdl_coverage_ends(&m->coverage, c->stack[c->depth - 1].type))
		return;
	if (c->track->open.state == MDL_ST_INTERRUPTED)
		mdl_track_set(m, c->track, MAX(c->heard, c->track->open.from), MDL_ST_IDLE, 0,
			c->idle->track->id);
	if (c->idle->track->open.state == MDL_ST_INTERRUPTED)
		mdl_track_set(m, c->idle->track, MAX(c->heard, c->idle->track->open.from), MDL_ST_RUNNING, 0,
			c->idle->cpu);
}

/* True if a context of TYPE that begins now may lie within the open context of C, or begin as that ends.
 * hrtimers expire in the interrupt of their clock (hrtimer_interrupt(), kernel/time/hrtimer.c). Softirqs
 * begin as an interrupt is left (irq_exit_rcu(), kernel/softirq.c). hrtimers do not expire in an IPI, except
 * in the one that passes on the tick (tick_receive_broadcast(), kernel/time/tick-broadcast.c), which does
 * nothing else before. */
static bool may_be_within(const struct mdl_cpu *c, enum mdl_ctx_type type)
{
	const struct mdl_level *l = c->depth > 0 ? &c->stack[c->depth - 1] : NULL;

	if (type == MDL_CTX_HRTIMER)
		return !l || l->type != MDL_CTX_IPI || c->heard <= l->entry;
	return type == MDL_CTX_SOFTIRQ;
}

void mdl_level_enter(struct mdl_machine *m, uint32_t cpu, enum mdl_ctx_type type, int64_t nr, uint32_t name)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	if (!may_be_within(c, type))
		end_on_idle(m, c);
	if (c->depth == MDL_CTX_MAX)
		c->depth = 0; /* no kernel nests contexts so deep, so exits were not recorded */
	c->leaving = NULL;
	c->cause->raised.irqs += type == MDL_CTX_IRQ || type == MDL_CTX_IPI;
	mdl_level_begin(m, cpu, &c->stack[c->depth], type, nr, name);
	c->depth++;
	c->is_sure = true;
	refresh_both(m, cpu, c);
}

/* The innermost context of C is over, and its exit is missing. */
static void lose_exit(struct mdl_machine *m, struct mdl_cpu *c)
{
	struct mdl_track *const tracks[] = { c->track, c->current ? c->current->track : NULL };

	for (size_t i = 0; i < G_N_ELEMENTS(tracks); i++)
		if (tracks[i] && tracks[i]->open.state == MDL_ST_INTERRUPTED &&
			mdl_coverage_ends(&m->coverage, c->stack[c->depth - 1].type))
			mdl_track_lose(m, tracks[i], tracks[i]->open.from);
}

/* The contexts of CPU from number KEEP on are over. When they ended, and what they did last, is unknown. */
static void level_drop(struct mdl_machine *m, uint32_t cpu, struct mdl_cpu *c, uint32_t keep)
{
	if (keep >= c->depth)
		return;
	end_on_idle(m, c);
	lose_exit(m, c);
	while (c->depth > keep) {
		const struct mdl_level *l = &c->stack[--c->depth];

		if (l->type == MDL_CTX_IRQ)
			mdl_line_irq(m, cpu, l->nr, 0, false);
		else if (l->type == MDL_CTX_SOFTIRQ)
			mdl_line_softirq(m, cpu, l->nr, false);
	}
	c->leaving = NULL;
	c->cause->left.n = 0;
	c->left_at = MDL_NEVER;
	refresh_both(m, cpu, c);
}

/* The number of contexts of C that may still be open when a softirq begins. */
static uint32_t below_softirq(const struct mdl_cpu *c)
{
	uint32_t keep = c->depth;

	while (keep > 0 && c->stack[keep - 1].type != MDL_CTX_IPI)
		keep--;
	return keep;
}

/* The number of contexts of C that may still be open when hard interrupt NR of TYPE begins. */
static uint32_t below_hard(const struct mdl_cpu *c, enum mdl_ctx_type type, int64_t nr)
{
	uint32_t keep = c->depth;

	for (uint32_t i = c->depth; i-- > 0 && c->stack[i].type != MDL_CTX_SOFTIRQ;)
		if (nr != -1 && c->stack[i].type == type && c->stack[i].nr == nr)
			keep = i;
	return keep;
}

bool mdl_level_restarts(const struct mdl_cpu *c, const struct mdl_event *e)
{
	return e->kind == MDL_EV_HRTIMER_START && c->leaving && c->leaving->type == MDL_CTX_HRTIMER &&
		c->leaving->expired_timer == mdl_event_address(e, MDL_TIMER_TIMER);
}

void mdl_level_before(struct mdl_machine *m, uint32_t cpu, enum mdl_ctx_type type, int64_t nr)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	if (c->depth > 0)
		level_drop(m, cpu, c, type == MDL_CTX_SOFTIRQ ? below_softirq(c) : below_hard(c, type, nr));
}

void mdl_level_thread(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	c->is_sure = true;
	if (c->depth > 0)
		level_drop(m, cpu, c, 0);
}

void mdl_level_work(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	uint32_t keep = c->depth;

	while (keep > 0 && c->stack[keep - 1].type != MDL_CTX_SOFTIRQ)
		keep--;
	level_drop(m, cpu, c, keep);
}

void mdl_level_switch(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	end_on_idle(m, c);
	/* a softirq may belong to a thread */
	if (c->depth > 0 && c->stack[c->depth - 1].type != MDL_CTX_SOFTIRQ)
		lose_exit(m, c);
	for (uint32_t i = 0; i < c->depth; i++)
		if (c->stack[i].type == MDL_CTX_IRQ)
			mdl_line_irq(m, cpu, c->stack[i].nr, 0, false);
	mdl_cpu_clear(c);
}

/* A context of TYPE ends on CPU whose entry was lost, or lies before the trace. So the state since the last
 * change was wrong. */
static void lose_begin(struct mdl_machine *m, uint32_t cpu, enum mdl_ctx_type type)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	struct mdl_track *const tracks[] = { c->track, c->current ? c->current->track : NULL };
	bool entries = m->coverage.entered & 1u << type || !mdl_coverage_ends(&m->coverage, type);

	mdl_coverage_leave(&m->coverage, type);
	if (!entries || c->depth > 0 || c->gap != MDL_GAP_NONE || c->is_sure)
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(tracks); i++)
		if (tracks[i])
			mdl_track_lose(m, tracks[i], tracks[i]->open.from);
	refresh_both(m, cpu, c);
}

void mdl_level_leave(struct mdl_machine *m, uint32_t cpu, enum mdl_ctx_type type, int64_t nr)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	for (uint32_t i = c->depth; i-- > 0;) {
		if (c->stack[i].type != type || (nr != -1 && c->stack[i].nr != nr))
			continue;
		level_end(m, cpu, c, &c->stack[i]);
		mdl_coverage_leave(&m->coverage, type);
		c->depth = i;
		c->leaving = &c->stack[i];
		c->just |= MDL_JUST_LEAVING;
		c->leaving_ret = MDL_ARG_ABSENT;
		refresh_both(m, cpu, c);
		return;
	}
	lose_begin(m, cpu, type);
}
