/* SPDX-License-Identifier: MIT */
/*
 * Paths through real traces.  Times given to the nanosecond were read by hand
 * in babeltrace2's text of the trace: sched_switch, sched_waking and fork
 * events.
 */
#include "analysis/ana_fixture.h"
#include "base/base_error.h"
#include "base/base_time.h"

#include <string.h>

#define MS 1000000

/* At CLOCK the path is with ACTOR, in KIND; FROM and TO of the segment are checked if given. */
struct expect {
	const char *clock, *actor;
	enum ana_segment_kind kind;
	uint32_t depth;
	const char *from, *to, *detail;
};

/* The detail of S in words is WANTED, or begins with it where that ends with "*". */
static void check_detail(const struct ana_fixture *f, const struct ana_segment *s, const char *wanted)
{
	char *detail = ana_path_detail(ana_fixture_qry(f), s);

	g_assert_nonnull(detail);
	if (g_str_has_suffix(wanted, "*"))
		g_assert_true(!strncmp(detail, wanted, strlen(wanted) - 1));
	else
		g_assert_cmpstr(detail, ==, wanted);
	g_free(detail);
}

static void check_expected(const struct ana_fixture *f, const struct ana_path *p, const struct expect *e,
	size_t n)
{
	for (size_t i = 0; i < n; i++, e++) {
		uint32_t at = ana_fixture_segment_at(p, ana_fixture_at(e->clock));
		const struct ana_segment *s;

		g_test_message("at %s", e->clock);
		g_assert_cmpuint(at, !=, UINT32_MAX);
		s = ana_fixture_segment(p, at);
		g_assert_cmpstr(ana_fixture_actor(p, s)->name, ==, e->actor);
		g_assert_cmpstr(ana_segment_kind_name(s->kind), ==, ana_segment_kind_name(e->kind));
		g_assert_cmpuint(s->depth, ==, e->depth);
		if (e->from)
			g_assert_cmpint(s->from, ==, ana_fixture_at(e->from));
		if (e->to)
			g_assert_cmpint(s->to, ==, ana_fixture_at(e->to));
		if (e->detail)
			check_detail(f, s, e->detail);
	}
}

/* There is a link of KIND at CLOCK from one actor to another. */
static void check_link(const struct ana_path *p, const char *clock, const char *from, const char *to,
	enum ana_link_kind kind)
{
	for (guint i = 0; i < p->links->len; i++) {
		const struct ana_link *l = &g_array_index(p->links, struct ana_link, i);

		if (l->at != ana_fixture_at(clock))
			continue;
		g_assert_cmpstr(ana_fixture_actor(p, ana_fixture_segment(p, l->from))->name, ==, from);
		g_assert_cmpstr(ana_fixture_actor(p, ana_fixture_segment(p, l->to))->name, ==, to);
		g_assert_cmpstr(ana_link_kind_name(l->kind), ==, ana_link_kind_name(kind));
		return;
	}
	g_error("no link at %s", clock);
}

/* The actors of threads in the order in which the path visits them, "a b c"; visits under MIN ns in sum are
 * left out. */
static char *visits_of(const struct ana_path *p, int64_t min)
{
	GString *text = g_string_new(NULL);
	const char *last = "";

	for (guint i = 0, j; i < p->segments->len; i = j) {
		uint32_t actor = ana_fixture_segment(p, i)->actor;
		const char *name = ana_fixture_actor(p, ana_fixture_segment(p, i))->name;

		for (j = i; j < p->segments->len && ana_fixture_segment(p, j)->actor == actor; j++)
			;
		if (ana_fixture_segment(p, j - 1)->to - ana_fixture_segment(p, i)->from < min ||
			g_str_equal(name, last))
			continue;
		g_string_append_printf(text, "%s%s", text->len ? " " : "", name);
		last = name;
	}
	return g_string_free(text, FALSE);
}

static void test_pipeline_by_hand(void)
{
	static const struct expect expected[] = {
		{ "10:03:04.947248975", "wk-pipe-main", ANA_SEG_RUNNING, 0, "10:03:04.947248975",
			"10:03:04.948935945", NULL },
		{ "10:03:04.953720000", "wk-stage0", ANA_SEG_PREEMPTED, 4, "10:03:04.953719525",
			"10:03:04.953775435", "ran instead: ksoftirqd/0[14]" },
		{ "10:03:04.953800000", "wk-stage0", ANA_SEG_RUNNING, 4, "10:03:04.953775435",
			"10:03:04.953861555", NULL },
		{ "10:03:04.953861555", "wk-stage1", ANA_SEG_WAIT_CPU, 3, "10:03:04.953861555",
			"10:03:04.953948085", "ran instead: wk-stage0[435]" },
		{ "10:03:04.955000000", "wk-stage1", ANA_SEG_RUNNING, 3, "10:03:04.953948085",
			"10:03:04.956108785", NULL },
		{ "10:03:04.956150000", "wk-stage2", ANA_SEG_WAIT_CPU, 2, "10:03:04.956108785",
			"10:03:04.956185255", "ran instead: wk-stage1[436]" },
		{ "10:03:04.958650000", "wk-stage2", ANA_SEG_INTERRUPTED, 2, "10:03:04.958647455",
			"10:03:04.958702315", NULL },
		{ "10:03:04.959300000", "wk-stage2", ANA_SEG_RUNNING, 2, "10:03:04.959046465",
			"10:03:04.959336535", NULL },
		{ "10:03:04.959400000", "wk-stage3", ANA_SEG_WAIT_CPU, 1, "10:03:04.959336535",
			"10:03:04.959405045", NULL },
		{ "10:03:04.963555014", "wk-stage3", ANA_SEG_RUNNING, 1, "10:03:04.962002635",
			"10:03:04.963555015", NULL },
		{ "10:03:04.963555015", "wk-pipe-main", ANA_SEG_WAIT_CPU, 0, "10:03:04.963555015",
			"10:03:04.963758785", "CPU 1 was idle" },
		{ "10:03:04.963928434", "wk-pipe-main", ANA_SEG_RUNNING, 0, "10:03:04.963758785",
			"10:03:04.963928435", NULL },
	};
	ANA_FIXTURE_OR_SKIP(f, "pipeline");
	struct ana_path *p = ana_fixture_path(f, 434, ana_fixture_at("10:03:04.947248975"),
		ana_fixture_at("10:03:04.963928435"));

	check_expected(f, p, expected, G_N_ELEMENTS(expected));
	g_assert_cmpuint(p->links->len, ==, 4);
	check_link(p, "10:03:04.953861555", "wk-stage0", "wk-stage1", ANA_LINK_WAKEUP);
	check_link(p, "10:03:04.956108785", "wk-stage1", "wk-stage2", ANA_LINK_WAKEUP);
	check_link(p, "10:03:04.959336535", "wk-stage2", "wk-stage3", ANA_LINK_WAKEUP);
	check_link(p, "10:03:04.963555015", "wk-stage3", "wk-pipe-main", ANA_LINK_WAKEUP);
	ana_path_free(p);
}

/* Stage n spins until n + 1 ms have passed by the clock, interruptions included; on the slow machine of the
 * recording that takes up to 12 ms more. */
static void check_stages(const struct ana_path *p, int first)
{
	for (int stage = first; stage < 4; stage++) {
		char *name = g_strdup_printf("wk-stage%d", stage);
		int64_t on_path = ana_fixture_time(p, name, ANA_SEG_N);

		g_assert_cmpint(on_path, >=, (stage + 1) * MS);
		g_assert_cmpint(on_path, <=, (stage + 1) * MS + 12 * MS);
		g_free(name);
	}
}

/*
 * Each item goes through all stages.  For some items, wk-pipe-main is still in its write() when stage0 is done,
 * since it falls asleep only after the sched_waking of stage1: its own time covers that of stage0 then.
 */
static void test_pipeline_items(void)
{
	ANA_FIXTURE_OR_SKIP(f, "pipeline");
	unsigned with_stage0 = 0;

	for (int k = 1; k < 12; k++) { /* before item 0 the stages were still starting */
		char *begin = g_strdup_printf("pipeline begin %d", k),
		     *end = g_strdup_printf("pipeline end %d", k), *visits;
		int64_t from = ana_fixture_marker(f, begin);
		struct ana_path *p = ana_fixture_path(f, 434, from, ana_fixture_marker(f, end));
		bool early = ana_fixture_event(f, from, "sched_switch",
				     "prev_tid = 434, prev_prio = 20, prev_state = 1,") <
			ana_fixture_event(f, from, "sched_waking", "comm = \"wk-stage1\"");

		g_test_message("item %d", k);
		visits = visits_of(p, 100000);
		g_assert_cmpstr(visits, ==,
			early ? "wk-pipe-main wk-stage0 wk-stage1 wk-stage2 wk-stage3 wk-pipe-main"
			      : "wk-pipe-main wk-stage1 wk-stage2 wk-stage3 wk-pipe-main");
		check_stages(p, early ? 0 : 1);
		with_stage0 += early;
		g_free(visits);
		g_free(begin);
		g_free(end);
		ana_path_free(p);
	}
	g_assert_cmpuint(with_stage0, ==, 7);
}

/* A window that ends within a wait: a wake-up after the window shows whose time it is; nothing beyond the
 * window is on the path. */
static void test_window_ends_in_wait(void)
{
	ANA_FIXTURE_OR_SKIP(f, "pipeline");
	int64_t to = ana_fixture_at("10:03:04.955000000");
	struct ana_path *p = ana_fixture_path(f, 434, ana_fixture_at("10:03:04.947248975"), to);
	const struct ana_segment *last = ana_fixture_segment(p, p->segments->len - 1);

	g_assert_cmpint(p->to, ==, to);
	g_assert_cmpint(last->to, ==, to);
	g_assert_cmpint(last->from, ==, ana_fixture_at("10:03:04.953948085"));
	g_assert_cmpstr(ana_fixture_actor(p, last)->name, ==, "wk-stage1");
	g_assert_cmpuint(last->depth, ==, 3);
	g_assert_cmpint(ana_fixture_time(p, "wk-stage3", ANA_SEG_RUNNING), <, MS);
	g_assert_cmpuint(p->links->len, ==, 1); /* stage0 to stage1; the others are beyond */
	ana_path_free(p);
}

/* A thread born in the window: the path begins at its creation, since earlier time is not its own. */
static void test_birth(void)
{
	ANA_FIXTURE_OR_SKIP(f, "pipeline");
	struct ana_path *p = ana_fixture_path(f, 436, ana_fixture_at("10:03:04.942500000"),
		ana_fixture_at("10:03:04.944000000"));
	const struct ana_segment *s = ana_fixture_segment(p, 0);

	g_assert_cmpint(p->window.asked_from, ==, ana_fixture_at("10:03:04.942500000"));
	g_assert_cmpint(p->from, ==, ana_fixture_at("10:03:04.943084605")); /* sched_process_fork */
	g_assert_cmpint(p->to, ==, ana_fixture_at("10:03:04.944000000"));
	g_assert_cmpstr(p->window.begins, ==, "created");
	g_assert_null(p->window.ends);
	/* Its creator is still in fork() until sched_wakeup_new; then the thread waits for a CPU. */
	g_assert_cmpint(s->kind, ==, ANA_SEG_RUNNING);
	g_assert_cmpuint(s->depth, ==, 1);
	g_assert_cmpint(s->to, ==, ana_fixture_at("10:03:04.943121975"));
	s = ana_fixture_segment(p, 1);
	g_assert_cmpint(s->kind, ==, ANA_SEG_WAIT_CPU);
	g_assert_cmpuint(s->depth, ==, 0);
	check_detail(f, s, "ran instead: rcu_preempt[15]");
	g_assert_cmpstr(g_array_index(p->actors, struct ana_actor, 0).name, ==, "wk-stage1");
	ana_path_free(p);
}

/*
 * wk-level1 is forked at .540460665, switched out for good (prev_state = 32, EXIT_ZOMBIE of lttng's bits) at
 * .588781445, and freed only at .610826865: the path over the whole trace covers the time from fork to exit.
 */
static void test_life(void)
{
	ANA_FIXTURE_OR_SKIP(f, "inception");
	GError *error = NULL;
	struct ana_path *p = ana_fixture_path(f, 455, ana_fixture_at("10:03:09.300000000"),
		ana_fixture_at("10:03:09.700000000"));
	int64_t sum = 0;
	double shares = 0;

	g_assert_cmpint(p->from, ==, ana_fixture_at("10:03:09.540460665"));
	g_assert_cmpint(p->to, ==, ana_fixture_at("10:03:09.588781445"));
	g_assert_cmpstr(p->window.begins, ==, "created");
	g_assert_cmpstr(p->window.ends, ==, "exited");
	g_assert_cmpint(ana_fixture_time(p, NULL, ANA_SEG_UNKNOWN), ==, 0);
	for (guint i = 0; i < p->summary->len; i++) {
		sum += g_array_index(p->summary, struct ana_summary, i).time;
		shares += g_array_index(p->summary, struct ana_summary, i).share;
	}
	g_assert_cmpint(sum, ==, 48320780);
	g_assert_cmpfloat_with_epsilon(shares, 1, 1e-9);
	ana_path_free(p);

	g_assert_null(ana_path_new(ana_fixture_qry(f), ana_fixture_thread(f, 455),
		ana_fixture_at("10:03:09.600000000"), BASE_TIME_NONE, NULL, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER);
	g_error_free(error);
}

static void test_inception(void)
{
	static const struct expect expected[] = {
		{ "10:03:09.518581764", "wk-level3", ANA_SEG_RUNNING, 0, NULL, "10:03:09.518581765", NULL },
		{ "10:03:09.518581765", "wk-level2", ANA_SEG_RUNNING, 1, "10:03:09.518581765", NULL, NULL },
		{ "10:03:09.530800000", "wk-level2", ANA_SEG_PREEMPTED, 1, "10:03:09.530797895",
			"10:03:09.530875595", "ran instead: rcu_preempt[15]" },
		{ "10:03:09.540907635", "wk-level1", ANA_SEG_RUNNING, 2, "10:03:09.540907635", NULL, NULL },
		{ "10:03:09.588664825", "wk-level2", ANA_SEG_WAIT_CPU, 1, "10:03:09.588664825",
			"10:03:09.588781445", "ran instead: wk-level1[455]" },
		{ "10:03:09.610947335", "wk-level3", ANA_SEG_WAIT_CPU, 0, "10:03:09.610947335",
			"10:03:09.611072495", NULL },
	};
	ANA_FIXTURE_OR_SKIP(f, "inception");
	struct ana_path *p = ana_fixture_path(f, 453, ana_fixture_marker(f, "inception enter 3"),
		ana_fixture_marker(f, "inception leave 3"));
	char *visits = visits_of(p, MS);

	g_assert_cmpstr(visits, ==, "wk-level3 wk-level2 wk-level1 wk-level2 wk-level3");
	check_expected(f, p, expected, G_N_ELEMENTS(expected));
	check_link(p, "10:03:09.588664825", "wk-level1", "wk-level2", ANA_LINK_WAKEUP);
	check_link(p, "10:03:09.610947335", "wk-level2", "wk-level3", ANA_LINK_WAKEUP);
	for (int level = 1; level <= 3; level++) { /* each spins 20 ms before and after */
		char *name = g_strdup_printf("wk-level%d", level);

		g_assert_cmpint(ana_fixture_time(p, name, ANA_SEG_N), >=, 40 * MS);
		g_free(name);
	}
	g_free(visits);
	ana_path_free(p);
}

/* fighter0 waits for fighter2, which holds the lock; fighter1 for fighter0, which waited for fighter2. */
static void test_lockfight(void)
{
	ANA_FIXTURE_OR_SKIP(f, "lockfight");
	struct ana_path *p = ana_fixture_path(f, 471, ana_fixture_at("10:03:14.030335055"),
		ana_fixture_at("10:03:14.037947225"));
	const struct ana_segment *last = ana_fixture_segment(p, p->segments->len - 1);
	const struct ana_source *s;

	g_assert_cmpint(ana_fixture_time(p, "wk-fighter2", ANA_SEG_N), ==, 7612170);
	g_assert_cmpint(ana_fixture_time(p, NULL, ANA_SEG_BLOCKED), ==, 0);
	g_assert_cmpint(last->kind, ==, ANA_SEG_SYSCALL); /* the waking futex(FUTEX_WAKE) */
	check_detail(f, last, "futex");
	g_assert_cmpint(last->from, ==, ana_fixture_at("10:03:14.037925505"));
	g_assert_cmpuint(last->source, !=, UINT32_MAX);
	s = &g_array_index(p->sources, struct ana_source, last->source);
	g_assert_cmpint(s->kind, ==, ANA_KIND_THREAD);
	g_assert_cmpint(mdl_grade_of(s->doubts), ==, MDL_PROVED);
	g_assert_cmpuint(s->thread, ==, ana_fixture_thread(f, 473));
	g_assert_cmpint(s->wakeup.time, ==, ana_fixture_at("10:03:14.037947225"));
	ana_path_free(p);

	p = ana_fixture_path(f, 472, ana_fixture_at("10:03:14.034186495"),
		ana_fixture_at("10:03:14.046158905"));
	check_link(p, "10:03:14.037947225", "wk-fighter2", "wk-fighter0", ANA_LINK_WAKEUP);
	g_assert_cmpint(ana_fixture_time(p, "wk-fighter2", ANA_SEG_N), ==, 3760730);
	g_assert_cmpint(ana_fixture_time(p, "wk-fighter0", ANA_SEG_N), ==, 8211680);
	g_assert_cmpint(ana_fixture_time(p, "wk-fighter1", ANA_SEG_N), ==, 0);
	ana_path_free(p);
}

static void test_preempt(void)
{
	static const struct expect expected[] = {
		{ "10:03:35.505000000", "wk-victim", ANA_SEG_PREEMPTED, 0, "10:03:35.503042905",
			"10:03:35.506706885", "ran instead: wk-rt[547] and 1 other" },
		{ "10:03:35.520000000", "wk-victim", ANA_SEG_PREEMPTED, 0, "10:03:35.517740975",
			"10:03:35.521247265", "ran instead: wk-rt[547] and 1 other" },
		{ "10:03:35.542000000", "wk-victim", ANA_SEG_PREEMPTED, 0, "10:03:35.540061725",
			"10:03:35.543319575", "ran instead: wk-rt[547]" },
		{ "10:03:35.525900000", "wk-victim", ANA_SEG_PREEMPTED, 0, "10:03:35.525883685",
			"10:03:35.525941135", "ran instead: rcu_preempt[15] and 1 other" },
	};
	ANA_FIXTURE_OR_SKIP(f, "preempt");
	struct ana_path *p = ana_fixture_path(f, 546, ana_fixture_marker(f, "victim begin"),
		ana_fixture_marker(f, "victim end"));
	unsigned by_rt = 0;

	check_expected(f, p, expected, G_N_ELEMENTS(expected));
	for (guint i = 0; i < p->segments->len; i++) {
		const struct ana_segment *s = ana_fixture_segment(p, i);

		if (s->kind != ANA_SEG_PREEMPTED || s->to - s->from < 2 * MS)
			continue;
		by_rt++;
		check_detail(f, s, "ran instead: wk-rt[547]*");
		g_assert_cmpint(s->to - s->from, >=, 3 * MS);
		g_assert_cmpint(s->to - s->from, <=, 4 * MS);
	}
	g_assert_cmpuint(by_rt, ==, 9); /* rounds 0 to 8 of wk-rt lie in the victim's 120 ms */
	ana_path_free(p);
}

static void test_pulse(void)
{
	ANA_FIXTURE_OR_SKIP(f, "pulse");
	struct ana_path *p = ana_fixture_path(f, 532, ana_fixture_marker(f, "pulse sleep 0"),
		ana_fixture_marker(f, "pulse wake 19"));
	const struct ana_segment *s = ana_fixture_segment(p,
		ana_fixture_segment_at(p, ana_fixture_at("10:03:31.355000000")));
	unsigned timers = 0;

	g_assert_cmpint(s->from, ==, ana_fixture_at("10:03:31.352410465"));
	g_assert_cmpint(s->to, ==, ana_fixture_at("10:03:31.357414485")); /* it was due; expired 945 µs later
									     (test_late.c) */
	g_assert_cmpint(s->kind, ==, ANA_SEG_TIMER);
	g_assert_cmpstr(ana_fixture_actor(p, s)->name, ==, "hrtimer");
	g_assert_cmpint(ana_fixture_actor(p, s)->type, ==, ANA_ACTOR_IRQ);
	check_link(p, "10:03:31.358362965", "hrtimer", "wk-pulse", ANA_LINK_WAKEUP);
	for (guint i = 0; i + 1 < p->segments->len; i++) {
		s = ana_fixture_segment(p, i);
		if (s->kind != ANA_SEG_TIMER || s[1].kind != ANA_SEG_TIMER_LATE)
			continue;
		timers++;
		g_assert_cmpint(s->to - s->from, >=, 4900000);
		g_assert_cmpint(s->to - s->from, <=, 5 * MS + 50000); /* the requested time, and the slack */
		g_assert_cmpint(s[2].kind, ==, ANA_SEG_TIMER);
		g_assert_cmpint(s[2].to - s->from, <=, 9 * MS);
	}
	g_assert_cmpuint(timers, ==, 20);
	g_assert_cmpint(ana_fixture_time(p, NULL, ANA_SEG_BLOCKED), ==, 0);
	ana_path_free(p);
}

static void test_ioburst(void)
{
	static const struct expect expected[] = {
		/*
		 * CPU 0 …812210470 sched_switch prev wk-ioburst; CPU 1 …812369840 irq_handler_entry 28,
		 * …812464320 its exit; CPU 0 …812482440 call_function_single_entry, …812492430
		 * irq_softirq_raise 4, …812500600 irq_softirq_entry 4, …812540230 sched_waking
		 */
		{ "10:05:56.812300000", "vdb", ANA_SEG_BLOCK, 0, "10:05:56.812210470", "10:05:56.812369840",
			"in the device: write of vdb, 64.0 KiB; wait of wk-ioburst[957], uninterruptible" },
		{ "10:05:56.812400000", "IRQ 28 virtio2-req.0", ANA_SEG_IRQ, 0, "10:05:56.812369840",
			"10:05:56.812464320", NULL },
		{ "10:05:56.812470000", "ipi call_function_single", ANA_SEG_IPI, 0, "10:05:56.812464320",
			"10:05:56.812482440", NULL },
		{ "10:05:56.812490000", "ipi call_function_single", ANA_SEG_IRQ, 0, "10:05:56.812482440",
			"10:05:56.812492430", NULL },
		{ "10:05:56.812500000", "softirq BLOCK", ANA_SEG_IRQ, 0, "10:05:56.812492430",
			"10:05:56.812500600", NULL },
		{ "10:05:56.812530000", "softirq BLOCK", ANA_SEG_IRQ, 0, "10:05:56.812500600",
			"10:05:56.812540230", NULL },
		{ "10:05:56.812600000", "wk-ioburst", ANA_SEG_WAIT_CPU, 0, "10:05:56.812540230",
			"10:05:56.812671020", NULL },
	};
	ANA_FIXTURE_OR_SKIP(f, "ioburst-ipi");
	struct ana_path *p = ana_fixture_path(f, 957, ana_fixture_marker(f, "write begin 0"),
		ana_fixture_marker(f, "read end 23"));
	unsigned waits = 0;

	check_expected(f, p, expected, G_N_ELEMENTS(expected));
	check_link(p, "10:05:56.812540230", "softirq BLOCK", "wk-ioburst", ANA_LINK_WAKEUP);
	for (guint i = 0; i < p->segments->len; i++) {
		const struct ana_segment *s = ana_fixture_segment(p, i);

		waits += s->source != UINT32_MAX && s->depth == 0 &&
			g_array_index(p->sources, struct ana_source, s->source).kind == ANA_KIND_BLOCK;
		g_assert_cmpint(s->kind, !=, ANA_SEG_BLOCKED);
	}
	/* sched_switch events of wk-ioburst with prev_state 2 between the markers are 42: the fsync waits for
	 * the journal's thread */
	g_assert_cmpuint(waits, ==, 41);
	g_assert_cmpint(ana_fixture_time(p, "jbd2/vdb-8", ANA_SEG_N), >, 0);
	ana_path_free(p);
}

/* The last thread to arrive wakes the others: none waits for an idle CPU. */
static void test_imbalance(void)
{
	ANA_FIXTURE_OR_SKIP(f, "imbalance");
	struct ana_path *p = ana_fixture_path(f, 488, ana_fixture_marker(f, "imbalance round 1 done"),
		ana_fixture_marker(f, "imbalance round 3 done"));

	/* rank0 leaves the CPU at …425665980 and …440082510; rank2 wakes it both times. */
	check_link(p, "10:03:18.437785830", "wk-rank2", "wk-rank0", ANA_LINK_WAKEUP);
	check_link(p, "10:03:18.451782730", "wk-rank2", "wk-rank0", ANA_LINK_WAKEUP);
	g_assert_cmpint(ana_fixture_time(p, "wk-rank2", ANA_SEG_N), ==,
		(437785830 - 425665980) + (451782730 - 440082510));
	g_assert_cmpint(ana_fixture_time(p, NULL, ANA_SEG_BLOCKED), ==, 0);
	ana_path_free(p);
}

/* Without sched_waking, a thread that seems to wake another is only inferred; the idle thread is never a
 * cause. */
static void test_without_waking(void)
{
	ANA_FIXTURE_OR_SKIP(f, "pipeline-nowaking");
	struct ana_path *p = ana_fixture_path(f, 563, ana_fixture_at("10:03:39.766274365"),
		ana_fixture_at("10:03:39.768000000"));
	const struct ana_source *s;

	/* sched_wakeup of wk-stage1 on CPU 1, where wk-stage0 runs */
	check_link(p, "10:03:39.767496685", "wk-stage0", "wk-stage1", ANA_LINK_WAKEUP);
	g_assert_cmpuint(p->sources->len, >=, 1);
	s = &g_array_index(p->sources, struct ana_source, p->sources->len - 1);
	g_assert_cmpint(s->kind, ==, ANA_KIND_THREAD);
	g_assert_cmpint(mdl_grade_of(s->doubts), ==, MDL_INFERRED);
	g_assert_cmpstr(s->event, ==, "sched_wakeup");
	ana_path_free(p);

	/* sched_wakeup of wk-pipe-main on CPU 0, which is idle: wk-stage3 runs on the other one */
	p = ana_fixture_path(f, 561, ana_fixture_at("10:03:39.701000000"),
		ana_fixture_at("10:03:39.702400000"));
	check_link(p, "10:03:39.702254775", "wk-stage3", "wk-pipe-main", ANA_LINK_WAKEUP);
	s = &g_array_index(p->sources, struct ana_source, p->sources->len - 1);
	g_assert_cmpint(s->kind, ==, ANA_KIND_THREAD);
	g_assert_cmpint(mdl_grade_of(s->doubts), ==, MDL_INFERRED);
	g_assert_cmpuint(s->thread, ==, ana_fixture_thread(f, 565));
	ana_path_free(p);
}

/*
 * Request "s 0": wk-server sleeps 10 ms, on an hrtimer that it arms itself, and sends the answer at
 * …002352795 (net_dev_queue); the softirq NET_RX that wk-client's end of the loopback runs in wakes it.
 */
static void test_loopback_sleep(void)
{
	static const struct expect expected[] = {
		{ "10:03:48.990195000", "wk-client", ANA_SEG_RUNNING, 0, NULL, "10:03:48.990201335", NULL },
		{ "10:03:48.990201335", "wk-server", ANA_SEG_RUNNING, 1, "10:03:48.990201335", NULL, NULL },
		{ "10:03:48.995000000", "hrtimer", ANA_SEG_TIMER, 1, "10:03:48.990919755",
			"10:03:49.000934925",
			"expired 10.5 ms after thread wk-server[583] armed it, 455 µs late*" },
		{ "10:03:49.001000000", "hrtimer", ANA_SEG_TIMER_LATE, 1, "10:03:49.000934925",
			"10:03:49.001389585", "late: the idle CPU 1 423 µs, IRQ 236 local_timer 32.1 µs*" },
		{ "10:03:49.002352794", "wk-server", ANA_SEG_RUNNING, 1, "10:03:49.001645345",
			"10:03:49.002352795", NULL },
		/* net_dev_queue …002352795, irq_softirq_raise 3 …002411515, irq_softirq_entry 3 …002440725,
		   sched_waking …002861695 */
		{ "10:03:49.002352795", "lo", ANA_SEG_NETWORK, 0, "10:03:49.002352795", "10:03:49.002411515",
			NULL },
		{ "10:03:49.002420000", "softirq NET_RX", ANA_SEG_IRQ, 0, "10:03:49.002411515",
			"10:03:49.002440725", NULL },
		{ "10:03:49.002500000", "softirq NET_RX", ANA_SEG_IRQ, 0, "10:03:49.002440725",
			"10:03:49.002861695", NULL },
		{ "10:03:49.002861695", "wk-client", ANA_SEG_WAIT_CPU, 0, "10:03:49.002861695",
			"10:03:49.003093965", NULL },
	};
	ANA_FIXTURE_OR_SKIP(f, "rpc-loopback");
	struct ana_path *p = ana_fixture_path(f, 595, ana_fixture_marker(f, "request begin s 0"),
		ana_fixture_marker(f, "request end s 0"));

	check_expected(f, p, expected, G_N_ELEMENTS(expected));
	check_link(p, "10:03:49.002352795", "wk-server", "lo", ANA_LINK_NETWORK);
	check_link(p, "10:03:49.002861695", "softirq NET_RX", "wk-client", ANA_LINK_WAKEUP);
	ana_path_free(p);
}

/* Each answer takes the server's time: for "h" it spins 10 ms, for "s" it sleeps as long. */
static void test_loopback_requests(void)
{
	ANA_FIXTURE_OR_SKIP(f, "rpc-loopback");

	for (int k = 0; k < 8; k++) {
		char *begin = g_strdup_printf("request begin %c %d", "hs"[k % 2], k / 2),
		     *end = g_strdup_printf("request end %c %d", "hs"[k % 2], k / 2);
		struct ana_path *p = ana_fixture_path(f, 595, ana_fixture_marker(f, begin),
			ana_fixture_marker(f, end));

		g_test_message("%s", begin);
		g_assert_cmpint(ana_fixture_time(p, k % 2 ? "hrtimer" : "wk-server", ANA_SEG_N), >=, 9 * MS);
		g_assert_cmpint(ana_fixture_time(p, "lo", ANA_SEG_NETWORK), <, MS);
		g_assert_cmpint(ana_fixture_time(p, "lo", ANA_SEG_NETWORK), >, 0);
		g_assert_cmpint(ana_fixture_time(p, NULL, ANA_SEG_BLOCKED), ==, 0);
		ana_path_free(p);
		g_free(begin);
		g_free(end);
	}
}

static void expect_no_answer(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	GError *error = NULL;

	g_assert_null(ana_path_new(q, row, from, to, NULL, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER);
	g_error_free(error);
}

static void test_no_answer(void)
{
	ANA_FIXTURE_OR_SKIP(f, "pipeline");
	struct qry *q = ana_fixture_qry(f);
	uint32_t stage = ana_fixture_thread(f, 436);
	int64_t begin, end;

	qry_span(q, &begin, &end);
	/* The path ends where the thread's life begins. */
	expect_no_answer(q, stage, begin, ana_fixture_at("10:03:04.943084605"));
	expect_no_answer(q, stage, qry_row(q, stage)->last, end + 1);
	expect_no_answer(q, stage, end - 5, end - 5);
	expect_no_answer(q, qry_cpu_row(q, 0, 0), begin, end);
	for (uint32_t row = 0; row < qry_row_count(q); row++) {
		if (qry_row(q, row)->type == MDL_ROW_THREAD && qry_row(q, row)->nr == 0)
			expect_no_answer(q, row, begin, end);
	}
}

static void test_cancel(void)
{
	ANA_FIXTURE_OR_SKIP(f, "lockfight"); /* its path has thousands of segments */
	struct base_progress progress;
	GError *error = NULL;

	base_progress_init(&progress);
	base_progress_cancel(&progress);
	g_assert_null(ana_path_new(ana_fixture_qry(f), ana_fixture_thread(f, 472), BASE_TIME_NONE,
		BASE_TIME_NONE, &progress, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_CANCELLED);
	g_error_free(error);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/path/pipeline/by-hand", test_pipeline_by_hand);
	g_test_add_func("/path/pipeline/items", test_pipeline_items);
	g_test_add_func("/path/pipeline/window-ends-in-wait", test_window_ends_in_wait);
	g_test_add_func("/path/pipeline/birth", test_birth);
	g_test_add_func("/path/life", test_life);
	g_test_add_func("/path/inception", test_inception);
	g_test_add_func("/path/lockfight", test_lockfight);
	g_test_add_func("/path/preempt", test_preempt);
	g_test_add_func("/path/pulse", test_pulse);
	g_test_add_func("/path/ioburst-ipi", test_ioburst);
	g_test_add_func("/path/imbalance", test_imbalance);
	g_test_add_func("/path/pipeline-nowaking", test_without_waking);
	g_test_add_func("/path/rpc-loopback/by-hand", test_loopback_sleep);
	g_test_add_func("/path/rpc-loopback/requests", test_loopback_requests);
	g_test_add_func("/path/no-answer", test_no_answer);
	g_test_add_func("/path/cancel", test_cancel);
	return ana_fixture_run();
}
