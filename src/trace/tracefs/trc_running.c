/* SPDX-License-Identifier: MIT */
/*
 * How it works: switches may be missing in a recording. It may have the events of some threads only
 * (set_event_pid, perf record -p). The kernel may hide a thread. A full buffer that does not overwrite may
 * have refused events (rb_move_tail(), kernel/trace/ring_buffer.c, counts them as dropped_events, but no page
 * records them). Nothing shows which of these it was. Without this file, the thread that was last switched in
 * would get everything that the others do.
 *
 * Between sched_switch and the switch itself (__schedule(), context_switch(), kernel/sched/core.c) the thread
 * that leaves is still `current`. Notifiers, counters and their timers (prepare_task_switch()) and
 * switch_mm_irqs_off() may write events there, with interrupts off and only for a moment. A system call, an
 * interrupt, a softirq, a wake-up or a switch cannot come there: after one of these the thread that left has
 * the CPU again.
 *
 * exec by a thread that is not the first of its process gives it the number of the first thread (de_thread(),
 * fs/exec.c), which has often just left the CPU. This looks like a missing switch, or one under way, until
 * sched_process_exec (if recorded) shows both numbers. It makes no more than a moment unknown.
 *
 * A CPU goes off-line while its stopper runs (take_cpu_down(), kernel/cpu.c). From then on it records no
 * event, because a tracepoint first checks cpu_online() (DECLARE_TRACE(), include/linux/tracepoint.h). So the
 * switch from the stopper, which then sleeps (cpu_stopper_thread(), kernel/stop_machine.c), to the idle
 * thread is not recorded. The idle thread takes the CPU down (do_idle(), kernel/sched/idle.c) and runs when
 * it comes up again (proofs.md R25.9). That is no missing switch.
 */
#include "trace/tracefs/trc_running.h"

#include "base/base_text.h"
#include "base/base_time.h"

#define MOMENT 100000 /* ns: a switch is shorter, unless a virtual CPU is stopped during it */

/* True if an event of KIND at TIME can come during the switch. */
static bool comes_in_switch(const struct trc_running *r, enum mdl_kind kind, int64_t time)
{
	switch (kind) {
	case MDL_EV_NONE:
	case MDL_EV_HRTIMER_START:
	case MDL_EV_TIMER_CANCEL:
	case MDL_EV_IPI_SEND:
	case MDL_EV_KVM:
	case MDL_EV_VCPU_TSC:
	case MDL_EV_VIRQ_BY:
	case MDL_EV_VIRQ_POST: return time - r->left <= MOMENT;
	default: return false;
	}
}

void trc_running_wake(struct trc_running *r, struct trc_queue *q, enum mdl_kind kind, int64_t tid,
	int64_t time)
{
	struct mdl_event *e;
	int64_t since;

	if (G_LIKELY(tid != 0 || r->stopper < 0 || r->stopper != r->now) ||
		(r->leaving == 0 && comes_in_switch(r, kind, time)))
		return;
	since = q->last == BASE_TIME_NONE ? time : MIN(q->last + 1, time);
	e = trc_queue_aside(q, since);
	e->kind = MDL_EV_SCHED_SWITCH;
	e->told = MDL_TOLD_STATE | MDL_TOLD_OFFLINE;
	e->cpu = q->cpu;
	e->arg[MDL_SWITCH_PREV_TID] = r->now;
	e->arg[MDL_SWITCH_PREV_STATE] = MDL_PREV_INTERRUPTIBLE;
	e->arg[MDL_SWITCH_NEXT_TID] = 0;
	e->arg[MDL_SWITCH_UNTIL] = time;
	trc_info_add_offline(q->info, q->cpu, since, time);
	r->now = 0;
	r->leaving = r->stopper = -1;
}

bool trc_running_check(struct trc_running *r, enum mdl_kind kind, int64_t tid, int64_t time)
{
	bool is_other = tid >= 0 && r->now >= 0 && tid != r->now;

	if (tid < 0 || (is_other && tid == r->leaving && comes_in_switch(r, kind, time)))
		return false;
	r->breaks += is_other;
	if (is_other)
		r->before = r->now;
	r->now = tid;
	r->leaving = -1;
	return is_other;
}

bool trc_running_begins(const struct trc_running *r, enum mdl_kind kind, int64_t tid)
{
	return !r->switched && !r->begun && tid >= 0 && (r->now < 0 || r->now == tid) &&
		(kind == MDL_EV_SYSCALL_ENTRY || kind == MDL_EV_SYSCALL_EXIT);
}

/* TID is MDL_ARG_ABSENT if the running thread is unknown. */
static void running_tell(struct trc_queue *q, int64_t tid, int64_t time, bool sure)
{
	struct mdl_event *e = trc_queue_aside(q, time);

	e->kind = MDL_EV_RUNS;
	e->cpu = q->cpu;
	e->arg[MDL_RUNS_TID] = tid;
	e->arg[MDL_RUNS_SURE] = sure;
}

void trc_running_begin(struct trc_running *r, struct trc_queue *q, int64_t tid, int64_t time)
{
	r->begun = true;
	running_tell(q, tid, time, true);
}

void trc_running_tell(const struct trc_running *r, struct trc_queue *q, int64_t time, enum mdl_kind kind,
	bool is_other)
{
	/* A thread that was switched in has run, even if only for a moment. Its wait is over. */
	int64_t since = q->last == BASE_TIME_NONE ? time : MIN(q->last + r->just, time);

	running_tell(q, is_other ? r->now : MDL_ARG_ABSENT, since, false);
	if (kind != MDL_EV_SCHED_SWITCH)
		running_tell(q, r->now, time, true);
}

void trc_running_before(struct trc_running *r, struct trc_queue *q, enum mdl_kind kind, int64_t tid,
	int64_t time, int64_t first)
{
	bool begins = trc_running_begins(r, kind, tid);

	trc_running_wake(r, q, kind, tid, time);
	if (trc_running_check(r, kind, tid, time))
		trc_running_tell(r, q, time, kind, true);
	else if (begins && time > first)
		trc_running_begin(r, q, tid, time);
}

/* Note that exec gave the thread OLD the number TID. */
static void rename_thread(struct trc_running *r, int64_t old, int64_t tid)
{
	if (old == MDL_ARG_ABSENT || tid == MDL_ARG_ABSENT || old == tid)
		return;
	if (r->now == tid && r->before == old && r->breaks > 0)
		r->breaks--;
	if (r->now == tid || r->now == old) {
		r->now = tid;
		r->leaving = r->before = -1;
	}
}

void trc_running_note(struct trc_running *r, const struct mdl_event *event)
{
	if (event->kind == MDL_EV_EXEC)
		rename_thread(r, event->arg[MDL_EXEC_OLD_TID], event->arg[MDL_EXEC_TID]);
	r->just = event->kind == MDL_EV_SCHED_SWITCH;
	if (!r->just)
		return;
	r->switched = true;
	r->left = event->time;
	r->now = event->arg[MDL_SWITCH_NEXT_TID] == MDL_ARG_ABSENT ? -1 : event->arg[MDL_SWITCH_NEXT_TID];
	r->leaving = event->arg[MDL_SWITCH_PREV_TID] == MDL_ARG_ABSENT ? -1 : event->arg[MDL_SWITCH_PREV_TID];
	r->stopper = mdl_event_is_to_stopper(event) ? r->now : -1;
}

void trc_running_forget(struct trc_running *r)
{
	r->now = r->leaving = -1;
	r->begun = false;
}

void trc_running_end(const struct trc_running *r, struct trc_queue *q)
{
	if (r->breaks == 0 && (r->stopper < 0 || r->stopper != r->now))
		return;
	if (q->last != BASE_TIME_NONE)
		running_tell(q, MDL_ARG_ABSENT, q->last, false);
	if (!r->switched || r->breaks == 0)
		return;
	trc_info_warn(q->info,
		"%s: %" G_GUINT64_FORMAT
		" time%s a thread ran that was not the last one switched in: switches are missing, and the running "
		"thread is unknown there; record all threads, without filters; if you did, a full buffer dropped events "
		"(dropped events in per_cpu/cpu*/stats), or the kernel hides them",
		q->name, r->breaks, base_text_s(r->breaks));
}
