/* SPDX-License-Identifier: MIT */
/* The running thread as each event reports it: a missing switch becomes a gap. */
#include "trace/tracefs/trc_running.h"

#include "base/base_time.h"

static struct trc_info *info;

/* Add the next event of Q, of KIND at TIME, while TID ran; a switch goes to NEXT. True if a gap came before
 * it. */
static bool put(struct trc_running *r, struct trc_queue *q, int64_t time, enum mdl_kind kind, int64_t tid,
	int64_t next)
{
	bool missing = trc_running_check(r, kind, tid, time);
	struct mdl_event *event;
	unsigned before = q->count;
	bool was_switch = before > 0 && q->events[before - 1].kind == MDL_EV_SCHED_SWITCH;

	if (missing)
		trc_running_tell(r, q, time, kind, true);
	g_assert_cmpuint(q->count - before, ==, !missing ? 0 : kind == MDL_EV_SCHED_SWITCH ? 1 : 2);
	if (missing) /* the thread last switched in has run */
		g_assert_cmpint(q->events[before].time, ==, q->events[before - 1].time + was_switch);

	event = trc_queue_add(q, time);
	event->kind = kind;
	event->arg[MDL_SWITCH_PREV_TID] = tid;
	event->arg[MDL_SWITCH_NEXT_TID] = next;
	event->text[0] = event->text[1] = NULL;
	trc_running_note(r, event);
	return missing;
}

static void test_missing(void)
{
	struct trc_running r = TRC_RUNNING_UNKNOWN;
	struct trc_queue *q = trc_queue_new("cpu0", info);

	trc_queue_packet_begin(q, 0, BASE_TIME_NONE);
	g_assert_false(put(&r, q, 10, MDL_EV_SYSCALL_EXIT, 5, -1)); /* it names the running thread */
	g_assert_false(put(&r, q, 20, MDL_EV_SCHED_SWITCH, 5, 6));
	g_assert_false(put(&r, q, 21, MDL_EV_NONE, 5, -1));         /* still on its way out */
	g_assert_false(put(&r, q, 22, MDL_EV_TIMER_CANCEL, 5, -1)); /* also stopping its counters */
	g_assert_false(put(&r, q, 30, MDL_EV_SYSCALL_EXIT, 6, -1));
	g_assert_true(put(&r, q, 40, MDL_EV_NONE, 5, -1)); /* 6 had arrived: only a switch brings 5 back */
	g_assert_false(put(&r, q, 41, MDL_EV_SYSCALL_ENTRY, 5, -1));
	g_assert_false(put(&r, q, 50, MDL_EV_SCHED_SWITCH, 5, 7));
	g_assert_true(put(&r, q, 60, MDL_EV_SYSCALL_EXIT, 5, -1)); /* a thread that leaves makes no calls */
	g_assert_true(put(&r, q, 70, MDL_EV_SCHED_SWITCH, 8, 9));  /* and 8 did not run */
	g_assert_false(put(&r, q, 80, MDL_EV_SOFTIRQ_ENTRY, 9, -1));
	g_assert_false(put(&r, q, 90, MDL_EV_NONE, -1, -1)); /* the event does not name the thread */
	trc_running_forget(&r);
	g_assert_false(put(&r, q, 95, MDL_EV_NONE, 4, -1));
	g_assert_cmpuint(r.breaks, ==, 3);
	trc_running_end(&r, q); /* after the last event the running thread is unknown */
	g_assert_cmpint(q->events[q->count - 1].kind, ==, MDL_EV_RUNS);
	g_assert_cmpint(q->events[q->count - 1].time, ==, 95);
	g_assert_cmpint(q->events[q->count - 1].arg[MDL_RUNS_TID], ==, MDL_ARG_ABSENT);
	g_assert_cmpuint(info->warnings->len, ==, 1);
	g_assert_cmpstr(g_ptr_array_index(info->warnings, 0), ==,
		"cpu0: 3 times a thread ran that was not the last one switched in: switches are missing, and the running thread is unknown there; record all threads, without filters; if you did, a full buffer dropped events (dropped events in per_cpu/cpu*/stats), or the kernel hides them");
	trc_queue_free(q);
}

/* The thread that leaves is `current` until the switch is made. No interrupt occurs in between, and it takes
 * little time. */
static void test_under_way(void)
{
	static const enum mdl_kind others[] = { MDL_EV_VECTOR_ENTRY, MDL_EV_IPI_ENTRY, MDL_EV_IRQ_EXIT,
		MDL_EV_HRTIMER_ENTRY, MDL_EV_TIMER_ENTRY, MDL_EV_SOFTIRQ_RAISE, MDL_EV_SCHED_MIGRATE,
		MDL_EV_WORK_QUEUE, MDL_EV_RQ_ISSUE, MDL_EV_SCHED_WAKEUP_NEW };
	struct trc_running r = TRC_RUNNING_UNKNOWN;
	struct trc_queue *q = trc_queue_new("cpu0", info);

	trc_queue_packet_begin(q, 0, BASE_TIME_NONE);
	g_assert_false(put(&r, q, 5, MDL_EV_NONE, 0, -1));
	for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
		int64_t t = 1000 * (int64_t)i;

		g_assert_false(put(&r, q, t + 10, MDL_EV_SCHED_SWITCH, 0, 6));
		g_assert_false(put(&r, q, t + 20, MDL_EV_HRTIMER_START, 0, -1));
		g_assert_true(put(&r, q, t + 30, others[i], 0, -1)); /* 6 was switched out unseen */
	}
	g_assert_false(put(&r, q, 20000, MDL_EV_SCHED_SWITCH, 0, 6));
	g_assert_true(put(&r, q, 20000 + 1000000, MDL_EV_NONE, 0, -1));
	trc_queue_free(q);
}

/* An exec by a thread other than the leader, whose TID it takes; the leader has just left the CPU, or not. */
static void test_exec(void)
{
	struct trc_running r = TRC_RUNNING_UNKNOWN;
	struct trc_queue *q = trc_queue_new("cpu0", info);
	struct mdl_event exec = { .kind = MDL_EV_EXEC };
	guint warnings = info->warnings->len;

	exec.arg[MDL_EXEC_TID] = 5;
	exec.arg[MDL_EXEC_OLD_TID] = 6;
	trc_queue_packet_begin(q, 0, BASE_TIME_NONE);
	g_assert_false(put(&r, q, 10, MDL_EV_SCHED_SWITCH, 5, 6));
	g_assert_false(put(&r, q, 20, MDL_EV_NONE, 5, -1)); /* task_rename */
	trc_running_note(&r, &exec);
	g_assert_false(put(&r, q, 30, MDL_EV_SYSCALL_EXIT, 5, -1));
	g_assert_false(put(&r, q, 40, MDL_EV_SCHED_SWITCH, 5, 7));
	g_assert_false(put(&r, q, 50, MDL_EV_SCHED_SWITCH, 7, 6));
	g_assert_true(put(&r, q, 60, MDL_EV_NONE, 5, -1)); /* the exec event is still to come */
	trc_running_note(&r, &exec);
	g_assert_false(put(&r, q, 70, MDL_EV_SYSCALL_EXIT, 5, -1));
	g_assert_cmpuint(r.breaks, ==, 0);
	exec.arg[MDL_EXEC_TID] = 6; /* an exec by the leader itself */
	g_assert_true(put(&r, q, 80, MDL_EV_SYSCALL_EXIT, 6, -1));
	trc_running_note(&r, &exec);
	g_assert_cmpuint(r.breaks, ==, 1);
	r.breaks = 0;
	trc_running_end(&r, q);
	g_assert_cmpuint(info->warnings->len, ==, warnings);
	trc_queue_free(q);
}

/* Without any switch none is missing. */
static void test_no_switch(void)
{
	struct trc_running r = TRC_RUNNING_UNKNOWN;
	struct trc_queue *q = trc_queue_new("cpu0", info);
	guint warnings = info->warnings->len;

	trc_queue_packet_begin(q, 0, BASE_TIME_NONE);
	g_assert_false(put(&r, q, 10, MDL_EV_SYSCALL_EXIT, 5, -1));
	g_assert_true(put(&r, q, 20, MDL_EV_SYSCALL_EXIT, 6, -1)); /* the other thread runs now */
	trc_running_end(&r, q);
	g_assert_cmpuint(info->warnings->len, ==, warnings);
	trc_queue_free(q);
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	info = trc_info_new("made");
	g_test_add_func("/running/missing", test_missing);
	g_test_add_func("/running/under-way", test_under_way);
	g_test_add_func("/running/exec", test_exec);
	g_test_add_func("/running/no-switch", test_no_switch);
	status = g_test_run();
	trc_info_free(info);
	return status;
}
