/* SPDX-License-Identifier: MIT */
/*
 * How it works: a wait begins when a thread is switched out in a sleeping state. It ends with the first
 * wake-up event after that (proofs.md R13.1): sched_waking, which is written where the waker is, or
 * sched_wakeup if sched_waking is not recorded. Later wake-ups of the same wait change nothing.
 *
 * One race of try_to_wake_up() (kernel/sched/core.c) shows in traces: another CPU wakes the thread while it
 * is on its way out, so its sched_switch comes after the sched_waking. If the thread was still on the run
 * queue, sched_wakeup follows at once, and there was no wait. Otherwise sched_wakeup comes after the switch
 * and ends a wait whose cause is the early sched_waking. If no sched_wakeup is recorded, the next switch
 * shows whether it slept, because no other sched_waking came before it.
 *
 * A thread that reaps itself gives up its TID before its last sched_switch. So a switch may remove a TID
 * whose new owner has never run. The new owner stays as it is.
 *
 * A thread that leaves its CPU as "R", not "R+", is TASK_RUNNING, and no thread in this state is woken
 * (ttwu_state_match(), kernel/sched/core.c). "R+" means preempted, whatever the state. But some sleeping
 * threads show as "R", and only their wake-up reveals it (proofs.md R25.2):
 *
 *   - The tracepoint read the state again, which may be TASK_WAKING already, because another CPU wakes the
 *     thread (__trace_sched_switch_state(), include/trace/events/sched.h; from Linux 5.8, c6e7bd7afaeb
 *     "sched/core: Optimize ttwu() spinning on p->on_cpu", to 5.17, fa2c3254d7cf "sched/tracing: Don't
 *     re-read p->state when emitting sched_switch event"). Its sched_waking comes before the switch and its
 *     sched_wakeup after it. If it did not sleep, both come before.
 *   - PREEMPT_RT: TASK_RTLOCK_WAIT is not part of TASK_REPORT (rtlock_slowlock_locked(),
 *     kernel/locking/rtmutex.c; until 25795ef6299f of 5.18 "sched/tracing: Report TASK_RTLOCK_WAIT tasks as
 *     TASK_UNINTERRUPTIBLE").
 *   - TASK_FROZEN is not part of it either (__refrigerator(), kernel/freezer.c, since Linux 6.1; until
 *     f718faf3940e of 6.14 "freezer,sched: Report frozen tasks as 'D' instead of 'R'").
 *
 * Stable kernels got these changes at any release, so the events count, not the release.
 *
 * Since Linux 4.14 the state of a thread that has ended, X or Z, includes exit_state (task_state_index(),
 * include/linux/sched.h): a thread that sleeps between exit_notify() and its end leaves its CPU as X or Z.
 * Its next wake-up shows that it lives: a later thread with its TID is new, and the first event that wakes a
 * new thread is sched_wakeup_new (proofs.md R25.4).
 *
 * sched_waking names the CPU on which the thread was, sched_wakeup the CPU on which it is put. So
 * sched_wakeup corrects where the thread waits.
 */
#include "model/sched/sched.h"

#include "model/cause/parts.h"
#include "model/guest/virq.h"
#include "model/core/cpu.h"
#include "model/cause/deferred.h"
#include "model/core/gap.h"
#include "model/cause/irqthread.h"
#include "model/cause/level.h"
#include "model/core/missing.h"
#include "model/cause/pool.h"
#include "model/cause/remote.h"
#include "model/core/thread.h"
#include "model/timer/timer.h"
#include "model/core/track.h"
#include "model/work/work.h"

/* E is the event that shows W. */
static void point_at(struct mdl_wakeup *w, const struct mdl_event *e)
{
	w->rank = e->rank;
	w->event_time = e->time;
	w->event_cpu = e->cpu;
}

/* Add the context that wakes T on its way out to the contexts of W, although it is not open any more. */
static void place_leaving(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t,
	struct mdl_wakeup *w)
{
	const struct mdl_level *l = mdl_irqthread_waker(m, cpu, t);

	if (!l || mdl_cpu_get(m, cpu)->is_unseen ||
		/* a softirq left something pending, but need not have raised it */
		l->type == MDL_CTX_SOFTIRQ || w->n_contexts == MDL_CTX_MAX ||
		mdl_cpu_get(m, cpu)->gap != MDL_GAP_NONE)
		return;
	w->contexts[w->n_contexts].context = l->context;
	w->contexts[w->n_contexts++].entry = l->entry;
}

/* Fill W. Entries for contexts that are not open stay unset: they are most of the struct. */
static void fill_wakeup(struct mdl_machine *m, const struct mdl_event *e, enum mdl_via via,
	const struct mdl_thread *t, struct mdl_wakeup *w)
{
	int64_t target = e->arg[MDL_WAKE_TARGET_CPU];

	w->time = m->now;
	w->since = w->ran_at = MDL_NEVER;
	w->cause = 0;
	w->target_cpu = target >= 0 && target < MDL_NONE ? (uint32_t)target : MDL_NONE;
	w->via = (uint8_t)via;
	point_at(w, e);
	mdl_cpu_place(m, e->cpu, w);
	place_leaving(m, e->cpu, t, w);
}

static void hand_out(struct mdl_machine *m, struct mdl_thread *t)
{
	mdl_deferred_give(m, t, g_steal_pointer(&t->pending), mdl_timer_is_armed(m, t));
}

/* The early sched_waking ended no wait. */
static void forget_early(struct mdl_thread *t)
{
	g_clear_pointer(&t->early, mdl_deferred_free);
}

/* The wait of T ends now, by WHY, which is taken over. */
static void end_wait(struct mdl_machine *m, struct mdl_thread *t, struct mdl_deferred *why)
{
	mdl_deferred_drop(m, t);
	t->pending = why;
	why->wakeup.time = m->now;
	mdl_irqthread_woken(m, why->wakeup.cpu, t, why->cause);
	why->wakeup.since = t->phase == MDL_PH_BLOCKED && m->gaps.open == 0 ? t->phase_since : MDL_NEVER;
}

/* The wait of T ends now, by the early sched_waking if there was one, otherwise by W and CAUSE (taken
 * over). */
static void end_early(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_wakeup *w,
	struct mdl_cause *cause)
{
	struct mdl_deferred *early = g_steal_pointer(&t->early);

	if (early)
		g_free(cause);
	end_wait(m, t, early ? early : mdl_deferred_new(m, w, cause));
}

/* T, which was woken by an early sched_waking without a sched_wakeup, runs on CPU now. It was runnable as
 * soon as it had left its CPU: nothing else woke it since, and try_to_wake_up() waits only for that
 * (smp_cond_load_acquire() of on_cpu, or that CPU does the rest: ttwu_queue_wakelist()). */
static void end_at_once(struct mdl_machine *m, struct mdl_thread *t, uint32_t cpu)
{
	int64_t since = t->phase_since;

	end_early(m, t, NULL, NULL);
	t->pending->wakeup.time = since;
	if (t->track->has_open && t->track->open.state == MDL_ST_BLOCKED && t->track->open.from == since)
		mdl_track_correct(m, t->track, MDL_ST_WAIT_CPU, 0, cpu);
}

static void forget_current(struct mdl_machine *m, struct mdl_cpu *c)
{
	mdl_deferred_drop(m, c->current);
	c->current->mode = MDL_MODE_UNKNOWN;
	mdl_thread_set_phase(m, c->current, MDL_PH_UNKNOWN, MDL_NONE);
	c->current = NULL;
}

/* T is on CPU now. If the model still has it running on another CPU, the thread there is unknown. */
static void leave_other_cpu(struct mdl_machine *m, struct mdl_thread *t, uint32_t cpu)
{
	struct mdl_cpu *other;

	if (t->phase != MDL_PH_RUN || t->cpu == cpu)
		return;
	other = mdl_cpu_get(m, t->cpu);
	if (other->current != t)
		return;
	other->current = NULL;
	mdl_cpu_clear(other);
	mdl_cpu_refresh(m, t->cpu);
}

/* T leaves its CPU to sleep: the work for which it was woken is over. */
static void fall_asleep(struct mdl_machine *m, struct mdl_thread *t)
{
	mdl_irqthread_rest(t);
	mdl_work_rest(m, t);
}

/* T, which seemed runnable when it left its CPU, is woken: it slept. Its kind of sleep is not recorded. If
 * the kernel is none of those that show sleepers as runnable, T has run since, unseen. */
static void find_asleep(struct mdl_machine *m, struct mdl_thread *t)
{
	if (t->phase != MDL_PH_PREEMPTED || !t->says_runs || m->gaps.open > 0)
		return;
	if (!m->sched->may_hide || !mdl_missing_none(&m->missing) || t->track->open.from != t->phase_since) {
		mdl_thread_disbelieve(m, t);
		return;
	}
	t->phase = MDL_PH_BLOCKED;
	t->block = MDL_BLOCK_UNKNOWN;
	mdl_track_correct(m, t->track, MDL_ST_BLOCKED, MDL_BLOCK_UNKNOWN, t->cpu);
	mdl_deferred_time_out(m, t, NULL);
	mdl_deferred_work(m, t);
	fall_asleep(m, t);
}

/* True if T, which seemed runnable when it left its CPU, may wait for a lock, and no event shows whether it
 * did. */
static bool may_hide_lock(const struct mdl_machine *m, const struct mdl_thread *t)
{
	return t->phase == MDL_PH_PREEMPTED && t->says_runs && mdl_machine_is_rt(m) &&
		m->sched->may_hide_locks;
}

/* T, which seemed to have ended, shows up, called COMM. WOKEN: another thread wakes it. True if it is still
 * the same thread, which slept on its way to its end. */
static bool is_same(const struct mdl_machine *m, const struct mdl_thread *t, const char *comm, bool woken)
{
	if (!m->sched->may_sleep_dead || !mdl_thread_is_called(t, comm) ||
		mdl_gap_since(&m->gaps, t->phase_since))
		return false;
	return woken || (mdl_machine_is_rt(m) && !m->sched->has_wakes);
}

/* The thread of E that has the TID of T now, called text I of E: T or a new one. */
static struct mdl_thread *living_of(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_event *e,
	unsigned i)
{
	bool woken = e->kind != MDL_EV_SCHED_SWITCH;

	if (G_LIKELY(!t || (!mdl_thread_is_over(t) && !t->ends)))
		return t;
	if (!mdl_thread_is_over(t) && (t->phase == MDL_PH_RUN || mdl_thread_is_called(t, e->text[i])))
		return t;
	if (!is_same(m, t, e->text[i], woken))
		return mdl_thread_again(m, t);
	t->phase = MDL_PH_BLOCKED;
	t->block = MDL_BLOCK_UNKNOWN;
	mdl_track_correct(m, t->track, MDL_ST_BLOCKED, MDL_BLOCK_UNKNOWN, t->cpu);
	return t;
}

/* T is switched in again. That settles how it left the CPU, unless something settled it before. */
static void find_awake_again(struct mdl_machine *m, struct mdl_thread *t)
{
	if (m->gaps.open > 0)
		return;
	if (may_hide_lock(m, t) && !m->sched->has_wakes)
		mdl_thread_disbelieve(m, t);
	else if (t->phase == MDL_PH_UNKNOWN && t->says_both && m->sched->has_wakes &&
		mdl_missing_none(&m->missing) && t->track->open.from == t->phase_since)
		mdl_track_correct(m, t->track, MDL_ST_PREEMPTED, 0, t->cpu);
}

static void switch_out(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_event *e)
{
	static const uint8_t phases[MDL_ST_N] = { [MDL_ST_PREEMPTED] = MDL_PH_PREEMPTED,
		[MDL_ST_BLOCKED] = MDL_PH_BLOCKED,
		[MDL_ST_EXITED] = MDL_PH_EXITED };
	const struct mdl_prev_bits *bits = e->told & MDL_TOLD_STATE ? mdl_prev_bits_told() : m->sched->bits;
	int64_t says = e->arg[MDL_SWITCH_PREV_STATE];
	enum mdl_block block;
	enum mdl_state state;

	m->sched->ways = mdl_prev_learn(m->sched->ways, t->tid, says);
	state = mdl_prev_read(bits, m->sched->ways, says, &block);
	mdl_thread_named(m, t, e, 0);
	t->has_run = true;
	leave_other_cpu(m, t, e->cpu);
	t->block = (uint8_t)block;
	t->says_runs = state == MDL_ST_PREEMPTED && mdl_prev_says_runs(m->sched->ways, says) &&
		m->sched->tells_preempted;
	t->says_both = state == MDL_ST_UNKNOWN && says == MDL_PREV_PREEMPTED;
	if (state == MDL_ST_BLOCKED)
		mdl_deferred_sleep(m, t);
	else if (!t->says_runs)
		forget_early(t);
	mdl_thread_set_phase(m, t, phases[state], e->cpu);
	if (state == MDL_ST_BLOCKED)
		fall_asleep(m, t);
}

/* T runs after a sleep, real or apparent: note whether it comes from rest or from the middle of its work. */
static void note_active(const struct mdl_machine *m, struct mdl_thread *t)
{
	if (t->phase == MDL_PH_PREEMPTED)
		return;
	t->contended = t->phase != MDL_PH_WAIT_CPU || t->block != MDL_BLOCK_INTERRUPTIBLE;
	if (!t->contended)
		t->active_since = m->now;
}

static void switch_in(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_event *e)
{
	static const struct mdl_wakeup unseen = { .ran_at = MDL_NEVER,
		.event_time = MDL_NEVER,
		.event_cpu = MDL_NONE,
		.waker = MDL_NONE,
		.cpu = MDL_NONE,
		.via = MDL_VIA_NONE };

	mdl_thread_named(m, t, e, 1);
	t->has_run = true;
	t->runs++;
	leave_other_cpu(m, t, e->cpu);
	find_awake_again(m, t);
	note_active(m, t);
	if (t->phase == MDL_PH_BLOCKED && m->gaps.open == 0) {
		if (t->early && t->early->wakeup.via == MDL_VIA_WAKING)
			end_at_once(m, t, e->cpu);
		else
			end_early(m, t, &unseen, NULL);
		t->pending->wakeup.target_cpu = e->cpu;
	}
	forget_early(t);
	if (t->pending) {
		if (m->gaps.open == 0) /* otherwise it may have run before, on a CPU that loses events */
			t->pending->wakeup.ran_at = m->now;
		hand_out(m, t);
	} else if (t->phase != MDL_PH_PREEMPTED) {
		t->deadline = 0;
	}
	mdl_thread_set_phase(m, t, MDL_PH_RUN, e->cpu);
}

/* A thread switch inside a softirq shows PREEMPT_RT, where softirqs run in threads. One such switch may come
 * from a missing event, unless the tracer's flags show the softirq. */
static void notice_threaded(struct mdl_machine *m, struct mdl_cpu *c, const struct mdl_event *e)
{
	if (!mdl_machine_is_rt(m) && m->coverage.kernel & MDL_KERNEL_TELLS_SOFTIRQS &&
		e->told & MDL_TOLD_SOFTIRQ) {
		mdl_coverage_is_rt(&m->coverage);
		mdl_irqthread_adopt(c);
	}
	if (c->depth == 0 || c->stack[c->depth - 1].type != MDL_CTX_SOFTIRQ || m->gaps.had)
		return;
	if (++m->sched->switched_softirqs > 1)
		mdl_coverage_is_rt(&m->coverage);
}

/* perf takes its sample before the switch (trace_sched_switch() in __schedule()), so the sample has the
 * process of the thread that leaves. */
static void learn_process(struct mdl_thread *prev, const struct mdl_event *e)
{
	int64_t pid = e->arg[MDL_SWITCH_PERF_PID];

	if (pid != MDL_ARG_ABSENT && pid >= 0 && prev->track->row.pid == -1)
		prev->track->row.pid = pid;
}

/* PREV leaves C for NEXT, and no event shows when NEXT leaves: the running thread is unknown from here on. */
static void switch_away(struct mdl_machine *m, struct mdl_cpu *c, struct mdl_thread *prev,
	struct mdl_thread *next, const struct mdl_event *e)
{
	if (prev)
		mdl_thread_named(m, prev, e, 0);
	if (next)
		mdl_thread_named(m, next, e, 1);
	if (c->current) /* an exec set it */
		forget_current(m, c);
	mdl_level_switch(m, e->cpu);
	mdl_cpu_refresh(m, e->cpu);
}

/* T, which has a CPU at the first event there or the first after a loss, seemed to wait: it came there at an
 * unknown time. Tracers start one CPU after the other (perf_event_open() of each, kernel/events/core.c), and
 * a thread that is woken as it goes to sleep (try_to_wake_up()) still has its CPU. */
static void doubt_wait(struct mdl_machine *m, struct mdl_thread *t)
{
	if (t && (t->phase == MDL_PH_WAIT_CPU || t->phase == MDL_PH_PREEMPTED || t->phase == MDL_PH_BLOCKED))
		mdl_thread_disbelieve(m, t);
}

/* The thread in argument WHICH of switch E; NULL: unknown. If perf records the switches of some threads only,
 * its events name only these threads (PERF_RECORD_SWITCH). */
static struct mdl_thread *thread_of(struct mdl_machine *m, const struct mdl_event *e, unsigned which)
{
	return e->arg[which] == MDL_ARG_ABSENT ? NULL : mdl_thread_get(m, e->arg[which], e->cpu);
}

void mdl_sched_switch(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	struct mdl_thread *prev = thread_of(m, e, MDL_SWITCH_PREV_TID);
	struct mdl_thread *next = thread_of(m, e, MDL_SWITCH_NEXT_TID);

	m->missing.switches++;
	if (mdl_ipiwait_is_open(m->causes))
		mdl_ipiwait_over(m, e->cpu);
	if (e->arg[MDL_SWITCH_PREV_TID] == 0)
		c->cause->idle_until = m->now;
	if (m->sched->away_only) {
		switch_away(m, c, prev, next, e);
		return;
	}
	if (prev != next) { /* otherwise no thread leaves */
		prev = c->current ? prev : living_of(m, prev, e, 0);
		next = living_of(m, next, e, 1);
	}
	mdl_missing_switch(m, prev, next);
	mdl_thread_doubt(m, prev);
	mdl_thread_doubt(m, next);
	notice_threaded(m, c, e);
	mdl_remote_switch(m, c, prev, next);
	mdl_level_switch(m, e->cpu);
	if (!c->settled && !m->gaps.had)
		mdl_thread_settle(m, e->cpu, prev);
	if ((!c->settled || !c->current) && c->gap == MDL_GAP_NONE)
		doubt_wait(m, prev);
	c->settled = c->is_sure = c->switched = true;
	if (G_UNLIKELY(c->timer->is_stray))
		mdl_timer_settle(m, c);
	if (c->current && c->current != prev)
		forget_current(m, c);
	if (prev)
		learn_process(prev, e);
	if (prev && !mdl_thread_is_new(prev))
		mdl_priority_seen(m, prev, e, MDL_SWITCH_PREV_PRIO);
	mdl_priority_seen(m, next, e, MDL_SWITCH_NEXT_PRIO);
	if (prev && !mdl_thread_is_new(prev))
		switch_out(m, prev, e);
	if (next)
		switch_in(m, next, e);
	c->current = next;
	c->stops = e->told & MDL_TOLD_OFFLINE                          ? MDL_STOPS_OFF
		: m->sched->names_nobody && mdl_event_is_to_stopper(e) ? MDL_STOPS_MAYBE
								       : MDL_STOPS_NOT;
	c->back_at = e->arg[MDL_SWITCH_UNTIL];
	mdl_work_resume(c);
	mdl_irqthread_resume(c);
	mdl_cpu_refresh(m, e->cpu);
}

/* T runs on CPU from now on, without a recorded switch. */
static void take_place(struct mdl_machine *m, struct mdl_thread *t, uint32_t cpu)
{
	leave_other_cpu(m, t, cpu);
	mdl_deferred_drop(m, t);
	t->has_run = true;
	mdl_thread_set_phase(m, t, MDL_PH_RUN, cpu);
	mdl_cpu_get(m, cpu)->current = t;
	mdl_cpu_get(m, cpu)->cause->idle_until = m->now; /* it may have been idle */
	mdl_thread_refresh(m, t);
}

/* E announces what the first switch of its CPU will show: the thread that runs. If other CPUs showed this
 * thread elsewhere, it has moved here since, unseen: one CPU's packets may have been overwritten up to a
 * later time than another's (flight recorder). */
void mdl_sched_first(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	struct mdl_thread *t;

	if (e->arg[MDL_FIRST_WAYS] != MDL_ARG_ABSENT) {
		m->sched->ways = (unsigned)e->arg[MDL_FIRST_WAYS];
		return;
	}
	if (e->arg[MDL_FIRST_TID] == MDL_ARG_ABSENT) {
		m->sched->away_only = true;
		m->tracks.lacks_switches = true;
		return;
	}
	t = mdl_thread_get(m, e->arg[MDL_FIRST_TID], e->cpu);
	if (!t || c->current || c->settled || c->gap != MDL_GAP_NONE || m->sched->away_only)
		return;
	mdl_thread_named(m, t, e, 0);
	doubt_wait(m, t);
	take_place(m, t, e->cpu);
	mdl_cpu_refresh(m, e->cpu);
}

/* T may have run on this CPU since the event before, so its state meanwhile is unknown. */
static void forget_thread(struct mdl_machine *m, struct mdl_thread *t)
{
	forget_early(t);
	mdl_deferred_drop(m, t);
	if (t->pending)
		hand_out(m, t);
	t->mode = MDL_MODE_UNKNOWN;
	mdl_thread_set_phase(m, t, MDL_PH_UNKNOWN, MDL_NONE);
}

/* CPU has switched threads unseen: what held for the thread before is over. */
static void miss_switch(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	if (c->current)
		forget_current(m, c);
	mdl_level_switch(m, cpu);
	c->cause->raised.just = 0;
	c->cause->gave_lent = c->cause->has_just_queued = false;
}

/* A CPU goes off-line while its stopper runs, without an event for the switch from the stopper (proofs.md
 * R25.9). So the idle thread may run now, and may have run since the last event. */
void mdl_sched_stopped(struct mdl_machine *m, uint32_t cpu, int64_t now)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	if (c->stops == MDL_STOPS_MAYBE && now - c->heard <= MDL_SCHED_STOPPED)
		return;
	if (c->stops == MDL_STOPS_OFF) {
		c->stops = MDL_STOPS_NOT;
		if (c->track->open.state == MDL_ST_IDLE)
			mdl_track_set(m, c->track, MIN(c->back_at, now), MDL_ST_IDLE, MDL_IDLE_ONLINE,
				mdl_cpu_thread(c));
		return;
	}
	c->stops = MDL_STOPS_NOT;
	if (!c->current || c->gap != MDL_GAP_NONE)
		return;
	mdl_track_lose(m, c->current->track, c->heard);
	mdl_track_lose(m, c->track, c->heard);
	miss_switch(m, cpu);
	mdl_cpu_refresh(m, cpu);
}

void mdl_sched_off(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_cpu *c = mdl_cpu_peek(m, cpu);
	struct mdl_event e = { .time = m->now,
		.cpu = cpu,
		.kind = MDL_EV_SCHED_SWITCH,
		.told = MDL_TOLD_STATE | MDL_TOLD_OFFLINE,
		.aside = true };

	/* If the CPU came back, the switch from its stopper was already made up. */
	if (!c || c->gap != MDL_GAP_NONE || (c->idle && c->current == c->idle))
		return;
	mdl_event_no_args(&e);
	if (c->current) {
		e.arg[MDL_SWITCH_PREV_TID] = c->current->tid;
		e.arg[MDL_SWITCH_PREV_STATE] = MDL_PREV_INTERRUPTIBLE;
		mdl_track_lose(m, c->current->track, c->heard);
		mdl_track_lose(m, c->track, c->heard);
	}
	e.arg[MDL_SWITCH_NEXT_TID] = 0;
	e.arg[MDL_SWITCH_UNTIL] = INT64_MAX;
	mdl_sched_switch(m, &e);
}

/* True if T, which is found running, has ended. Then another thread of its process has its TID now
 * (de_thread(), fs/exec.c), and no switch is missing. */
static bool has_ended(const struct mdl_thread *t)
{
	return t->phase == MDL_PH_EXITED || t->ends;
}

/* If many switches are missing, and not because of a set of threads, CPUs other than CPU may lack some,
 * too. */
static void forget_others(struct mdl_machine *m, uint32_t cpu)
{
	for (guint i = 0; mdl_missing_any(m) && i < m->cpus->len; i++) {
		struct mdl_cpu *c = mdl_cpu_peek(m, i);

		if (i == cpu || !c || !c->current)
			continue;
		forget_current(m, c);
		mdl_cpu_refresh(m, i);
	}
}

void mdl_sched_runs(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	int64_t tid = e->arg[MDL_RUNS_TID];
	struct mdl_thread *t = tid == MDL_ARG_ABSENT ? NULL : mdl_thread_get(m, tid, e->cpu);

	if (c->gap != MDL_GAP_NONE)
		return;
	if (!e->arg[MDL_RUNS_SURE] && t && !has_ended(t)) {
		mdl_missing_note(m, c->current, t);
		mdl_thread_doubt(m, t);
		forget_others(m, e->cpu);
	}
	if (c->current != t)
		miss_switch(m, e->cpu);
	c->settled = true;
	if (t && !e->arg[MDL_RUNS_SURE] && t->phase != MDL_PH_RUN) {
		forget_thread(m, t);
	} else if (t && e->arg[MDL_RUNS_SURE]) {
		take_place(m, t, e->cpu);
		mdl_work_resume(c);
		mdl_irqthread_resume(c);
	}
	mdl_cpu_refresh(m, e->cpu);
}

/* If a thread takes its leader's TID in an exec (de_thread(), fs/exec.c), another thread seemed to run
 * (trc_running.c). */
void mdl_sched_execs(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_thread *t = mdl_thread_peek(m, e->arg[MDL_EXEC_TID]);
	const struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);

	if (!t || c->current || c->gap != MDL_GAP_NONE)
		return;
	take_place(m, t, e->cpu);
	mdl_cpu_refresh(m, e->cpu);
}

/* T, whose state was unknown, is woken while it has the waker's CPU itself: so it runs. It was on its way to
 * sleep (try_to_wake_up() with p == current, kernel/sched/core.c), or an interrupt on top of it wakes it. */
static void find_awake(struct mdl_machine *m, const struct mdl_event *e, struct mdl_thread *t)
{
	if (t->phase != MDL_PH_UNKNOWN || e->arg[MDL_WAKE_CURRENT] != t->tid ||
		mdl_cpu_get(m, e->cpu)->gap != MDL_GAP_NONE)
		return;
	take_place(m, t, e->cpu);
	mdl_cpu_refresh(m, e->cpu);
}

/* The wake-up W of T, which E's CPU sends now by sched_waking. */
static struct mdl_deferred *sched_sent(struct mdl_machine *m, const struct mdl_event *e,
	const struct mdl_thread *t, const struct mdl_wakeup *w)
{
	struct mdl_deferred *d = mdl_deferred_new(m, w, mdl_cause_new(m, e->cpu, t));

	mdl_pool_note(m, e->cpu, t, d);
	return d;
}

void mdl_sched_waking(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_thread *t = mdl_thread_get(m, e->arg[MDL_WAKE_TID], e->cpu);
	struct mdl_wakeup w;

	m->sched->has_wakes = true;
	if (mdl_ipiwait_is_open(m->causes))
		mdl_ipiwait_waking(m, e->cpu);
	t = living_of(m, t, e, 0);
	if (!t)
		return;
	mdl_thread_doubt(m, t);
	mdl_thread_named(m, t, e, 0);
	t->contended |= t->phase == MDL_PH_RUN || t->phase == MDL_PH_PREEMPTED;
	find_asleep(m, t);
	mdl_virq_woken(m, e->cpu, t);
	/* A woken thread that waits for a CPU is TASK_RUNNING, and try_to_wake_up() wakes no such thread
	 * (ttwu_state_match(), kernel/sched/core.c). So T has run since, and sleeps again. */
	if (t->phase == MDL_PH_WAIT_CPU && m->gaps.open == 0)
		mdl_thread_disbelieve(m, t);
	find_awake(m, e, t);
	if (t->phase != MDL_PH_BLOCKED && t->phase != MDL_PH_UNKNOWN && t->phase != MDL_PH_RUN)
		return;
	fill_wakeup(m, e, MDL_VIA_WAKING, t, &w);
	mdl_woken_add(m, e->cpu, t);
	if (t->phase == MDL_PH_RUN) {
		forget_early(t);
		t->early = sched_sent(m, e, t, &w);
		return;
	}
	end_wait(m, t, sched_sent(m, e, t, &w));
	mdl_thread_set_phase(m, t, MDL_PH_WAIT_CPU, w.target_cpu);
}

/* Correct, in place, the CPU for which a woken thread waits. */
static void sched_place(struct mdl_thread *t, int64_t cpu)
{
	if (cpu < 0 || cpu >= MDL_NONE)
		return;
	t->cpu = (uint32_t)cpu;
	if (t->pending)
		t->pending->wakeup.target_cpu = t->cpu;
	if (t->track->open.state != MDL_ST_UNKNOWN) /* the state is unknown while events are lost */
		mdl_track_set_aux(t->track, t->cpu);
}

/* True if CPU is in an IPI, where wake-ups by other CPUs arrive. Without its sched_waking the waker is
 * unknown. */
static bool is_in_ipi(struct mdl_machine *m, uint32_t cpu)
{
	const struct mdl_level *l = mdl_cpu_level(m, cpu);

	return l->context != MDL_NONE && l->type == MDL_CTX_IPI;
}

/* The wait of T ends with sched_wakeup E, which is W. */
static void end_by_wakeup(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_event *e,
	struct mdl_wakeup *w)
{
	struct mdl_cause *cause = NULL;
	bool early;

	mdl_remote_pass(m, t);
	/* A migration showed the waker's place. If the sched_wakeup is written there, too, it shows more. */
	if (t->early && t->early->wakeup.via == MDL_VIA_WAKEUP && t->early->wakeup.cpu == e->cpu)
		forget_early(t);
	if (!t->early)
		cause = !mdl_machine_has(m, MDL_GROUP_WAKING) ? mdl_remote_find(m, e, t, w)
			: is_in_ipi(m, e->cpu)                ? mdl_remote_here(m, e->cpu, t)
							      : mdl_cause_new(m, e->cpu, t);
	else if (t->early->wakeup.via == MDL_VIA_WAKEUP)
		point_at(&t->early->wakeup, e);
	if (!t->early && w->cpu == e->cpu)
		mdl_woken_add(m, e->cpu, t);
	early = t->early;
	end_early(m, t, w, cause);
	if (!early)
		mdl_pool_note(m, e->cpu, t, t->pending);
	t->pending->for_work = t->pending->by_pool || mdl_remote_awaits_work(m, e->cpu, t, t->pending->cause);
}

void mdl_sched_wakeup(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_thread *t = mdl_thread_get(m, e->arg[MDL_WAKE_TID], e->cpu);
	int64_t target = e->arg[MDL_WAKE_TARGET_CPU];
	struct mdl_wakeup w;

	m->sched->has_wakes = true;
	t = living_of(m, t, e, 0);
	if (!t)
		return;
	mdl_thread_doubt(m, t);
	mdl_thread_named(m, t, e, 0);
	t->contended |= t->phase == MDL_PH_RUN || t->phase == MDL_PH_PREEMPTED;
	find_asleep(m, t);
	find_awake(m, e, t);
	if (t->phase == MDL_PH_BLOCKED || t->phase == MDL_PH_UNKNOWN) {
		fill_wakeup(m, e, MDL_VIA_WAKEUP, t, &w);
		end_by_wakeup(m, t, e, &w);
		mdl_thread_set_phase(m, t, MDL_PH_WAIT_CPU, w.target_cpu);
	}
	forget_early(t);
	if (t->phase != MDL_PH_WAIT_CPU || t->placed)
		return;
	mdl_deferred_arrive(m, t, e->cpu);
	sched_place(t, target);
	t->placed = true;
}

/* The new thread of E. Its fork made it, possibly before events were lost. If its fork was not recorded, it
 * is born now. */
static struct mdl_thread *new_thread(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_thread *t = mdl_thread_peek(m, e->arg[MDL_WAKE_TID]);
	const struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);

	if (t && mdl_thread_is_new(t))
		return t->phase == MDL_PH_NEW ? t : NULL;
	if (t && t->phase == MDL_PH_UNKNOWN && t->track->row.born && !t->has_run) {
		mdl_thread_set_phase(m, t, MDL_PH_NEW, MDL_NONE);
		return t;
	}
	t = mdl_thread_born(m, e->arg[MDL_WAKE_TID]);
	if (t && c->current && mdl_cpu_is_own(c) && c->gap == MDL_GAP_NONE)
		t->track->row.parent = c->current->track->id;
	return t;
}

void mdl_sched_wakeup_new(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_thread *t = new_thread(m, e);
	struct mdl_wakeup w;

	if (!t)
		return;
	mdl_thread_named(m, t, e, 0);
	fill_wakeup(m, e, MDL_VIA_NEW, t, &w);
	w.since = t->track->row.first;
	t->pending = mdl_deferred_new(m, &w, NULL);
	/* wake_up_new_task() (kernel/sched/core.c) has made it TASK_RUNNING and put it on a run queue. */
	mdl_thread_set_phase(m, t, MDL_PH_WAIT_CPU, w.target_cpu);
	t->placed = t->is_first = true;
}

/* True if migration E chooses the CPU for which T waits first. try_to_wake_up() moves T with interrupts off,
 * right after sched_waking. In old kernels wake_up_new_task() moves it from the parent's CPU. Any other move,
 * also one before a missing sched_wakeup, is load balancing of a waiting thread. */
static bool is_placing(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_thread *t)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);

	if (t->placed)
		return false;
	if (t->phase == MDL_PH_WAIT_CPU)
		return mdl_woken_is_last(c, t);
	return t->phase == MDL_PH_NEW && mdl_cpu_is_own(c) && mdl_cpu_thread(c) == t->track->row.parent &&
		e->arg[MDL_MIGRATE_DEST_CPU] != e->cpu;
}

void mdl_sched_migrate(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_thread *t = mdl_thread_get(m, e->arg[MDL_MIGRATE_TID], e->cpu);
	int64_t cpu = e->arg[MDL_MIGRATE_DEST_CPU];

	if (!t || cpu < 0 || cpu >= MDL_NONE)
		return;
	mdl_thread_doubt(m, t);
	mdl_remote_migrate(m, e, t);
	if (is_placing(m, e, t)) {
		sched_place(t, cpu);
	} else if (t->phase == MDL_PH_NEW || t->phase == MDL_PH_WAIT_CPU || t->phase == MDL_PH_PREEMPTED) {
		t->cpu = (uint32_t)cpu;
		mdl_thread_refresh(m, t);
	}
}

/* ---- the part ---- */

static void sched_init(struct mdl_machine *m, const char *release)
{
	bool before_518 = !mdl_prev_is_since(release, 5, 18);

	mdl_cgroup_init(m);
	m->sched->bits = mdl_prev_bits_of(release);
	m->sched->ways = mdl_prev_ways(release);
	m->sched->may_sleep_dead = mdl_prev_is_since(release, 4, 14);
	m->sched->tells_preempted = mdl_prev_is_since(release, 3, 2);
	m->sched->may_hide_locks = mdl_prev_is_since(release, 5, 13) && before_518;
	m->sched->may_hide = (mdl_prev_is_since(release, 5, 8) && before_518) ||
		(mdl_prev_is_since(release, 6, 1) && !mdl_prev_is_since(release, 6, 14));
}

/* The trace ends at TO. Threads keep the state in which they were last seen. */
static void sched_finish(struct mdl_machine *m, int64_t to)
{
	for (uint32_t i = 0; i < m->cpus->len; i++) {
		const struct mdl_cpu *c = mdl_cpu_peek(m, i);

		if (c && c->stops != MDL_STOPS_NOT)
			mdl_sched_stopped(m, i, to);
	}
	for (guint i = 0; i < m->threads.living->len; i++) {
		struct mdl_thread *t = g_ptr_array_index(m->threads.living, i);

		mdl_thread_doubt(m, t);
		if (may_hide_lock(m, t) && m->gaps.open == 0)
			mdl_thread_disbelieve(m, t);
		mdl_deferred_drop(m, t);
	}
}

const struct mdl_part mdl_part_sched = {
	.machine = MDL_KEPT(struct mdl_machine, sched),
	.init = sched_init,
	.clear = mdl_cgroup_clear,
	.born = mdl_cgroup_born,
	.over = mdl_cgroup_over,
	.finish = sched_finish,
};
