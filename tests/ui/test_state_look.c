/* SPDX-License-Identifier: MIT */
/* How a cell looks: height is the share, the larger class is shown, and whatever is there shows. */
#include "analysis/path/path.h"
#include "ui/core/ui_theme.h"
#include "ui/widget/looks.h"

#define SECOND G_GINT64_CONSTANT(1000000000)

/* The signs of each mode. */
static struct term_grid heights = { 0 }, letters = { .letters = true },
			ascii = { .ascii = true, .letters = true };

static void test_empty(void)
{
	struct qry_cell cell = { { 0 }, 0 };
	struct state_look look = state_look_cell(&heights, &cell);

	g_assert_cmpuint(look.ch, ==, ' ');
	g_assert_cmpuint(look.state, ==, MDL_ST_N);
}

/* States of the same class make one height, the colour is that of the largest. */
static void test_whole(void)
{
	struct qry_cell cell = {
		.ns = { [MDL_ST_USERMODE] = 600, [MDL_ST_SYSCALL] = 300, [MDL_ST_INTERRUPTED] = 100 },
		.intervals = 40
	};
	struct state_look look = state_look_cell(&heights, &cell);

	g_assert_cmpuint(look.state, ==, MDL_ST_USERMODE);
	g_assert_cmpuint(look.eighths, ==, STATE_WHOLE);
	g_assert_cmpuint(look.ch, ==, 0x2588); /* █ */
	g_assert_cmpuint(look.role, ==, TERM_ROLE_STATE_USERMODE);
	cell.ns[MDL_ST_BLOCKED] = 1;
	g_assert_cmpuint(state_look_cell(&heights, &cell).ch, ==, 0x2587); /* ▇ */
}

/* Whatever is there shows, and nothing is whole that is not. */
static void test_eighths(void)
{
	g_assert_cmpuint(state_look_eighths(0, SECOND), ==, 0);
	g_assert_cmpuint(state_look_eighths(SECOND / 16 - 1, SECOND), ==, 0);
	g_assert_cmpuint(state_look_eighths(SECOND / 16, SECOND), ==, 1);
	g_assert_cmpuint(state_look_eighths(SECOND / 2, SECOND), ==, 4);
	g_assert_cmpuint(state_look_eighths(SECOND - 1, SECOND), ==, 7);
	g_assert_cmpuint(state_look_eighths(SECOND, SECOND), ==, STATE_WHOLE);
	for (unsigned i = 1; i < STATE_WHOLE; i++)
		g_assert_cmpuint(state_look_part(&heights, MDL_ST_WAIT_CPU, i), ==, 0x2580 + i);
}

/* 2 µs of running in 10 s of sleep: a mark with its colour. */
static void test_blip(void)
{
	struct qry_cell cell = { .ns = { [MDL_ST_BLOCKED] = 10 * SECOND - 2000, [MDL_ST_USERMODE] = 2000 },
		.intervals = 3 };
	struct state_look look = state_look_cell(&heights, &cell);

	g_assert_cmpuint(look.state, ==, MDL_ST_USERMODE);
	g_assert_cmpuint(look.eighths, ==, 0);
	g_assert_cmpuint(look.ch, ==, 0x2022); /* • */
	g_assert_cmpuint(look.role, ==, TERM_ROLE_STATE_USERMODE);
	g_assert_cmpuint(state_look_cell(&ascii, &cell).ch, ==, 'u');
	cell.ns[MDL_ST_USERMODE] = 0;
	g_assert_cmpuint(state_look_cell(&heights, &cell).ch, ==, 0x2500); /* ─ */
	cell.ns[MDL_ST_UNKNOWN] = 1;
	g_assert_cmpuint(state_look_cell(&heights, &cell).ch, ==, 0xb7); /* · */
}

/* The larger of the two classes is shown; of two that are rare, being on a CPU says more. */
static void test_classes(void)
{
	struct qry_cell cell = {
		.ns = { [MDL_ST_BLOCKED] = 1000, [MDL_ST_WAIT_CPU] = 400, [MDL_ST_SYSCALL] = 2 },
		.intervals = 3
	};

	g_assert_cmpuint(state_look_cell(&heights, &cell).state, ==, MDL_ST_WAIT_CPU);
	g_assert_cmpuint(state_look_cell(&heights, &cell).eighths, ==, 2);
	cell.ns[MDL_ST_SYSCALL] = 400;
	g_assert_cmpuint(state_look_cell(&heights, &cell).state, ==, MDL_ST_SYSCALL);
	cell.ns[MDL_ST_PREEMPTED] = 2000;
	g_assert_cmpuint(state_look_cell(&heights, &cell).state, ==, MDL_ST_PREEMPTED);
	g_assert_cmpuint(state_look_cell(&heights, &cell).eighths, ==, 5);
	cell.ns[MDL_ST_BLOCKED] = SECOND;
	g_assert_cmpuint(state_look_cell(&heights, &cell).state, ==, MDL_ST_SYSCALL);
}

/* A sign belongs to no two states, with letters and in ASCII, whatever the share. */
static void test_readable(void)
{
	const struct term_grid *grids[] = { &letters, &ascii };

	for (unsigned g = 0; g < G_N_ELEMENTS(grids); g++) {
		g_autoptr(GHashTable) whose = g_hash_table_new(NULL, NULL);

		for (unsigned state = 0; state < MDL_ST_N; state++) {
			for (unsigned eighths = 0; eighths <= STATE_WHOLE; eighths++) {
				gunichar ch = state_look_part(grids[g], state, eighths);
				gpointer key, owner;

				ch = grids[g]->ascii ? (gunichar)term_ascii(ch) : ch;
				g_assert_cmpuint(ch, !=, '?');
				key = GUINT_TO_POINTER(ch);
				owner = g_hash_table_lookup(whose, key);
				g_assert_true(!owner || owner == GUINT_TO_POINTER(state + 1));
				g_hash_table_insert(whose, key, GUINT_TO_POINTER(state + 1));
			}
		}
	}
}

/* Heights are used only where the colours tell the states apart. */
static void test_themes(void)
{
	static const struct {
		const char *name;
		unsigned colours;
		bool tells;
	} themes[] = { { "dark", 1 << 24, true }, { "dark", 256, true }, { "dark", 8, true },
		{ "dark", 0, false }, { "light", 256, true }, { "light", 8, true },
		{ "high-contrast", 256, true }, { "high-contrast", 8, true }, { "mono", 1 << 24, false } };

	for (unsigned i = 0; i < G_N_ELEMENTS(themes); i++) {
		struct ui_theme *theme = ui_theme_new(themes[i].name, themes[i].colours, NULL);

		g_assert_cmpint(theme->tells_states, ==, themes[i].tells);
		ui_theme_free(theme);
	}
}

/* Each state, kind of segment and grade has its role: they stand in the same order. */
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
	for (enum mdl_grade grade = MDL_PROVED; grade <= MDL_UNSURE; grade++) {
		static const mdl_doubts doubts[] = { 0, MDL_DOUBT(ALIKE), MDL_DOUBT(UNKNOWN) };
		char *name = g_strconcat("grade.", ana_grade_name(doubts[grade]), NULL);

		g_assert_cmpint(mdl_grade_of(doubts[grade]), ==, grade);
		g_assert_cmpstr(term_role_name(kind_look_grade(grade)), ==, name);
		g_free(name);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/glyph/empty", test_empty);
	g_test_add_func("/glyph/whole", test_whole);
	g_test_add_func("/glyph/eighths", test_eighths);
	g_test_add_func("/glyph/blip", test_blip);
	g_test_add_func("/glyph/classes", test_classes);
	g_test_add_func("/glyph/readable", test_readable);
	g_test_add_func("/glyph/themes", test_themes);
	g_test_add_func("/glyph/roles", test_roles);
	return g_test_run();
}
