/* SPDX-License-Identifier: MIT */
/* Accounts: they sum in all traces, and their parts equal those read by hand in babeltrace2's text. */
#include "analysis/account/account.h"
#include "analysis/ana_fixture.h"

#include <string.h>

/* ---- parts of an account ---- */

struct spans {
	GArray *all; /* of struct ana_blame_part */
	int64_t from, to;
};

static void keep(void *data, const struct ana_blame_part *span)
{
	struct spans *s = data;

	g_assert_cmpint(span->from, >=, s->from);
	g_assert_cmpint(span->to, <=, s->to);
	g_assert_cmpint(span->from, <, span->to);
	g_assert_cmpint(span->time, ==, span->to - span->from);
	g_assert_cmpint(span->phase, !=, ANA_PHASE_NONE);
	g_assert((span->what == ANA_BLAME_UNKNOWN) == (mdl_grade_of(span->doubts) == MDL_UNSURE));
	g_array_append_val(s->all, *span);
}

static int by_time(const void *a, const void *b)
{
	const struct ana_blame_part *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* The spans of [FROM, TO) of ROW follow each other without hole or overlap. */
static void check_cover(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	struct spans s = { g_array_new(FALSE, FALSE, sizeof(struct ana_blame_part)), from, to };
	int64_t at = from;

	ana_account_spans(q, row, from, to, NULL, keep, &s);
	g_array_sort(s.all, by_time);
	for (guint i = 0; i < s.all->len; i++) {
		g_assert_cmpint(g_array_index(s.all, struct ana_blame_part, i).from, ==, at);
		at = g_array_index(s.all, struct ana_blame_part, i).to;
	}
	g_assert_cmpint(at, ==, MAX(from, to));
	g_array_unref(s.all);
}

/* The time in BLAME of that kind; NAME NULL: of any name. */
static int64_t time_of(const struct ana_blame *blame, enum ana_phase phase, enum ana_blame_what what,
	const char *name)
{
	int64_t sum = 0;

	for (guint i = 0; i < blame->parts->len; i++) {
		const struct ana_blame_part *p = &g_array_index(blame->parts, struct ana_blame_part, i);

		if (p->phase == phase && p->what == what && (!name || g_strcmp0(p->name, name) == 0))
			sum += p->time;
	}
	return sum;
}

/* ---- all traces ---- */

static void check_latencies(struct qry *q, uint32_t row)
{
	struct mdl_wakeup w;

	for (uint64_t i = 0; qry_wakeup_get(q, row, i, &w); i++) {
		if (w.ran_at != MDL_NEVER)
			check_cover(q, row, w.time, w.ran_at);
	}
}

/* The thread's own parts must equal its states, in whatever parts. */
static void check_life(struct qry *q, uint32_t row)
{
	const struct qry_row *r = qry_row(q, row);
	struct ana_blame *blame = ana_account_new(q, row, r->first, r->last, 0, NULL, NULL);
	int64_t running = time_of(blame, ANA_PHASE_RUNNING, ANA_BLAME_RUNNING, NULL), interrupted = 0,
		sum = 0;
	int64_t ns[MDL_ST_N] = { 0 };
	GArray *states = qry_states(q, row, r->first, r->last);

	check_cover(q, row, r->first, r->last);
	for (guint i = 0; i < states->len; i++) {
		const struct mdl_interval *iv = &g_array_index(states, struct mdl_interval, i);

		ns[iv->state] += iv->to - iv->from;
	}
	for (guint i = 0; i < blame->parts->len; i++) {
		const struct ana_blame_part *p = &g_array_index(blame->parts, struct ana_blame_part, i);

		interrupted += p->phase == ANA_PHASE_INTERRUPTED ? p->time : 0;
		sum += p->time;
	}
	g_assert_cmpint(sum, ==, r->last - r->first);
	g_assert_cmpint(running, ==, ns[MDL_ST_USERMODE] + ns[MDL_ST_SYSCALL] + ns[MDL_ST_RUNNING]);
	g_assert_cmpint(interrupted, ==, ns[MDL_ST_INTERRUPTED]);
	g_array_unref(states);
	ana_blame_free(blame);
}

static void check_trace(const char *name)
{
	struct ana_fixture *f = ana_fixture_open(name);
	struct qry *q;

	g_assert_nonnull(f);
	q = ana_fixture_qry(f);
	for (uint32_t row = 0; row < qry_row_count(q); row++) {
		if (qry_row(q, row)->type != MDL_ROW_THREAD || qry_row(q, row)->nr == 0)
			continue;
		check_latencies(q, row);
		check_life(q, row);
	}
	ana_fixture_close_all();
}

static void test_all(void)
{
	char **names = ana_fixture_names(), **inputs = ana_fixture_inputs();

	for (guint i = 0; names[i]; i++)
		check_trace(names[i]);
	for (guint i = 0; inputs[i]; i++)
		check_trace(inputs[i]);
}

/* ---- by hand ---- */

/* wk-rt, SCHED_FIFO, takes 3 ms of every 10 from wk-victim: each part names it, with class and priority. */
static void test_preempt(void)
{
	ANA_FIXTURE_OR_SKIP(f, "preempt")
	struct qry *q = ana_fixture_qry(f);
	uint32_t row = ana_fixture_thread(f, 546);
	const struct qry_row *r = qry_row(q, row);
	struct mdl_interval iv;
	unsigned long_ones = 0;

	for (int64_t t = r->first; qry_state_at(q, row, t, &iv); t = iv.to) {
		struct ana_blame *blame;
		const struct ana_blame_part *p;

		if (iv.state != MDL_ST_PREEMPTED || iv.to - iv.from < 2000000)
			continue;
		blame = ana_account_new(q, row, iv.from, iv.to, 0, NULL, NULL);
		p = &g_array_index(blame->parts, struct ana_blame_part, 0);
		g_assert_cmpstr(p->name, ==, "wk-rt");
		g_assert_cmpint(p->phase, ==, ANA_PHASE_PREEMPTED);
		g_assert_cmpstr(mdl_class_name(p->priority), ==, "real-time");
		g_assert_cmpint(p->time, >, 2500000);
		g_assert_cmpint(p->time, <, 3600000);
		long_ones++;
		ana_blame_free(blame);
	}
	g_assert_cmpuint(long_ones, >=, 8);
}

/* CLOCK on the day on which the traces in inputs were recorded: two days after the others. */
static int64_t at(const char *clock)
{
	return ana_fixture_at(clock) + INT64_C(2) * 86400 * 1000000000;
}

/*
 * The four latencies that stopped rtla, by the events of the LTTng trace and by rtla.txt (µs), which
 * the osnoise tracer wrote at the same time.  In each, on one CPU:
 *
 *   timer_hrtimer_start          its "expires", by the clock of the trace, is when the timer is due
 *   local_timer_entry            the CPU was idle until then: rtla's "exit from idle", part of "IRQ latency"
 *   timer_hrtimer_expire_entry   timerlat_irq() begins and reads the clock: end of "IRQ latency"
 *   sched_waking
 *   timer_hrtimer_expire_exit
 *   local_timer_exit             end of "Timerlat IRQ duration"
 *   sched_switch                 from swapper to timerlatu: end of "Blocking thread"; timerlatu reads the clock
 *                                later, on its way to user space: end of "Thread latency"
 *
 * Both tracers hook the same tracepoints, so their times at an interrupt differ by 0.3 to 0.5 µs only; at the
 * switch and at the clock read they differ by more.  rtla's "handler delay" is too short by the cost of its own
 * record: rtla takes the time at which it wrote the record for the time at which it read the clock
 * (timerlat_aa_irq_latency() of tools/tracing/rtla), so it finds 0 in the first latency.
 */
struct stop {
	int64_t tid;
	const char *second;                                                /* of all times below */
	int64_t slept, expires, entry, expire, waking, expired, exit, ran; /* ns */
	/* µs */
	double irq_latency, irq_duration, blocking, handler_delay, latency;
};

#define ZERO INT64_C(1795356001626510488) /* of the trace's clock in its metadata: CLOCK_MONOTONIC */

static const struct stop stops[] = {
	{ 638, "14:03:13.000000000", 169528522, 191552921795, 179528975, 179532215, 179755069, 179789302,
		179795400, 179812457, 134.13, 266.06, 24.74, 0, 544.05 },
	{ 643, "14:03:20.000000000", 645248068, 199028682650, 655282095, 655286592, 655305638, 655318598,
		655341485, 655353835, 97.38, 58.89, 14.79, 77.64, 266.53 },
	{ 648, "14:03:28.000000000", 341336089, 206724774422, 351380728, 351385371, 351403634, 351416272,
		351436057, 351448175, 104.12, 54.67, 14.62, 84.82, 265.73 },
	{ 653, "14:03:35.000000000", 817258803, 214200698184, 827306223, 827311057, 827333689, 827345735,
		827367881, 827380594, 108.97, 60.90, 15.48, 85.07, 263.23 },
};

static void check_between(double value, double from, double to)
{
	g_assert_cmpfloat(value, >=, from);
	g_assert_cmpfloat(value, <=, to);
}

/* The parts of B, to the ns. */
static void check_parts(const struct stop *s, const struct ana_blame *b, int64_t from, int64_t second,
	int64_t due)
{
	g_assert_cmpint(time_of(b, ANA_PHASE_SLEEP, ANA_BLAME_SLEEP, NULL), ==, due - from);
	g_assert_cmpint(time_of(b, ANA_PHASE_LATE, ANA_BLAME_IDLE, NULL), ==, second + s->entry - due);
	g_assert_cmpint(time_of(b, ANA_PHASE_LATE, ANA_BLAME_IRQ, "local_timer"), ==, s->expire - s->entry);
	g_assert_cmpint(time_of(b, ANA_PHASE_WAKE_UP, ANA_BLAME_TIMER, NULL), ==, s->waking - s->expire);
	g_assert_cmpint(time_of(b, ANA_PHASE_WAIT_CPU, ANA_BLAME_TIMER, NULL), ==, s->expired - s->waking);
	g_assert_cmpint(time_of(b, ANA_PHASE_WAIT_CPU, ANA_BLAME_IRQ, "local_timer"), ==,
		s->exit - s->expired);
	g_assert_cmpint(time_of(b, ANA_PHASE_WAIT_CPU, ANA_BLAME_IDLE, NULL), ==, s->ran - s->exit);
	g_assert_cmpuint(b->parts->len, ==, 7);
	for (guint i = 0; i < b->parts->len; i++)
		g_assert_cmpint(mdl_grade_of(g_array_index(b->parts, struct ana_blame_part, i).doubts), ==,
			MDL_PROVED);
}

/* Against rtla's numbers, in µs. */
static void check_rtla(const struct stop *s, const struct ana_blame *b, int64_t second, int64_t due)
{
	double idle = (double)time_of(b, ANA_PHASE_LATE, ANA_BLAME_IDLE, NULL) / 1000;
	double late = idle + (double)time_of(b, ANA_PHASE_LATE, ANA_BLAME_IRQ, NULL) / 1000;
	double irq = (double)(time_of(b, ANA_PHASE_LATE, ANA_BLAME_IRQ, NULL) +
			     time_of(b, ANA_PHASE_WAKE_UP, ANA_BLAME_TIMER, NULL) +
			     time_of(b, ANA_PHASE_WAIT_CPU, ANA_BLAME_TIMER, NULL) +
			     time_of(b, ANA_PHASE_WAIT_CPU, ANA_BLAME_IRQ, NULL)) /
		1000;
	double blocking = (double)time_of(b, ANA_PHASE_WAIT_CPU, ANA_BLAME_IDLE, NULL) / 1000;
	bool first = s->handler_delay == 0;

	/* The interrupt reads the clock; the first time, its handler's code was in no cache. */
	check_between(s->irq_latency, late, late + (first ? 40 : 8));
	check_between(irq, s->irq_duration - 1, s->irq_duration + 1);
	check_between(s->blocking, blocking, blocking + 8);
	check_between(idle, s->handler_delay, s->handler_delay + (first ? 100 : 16));
	/* The thread reads the clock after it was switched in. */
	check_between(s->latency, (double)(second + s->ran - due) / 1000, s->latency);
}

static void test_timerlat(void)
{
	ANA_FIXTURE_OR_SKIP(f, "inputs/rt-timerlat/lttng")
	struct qry *q = ana_fixture_qry(f);

	for (guint i = 0; i < G_N_ELEMENTS(stops); i++) {
		const struct stop *s = &stops[i];
		uint32_t row = ana_fixture_thread(f, s->tid);
		int64_t from, to, second = at(s->second), due = s->expires + ZERO;
		struct ana_blame *b;

		g_assert_true(ana_account_wait(q, row, second + s->entry, &from, &to));
		g_assert_cmpint(from, ==, second + s->slept);
		g_assert_cmpint(to, ==, second + s->ran);
		b = ana_account_new(q, row, from, to, 0, NULL, NULL);
		check_parts(s, b, from, second, due);
		check_rtla(s, b, second, due);
		ana_blame_free(b);
	}
}

/*
 * A group with 10 ms of every 50: wk-pipe-main is switched out runnable, with the CPU idle,
 * and comes back upon the expiry of 0xFFFFFFFF8A522650 (sched_cfs_period_timer); wk-stage0 and wk-stage1 are
 * created meanwhile on CPU 0 and do not run.  cpu.stat after it: throttled_usec 264784.
 */
static void test_throttled(void)
{
	ANA_FIXTURE_OR_SKIP(f, "inputs/throttled/lttng")
	static const int64_t tids[] = { 608, 609, 610 };
	struct qry *q = ana_fixture_qry(f);
	int64_t sum = 0;

	for (guint i = 0; i < G_N_ELEMENTS(tids); i++) {
		const struct qry_row *r = qry_row(q, ana_fixture_thread(f, tids[i]));
		struct ana_blame *b = ana_account_new(q, r->id, r->first, r->last, 0, NULL, NULL);

		sum += time_of(b, ANA_PHASE_THROTTLED, ANA_BLAME_THROTTLED, NULL);
		ana_blame_free(b);
	}
	g_assert_cmpint(sum, >, 264784000 / 100 * 95);
	g_assert_cmpint(sum, <, 264784000 / 100 * 105);
}

/* One of these waits: switched out at 11.469903495, expiry at 11.515888523, running at 11.516178225. */
static void test_quota(void)
{
	ANA_FIXTURE_OR_SKIP(f, "inputs/throttled/lttng")
	struct qry *q = ana_fixture_qry(f);
	int64_t from, to;
	struct ana_blame *b;
	const struct ana_blame_part *p;

	g_assert_true(ana_account_wait(q, ana_fixture_thread(f, 608), at("12:03:11.480000000"), &from, &to));
	g_assert_cmpint(from, ==, at("12:03:11.469903495"));
	g_assert_cmpint(to, ==, at("12:03:11.516178225"));
	b = ana_account_new(q, ana_fixture_thread(f, 608), from, to, 0, NULL, NULL);
	p = &g_array_index(b->parts, struct ana_blame_part, 0);
	g_assert_cmpint(p->what, ==, ANA_BLAME_THROTTLED);
	g_assert_cmpint(mdl_grade_of(p->doubts), ==, MDL_INFERRED);
	g_assert_cmpint(p->time, ==, 515888523 - 469903495);
	g_assert_true(g_str_has_prefix(p->name, "CPU quota: about 10.0 ms"));
	g_assert_nonnull(strstr(p->name, " of every 50.0 ms"));
	ana_blame_free(b);
}

/* No other trace was recorded under a quota: nothing there looks like one. */
static void test_no_quota(void)
{
	char **names = ana_fixture_names();

	for (guint i = 0; names[i]; i++) {
		struct qry *q = ana_fixture_qry(ana_fixture_open(names[i]));

		for (uint32_t row = 0; row < qry_row_count(q); row++) {
			const struct qry_row *r = qry_row(q, row);
			struct ana_blame *b;

			if (r->type != MDL_ROW_THREAD || r->nr == 0)
				continue;
			b = ana_account_new(q, row, r->first, r->last, 0, NULL, NULL);
			g_assert_cmpint(time_of(b, ANA_PHASE_THROTTLED, ANA_BLAME_THROTTLED, NULL), ==, 0);
			ana_blame_free(b);
		}
		ana_fixture_close_all();
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/account/all", test_all);
	g_test_add_func("/account/preempt", test_preempt);
	g_test_add_func("/account/timerlat", test_timerlat);
	g_test_add_func("/account/throttled", test_throttled);
	g_test_add_func("/account/quota", test_quota);
	g_test_add_func("/account/no-quota", test_no_quota);
	return ana_fixture_run();
}
