/* SPDX-License-Identifier: MIT */
/*
 * From an interrupt to the return to user mode of the thread that it woke. How it works: a thread that sleeps
 * in a system call is woken by the interrupt in which its sched_waking comes. That is the outermost hard IRQ
 * open on that CPU, or, in a softirq, the hard IRQ of the first raise of that vector since it last ran
 * (raising sets a bit, __raise_softirq_irqoff() in kernel/softirq.c). The span ends with the exit of that
 * call (exit_to_user_mode_prepare() in kernel/entry/common.c follows at once). If the thread sleeps again
 * before, this interrupt did not bring it back.
 *
 *   - An hrtimer expires in its vector, or in softirq HRTIMER. If it seems to expire in anything else, the
 *     vector was not recorded.
 *   - If there is only a sched_wakeup, in an IPI by which CPUs ask each other to wake (sched_ttwu_pending(),
 *     by ttwu_queue_wakelist() in kernel/sched/core.c), the waker is unknown.
 *   - A sched_waking of a thread that is on its way to sleep counts if its sched_wakeup comes after it was
 *     switched out (try_to_wake_up(), as in sched/sched.c).
 */
#include "model/span/parts.h"

#include "model/core/thread.h"

#include <string.h>

static const struct mdl_span_irq none = { .since = MDL_NEVER };

/* True if IRQ is an IPI in which wake-ups of other CPUs arrive. */
static bool is_way(struct mdl_machine *m, uint32_t cpu, const struct mdl_span_irq *irq)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	for (uint32_t i = 0; i < c->depth; i++)
		if (c->stack[i].entry == irq->since && c->stack[i].type == MDL_CTX_IPI)
			return !strstr(mdl_context_name(m, c->stack[i].context), "irq_work") &&
				!strstr(mdl_context_name(m, c->stack[i].context), "IRQ work");
	return false;
}

/* The wait of the thread of S is over, by IRQ. */
static void woken(const struct mdl_machine *m, struct mdl_span_thread *s, const struct mdl_span_irq *irq)
{
	s->asleep = false;
	s->woken = mdl_gap_since(&m->gaps, s->call_since) ? none : *irq;
	s->early = none;
	s->has_early = false;
}

static void waking(struct mdl_machine *m, struct mdl_span_thread *s, const struct mdl_event *e)
{
	struct mdl_span_irq irq = mdl_span_waker(m, e->cpu);

	if (s->asleep && !s->has_early) {
		woken(m, s, &irq);
	} else if (!s->asleep) {
		s->early = irq;
		s->has_early = true;
	}
}

static void wakeup(struct mdl_machine *m, struct mdl_span_thread *s, const struct mdl_event *e)
{
	struct mdl_span_irq irq = mdl_span_waker(m, e->cpu);

	if (s->asleep && !s->has_early)
		woken(m, s, irq.since != MDL_NEVER && is_way(m, e->cpu, &irq) ? &none : &irq);
	else if (s->asleep)
		woken(m, s, &s->early);
	s->has_early = false;
}

/* True if T's call waits for the current thread of CPU, which ends, as pthread_join() does: mm_release()
 * (kernel/fork.c) releases the shared futex at clear_child_tid. */
static bool is_join(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t)
{
	static const char *const exits[] = { "exit", NULL };
	const struct mdl_thread *w = mdl_cpu_get(m, cpu)->current;

	return t->span->futex && t->span->is_shared && w && mdl_cpu_get(m, cpu)->depth == 0 &&
		w->mode == MDL_MODE_SYSCALL && mdl_thread_call_is(m, w->syscall, exits) &&
		mdl_thread_may_join(t, w);
}

/* T left its CPU. */
static void switched_out(struct mdl_span_thread *s, const struct mdl_thread *t)
{
	s->asleep = t->phase == MDL_PH_BLOCKED;
	if (t->phase == MDL_PH_BLOCKED || t->phase == MDL_PH_EXITED)
		s->woken = none;
	if (t->phase != MDL_PH_BLOCKED)
		s->has_early = false;
}

/* The open spans of thread TID, if it is in a system call; otherwise NULL. */
static struct mdl_span_thread *in_call(struct mdl_machine *m, int64_t tid, const struct mdl_thread **t)
{
	*t = tid == MDL_ARG_ABSENT ? NULL : mdl_thread_peek(m, tid);
	return *t && (*t)->span && (*t)->span->call_since != MDL_NEVER ? (*t)->span : NULL;
}

void mdl_span_return(struct mdl_machine *m, const struct mdl_event *e)
{
	bool is_switch = e->kind == MDL_EV_SCHED_SWITCH;
	const struct mdl_thread *t;
	struct mdl_span_thread *s;

	if (m->spans->calls == 0) /* always 0 if calls are not recorded */
		return;
	s = in_call(m, e->arg[is_switch ? MDL_SWITCH_PREV_TID : MDL_WAKE_TID], &t);
	if (s && is_switch) {
		switched_out(s, t);
	} else if (s && e->kind == MDL_EV_SCHED_WAKING) {
		s->joins |= is_join(m, e->cpu, t);
		waking(m, s, e);
	} else if (s) {
		wakeup(m, s, e);
	}
	if (!is_switch)
		return;
	s = in_call(m, e->arg[MDL_SWITCH_NEXT_TID], &t);
	if (s) /* an unseen waker woke it, or it was awake anyway */
		s->asleep = s->has_early = false;
}
