/* SPDX-License-Identifier: MIT */
/* How a cell looks: the largest share decides, whatever is hidden shows. */
#include "analysis/ana_path.h"
#include "ui/widget/state_look.h"

#define SECOND G_GINT64_CONSTANT(1000000000)

static void test_empty(void)
{
	struct qry_cell cell = { { 0 }, 0 };
	struct state_look look = state_look_cell(&cell);

	g_assert_cmpuint(look.ch, ==, ' ');
	g_assert_cmpuint(look.state, ==, MDL_ST_N);
}

/* States of the same class do not mark each other. */
static void test_pure(void)
{
	struct qry_cell cell = {
		.ns = { [MDL_ST_USERMODE] = 600, [MDL_ST_SYSCALL] = 300, [MDL_ST_INTERRUPTED] = 100 },
		.intervals = 40
	};
	struct state_look look = state_look_cell(&cell);

	g_assert_cmpuint(look.state, ==, MDL_ST_USERMODE);
	g_assert_cmpuint(look.mix, ==, STATE_PURE);
	g_assert_cmpuint(look.ch, ==, state_look_glyph(MDL_ST_USERMODE, STATE_PURE));
	g_assert_cmpuint(look.role, ==, TERM_ROLE_STATE_USERMODE);
}

/* 2 µs of running in 10 s of sleep. */
static void test_blip(void)
{
	struct qry_cell cell = { .ns = { [MDL_ST_BLOCKED] = 10 * SECOND - 2000, [MDL_ST_USERMODE] = 2000 },
		.intervals = 3 };
	struct state_look look = state_look_cell(&cell);

	g_assert_cmpuint(look.state, ==, MDL_ST_BLOCKED);
	g_assert_cmpuint(look.hidden, ==, MDL_ST_USERMODE);
	g_assert_cmpuint(look.mix, ==, STATE_MIXED);
	g_assert_cmpuint(look.ch, !=, state_look_glyph(MDL_ST_BLOCKED, STATE_PURE));
	g_assert_cmpuint(look.role, ==, TERM_ROLE_STATE_USERMODE);
	cell.intervals = 100;
	g_assert_cmpuint(state_look_cell(&cell).mix, ==, STATE_BUSY);
}

/* Of what is hidden, being on a CPU says more than wanting one, and that more than resting. */
static void test_hidden(void)
{
	struct qry_cell cell = {
		.ns = { [MDL_ST_BLOCKED] = 1000, [MDL_ST_WAIT_CPU] = 400, [MDL_ST_SYSCALL] = 2 },
		.intervals = 3
	};

	g_assert_cmpuint(state_look_cell(&cell).hidden, ==, MDL_ST_SYSCALL);
	cell.ns[MDL_ST_SYSCALL] = 0;
	g_assert_cmpuint(state_look_cell(&cell).hidden, ==, MDL_ST_WAIT_CPU);
	cell.ns[MDL_ST_PREEMPTED] = 2000;
	g_assert_cmpuint(state_look_cell(&cell).state, ==, MDL_ST_PREEMPTED);
	g_assert_cmpuint(state_look_cell(&cell).hidden, ==, MDL_ST_BLOCKED);
	g_assert_cmpuint(state_look_cell(&cell).role, ==, TERM_ROLE_STATE_PREEMPTED);
}

/* In monochrome the states of one class are told apart, pure from mixed too; also in ASCII. */
static void test_readable(void)
{
	static const enum mdl_state told[] = { MDL_ST_USERMODE, MDL_ST_SYSCALL, MDL_ST_INTERRUPTED,
		MDL_ST_WAIT_CPU, MDL_ST_PREEMPTED, MDL_ST_BLOCKED, MDL_ST_NEW, MDL_ST_UNKNOWN };

	for (gsize i = 0; i < G_N_ELEMENTS(told); i++) {
		gunichar pure = state_look_glyph(told[i], STATE_PURE);

		for (gsize j = 0; j < i; j++) {
			g_assert_cmpuint(pure, !=, state_look_glyph(told[j], STATE_PURE));
			g_assert_cmpint(term_ascii(pure), !=,
				term_ascii(state_look_glyph(told[j], STATE_PURE)));
		}
		g_assert_cmpuint(pure, !=, state_look_glyph(told[i], STATE_MIXED));
		g_assert_cmpint(term_ascii(pure), !=, term_ascii(state_look_glyph(told[i], STATE_MIXED)));
		g_assert_cmpint(term_ascii(pure), !=, '?');
	}
}

/* Each state and each kind of segment has its role: they stand in the same order. */
static void test_roles(void)
{
	for (unsigned i = 0; i < MDL_ST_N; i++) {
		char *name = g_strconcat("state.", mdl_state_name(i), NULL);

		g_assert_cmpstr(term_role_name(TERM_ROLE_STATE_UNKNOWN + i), ==, name);
		g_free(name);
	}
	for (unsigned i = 0; i < ANA_SEG_N; i++) {
		char *name = g_strconcat("path.", ana_segment_kind_name(i), NULL);

		g_assert_cmpstr(term_role_name(TERM_ROLE_PATH_RUNNING + i), ==, name);
		g_free(name);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/glyph/empty", test_empty);
	g_test_add_func("/glyph/pure", test_pure);
	g_test_add_func("/glyph/blip", test_blip);
	g_test_add_func("/glyph/hidden", test_hidden);
	g_test_add_func("/glyph/readable", test_readable);
	g_test_add_func("/glyph/roles", test_roles);
	return g_test_run();
}
