/* SPDX-License-Identifier: MIT */
/* Waits for a CPU, with all times read by hand in babeltrace2's text, and made-up ones for what no trace
 * shows. */
#include "analysis/cpu/cpuwait.h"
#include "analysis/ana_fixture.h"
#include "analysis/ana_synth.h"

struct turn {
	const char *from, *to, *who; /* in a real trace */
	int64_t interrupted;
	enum ana_turn_why why;
	enum mdl_grade grade;
	const char *woken; /* NULL: it was not */
};

static const struct ana_turn *turn_of(const struct ana_cpuwait *w, guint i)
{
	return &g_array_index(w->turns, struct ana_turn, i);
}

/* Turns cover the wait, and so do the parts of the sum. */
static void check_cover(const struct ana_cpuwait *w)
{
	int64_t at = w->from, sum = 0;

	for (guint i = 0; i < w->turns->len; i++) {
		g_assert_cmpint(turn_of(w, i)->from, ==, at);
		g_assert_cmpint(turn_of(w, i)->to, >, at);
		at = turn_of(w, i)->to;
	}
	g_assert_cmpint(at, ==, w->to);
	for (guint i = 0; i < w->blame->parts->len; i++)
		sum += g_array_index(w->blame->parts, struct ana_blame_part, i).time;
	g_assert_cmpint(sum, ==, w->to - w->from);
}

static struct ana_cpuwait *wait_at(struct qry *q, uint32_t row, int64_t time)
{
	struct ana_cpuwait *wait = ana_cpuwait_new(q, row, time);

	return wait;
}

static void check_turns(const struct ana_fixture *f, const struct ana_cpuwait *w, const struct turn *expected,
	guint n)
{
	g_assert_cmpuint(w->turns->len, ==, n);
	for (guint i = 0; i < n; i++) {
		const struct ana_turn *t = turn_of(w, i);
		char *who = ana_turn_who(ana_fixture_qry(f), t);

		g_assert_cmpstr(who, ==, expected[i].who);
		g_assert_cmpint(t->from, ==, ana_fixture_at(expected[i].from));
		g_assert_cmpint(t->to, ==, ana_fixture_at(expected[i].to));
		g_assert_cmpint(t->interrupted, ==, expected[i].interrupted);
		g_assert_cmpint(t->why, ==, expected[i].why);
		g_assert_cmpint(mdl_grade_of(t->doubts), ==, expected[i].grade);
		g_assert_cmpint(t->woken, ==,
			expected[i].woken ? ana_fixture_at(expected[i].woken) : MDL_NEVER);
		g_free(who);
	}
	check_cover(w);
}

/*
 * wk-victim, SCHED_OTHER, is preempted by wk-rt, SCHED_FIFO (prio -51 as LTTng counts):
 *
 * [10:03:35.502860405] sched_waking: { cpu_id = 0 }, { comm = "wk-rt", tid = 547, prio = -51, … }
 * [10:03:35.503042905] sched_switch: { cpu_id = 0 }, { prev_comm = "wk-victim", …, prev_prio = 20,
 *                      prev_state = 0, next_comm = "wk-rt", … }
 * [10:03:35.506340735] x86_irq_vectors_local_timer_entry: { cpu_id = 0 }
 * [10:03:35.506477545] x86_irq_vectors_local_timer_exit: { cpu_id = 0 }
 * [10:03:35.506622265] sched_switch: { cpu_id = 0 }, { prev_comm = "wk-rt", …, prev_state = 1,
 *                      next_comm = "rcu_preempt", … }
 * [10:03:35.506706885] sched_switch: { cpu_id = 0 }, { prev_comm = "rcu_preempt", …,
 *                      next_comm = "wk-victim", … }
 */
static void test_preempt(void)
{
	ANA_FIXTURE_OR_SKIP(f, "preempt");
	static const struct turn expected[] = {
		{ "10:03:35.503042905", "10:03:35.506622265", "wk-rt[547]", 136810, ANA_TURN_HIGHER,
			MDL_PROVED, "10:03:35.502860405" },
		{ "10:03:35.506622265", "10:03:35.506706885", "rcu_preempt[15]", 0, ANA_TURN_NEXT, MDL_PROVED,
			"10:03:35.501768885" },
	};
	uint32_t victim = ana_fixture_thread(f, 546);
	struct ana_cpuwait *w = wait_at(ana_fixture_qry(f), victim, ana_fixture_at("10:03:35.505000000"));

	g_assert_true(w->preempted);
	g_assert_cmpuint(turn_of(w, 0)->before, ==, victim);
	check_turns(f, w, expected, G_N_ELEMENTS(expected));
	ana_cpuwait_free(w);
	/* In each of its rounds wk-rt spins for 3 ms. */
	for (int i = 0; i < 10; i++) {
		char *marker = g_strdup_printf("rt begin %d", i);

		w = wait_at(ana_fixture_qry(f), victim, ana_fixture_marker(f, marker));
		if (w) { /* the victim has ended before the last ones */
			g_assert_cmpint(turn_of(w, 0)->to - turn_of(w, 0)->from, >=, 3000000);
			g_assert_cmpint(turn_of(w, 0)->why, ==, ANA_TURN_HIGHER);
			check_cover(w);
		}
		g_assert_true(w || i > 8);
		ana_cpuwait_free(w);
		g_free(marker);
	}
	/* The thread runs at that time, so it does not wait. */
	g_assert_null(wait_at(ana_fixture_qry(f), victim, ana_fixture_at("10:03:35.507000000")));
}

/*
 * wk-rank2 has run since .409.  At .422317700 the tick comes; wk-rank0, which was woken at .394 and preempted
 * since, takes over, then wk-rank1:
 *
 * [10:03:18.422455750] sched_switch: { cpu_id = 0 }, { prev_comm = "wk-rank2", …, prev_state = 0,
 *                      next_comm = "wk-rank0", … }
 * [10:03:18.422533540] sched_switch: { cpu_id = 0 }, { prev_comm = "wk-rank0", …, prev_state = 1,
 *                      next_comm = "wk-rank1", … }
 * [10:03:18.422555350] sched_switch: { cpu_id = 0 }, { prev_comm = "wk-rank1", …, prev_state = 1,
 *                      next_comm = "wk-rank2", … }
 * [10:03:18.422577550] sched_waking: { cpu_id = 0 }, { comm = "wk-rank0", tid = 488, prio = 20, … }
 * [10:03:18.422635400] sched_switch: { cpu_id = 0 }, { prev_comm = "wk-rank2", …, prev_state = 0,
 *                      next_comm = "wk-rank0", … }
 */
static void test_tick(void)
{
	ANA_FIXTURE_OR_SKIP(f, "imbalance");
	static const struct turn expected[] = {
		{ "10:03:18.422455750", "10:03:18.422533540", "wk-rank0[488]", 0, ANA_TURN_TICK, MDL_INFERRED,
			NULL },
		{ "10:03:18.422533540", "10:03:18.422555350", "wk-rank1[489]", 0, ANA_TURN_NEXT, MDL_PROVED,
			NULL },
	};
	struct ana_cpuwait *w = wait_at(ana_fixture_qry(f), ana_fixture_thread(f, 490),
		ana_fixture_at("10:03:18.422500000"));

	check_turns(f, w, expected, G_N_ELEMENTS(expected));
	ana_cpuwait_free(w);
	w = wait_at(ana_fixture_qry(f), ana_fixture_thread(f, 490), ana_fixture_at("10:03:18.422635400"));
	g_assert_cmpint(turn_of(w, 0)->why, ==, ANA_TURN_WOKEN);
	g_assert_cmpint(mdl_grade_of(turn_of(w, 0)->doubts), ==, MDL_INFERRED);
	g_assert_cmpint(turn_of(w, 0)->woken, ==, ana_fixture_at("10:03:18.422577550"));
	check_cover(w);
	ana_cpuwait_free(w);
}

/* A woken thread waits while the previous thread goes on, then the CPU is idle, then nothing is recorded. */
static void test_made(void)
{
	static const struct {
		int64_t from, to;
		enum ana_turn_why why;
		bool known;
	} expected[] = {
		{ 100, 200, ANA_TURN_HAD_IT, true },
		{ 200, 300, ANA_TURN_IDLE, true },
		{ 300, 400, ANA_TURN_UNKNOWN, false },
	};
	struct ana_synth *s = ana_synth_new(1000);
	uint32_t idle = ana_synth_thread(s, 0, 0, MDL_NONE), a = ana_synth_thread(s, 11, 0, MDL_NONE),
		 b = ana_synth_thread(s, 12, 0, MDL_NONE);
	uint32_t line = ana_synth_context_id(s, MDL_CTX_IRQ, 5, "card"), cpu = ana_synth_cpu(s);
	struct ana_cpuwait *w;
	struct qry *q;

	ana_synth_on_cpu(s, cpu, 150, MDL_ST_RUNNING, a, 0);
	ana_synth_on_cpu(s, cpu, 160, MDL_ST_INTERRUPTED, a, line);
	ana_synth_on_cpu(s, cpu, 200, MDL_ST_RUNNING, a, 0);
	ana_synth_on_cpu(s, cpu, 290, MDL_ST_IDLE, idle, 0);
	ana_synth_on_cpu(s, cpu, 300, MDL_ST_INTERRUPTED, idle, line);
	ana_synth_on_cpu(s, cpu, 400, MDL_ST_UNKNOWN, MDL_NONE, 0);
	ana_synth_on_cpu(s, cpu, 1000, MDL_ST_RUNNING, b, 0);
	ana_synth_state(s, b, 100, MDL_ST_BLOCKED);
	ana_synth_on_cpu(s, b, 400, MDL_ST_WAIT_CPU, 1, 0); /* in the row of a thread, 1 is the CPU */
	ana_synth_on_cpu(s, b, 1000, MDL_ST_RUNNING, 1, 0);
	q = ana_synth_open(s);
	w = wait_at(q, b, 399);
	g_assert_false(w->preempted);
	g_assert_cmpuint(w->turns->len, ==, G_N_ELEMENTS(expected));
	for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
		g_assert_cmpint(turn_of(w, i)->from, ==, expected[i].from);
		g_assert_cmpint(turn_of(w, i)->to, ==, expected[i].to);
		g_assert_cmpint(turn_of(w, i)->why, ==, expected[i].why);
		g_assert_cmpint(turn_of(w, i)->known, ==, expected[i].known);
	}
	g_assert_cmpint(turn_of(w, 0)->interrupted, ==, 10);
	check_cover(w);
	ana_cpuwait_free(w);
	ana_synth_free(s);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/cpuwait/preempt", test_preempt);
	g_test_add_func("/cpuwait/tick", test_tick);
	g_test_add_func("/cpuwait/made", test_made);
	return ana_fixture_run();
}
