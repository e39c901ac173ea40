/* SPDX-License-Identifier: MIT */
/* Answers about threads that wait for their children to exit, and for each other; the rows of a sentence. */
#include "analysis/ana_synth.h"
#include "analysis/overview/parts.h"
#include "base/base_text.h"

#define MS INT64_C(1000000)

/* T1 runs for 130 ms, and waits twice for its child: 30 ms until the child wakes it and goes on,
 * LAST_WAIT until it exits. */
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

/* Most of its waits are not for an exit: 30 ms of 55 ms were lost. */
static void test_most_lost(void)
{
	check(25 * MS,
		"t1[1]: 185 ms, of which 70 % ran, 30 % waited for threads, nearly all for t2[2]: 2 times, worst 30.0 ms");
}

/* Most of its waits are for an exit, which is no loss: nothing was lost, and the sentence names what the
 * busiest thread waited for. */
static void test_most_ends(void)
{
	check(40 * MS,
		"t1[1]: 200 ms, of which 65 % ran, 35 % waited for threads, nearly all for t2[2]: 2 times, worst 40.0 ms");
}

/* Three threads come to a barrier four times, each OFFSET after the previous one, and leave when the last
 * one has come, or EARLY ms before; returns the waits for the one that was waited for most, as text; NULL
 * if they do not meet. */
static char *meeting(int64_t offset, int64_t early)
{
	struct ana_synth *s = ana_synth_new(1000 * MS);
	uint32_t threads[3];
	g_autoptr(GArray) cases = g_array_new(FALSE, FALSE, sizeof(struct ana_overview_case));
	struct ana_overview_meeting best = { .name = NULL };
	char *text = NULL;
	struct qry *q;

	for (unsigned i = 0; i < 3; i++) {
		threads[i] = ana_synth_thread(s, (int)i + 1, 0, MDL_NONE);
		ana_synth_state(s, threads[i], 1000 * MS, MDL_ST_RUNNING);
	}
	q = ana_synth_open(s);
	for (int64_t round = 0; round < 4; round++)
		for (unsigned i = 0; i < 3; i++) {
			/* The last one is threads[2] in all rounds but the first, in which it comes first. */
			int64_t place = round == 0 ? 2 - i : i, begin = (100 * round + place * offset) * MS;
			struct ana_overview_case c = { (100 * round + 2 * offset - early) * MS - begin, begin,
				threads[i] };

			c.length = MAX(c.length, 0);
			g_array_append_val(cases, c);
		}
	if (ana_overview_meets(q, "barrier", cases, &best))
		text = ana_overview_meeting_text(q, &best);
	ana_overview_meeting_clear(&best);
	ana_synth_free(s);
	return text;
}

static void test_meeting(void)
{
	g_autofree char *met = meeting(10, 0), *left = meeting(10, 1);

	g_assert_cmpstr(met, ==,
		"t3[3] came last to barrier 3 of 4 times: 2 threads waited 90.0 ms for it, t1[1] 60.0 ms, t2[2] 30.0 ms");
	g_assert_null(left); /* they leave before the last one has come */
}

/* A number stays with its unit, so the first row ends before it. */
static void test_rows(void)
{
	g_autofree char *word = g_strnfill(76, 'a'), *last = g_strnfill(71, 'b'),
			*fits = g_strdup_printf("%s 3.44 ms %s", word, "c"),
			*full = g_strdup_printf("%s 12 %s", word, last),
			*over = g_strdup_printf("%s 12 ms %s", word, last);

	g_assert_cmpuint(base_text_row(fits, 78), ==, 76);
	g_assert_cmpuint(base_text_row("12 ms", 3), ==, 3); /* it has to split it */
	g_assert_true(ana_overview_fits(full));
	g_assert_false(ana_overview_fits(over));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/answers/most-lost", test_most_lost);
	g_test_add_func("/answers/most-ends", test_most_ends);
	g_test_add_func("/answers/meeting", test_meeting);
	g_test_add_func("/answers/rows", test_rows);
	return g_test_run();
}
