/* SPDX-License-Identifier: MIT */
/* Quotas of control groups: threads that a quota throttled, and threads that only seem throttled.
 * test_account.c checks recorded traces. */
#include "analysis/ana_synth.h"
#include "analysis/cpu/cpuwait.h"
#include "query/symbols/symbols.h"

#include <glib/gstdio.h>

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define PERIOD (50 * MS)
#define ROUNDS 6

/*
 * Six periods of 50 ms.  On CPU 1 t10 runs for 10 ms of each, is switched out runnable, and the
 * CPU is idle until the timer QUOTA expires there.  At the same time
 *
 *   CPU 2   t20, of another process, was woken 150 µs before the expiry; the idle CPU takes 250 µs to run it
 *   CPU 3   t30, of another process, was preempted by t31 3 ms before; the timer of another group expires in
 *           the same interrupt as the tick that lets t30 run
 *   CPU 4   t40, real time, runs for 40 ms of each and is stopped until the timer REAL_TIME expires
 *   CPU 5   t50, a child of t10, is woken in the idle time and runs upon the expiry, by an IPI
 *   CPU 6   t60, of another process, waits for 30 ms for the idle CPU, until the expiry; it was never preempted
 *   CPU 7   t70, of another process, is stopped like t10, but runs only 4 ms after the expiry, as if the host of
 *           a guest did not run the CPU: only the timer's name shows the reason
 *   CPU 8   t80, of another process, is woken 3 ms before the expiry; the idle CPU runs it 3 ms after the expiry
 */
struct made {
	struct ana_synth *s;
	uint32_t idle, cpus[9], threads[9], other; /* by number of the CPU */
	uint32_t quota, real_time, ipi;
};

static void on_cpu(struct made *m, unsigned cpu, int64_t to, enum mdl_state state, uint32_t thread)
{
	ana_synth_on_cpu(m->s, m->cpus[cpu], to, state, thread, 0);
}

static void interrupted(struct made *m, unsigned cpu, int64_t to, uint32_t context, uint32_t beneath)
{
	ana_synth_on_cpu(m->s, m->cpus[cpu], to, MDL_ST_INTERRUPTED, beneath, context);
}

static void thread(struct made *m, uint32_t row, unsigned cpu, int64_t to, enum mdl_state state)
{
	ana_synth_on_cpu(m->s, row, to, state, cpu, 0);
}

/* Thread of CPU runs until OUT, then is PREEMPTED with an idle CPU until TIMER expires at END. */
static void stop(struct made *m, unsigned cpu, int64_t out, uint32_t timer, int64_t end)
{
	on_cpu(m, cpu, out, MDL_ST_RUNNING, m->threads[cpu]);
	on_cpu(m, cpu, end, MDL_ST_IDLE, m->idle);
	interrupted(m, cpu, end + 20 * US, timer, m->idle);
	thread(m, m->threads[cpu], cpu, out, MDL_ST_RUNNING);
	thread(m, m->threads[cpu], cpu, end + 20 * US, MDL_ST_PREEMPTED);
}

/* Thread of CPU sleeps until WOKEN, waits for the idle CPU, which runs it at RAN for 100 µs. */
static void wait_idle(struct made *m, unsigned cpu, int64_t woken, int64_t ran, uint32_t context)
{
	on_cpu(m, cpu, ran - 10 * US, MDL_ST_IDLE, m->idle);
	interrupted(m, cpu, ran, context, m->idle);
	on_cpu(m, cpu, ran + 100 * US, MDL_ST_RUNNING, m->threads[cpu]);
	thread(m, m->threads[cpu], cpu, woken, MDL_ST_BLOCKED);
	thread(m, m->threads[cpu], cpu, ran, MDL_ST_WAIT_CPU);
	thread(m, m->threads[cpu], cpu, ran + 100 * US, MDL_ST_RUNNING);
}

static void make_round(struct made *m, int64_t begin)
{
	int64_t end = begin + PERIOD;

	stop(m, 1, begin + 10 * MS, m->quota, end);
	wait_idle(m, 2, end - 150 * US, end + 100 * US, m->ipi);
	on_cpu(m, 3, end - 3 * MS, MDL_ST_RUNNING, m->threads[3]);
	on_cpu(m, 3, end, MDL_ST_RUNNING, m->other);
	interrupted(m, 3, end + 20 * US, m->quota, m->other);
	thread(m, m->threads[3], 3, end - 3 * MS, MDL_ST_RUNNING);
	thread(m, m->threads[3], 3, end + 20 * US, MDL_ST_PREEMPTED);
	thread(m, m->other, 3, end - 3 * MS, MDL_ST_PREEMPTED);
	thread(m, m->other, 3, end + 20 * US, MDL_ST_RUNNING);
	stop(m, 4, begin + 40 * MS, m->real_time, end - 5 * MS);
	wait_idle(m, 5, begin + 20 * MS, end + 40 * US, m->ipi);
	wait_idle(m, 6, begin + 20 * MS, end + 40 * US, m->ipi);
	on_cpu(m, 7, begin + 10 * MS, MDL_ST_RUNNING, m->threads[7]);
	on_cpu(m, 7, end + 4 * MS, MDL_ST_IDLE, m->idle);
	thread(m, m->threads[7], 7, begin + 10 * MS, MDL_ST_RUNNING);
	thread(m, m->threads[7], 7, end + 4 * MS, MDL_ST_PREEMPTED);
	wait_idle(m, 8, end - 3 * MS, end + 3 * MS, m->ipi);
}

static struct made make(void)
{
	struct made m = { .s = ana_synth_new((ROUNDS + 1) * PERIOD) };

	m.idle = ana_synth_thread(m.s, 0, 0, MDL_NONE);
	for (unsigned i = 1; i <= 8; i++)
		m.cpus[i] = ana_synth_cpu(m.s);
	for (unsigned i = 1; i <= 8; i++)
		m.threads[i] = ana_synth_thread(m.s, 10 * i, 0, i == 5 ? m.threads[1] : MDL_NONE);
	m.other = ana_synth_thread(m.s, 31, 0, MDL_NONE);
	m.quota = ana_synth_context_id(m.s, MDL_CTX_HRTIMER, 0x100, "");
	m.real_time = ana_synth_context_id(m.s, MDL_CTX_HRTIMER, 0x200, "");
	m.ipi = ana_synth_context_id(m.s, MDL_CTX_IPI, 0, "reschedule");
	for (unsigned i = 1; i <= 8; i++)
		ana_synth_priority(m.s, m.threads[i], 0, i == 4 ? 40 : 120);
	for (int64_t i = 0; i < ROUNDS; i++)
		make_round(&m, i * PERIOD);
	return m;
}

static bool throttle_of(struct qry *q, uint32_t row, const struct mdl_interval *wait, struct ana_throttle *t)
{
	struct ana_wait_near near = ana_wait_near(q, row);

	return ana_throttle_of(q, row, wait, &near, t);
}

static enum mdl_grade grade_of(struct qry *q, uint32_t row, const struct mdl_interval *wait)
{
	struct ana_wait_near near = ana_wait_near(q, row);

	return mdl_grade_of(ana_throttle_wait_doubts(q, row, wait, &near));
}

/* The number of throttled waits of ROW; each must end UNTIL ns after the begin of a period. */
static unsigned throttled(struct qry *q, uint32_t row, int64_t until, const char **text)
{
	struct ana_throttle t;
	struct mdl_interval iv;
	unsigned n = 0;

	for (int64_t time = 0; qry_state_at(q, row, time, &iv); time = iv.to) {
		if ((iv.state != MDL_ST_PREEMPTED && iv.state != MDL_ST_WAIT_CPU) ||
			!throttle_of(q, row, &iv, &t))
			continue;
		g_assert_cmpint(t.until % PERIOD, ==, until);
		*text = t.text;
		n++;
	}
	return n;
}

/* Give Q the names of the timers' functions. */
static void name_timers(struct qry *q)
{
	g_autofree char *path = NULL;
	g_autoptr(GError) error = NULL;
	int fd = g_file_open_tmp("wakepath-test-XXXXXX", &path, &error);

	g_assert_no_error(error);
	g_close(fd, NULL);
	g_file_set_contents(path,
		"0000000000000100 t sched_cfs_period_timer\n0000000000000200 t sched_rt_period_timer\n0000000000000300 t dl_task_timer\n",
		-1, &error);
	g_assert_no_error(error);
	g_assert_true(qry_set_kallsyms(q, path, &error));
	g_remove(path);
}

/* The number of waits in which ROW may have been throttled. */
static unsigned may_be(struct qry *q, uint32_t row)
{
	struct mdl_interval iv;
	unsigned n = 0;

	for (int64_t time = 0; qry_state_at(q, row, time, &iv); time = iv.to)
		n += (iv.state == MDL_ST_PREEMPTED || iv.state == MDL_ST_WAIT_CPU) &&
			grade_of(q, row, &iv) == MDL_INFERRED;
	return n;
}

static void check(bool named)
{
	const unsigned expected[] = { 0, ROUNDS, 0, 0, ROUNDS, ROUNDS, ROUNDS, named ? ROUNDS : 0, 0 };
	int64_t let_go = named ? PERIOD - 5 * MS
			       : PERIOD - 5 * MS + 20 * US; /* without a name: when it runs */
	struct made m = make();
	struct qry *q = ana_synth_open(m.s);

	if (named)
		name_timers(q);

	for (unsigned i = 1; i <= 8; i++) {
		const char *text = "";

		g_assert_cmpuint(throttled(q, m.threads[i], i == 4 ? let_go : 0, &text), ==, expected[i]);
		if (i == 1)
			g_assert_cmpstr(text, ==, "CPU quota: about 10.0 ms of every 50.0 ms");
		if (i == 4)
			g_assert_cmpstr(text, ==, "real-time throttling");
		if (i == 6)
			g_assert_cmpstr(text, ==, "CPU quota");
		g_assert_cmpuint(may_be(q, m.threads[i]), ==, ROUNDS);
	}
	g_assert_cmpuint(may_be(q, m.other), ==, 0);
	ana_synth_free(m.s);
}

static void test_made(void)
{
	check(false);
}

static void test_named(void)
{
	check(true);
}

/* T1 of priority OWN is preempted for LENGTH, while T2 of priority OTHER (MDL_PRIORITY_NONE: no thread)
 * has its CPU; GRADE is that of T1 having been allowed to run.  MISSING: the event that was not recorded;
 * NULL: all were. */
static void check_passed_over(int16_t own, int16_t other, int64_t length, const char *missing,
	enum mdl_grade grade)
{
	struct ana_synth *s = ana_synth_new(100 * MS);
	uint32_t cpu = ana_synth_cpu(s), idle = ana_synth_thread(s, 0, 0, MDL_NONE),
		 t1 = ana_synth_thread(s, 1, 0, MDL_NONE), t2 = ana_synth_thread(s, 2, 0, MDL_NONE);
	bool nobody = other == MDL_PRIORITY_NONE;
	struct mdl_interval iv;
	struct qry *q;

	if (missing)
		ana_synth_missing(s, missing);
	ana_synth_priority(s, t1, 0, own);
	if (!nobody)
		ana_synth_priority(s, t2, 0, other);
	ana_synth_on_cpu(s, cpu, 10 * MS, MDL_ST_RUNNING, t1, 0);
	ana_synth_on_cpu(s, cpu, 10 * MS + length, nobody ? MDL_ST_IDLE : MDL_ST_RUNNING, nobody ? idle : t2,
		0);
	ana_synth_on_cpu(s, cpu, 100 * MS, MDL_ST_RUNNING, t1, 0);
	ana_synth_on_cpu(s, t1, 10 * MS, MDL_ST_RUNNING, 1, 0);
	ana_synth_on_cpu(s, t1, 10 * MS + length, MDL_ST_PREEMPTED, 1, 0);
	ana_synth_on_cpu(s, t1, 100 * MS, MDL_ST_RUNNING, 1, 0);
	q = ana_synth_open(s);
	g_assert_true(qry_kernel_state_at(q, t1, 10 * MS, &iv));
	g_assert_cmpint(iv.state, ==, MDL_ST_PREEMPTED);
	g_assert_cmpint(grade_of(q, t1, &iv), ==, grade);
	ana_synth_free(s);
}

/* Priorities as the kernel counts: real time below 100, fair from 100 on; a deadline thread's is -1. */
static void test_passed_over(void)
{
	check_passed_over(120, MDL_PRIORITY_NONE, 50 * MS, NULL, MDL_INFERRED); /* unknown quota */
	check_passed_over(40, 120, 50 * MS, NULL, MDL_INFERRED);                /* real-time throttling */
	check_passed_over(40, MDL_PRIORITY_NONE, 50 * MS, NULL, MDL_INFERRED);
	check_passed_over(-1, 40, 50 * MS, NULL, MDL_INFERRED); /* a deadline's budget */
	check_passed_over(120, 40, 50 * MS, NULL, MDL_PROVED);
	check_passed_over(120, 100, 50 * MS, NULL, MDL_PROVED); /* fair, and heavier */
	check_passed_over(40, 50, 50 * MS, NULL, MDL_PROVED);
	check_passed_over(40, 120, MS, NULL,
		MDL_INFERRED); /* the switch goes to a lower class, however briefly */
	check_passed_over(120, MDL_PRIORITY_NONE, MS, NULL, MDL_INFERRED);
	check_passed_over(120, 40, MS, "timer_start", MDL_PROVED);
	check_passed_over(120, 40, MS, "timer_hrtimer_expire_*", MDL_INFERRED);
}

/*
 * T1, of SCHED_DEADLINE, is out of its budget on CPU 1, which a fair thread has until the timer of the budget
 * expires at 30 ms and moves T1 to CPU 2, which runs another fair one for 5 ms more.  The timer of CPU 3, of a
 * server, expires at 32 ms.  T2 leaves CPU 2 to a thread of an earlier deadline: that is no budget.
 */
static void check_deadline(bool named)
{
	struct ana_synth *s = ana_synth_new(100 * MS);
	uint32_t c1 = ana_synth_cpu(s), c2 = ana_synth_cpu(s), c3 = ana_synth_cpu(s);
	uint32_t t1 = ana_synth_thread(s, 1, 0, MDL_NONE);
	uint32_t t2 = ana_synth_thread(s, 2, 0, MDL_NONE);
	uint32_t fair = ana_synth_thread(s, 3, 0, MDL_NONE);
	uint32_t idle = ana_synth_thread(s, 0, 0, MDL_NONE);
	uint32_t timer = ana_synth_context_id(s, MDL_CTX_HRTIMER, 0x300, "");
	struct mdl_interval iv;
	struct ana_throttle t;
	struct qry *q;

	ana_synth_priority(s, t1, 0, -1);
	ana_synth_priority(s, t2, 0, -1);
	ana_synth_priority(s, fair, 0, 120);
	ana_synth_on_cpu(s, c1, 10 * MS, MDL_ST_RUNNING, t1, 0);
	ana_synth_on_cpu(s, c1, 30 * MS, MDL_ST_RUNNING, fair, 0);
	ana_synth_on_cpu(s, c1, 31 * MS, MDL_ST_INTERRUPTED, fair, timer);
	ana_synth_on_cpu(s, c1, 100 * MS, MDL_ST_RUNNING, fair, 0);
	ana_synth_on_cpu(s, c2, 35 * MS, MDL_ST_RUNNING, fair, 0);
	ana_synth_on_cpu(s, c2, 40 * MS, MDL_ST_RUNNING, t1, 0);
	ana_synth_on_cpu(s, c2, 50 * MS, MDL_ST_RUNNING, t2, 0);
	ana_synth_on_cpu(s, c2, 60 * MS, MDL_ST_RUNNING, t1, 0);
	ana_synth_on_cpu(s, c2, 100 * MS, MDL_ST_RUNNING, t2, 0);
	ana_synth_on_cpu(s, c3, 32 * MS, MDL_ST_IDLE, idle, 0);
	ana_synth_on_cpu(s, c3, 33 * MS, MDL_ST_INTERRUPTED, idle, timer);
	ana_synth_on_cpu(s, c3, 100 * MS, MDL_ST_IDLE, idle, 0);
	ana_synth_on_cpu(s, t1, 10 * MS, MDL_ST_RUNNING, 1, 0);
	ana_synth_on_cpu(s, t1, 31 * MS, MDL_ST_PREEMPTED, 1, 0);
	ana_synth_on_cpu(s, t1, 35 * MS, MDL_ST_PREEMPTED, 2, 0);
	ana_synth_on_cpu(s, t1, 60 * MS, MDL_ST_RUNNING, 2, 0);
	ana_synth_on_cpu(s, t2, 50 * MS, MDL_ST_RUNNING, 2, 0);
	ana_synth_on_cpu(s, t2, 60 * MS, MDL_ST_PREEMPTED, 2, 0);
	ana_synth_on_cpu(s, t2, 100 * MS, MDL_ST_RUNNING, 2, 0);
	q = ana_synth_open(s);
	if (named)
		name_timers(q);
	g_assert_true(qry_kernel_state_at(q, t1, 10 * MS, &iv));
	g_assert_true(throttle_of(q, t1, &iv, &t));
	g_assert_cmpint(t.until, ==, named ? 30 * MS : 31 * MS);
	g_assert_cmpstr(t.text, ==, "its own deadline budget");
	g_assert_cmpint(grade_of(q, t1, &iv), ==, MDL_INFERRED);
	g_assert_true(qry_kernel_state_at(q, t1, 31 * MS, &iv));
	if (named)
		g_assert_false(throttle_of(q, t1, &iv, &t));
	g_assert_true(qry_kernel_state_at(q, t2, 50 * MS, &iv));
	g_assert_false(throttle_of(q, t2, &iv, &t));
	g_assert_cmpint(grade_of(q, t2, &iv), ==, MDL_PROVED);
	ana_synth_free(s);
}

static void test_deadline(void)
{
	check_deadline(false);
	check_deadline(true);
}

/* Since 6.12 fair threads have a server; its timer has just expired when T1, of real time, has to leave. */
static void test_server(void)
{
	struct ana_synth *s = ana_synth_new(100 * MS);
	uint32_t cpu = ana_synth_cpu(s), t1 = ana_synth_thread(s, 1, 0, MDL_NONE),
		 fair = ana_synth_thread(s, 3, 0, MDL_NONE);
	uint32_t timer = ana_synth_context_id(s, MDL_CTX_HRTIMER, 0x300, "");
	struct mdl_interval iv;
	struct ana_throttle t;
	struct qry *q;

	ana_synth_priority(s, t1, 0, 40);
	ana_synth_priority(s, fair, 0, 120);
	for (int64_t from = 0; from < 100 * MS; from += 50 * MS) {
		ana_synth_on_cpu(s, cpu, from + 10 * MS, MDL_ST_RUNNING, t1, 0);
		if (from == 0)
			ana_synth_on_cpu(s, cpu, from + 11 * MS, MDL_ST_INTERRUPTED, t1, timer);
		else
			ana_synth_on_cpu(s, cpu, from + 11 * MS, MDL_ST_RUNNING, t1, 0);
		ana_synth_on_cpu(s, cpu, from + 40 * MS, MDL_ST_RUNNING, fair, 0);
		ana_synth_on_cpu(s, cpu, from + 50 * MS, MDL_ST_RUNNING, t1, 0);
		ana_synth_on_cpu(s, t1, from + 11 * MS, MDL_ST_RUNNING, 1, 0);
		ana_synth_on_cpu(s, t1, from + 40 * MS, MDL_ST_PREEMPTED, 1, 0);
		ana_synth_on_cpu(s, t1, from + 50 * MS, MDL_ST_RUNNING, 1, 0);
	}
	q = ana_synth_open(s);
	name_timers(q);
	g_assert_true(qry_kernel_state_at(q, t1, 11 * MS, &iv));
	g_assert_true(throttle_of(q, t1, &iv, &t));
	g_assert_cmpint(t.until, ==, 40 * MS);
	g_assert_cmpstr(t.text, ==, "the server of fair threads");
	g_assert_true(qry_kernel_state_at(q, t1, 61 * MS, &iv));
	g_assert_false(throttle_of(q, t1, &iv, &t));             /* no timer shows the reason … */
	g_assert_cmpint(grade_of(q, t1, &iv), ==, MDL_INFERRED); /* … but there was one */
	ana_synth_free(s);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/throttle/made", test_made);
	g_test_add_func("/throttle/named", test_named);
	g_test_add_func("/throttle/passed-over", test_passed_over);
	g_test_add_func("/throttle/deadline", test_deadline);
	g_test_add_func("/throttle/server", test_server);
	return g_test_run();
}
