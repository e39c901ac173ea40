/* SPDX-License-Identifier: MIT */
/*
 * How it works: a signal wakes its thread before signal_generate is written (complete_signal() and
 * trace_signal_generate() in __send_signal_locked(), kernel/signal.c, interrupts off). So a wake-up was for a
 * signal if the next event of its CPU is signal_generate for the woken thread or its process; the rest of
 * that wake-up and other wake-ups do not count as events (proofs.md R8.1). The thread may already run on
 * another CPU then, so its wake-up is deferred until that event.
 *
 * One signal may wake many threads before its event: readers of signals from a file (signalfd_notify()), all
 * stopped threads (SIGCONT), and all threads of a process that it kills, unless it dumps core (R8.7). Any
 * other signal wakes one thread, the last one. A thread that the sender woke before was not woken for the
 * signal, unless the sender does nothing but send it.
 *
 * The other order is no signal's wake-up: at the end of a child the wake-up of the parent comes after SIGCHLD
 * (R8.6). A signal that was ignored, or pending already, wakes no thread. SIGCONT is the exception: it
 * continues a stopped thread before the kernel checks that (R8.5). Kernels before 3.4 wrote the event before
 * the wake-up and without its result: there the reason is unknown.
 *
 * The sender may have woken that thread just before, for something else, with no event in between: the second
 * wake-up of a thread leaves no event (R8.2). So a signal has a doubt, except in these cases:
 *
 *   - The sender is in a call that does nothing else, by the call's name, or by the signal's code if calls
 *     have no names (R8.3).
 *   - An interval timer of the process or a POSIX timer sent it, by the signal's number and code, and its
 *     function cannot be over without an event (R8.4). Timers that count CPU time run in the tick, or since
 *     Linux 5.10 in the thread itself on its way to user mode (CONFIG_POSIX_CPU_TIMERS_TASK_WORK).
 *   - It is SIGCONT for a stopped thread.
 *   - The wakee is in a call that other threads can end only by a signal (R8.6).
 *
 * Under PREEMPT_RT a sender may just have handed over the lock of the signals (R8.9): then the signal need
 * not have woken a thread that slept uninterruptibly, or was about to sleep.
 *
 * Some tracers do not record the process of a thread. If a signal surely woke a thread, the next signal for a
 * process is that signal (__send_signal_locked()).
 *
 * Only a signal that can kill wakes a thread that does not sleep interruptibly (R8.8). How the thread slept
 * may be in lost events.
 */
#include "model/sched/sched.h"

#include "model/cause/chain.h"
#include "model/cause/parts.h"
#include "model/core/cpu.h"
#include "model/cause/deferred.h"
#include "model/core/thread.h"
#include "model/timer/timer.h"

/* TRACE_SIGNAL_… of include/trace/events/signal.h: results with which the signal was delivered, and
 * IGNORED. */
enum { SIGNAL_DELIVERED = 0, SIGNAL_IGNORED = 1, SIGNAL_LOSE_INFO = 4 };
/* si_code of include/uapi/asm-generic/siginfo.h: of kill(), sigqueue(), tgkill(), POSIX timers, and the
 * kernel's own. */
enum { CODE_USER = 0, CODE_QUEUE = -1, CODE_TKILL = -6, CODE_TIMER = -2, CODE_KERNEL = 0x80 };
/* include/uapi/asm-generic/signal.h. All except ALRM are in sig_kernel_ignore() or sig_kernel_stop(): they
 * never kill. */
enum {
	SIG_ALRM = 14,
	SIG_CHLD = 17,
	SIG_CONT = 18,
	SIG_STOP = 19,
	SIG_TTOU = 22, /* with TSTP and TTIN between */
	SIG_URG = 23,
	SIG_WINCH = 28
};

/* True if the default action of signal NR does not kill. */
static bool is_harmless(int64_t nr)
{
	return nr == SIG_CHLD || nr == SIG_CONT || (nr >= SIG_STOP && nr <= SIG_TTOU) || nr == SIG_URG ||
		nr == SIG_WINCH;
}

/* True if E may wake all threads of a process to end it. A signal that dumps core does not
 * (sig_kernel_coredump()). */
static bool may_end_all(const struct mdl_event *e)
{
	static const uint8_t dump[] = { 3, 4, 5, 6, 7, 8, 11, 24, 25, 31 }; /* QUIT … SYS */
	int64_t nr = e->arg[MDL_SIGNAL_NR];

	for (size_t i = 0; i < G_N_ELEMENTS(dump); i++)
		if (nr == dump[i])
			return false;
	return !is_harmless(nr);
}

/* True if T is of the process that E is for. */
static bool is_of_same(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_thread *t)
{
	int64_t pid = t->track->row.pid, tid = e->arg[MDL_SIGNAL_TID];
	const struct mdl_thread *target = mdl_thread_peek(m, tid);

	return pid != -1 && (tid == pid || (target && target->track->row.pid == pid));
}

/* True if signal E is for T. */
static bool is_for(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_thread *t)
{
	return e->arg[MDL_SIGNAL_TID] == t->tid || (e->arg[MDL_SIGNAL_GROUP] != 0 && is_of_same(m, e, t));
}

/* Like is_for(), for T that E or another signal surely woke: the process of T may be unknown, and E may kill
 * that process. */
static bool may_be_for(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_thread *t)
{
	return (e->arg[MDL_SIGNAL_GROUP] > 0 || may_end_all(e)) &&
		(t->track->row.pid == -1 || is_of_same(m, e, t));
}

/* True if E can have ended the wait of W. */
static bool can_wake(const struct mdl_woken *w, const struct mdl_event *e)
{
	int64_t nr = e->arg[MDL_SIGNAL_NR], result = e->arg[MDL_SIGNAL_RESULT];
	bool delivered = result == SIGNAL_DELIVERED || result == SIGNAL_LOSE_INFO;

	if (nr == SIG_CONT && (w->block == MDL_BLOCK_STOPPED || w->block == MDL_BLOCK_UNKNOWN))
		return delivered || result == SIGNAL_IGNORED;
	if (!delivered)
		return false;
	return w->block == MDL_BLOCK_INTERRUPTIBLE || w->block == MDL_BLOCK_UNKNOWN || !is_harmless(nr);
}

/* True if other threads can end the call that the wakee was in only by a signal. */
static bool waits_for_signals(const struct mdl_machine *m, const struct mdl_woken *w)
{
	static const char *const calls[] = { "wait4", "waitid", "waitpid", "pause", "rt_sigsuspend",
		"rt_sigtimedwait", "nanosleep", "clock_nanosleep", NULL };

	return mdl_thread_call_is(m, w->call, calls);
}

/* True if T is in a call that only sends a signal with CODE. */
static bool only_sends(const struct mdl_machine *m, const struct mdl_thread *t, int64_t code)
{
	static const char *const calls[] = { "kill", "tkill", "tgkill", "rt_sigqueueinfo",
		"rt_tgsigqueueinfo", "pidfd_send_signal", NULL };

	if (t->mode != MDL_MODE_SYSCALL || (code != CODE_USER && code != CODE_QUEUE && code != CODE_TKILL))
		return false;
	return mdl_thread_sure_call(t) != 0 ? mdl_thread_call_is(m, t->syscall, calls)
					    : mdl_machine_has(m, MDL_GROUP_EXIT) && !t->ends;
}

/* True if E is the signal of the timer that expires in L, whose function sends it and does nothing else. The
 * tick sends no ALRM. */
static bool is_of_timer(const struct mdl_machine *m, const struct mdl_level *l, const struct mdl_event *e)
{
	int64_t code = e->arg[MDL_SIGNAL_CODE];
	bool alarm = code == CODE_KERNEL && e->arg[MDL_SIGNAL_NR] == SIG_ALRM;

	return (alarm || (code == CODE_TIMER && !mdl_timer_may_be_tick(m, l))) &&
		!mdl_chain_may_be_over(m, l);
}

/* The doubts that E woke W. */
static mdl_doubts signal_doubts_of(struct mdl_machine *m, const struct mdl_woken *w,
	const struct mdl_event *e)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	const struct mdl_level *l = mdl_cpu_level(m, e->cpu);
	int64_t code = e->arg[MDL_SIGNAL_CODE];

	if (mdl_doubt(&m->coverage, MDL_DOUBT(RT_LOCK)) &&
		(w->block == MDL_BLOCK_UNINTERRUPTIBLE || w->block == MDL_BLOCK_UNKNOWN))
		return MDL_DOUBT(RT_LOCK);
	if (l->facts.has & MDL_FACT_TIMER && l->facts.timer.expired)
		return is_of_timer(m, l, e) ? 0 : MDL_DOUBT(TIMER);
	if (w->block == MDL_BLOCK_STOPPED && e->arg[MDL_SIGNAL_NR] == SIG_CONT)
		return 0;
	if (l != &c->own)
		return MDL_DOUBT(SIGNAL);
	if (m->coverage.some_calls)
		return MDL_DOUBT(CALLS);
	if (waits_for_signals(m, w))
		return 0;
	return c->current && only_sends(m, c->current, code) ? 0 : MDL_DOUBT(SIGNAL);
}

/* Add the signal to the facts of wake-up W if E did it. LAST: W is the last one before E. */
static void signal_explain(struct mdl_machine *m, const struct mdl_woken *w, const struct mdl_event *e,
	bool last)
{
	struct mdl_thread *t = mdl_thread_peek(m, w->tid);
	struct mdl_facts *facts;
	mdl_doubts doubts;
	bool own;

	/* A wake-up by another context, which the tracer's flags may show, is not the signal's. */
	if (!t || !can_wake(w, e) || w->context != mdl_cpu_level(m, e->cpu)->context)
		return;
	doubts = signal_doubts_of(m, w, e);
	if (!last && doubts && !may_end_all(e))
		return;
	own = !doubts && mdl_cpu_level(m, e->cpu) == &mdl_cpu_get(m, e->cpu)->own;
	if (!is_for(m, e, t) && !(own && may_be_for(m, e, t)))
		return;
	facts = mdl_deferred_facts(m, t, e->cpu);
	if (!facts)
		return;
	facts->has |= MDL_FACT_SIGNAL;
	facts->signal.number = (uint32_t)e->arg[MDL_SIGNAL_NR];
	facts->signal.doubts = doubts;
	facts->signal.sender = mdl_cpu_act(m, e->cpu);
}

void mdl_signal_generate(struct mdl_machine *m, const struct mdl_event *e)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);

	for (uint32_t i = 0; i < c->cause->n_woken; i++)
		signal_explain(m, &c->cause->woken[i], e, i + 1 == c->cause->n_woken);
}
