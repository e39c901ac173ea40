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
 * that.  Nor do signals that were ignored or pending already, but for SIGCONT,
 * which continues who is stopped before that is looked at (prepare_signal()).
 * Kernels before 3.4 wrote the event before the wake-up and without its result;
 * there it is not known.
 *
 * Whoever sends a signal may have woken that thread before, for something else, with
 * no event between: who ends closes pipes (exit_files()), releases futexes
 * (mm_release()) and who waits for its vfork(), and tells pidfds, then sends SIGCHLD
 * (exit_notify(), kernel/exit.c); who writes wakes readers, then sends SIGIO
 * (kill_fasync(), fs/fcntl.c).  The second wake-up of a thread leaves no event.  So
 * it is proved only
 *
 *  - of kill(), tgkill(), sigqueue() and their like, which do nothing else, in one
 *    system call: by its name, or by the signal's code where calls have none.  Who ends sends that code,
 *    too, behind all else that it does: prctl(PR_SET_PDEATHSIG), forget_original_parent()
 *    in kernel/exit.c;
 *  - of a timer, whose function does nothing else (it_real_fn(), posix_timer_fn()), unless that may be over
 *    unseen;
 *  - of SIGCONT for a stopped thread;
 *  - where the woken one is in a call that nothing else of a thread ends.  The end of
 *    a child ends wait4() only behind the signal.
 *
 * Under PREEMPT_RT a sender may just have handed over the lock of the signals, which one sleeps for
 * uninterruptibly: who slept so, or was about to sleep, need not have been woken by the signal.
 *
 * Not all tracers tell of which process a thread is.  Where it is certain that a signal woke one, the signal
 * for a process that is told next is that one (__send_signal_locked()).
 *
 * One for a single thread wakes no other, unless it kills; a thread that does not
 * sleep interruptibly is woken by those alone that can kill.
 */
#include "model/mdl_signal.h"

#include "model/mdl_chain.h"
#include "model/mdl_cpu.h"
#include "model/mdl_deferred.h"
#include "model/mdl_thread.h"

/* TRACE_SIGNAL_… of include/trace/events/signal.h: those after which the signal was delivered. */
enum { SIGNAL_DELIVERED = 0, SIGNAL_IGNORED = 1, SIGNAL_LOSE_INFO = 4 };
/* si_code of include/uapi/asm-generic/siginfo.h: of kill(), sigqueue(), tgkill(). */
enum { CODE_USER = 0, CODE_QUEUE = -1, CODE_TKILL = -6 };
/* include/uapi/asm-generic/signal.h; sig_kernel_ignore() and sig_kernel_stop(): they never kill. */
enum {
	SIG_CHLD = 17,
	SIG_CONT = 18,
	SIG_STOP = 19,
	SIG_TTOU = 22, /* with TSTP and TTIN between */
	SIG_URG = 23,
	SIG_WINCH = 28
};

/* Does the signal E concern T? */
static bool is_for(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_thread *t)
{
	const struct mdl_thread *target;
	int64_t pid = t->track->row.pid, tid = e->arg[MDL_SIGNAL_TID];

	if (tid == t->tid)
		return true;
	if (e->arg[MDL_SIGNAL_GROUP] == 0)
		return false;
	if (pid != -1 && tid == pid)
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
	c->just_block = t->phase == MDL_PH_BLOCKED ? t->block : MDL_BLOCK_UNKNOWN;
	c->just_call = t->mode == MDL_MODE_SYSCALL ? t->syscall : 0;
}

/* Can E have ended the wait of the thread that C woke? */
static bool can_wake(const struct mdl_cpu *c, const struct mdl_event *e)
{
	int64_t nr = e->arg[MDL_SIGNAL_NR], result = e->arg[MDL_SIGNAL_RESULT];
	bool harmless = nr == SIG_CHLD || nr == SIG_CONT || (nr >= SIG_STOP && nr <= SIG_TTOU) ||
		nr == SIG_URG || nr == SIG_WINCH;

	if (c->just_block == MDL_BLOCK_STOPPED && nr == SIG_CONT)
		return result == SIGNAL_DELIVERED || result == SIGNAL_IGNORED || result == SIGNAL_LOSE_INFO;
	if (result != SIGNAL_DELIVERED && result != SIGNAL_LOSE_INFO)
		return false;
	return c->just_block == MDL_BLOCK_INTERRUPTIBLE || c->just_block == MDL_BLOCK_UNKNOWN || !harmless;
}

/* Does nothing that a thread does, but for signals, end the call that the woken thread was in? */
static bool waits_for_signals(const struct mdl_machine *m, const struct mdl_cpu *c)
{
	static const char *const calls[] = { "wait4", "waitid", "waitpid", "pause", "rt_sigsuspend",
		"rt_sigtimedwait", "nanosleep", "clock_nanosleep", NULL };

	return mdl_thread_call_is(m, c->just_call, calls);
}

/* Does T do nothing but send a signal with CODE? */
static bool only_sends(const struct mdl_machine *m, const struct mdl_thread *t, int64_t code)
{
	static const char *const calls[] = { "kill", "tkill", "tgkill", "rt_sigqueueinfo",
		"rt_tgsigqueueinfo", "pidfd_send_signal", NULL };

	if (t->mode != MDL_MODE_SYSCALL || (code != CODE_USER && code != CODE_QUEUE && code != CODE_TKILL))
		return false;
	return t->syscall != 0 ? mdl_thread_call_is(m, t->syscall, calls) : m->has_exits && !t->ends;
}

static enum mdl_grade grade_of(struct mdl_machine *m, const struct mdl_cpu *c, const struct mdl_event *e)
{
	const struct mdl_level *l = mdl_cpu_level(m, e->cpu);
	int64_t code = e->arg[MDL_SIGNAL_CODE];

	if (m->threaded && (c->just_block == MDL_BLOCK_UNINTERRUPTIBLE || c->just_block == MDL_BLOCK_UNKNOWN))
		return MDL_INFERRED;
	if (l->facts.has & MDL_FACT_TIMER && l->facts.timer.expired)
		return mdl_chain_may_be_over(m, l) ? MDL_INFERRED : MDL_PROVED;
	if (c->just_block == MDL_BLOCK_STOPPED && e->arg[MDL_SIGNAL_NR] == SIG_CONT)
		return MDL_PROVED;
	if (l != &c->own || m->some_calls)
		return MDL_INFERRED;
	if (waits_for_signals(m, c))
		return MDL_PROVED;
	return c->current && only_sends(m, c->current, code) ? MDL_PROVED : MDL_INFERRED;
}

/* Can T, of which it is not known which process it is of, be of the one that E is for? */
static bool may_be_for(const struct mdl_event *e, const struct mdl_thread *t)
{
	return e->arg[MDL_SIGNAL_GROUP] > 0 && t->track->row.pid == -1;
}

void mdl_signal_generate(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	struct mdl_thread *t = c->just_woken != 0 ? mdl_thread_peek(m, c->just_woken) : NULL;
	struct mdl_facts *facts;
	enum mdl_grade grade;

	if (!t || !can_wake(c, e))
		return;
	grade = grade_of(m, c, e);
	if (!is_for(m, e, t) &&
		!(may_be_for(e, t) && grade == MDL_PROVED && mdl_cpu_level(m, e->cpu) == &c->own))
		return;
	facts = mdl_deferred_facts(m, t, e->cpu);
	if (!facts)
		return;
	facts->has |= MDL_FACT_SIGNAL;
	facts->signal.number = (uint32_t)e->arg[MDL_SIGNAL_NR];
	facts->signal.grade = (uint8_t)grade;
	facts->signal.sender = mdl_cpu_act(m, e->cpu);
}
