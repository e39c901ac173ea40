/* SPDX-License-Identifier: MIT */
/* Answers about threads that wait for the ends of their children. */
#include "analysis/ana_synth.h"
#include "analysis/overview/overview.h"

#define MS INT64_C(1000000)

/* T1 runs for 130 ms, and waits twice for its child: 30 ms until that wakes it and goes on, LAST_WAIT until that ends. */
static void check(int64_t last_wait, const char *wanted)
{
	struct ana_synth *s = ana_synth_new(160 * MS + last_wait);
	uint32_t t1 = ana_synth_thread(s, 1, 0, MDL_NONE), child = ana_synth_thread(s, 2, 0, t1);
	int64_t ended = 60 * MS + last_wait;
	g_autoptr(GError) error = NULL;
	g_autoptr(GArray) lines = NULL;

	ana_synth_state(s, t1, 20 * MS, MDL_ST_RUNNING);
	ana_synth_state(s, t1, 50 * MS, MDL_ST_BLOCKED);
	ana_synth_state(s, t1, 60 * MS, MDL_ST_RUNNING);
	ana_synth_state(s, t1, ended, MDL_ST_BLOCKED);
	ana_synth_state(s, t1, ended + 100 * MS, MDL_ST_RUNNING);
	ana_synth_state(s, child, 52 * MS, MDL_ST_RUNNING);
	ana_synth_state(s, child, 58 * MS, MDL_ST_BLOCKED);
	ana_synth_state(s, child, ended, MDL_ST_RUNNING);
	ana_synth_state(s, child, ended + 100 * MS, MDL_ST_EXITED);
	ana_synth_since(s, 20 * MS);
	ana_synth_wakeup(s, t1, 50 * MS, child, MDL_VIA_WAKING);
	ana_synth_since(s, 60 * MS);
	ana_synth_wakeup(s, t1, ended, child, MDL_VIA_WAKING);
	lines = ana_overview_find(ana_synth_open(s), ANA_OVERVIEW_ANSWER, 5, true, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(lines->len, ==, 1);
	g_assert_cmpstr(g_array_index(lines, struct ana_overview_line, 0).answer->text, ==, wanted);
	ana_synth_free(s);
}

/* Most of its waits are no ends of children: 30 ms of 55 ms were lost. */
static void test_most_lost(void)
{
	check(25 * MS,
		"t1[1]: 185 ms, of which 70 % ran, 30 % waited for threads, nearly all for t2[2]: 2 times, worst 30.0 ms");
}

/* Most are ends, which are no losses: nothing was lost, and what the busiest thread waited for is told. */
static void test_most_ends(void)
{
	check(40 * MS,
		"t1[1]: 200 ms, of which 65 % ran, 35 % waited for threads, nearly all for t2[2]: 2 times, worst 40.0 ms");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/answers/most-lost", test_most_lost);
	g_test_add_func("/answers/most-ends", test_most_ends);
	return g_test_run();
}
