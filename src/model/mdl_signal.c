/* SPDX-License-Identifier: MIT */
/*
 * How it works: a signal wakes its thread before signal_generate is written
 * (complete_signal() and trace_signal_generate() in __send_signal_locked(),
 * kernel/signal.c, interrupts off).  So a wake-up was for a signal when the
 * next event of its CPU, but for the rest of that wake-up, is signal_generate
 * for the woken thread or another one of its process.  The thread may run on
 * another CPU by then; its wake-up is deferred so long.
 *
 * The other order is not that: for the end of a child do_notify_parent() sends
 * SIGCHLD, which wakes nobody who waits in wait4(), and wakes the parent after
 * that.  Nor do signals that were ignored or pending already.  Kernels before
 * 3.4 wrote the event before the wake-up and without its result; there it is not
 * known.
 */
#include "model/mdl_signal.h"

#include "model/mdl_cpu.h"
#include "model/mdl_deferred.h"
#include "model/mdl_thread.h"

/* TRACE_SIGNAL_… of include/trace/events/signal.h: those after which the signal was delivered. */
enum { SIGNAL_DELIVERED = 0, SIGNAL_LOSE_INFO = 4 };

/* Does a signal for the thread or process TID concern T? */
static bool is_for(struct mdl_machine *m, int64_t tid, const struct mdl_thread *t)
{
	const struct mdl_thread *target;
	int64_t pid = t->track->row.pid;

	if (tid == t->tid || (pid != -1 && tid == pid))
		return true;
	target = mdl_thread_peek(m, tid);
	return target && pid != -1 && target->track->row.pid == pid;
}

void mdl_signal_pass(struct mdl_machine *m, struct mdl_cpu *c)
{
	struct mdl_thread *t = c->just_woken != 0 ? mdl_thread_peek(m, c->just_woken) : NULL;

	c->just_woken = 0;
	if (t)
		mdl_deferred_settle(m, t);
}

void mdl_signal_woken(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	mdl_signal_pass(m, c);
	c->just_woken = t->tid;
}

void mdl_signal_generate(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	struct mdl_thread *t = c->just_woken != 0 ? mdl_thread_peek(m, c->just_woken) : NULL;
	int64_t result = e->arg[MDL_SIGNAL_RESULT];
	struct mdl_facts *facts;

	if (!t || (result != SIGNAL_DELIVERED && result != SIGNAL_LOSE_INFO) ||
		!is_for(m, e->arg[MDL_SIGNAL_TID], t))
		return;
	facts = mdl_deferred_facts(m, t, e->cpu);
	if (!facts)
		return;
	facts->has |= MDL_FACT_SIGNAL;
	facts->signal.number = (uint32_t)e->arg[MDL_SIGNAL_NR];
	facts->signal.sender = mdl_cpu_act(m, e->cpu);
}
