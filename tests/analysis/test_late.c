/* SPDX-License-Identifier: MIT */
/* Timers that expired late, in real traces.  All times were read by hand in babeltrace2's text of the trace.
 */
#include "analysis/account/account.h"
#include "analysis/causes/causes.h"
#include "analysis/ana_fixture.h"
#include "analysis/cpu/cpuwait.h"
#include "analysis/wait/why.h"

/* A part of the lateness, as text. */
struct part {
	const char *text;
	int64_t time;
};

/* A wait of TID until CLOCK. */
struct late {
	const char *trace;
	int64_t tid;
	const char *clock, *due, *expired;
	int64_t slack;
	uint32_t cpu;
	const char *headline;
	struct part parts[5];
};

static const struct late cases[] = {
	/*
	 * The timer of a SCHED_FIFO thread is due at 213048024101, and expires 4.08 ms later: until then CPU 0
	 * runs a thread of a lower class, with interrupts off, and two IPIs and the tick come first.  (By the
	 * metadata CLOCK_MONOTONIC was 0 at 1795168802465556094; in pulse, at …324.)
	 *
	 * [10:03:35.506582965] timer_hrtimer_start: { cpu_id = 0 }, { hrtimer = 0xFF5F2C4000AA7E10, …,
	 *                      expires = 213048024101, softexpires = 213048024101, … }
	 * [10:03:35.506706885] sched_switch: { cpu_id = 0 }, { prev_comm = "rcu_preempt", …,
	 *                      next_comm = "wk-victim", next_tid = 546, … }
	 * [10:03:35.510739905] irq_softirq_exit: { cpu_id = 0 }, { vec = 9 }
	 * [10:03:35.517601885] x86_irq_vectors_reschedule_entry: { cpu_id = 0 }, { vector = 253 }
	 * [10:03:35.517605225] x86_irq_vectors_reschedule_exit: { cpu_id = 0 }, { vector = 253 }
	 * [10:03:35.517614375] x86_irq_vectors_call_function_single_entry: { cpu_id = 0 }, { vector = 251 }
	 * [10:03:35.517623945] x86_irq_vectors_call_function_single_exit: { cpu_id = 0 }, { vector = 251 }
	 * [10:03:35.517628045] x86_irq_vectors_local_timer_entry: { cpu_id = 0 }, { vector = 236 }
	 * [10:03:35.517631415] timer_hrtimer_expire_entry: { cpu_id = 0 }, { hrtimer = 0xFF45A5803B8235C0,
	 *                      now = 213052073331, … }
	 * [10:03:35.517656375] timer_hrtimer_expire_exit: { cpu_id = 0 }, { hrtimer = 0xFF45A5803B8235C0 }
	 * [10:03:35.517662845] timer_hrtimer_expire_entry: { cpu_id = 0 }, { hrtimer = 0xFF5F2C4000AA7E10,
	 *                      now = 213052073331, … }
	 * [10:03:35.517666125] sched_waking: { cpu_id = 0 }, { comm = "wk-rt", tid = 547, prio = -51, … }
	 */
	{ "preempt", 547, "10:03:35.517666125", "10:03:35.513580195", "10:03:35.517662845", 0, 0,
		"timer: expired 11.1 ms after thread wk-rt[547] armed it, 4.08 ms late",
		{ { "wk-victim[546]", 4034940 }, { "hrtimer", 24960 }, { "IRQ 236 local_timer", 9840 },
			{ "ipi call_function_single", 9570 }, { "ipi reschedule", 3340 } } },
	/*
	 * A CPU that leaves the idle state late, and the tick before the timer; test_blame.c has the lines in
	 * between.
	 *
	 * [10:03:31.385860875] timer_hrtimer_start: { cpu_id = 1 }, { hrtimer = 0xFF5F2C40009DBDD8, …,
	 *                      expires = 208925352331, softexpires = 208925302331, … }
	 * [10:03:31.393060405] sched_waking: { cpu_id = 1 }, { comm = "wk-pulse", tid = 532, prio = 20, … }
	 */
	{ "pulse", 532, "10:03:31.393060405", "10:03:31.390908655", "10:03:31.393054205", 50000, 1,
		"timer: expired 7.19 ms after thread wk-pulse[532] armed it, 2.15 ms late",
		{ { "the idle CPU 1", 2054140 }, { "hrtimer", 59110 }, { "IRQ 236 local_timer", 32300 } } },
	/*
	 * A softirq that keeps the CPU, and the interrupt itself.
	 *
	 * [10:03:31.352370935] timer_hrtimer_start: { cpu_id = 1 }, { hrtimer = 0xFF5F2C40009DBD38, …,
	 *                      expires = 208891858161, softexpires = 208891808161, … }
	 * [10:03:31.353899695] irq_softirq_entry: { cpu_id = 1 }, { vec = 9 }
	 * [10:03:31.358354065] x86_irq_vectors_local_timer_entry: { cpu_id = 1 }, { vector = 236 }
	 * [10:03:31.358359425] timer_hrtimer_expire_entry: { cpu_id = 1 }, { hrtimer = 0xFF5F2C40009DBD38,
	 *                      now = 208892799661, … }
	 */
	{ "pulse", 532, "10:03:31.358362965", "10:03:31.357414485", "10:03:31.358359425", 50000, 1,
		"timer: expired 5.99 ms after thread wk-pulse[532] armed it, 945 µs late",
		{ { "softirq RCU", 939580 }, { "IRQ 236 local_timer", 5360 } } },
};

/* Raw events say prev_prio = 20 of wk-victim, which is LTTng's for nice 0, and prio = -51 of wk-rt:
 * SCHED_FIFO 50. */
static void test_priorities(void)
{
	ANA_FIXTURE_OR_SKIP(f, "preempt");
	struct qry *q = ana_fixture_qry(f);
	int64_t time = ana_fixture_at("10:03:35.513580195");
	struct ana_blame *b = ana_blame_of_cpu(q, 0, 0, time, time + 1000);
	const struct ana_blame_part *part = &g_array_index(b->parts, struct ana_blame_part, 0);

	g_assert_cmpuint(b->parts->len, ==, 1);
	g_assert_cmpuint(part->row, ==, ana_fixture_thread(f, 546));
	g_assert_cmpint(part->priority, ==, 120);
	g_assert_cmpstr(mdl_class_name(part->priority), ==, "fair");
	g_assert_cmpint(qry_priority_at(q, ana_fixture_thread(f, 547), time), ==, 49);
	g_assert_cmpstr(mdl_class_name(49), ==, "real-time");
	ana_blame_free(b);
}

static const struct mdl_timer *timer_of(const struct ana_why *why)
{
	g_assert_true(why->has_cause && (why->cause.facts.has & MDL_FACT_TIMER));
	return &why->cause.facts.timer;
}

static void check_blame(struct qry *q, const struct late *l, const struct mdl_timer *t)
{
	struct ana_blame *b = ana_late_blame(q, 0, t);
	guint n = 0;

	for (; n < G_N_ELEMENTS(l->parts) && l->parts[n].text; n++) {
		const struct ana_blame_part *part = &g_array_index(b->parts, struct ana_blame_part, n);
		char *text = ana_blame_part_text(q, part);

		g_assert_cmpuint(n, <, b->parts->len);
		g_assert_cmpstr(text, ==, l->parts[n].text);
		g_assert_cmpint(part->time, ==, l->parts[n].time);
		g_free(text);
	}
	g_assert_cmpuint(b->parts->len, ==, n);
	ana_blame_free(b);
}

/* The path has the sleep until the timer was due, then the lateness, then the time to the wake-up. */
static void check_path(const struct ana_fixture *f, const struct late *l, const struct ana_why *why)
{
	struct ana_path *p = ana_fixture_path(f, l->tid, why->from, why->to);

	g_assert_cmpuint(p->segments->len, ==, 3);
	for (guint i = 0; i < 3; i++)
		g_assert_cmpint(ana_fixture_segment(p, i)->kind, ==,
			i == 1 ? ANA_SEG_TIMER_LATE : ANA_SEG_TIMER);
	g_assert_cmpint(ana_fixture_segment(p, 0)->from, ==, why->from);
	g_assert_cmpint(ana_fixture_segment(p, 1)->from, ==, ana_fixture_at(l->due));
	g_assert_cmpint(ana_fixture_segment(p, 1)->to, ==, ana_fixture_at(l->expired));
	g_assert_cmpint(ana_fixture_segment(p, 2)->to, ==, ana_fixture_at(l->clock));
	ana_path_free(p);
}

/* The explanation of the wait has a step for the lateness, right after that of the timer. */
static void check_hop(const struct late *l, const struct ana_why *why)
{
	const struct ana_why_hop *hop = &g_array_index(why->hops, struct ana_why_hop, 2);
	char *first = g_strconcat(l->parts[0].text, " ", NULL);

	g_assert_cmpuint(why->hops->len, >, 2);
	g_assert_true(g_str_has_prefix(hop[-1].label, "timer "));
	g_assert_cmpstr(hop->label, ==, "late");
	g_assert_true(g_str_has_prefix(hop->text, first));
	g_assert_cmpint(hop->from, ==, ana_fixture_at(l->due));
	g_assert_cmpint(hop->to, ==, ana_fixture_at(l->expired));
	g_assert_cmpuint(hop->cpu, ==, l->cpu);
	g_assert_cmpint(mdl_grade_of(hop->doubts), ==, MDL_PROVED);
	g_free(first);
}

static void test_case(const void *data)
{
	const struct late *l = data;
	struct ana_fixture *f = ana_fixture_open(l->trace);
	struct mdl_wakeup w;
	struct ana_why *why;

	if (!f) {
		g_test_skip("the trace is not there");
		return;
	}
	g_assert_true(qry_wakeup_at(ana_fixture_qry(f), ana_fixture_thread(f, l->tid),
		ana_fixture_at(l->clock), &w));
	why = ana_why_new(ana_fixture_qry(f), ana_fixture_thread(f, l->tid), &w);
	g_assert_cmpstr(why->headline, ==, l->headline);
	g_assert_cmpint(timer_of(why)->due, ==, ana_fixture_at(l->due));
	g_assert_cmpint(timer_of(why)->expired_at, ==, ana_fixture_at(l->expired));
	g_assert_cmpint(timer_of(why)->slack, ==, l->slack);
	g_assert_cmpuint(timer_of(why)->cpu, ==, l->cpu);
	check_blame(ana_fixture_qry(f), l, timer_of(why));
	check_path(f, l, why);
	check_hop(l, why);
	ana_why_free(why);
}

/* The interrupts' part of the account of [FROM, TO). */
static int64_t interrupts_in(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	struct ana_blame *b = ana_account_new(q, row, from, to, 0, NULL, NULL);
	int64_t time = 0;

	for (guint i = 0; i < b->parts->len; i++) {
		const struct ana_blame_part *part = &g_array_index(b->parts, struct ana_blame_part, i);

		if (part->context != MDL_NONE)
			time += part->time;
	}
	ana_blame_free(b);
	return time;
}

/*
 * rtla measures the same on PREEMPT_RT: its "IRQ latency" is what the timer's function reads first, some µs
 * after the event of the expiry, its "Timerlat IRQ duration" from the entry of the local timer to its exit.
 * (rtla.txt: an "IRQ latency" of 134.13, 97.38, 104.12 and 108.97 µs, an "IRQ duration" of 266.06, 58.89,
 * 54.67 and 60.90 µs, for the first expiry of each of the four times, on CPU 1 and thrice on CPU 0.  In the
 * first expiry nothing of that function was in the caches: its hrtimer took 0.25 ms, the others 0.03 ms.)
 */
static void test_timerlat(void)
{
	static const struct {
		int64_t tid, latency, duration;
	} measured[] = { { 638, 134130, 266060 }, { 643, 97380, 58890 }, { 648, 104120, 54670 },
		{ 653, 108970, 60900 } };

	ANA_FIXTURE_OR_SKIP(f, "inputs/rt-timerlat/lttng");
	for (size_t i = 0; i < G_N_ELEMENTS(measured); i++) {
		struct qry *q = ana_fixture_qry(f);
		uint32_t row = ana_fixture_thread(f, measured[i].tid);
		struct mdl_cause cause;
		struct mdl_wakeup w;
		int64_t more;

		/* After the wake-up of its creation. */
		g_assert_true(qry_wakeup_get(q, row, 1, &w) && qry_cause(q, 0, w.cause, &cause));
		g_assert_true(cause.facts.has & MDL_FACT_TIMER);
		more = measured[i].latency - ana_late_ns(&cause.facts.timer);
		g_assert_cmpint(more, >, 0);
		g_assert_cmpint(more, <, i == 0 ? 40000 : 10000);
		more = interrupts_in(q, row, cause.facts.timer.due, w.ran_at) - measured[i].duration;
		g_assert_cmpint(ABS(more), <, 1000);
	}
}

/*
 * The causes of wk-pulse's 20 sleeps: 6 251 590 ns of late expiries by babeltrace2's text (event of each
 * expiry less the time it was armed for), the rest its own sleep.
 */
static void test_causes(void)
{
	ANA_FIXTURE_OR_SKIP(f, "pulse");
	struct qry *q = ana_fixture_qry(f);
	uint32_t row = ana_fixture_thread(f, 532);
	struct ana_causes *c = ana_causes_new(q, &row, 1, ANA_CAUSES_BY_NAME, qry_host(q, 0)->from,
		qry_host(q, 0)->to);
	int64_t late = 0, own = 0, waits = 0;
	unsigned of_timers = 0;
	const GArray *entries;
	struct mdl_wakeup w;

	while (ana_causes_work(c, 64))
		;
	entries = ana_causes_entries(c);
	for (guint i = 0; i < entries->len; i++) {
		const struct ana_causes_entry *e = &g_array_index(entries, struct ana_causes_entry, i);

		if (e->kind == ANA_KIND_PREEMPTED || e->kind == ANA_KIND_WAIT_CPU ||
			e->kind == ANA_KIND_FORK) /* after the wake-up, or before the first */
			continue;
		of_timers++;
		g_assert_cmpint(e->kind, ==, ANA_KIND_TIMER);
		g_assert_true(g_str_equal(e->name, "own sleep") ||
			g_str_equal(e->name, "late: the CPU was idle") ||
			g_str_equal(e->name, "late: interrupts"));
		*(g_str_has_prefix(e->name, "late: ") ? &late : &own) += e->total;
	}
	for (uint64_t i = 1; qry_wakeup_get(q, row, i, &w); i++)
		waits += w.time - w.since;
	g_assert_cmpuint(of_timers, ==, 3);
	g_assert_cmpint(late, ==, 6251590);
	g_assert_cmpint(own, ==, waits - late);
	ana_causes_free(c);
}

/* In lockfight, causes name a thread that had the CPU when another's timer was due. */
static void test_causes_thread(void)
{
	ANA_FIXTURE_OR_SKIP(f, "lockfight");
	struct qry *q = ana_fixture_qry(f);
	uint32_t row = ana_fixture_thread(f, 473);
	/* The wait until 10:03:14.062369665: its timer was due at …058108945 and expired at …062364505; meanwhile
	 * wk-fighter1 (472) had CPU 1 for 4 176 640 ns. */
	struct ana_causes *c = ana_causes_new(q, &row, 1, ANA_CAUSES_BY_THREAD,
		ana_fixture_at("10:03:14.058108945"), ana_fixture_at("10:03:14.062364505"));
	const struct ana_causes_entry *first;

	while (ana_causes_work(c, 64))
		;
	first = &g_array_index(ana_causes_entries(c), struct ana_causes_entry, 0);
	g_assert_cmpstr(first->label, ==, "late: wk-fighter1 ran");
	g_assert_cmpint(first->total, ==, 4176640);
	g_assert_cmpuint(first->row, ==, ana_fixture_thread(f, 472));
	ana_causes_free(c);
}

/* The parts of the lateness of TIMER of HOST sum to it. */
static void check_sum(struct qry *q, uint32_t host, const struct mdl_timer *timer)
{
	struct ana_blame *b = ana_late_blame(q, host, timer);
	int64_t sum = 0, late = ana_late_ns(timer);

	g_assert_true(!!b == (late != MDL_NEVER));
	for (guint i = 0; b && i < b->parts->len; i++)
		sum += g_array_index(b->parts, struct ana_blame_part, i).time;
	if (b)
		g_assert_cmpint(sum, ==, late);
	ana_blame_free(b);
}

/* All timers in all traces. */
static void test_sums(const void *name)
{
	struct ana_fixture *f = ana_fixture_open(name);
	struct qry *q = ana_fixture_qry(f);

	for (uint32_t row = 0; row < qry_row_count(q); row++) {
		struct mdl_cause cause;
		struct mdl_wakeup w;

		for (uint64_t i = 0; qry_row(q, row)->type == MDL_ROW_THREAD && qry_wakeup_get(q, row, i, &w);
			i++)
			if (w.cause != 0 && qry_cause(q, qry_row(q, row)->host, w.cause, &cause) &&
				(cause.facts.has & MDL_FACT_TIMER))
				check_sum(q, qry_row(q, row)->host, &cause.facts.timer);
	}
	ana_fixture_close_all();
}

static void add_tests(char **traces)
{
	for (char **name = traces; *name; name++) {
		char *path = g_strdup_printf("/late/sums/%s", *name);

		g_test_add_data_func(path, *name, test_sums);
		g_free(path);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *path = g_strdup_printf("/late/%s/%s", cases[i].trace, cases[i].clock);

		g_test_add_data_func(path, &cases[i], test_case);
		g_free(path);
	}
	g_test_add_func("/late/timerlat", test_timerlat);
	g_test_add_func("/late/priorities", test_priorities);
	g_test_add_func("/late/causes", test_causes);
	g_test_add_func("/late/causes-thread", test_causes_thread);
	add_tests(ana_fixture_names());
	add_tests(ana_fixture_inputs());
	return ana_fixture_run();
}
