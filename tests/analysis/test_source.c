/* SPDX-License-Identifier: MIT */
/* Causes of wake-ups in real traces.  The times are those of sched_waking events (sched_wakeup_new for a
 * fork), read by hand together with the events before them on their CPU. */
#include "analysis/ana_fixture.h"
#include "analysis/ana_synth.h"

struct expect {
	const char *trace, *clock;
	int64_t tid;
	enum ana_kind kind;
	enum mdl_grade grade;
	int64_t by, interrupted; /* TID; -1 none */
	const char *text;
};

static const struct expect expected[] = {
	/* workqueue_queue_work in the timer softirq that follows a tick; the CPU was idle */
	{ "pipeline", "10:03:04.949769055", 22, ANA_KIND_WORKQUEUE, MDL_PROVED, -1, 0,
		"workqueue: work queued by softirq TIMER" },
	/* the RCU softirq interrupted the spinning wk-stage0 */
	{ "pipeline", "10:03:04.950622175", 15, ANA_KIND_SOFTIRQ, MDL_PROVED, -1, 435,
		"softirq: IRQ 236 local_timer > hrtimer > softirq RCU" },
	/* after the exit of softirq 9, which the tick interrupted: softirq 1, which the tick's hrtimer raised
	   at …953626995, was left pending */
	{ "pipeline", "10:03:04.953680525", 14, ANA_KIND_SOFTIRQ, MDL_PROVED, -1, 435,
		"softirq: TIMER raised by IRQ 236 local_timer > hrtimer" },
	{ "pipeline", "10:03:04.953861555", 436, ANA_KIND_THREAD, MDL_PROVED, 435, -1,
		"woken by wk-stage0[435]" },
	/*
	 * the disk's softirq interrupted wk-stage2: block_rq_issue of sr0 at …958032405, irq_handler_entry 15
	 * at …958740695, softirq raised at …958784525, entered at …958856885, complete at …958882805
	 */
	{ "pipeline", "10:03:04.959013405", 22, ANA_KIND_BLOCK, MDL_PROVED, -1, 437,
		"block: request of sr0, 8 bytes: 708 µs in the device, 200 µs in interrupts, 72.4 µs softirq pending "
		"(shares inferred)" },
	{ "pipeline", "10:03:04.943121975", 436, ANA_KIND_FORK, MDL_PROVED, 434, -1,
		"created by wk-pipe-main[434]" },
	/* a timer that interrupted a softirq of an idle CPU */
	{ "pulse", "10:03:31.358362965", 532, ANA_KIND_TIMER, MDL_PROVED, -1, 0,
		"timer: expired 5.99 ms after thread wk-pulse[532] armed it, 945 µs late" },
	{ "ioburst-ipi", "10:05:56.812540230", 957, ANA_KIND_BLOCK, MDL_PROVED, -1, 0,
		"block: write of vdb, 64.0 KiB: 353 µs in the device, 191 µs in the queue, 144 µs in interrupts, "
		"18.1 µs IPI under way to CPU 0, 8.17 µs softirq pending (shares inferred)" },
	{ "ioburst-ipi", "10:05:56.828116370", 405, ANA_KIND_THREAD, MDL_PROVED, 957, -1,
		"woken by wk-ioburst[957]" },
	{ "lockfight", "10:03:14.037947225", 471, ANA_KIND_THREAD, MDL_PROVED, 473, -1,
		"woken by wk-fighter2[473]" },
	/* sched_wakeup on an idle CPU; wk-stage3, alone on the other one, moved it (sched_migrate_task) 238
	   µs before */
	{ "pipeline-nowaking", "10:03:39.647039605", 561, ANA_KIND_THREAD, MDL_INFERRED, 565, -1,
		"woken by wk-stage3[565] (inferred)" },
	/* at the trace's start, on idle CPU 1: CPU 0's first sched_switch, 6 ms later, switches
	 * out the only thread that ran */
	{ "pipeline-nowaking", "10:03:39.448799975", 424, ANA_KIND_THREAD, MDL_INFERRED, 377, -1,
		"woken by Client manageme[377] (inferred)" },
	{ "pipeline-nowaking", "10:03:39.767496685", 563, ANA_KIND_THREAD, MDL_INFERRED, 562, -1,
		"woken by wk-stage0[562] (inferred)" },
};

static void check_tid(const struct qry *q, uint32_t row, int64_t tid)
{
	if (tid == -1)
		g_assert_cmpuint(row, ==, MDL_NONE);
	else
		g_assert_cmpint(qry_row(q, row)->nr, ==, tid);
}

static void test_known(const void *data)
{
	const struct expect *e = data;
	struct ana_fixture *f = ana_fixture_open(e->trace);
	struct mdl_wakeup wakeup;
	struct ana_source s;
	struct qry *q;
	uint32_t row;
	char *text;

	if (!f) {
		g_test_skip("the trace is not there");
		return;
	}
	q = ana_fixture_qry(f);
	row = ana_fixture_thread(f, e->tid);
	g_assert_true(qry_wakeup_at(q, row, ana_fixture_at(e->clock), &wakeup));
	s = ana_source_of(q, row, &wakeup);
	g_assert_cmpstr(ana_kind_name(s.kind), ==, ana_kind_name(e->kind));
	g_assert_cmpint(mdl_grade_of(s.doubts), ==, e->grade);
	check_tid(q, s.thread, e->by);
	check_tid(q, s.interrupted, e->interrupted);
	text = ana_source_text(q, &s);
	g_assert_cmpstr(text, ==, e->text);
	g_free(text);
}

/* The idle thread is never a cause, and every kind has a grade that fits it. */
static void test_all_edges(void)
{
	unsigned edges = 0;

	for (char **name = ana_fixture_names(); *name; name++) {
		struct qry *q = ana_fixture_qry(ana_fixture_open(*name));

		for (uint32_t row = 0; row < qry_row_count(q); row++) {
			GArray *wakeups;

			if (qry_row(q, row)->type != MDL_ROW_THREAD)
				continue;
			wakeups = qry_wakeups(q, row, INT64_MIN, INT64_MAX);
			for (guint i = 0; i < wakeups->len; i++, edges++) {
				struct ana_source s = ana_source_of(q, row,
					&g_array_index(wakeups, struct mdl_wakeup, i));

				g_assert_true(s.thread == MDL_NONE || qry_row(q, s.thread)->nr != 0);
				g_assert_true(s.thread == MDL_NONE || s.interrupted == MDL_NONE);
				g_assert_true((s.thread != MDL_NONE) <=
					(s.kind == ANA_KIND_THREAD || s.kind == ANA_KIND_FORK ||
						s.kind == ANA_KIND_WORKQUEUE || s.kind == ANA_KIND_SIGNAL));
				g_assert_true((s.kind == ANA_KIND_UNKNOWN) ==
					(mdl_grade_of(s.doubts) == MDL_UNSURE));
			}
			g_array_unref(wakeups);
		}
	}
	g_assert_cmpuint(edges, >, 500);
}

/* The kind and grade of a wake-up in hard interrupt NAME. */
static void check_irq(const char *name, enum ana_kind kind, enum mdl_grade grade)
{
	struct ana_synth *s = ana_synth_new(1000);
	uint32_t idle = ana_synth_thread(s, 0, 0, MDL_NONE), t = ana_synth_thread(s, 11, 0, MDL_NONE);
	struct mdl_wakeup wakeup;
	struct ana_source source;
	struct qry *q;

	ana_synth_context(s, MDL_CTX_VECTOR, -1, name);
	ana_synth_wakeup(s, t, 500, idle, MDL_VIA_WAKING);
	q = ana_synth_open(s);
	g_assert_true(qry_wakeup_at(q, ana_synth_row(s, t), 500, &wakeup));
	source = ana_source_of(q, ana_synth_row(s, t), &wakeup);
	g_assert_cmpint(source.kind, ==, kind);
	g_assert_cmpint(mdl_grade_of(source.doubts), ==, grade);
	ana_synth_free(s);
}

/* An interrupt known only from the tracer's flags may be the timer's. */
static void test_unrecorded(void)
{
	check_irq(MDL_CTX_UNRECORDED, ANA_KIND_IRQ, MDL_INFERRED);
	check_irq("thermal_apic", ANA_KIND_IRQ, MDL_PROVED);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
		char *path = g_strdup_printf("/source/%s/%s/%d", expected[i].trace, expected[i].clock,
			(int)expected[i].tid);

		g_test_add_data_func(path, &expected[i], test_known);
		g_free(path);
	}
	g_test_add_func("/source/all-edges", test_all_edges);
	g_test_add_func("/source/unrecorded", test_unrecorded);
	return ana_fixture_run();
}
