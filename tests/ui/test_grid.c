/* SPDX-License-Identifier: MIT */
/* The grid: the fence against hostile text, wide characters, ASCII, clipping. */
#include "ui/term/term_grid.h"

#include <string.h>

/* Row Y of GRID as UTF-8.  The caller frees. */
static char *row_text(const struct term_grid *grid, unsigned y)
{
	GString *text = g_string_new(NULL);

	for (unsigned x = 0; x < grid->columns; x++)
		if (term_grid_cell(grid, x, y)->ch)
			g_string_append_unichar(text, term_grid_cell(grid, x, y)->ch);
	return g_string_free(text, FALSE);
}

#define assert_row(grid, y, expected)                 \
	do {                                          \
		char *text_ = row_text(grid, y);      \
		g_assert_cmpstr(text_, ==, expected); \
		g_free(text_);                        \
	} while (0)

static void test_control(void)
{
	struct term_grid *grid = term_grid_new(12, 1);
	struct term_area area = term_grid_area(grid);

	term_area_text(&area, 0, 0, TERM_ROLE_TEXT, "a\x1b[31mb\tc\n");
	assert_row(grid, 0,
		"a\xef\xbf\xbd[31mb\xef\xbf\xbd"
		"c\xef\xbf\xbd  ");
	for (gunichar ch = 0; ch < 0xa0; ch++) {
		term_area_char(&area, 0, 0, TERM_ROLE_TEXT, ch);
		if (ch < ' ' || ch >= 0x7f)
			g_assert_cmpuint(term_grid_cell(grid, 0, 0)->ch, ==, 0xfffd);
	}
	term_grid_free(grid);
}

/* C1 as UTF-8, bytes that are not UTF-8, a surrogate, marks that turn the direction, zero width. */
static void test_hostile(void)
{
	struct term_grid *grid = term_grid_new(8, 1);
	struct term_area area = term_grid_area(grid);

	term_area_text(&area, 0, 0, TERM_ROLE_TEXT,
		"\xc2\x9b"
		"1m\xff\xed\xa0\x80");
	assert_row(grid, 0,
		"\xef\xbf\xbd"
		"1m\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd ");
	term_grid_clear(grid);
	/* RLO; y with combining acute. */
	term_area_text(&area, 0, 0, TERM_ROLE_TEXT, "x\xe2\x80\xaey\xcc\x81z");
	assert_row(grid, 0, "x\xef\xbf\xbdyz    ");
	term_grid_free(grid);
}

static void test_wide(void)
{
	struct term_grid *grid = term_grid_new(5, 1);
	struct term_area area = term_grid_area(grid);

	g_assert_cmpuint(term_area_text(&area, 0, 0, TERM_ROLE_TEXT, "漢字x"), ==, 5);
	assert_row(grid, 0, "漢字x");
	term_area_char(&area, 1, 0, TERM_ROLE_TEXT, '!'); /* the left half must go, too */
	assert_row(grid, 0, " !字x");
	term_area_char(&area, 2, 0, TERM_ROLE_TEXT, '?');
	assert_row(grid, 0, " !? x");
	g_assert_cmpuint(term_area_text(&area, 4, 0, TERM_ROLE_TEXT, "漢"), ==, 5);
	assert_row(grid, 0, " !? x"); /* half a character is not drawn */
	g_assert_cmpuint(term_text_width("漢字x"), ==, 5);
	term_grid_free(grid);
}

static void test_ascii(void)
{
	struct term_grid *grid = term_grid_new(10, 1);
	struct term_area area = term_grid_area(grid);

	grid->ascii = true;
	term_area_text(&area, 0, 0, TERM_ROLE_TEXT, "█─▼µé漢");
	assert_row(grid, 0, "#-vu??    ");
	for (unsigned x = 0; x < grid->columns; x++)
		g_assert_cmpuint(term_grid_cell(grid, x, 0)->ch, <, 0x7f);
	term_grid_free(grid);
}

static void test_clip(void)
{
	struct term_grid *grid = term_grid_new(6, 3);
	struct term_area all = term_grid_area(grid), part = term_area_part(&all, 2, 1, 3, 1), none;

	term_area_fill(&all, 0, 0, 100, 100, TERM_ROLE_TEXT, '.');
	g_assert_cmpuint(term_area_text(&part, 1, 0, TERM_ROLE_TEXT, "abcdef"), ==, 3);
	term_area_text(&part, 0, 1, TERM_ROLE_TEXT, "below");
	term_area_char(&part, 3, 0, TERM_ROLE_TEXT, '#');
	assert_row(grid, 0, "......");
	assert_row(grid, 1, "...ab.");
	assert_row(grid, 2, "......");
	none = term_area_part(&part, 50, 50, 5, 5);
	g_assert_cmpuint(none.w, ==, 0);
	term_area_text(&none, 0, 0, TERM_ROLE_TEXT, "x");
	term_area_over(&all, 5, 2, 10, 10, TERM_ROLE_OVER_ROW);
	g_assert_cmpuint(term_grid_cell(grid, 5, 2)->over, ==, TERM_ROLE_OVER_ROW);
	g_assert_cmpuint(term_grid_cell(grid, 4, 2)->over, ==, TERM_ROLE_TEXT);
	term_grid_free(grid);
}

static void test_fit(void)
{
	struct term_grid *grid = term_grid_new(8, 1);
	struct term_area area = term_grid_area(grid);

	g_assert_cmpuint(term_area_fit(&area, 1, 0, 4, TERM_ROLE_TEXT, "abcdef"), ==, 5);
	assert_row(grid, 0, " abc…   ");
	term_grid_clear(grid);
	g_assert_cmpuint(term_area_right(&area, 1, 0, TERM_ROLE_TEXT, "xyz"), ==, 4);
	assert_row(grid, 0, "    xyz ");
	term_grid_clear(grid);
	term_area_before(&area, 6, 0, TERM_ROLE_TEXT, "xyz");
	assert_row(grid, 0, "   xyz  ");
	term_area_before(&area, 2, 0, TERM_ROLE_TEXT, "abc"); /* too long */
	assert_row(grid, 0, "abcxyz  ");
	term_grid_free(grid);
}

/* Rows end at a blank, keep a number with its unit, and are as wide on the screen as they may be. */
static void test_rows(void)
{
	static const char *const texts[] = { "wk-rt ran for 3.44 ms", "漢字漢字 漢字", "漢\xff漢", "abcdef" };
	static const char *const expected[][4] = { { "wk-rt ran", "  for", "  3.44 ms" },
		{ "漢字漢字", "  漢字" }, { "漢\xff漢" }, { "abcdef" } };
	struct term_grid *grid = term_grid_new(5, 2);
	struct term_area area = term_grid_area(grid);

	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(GPtrArray) rows = term_text_rows(texts[i], 9, 2);

		for (guint row = 0; row < rows->len; row++)
			g_assert_cmpstr(g_ptr_array_index(rows, row), ==, expected[i][row]);
		g_assert_null(expected[i][rows->len]);
	}
	term_area_rows(&area, TERM_ROLE_TEXT, "漢字 abc def");
	assert_row(grid, 0, "漢字 ");
	assert_row(grid, 1, "abc …");
	term_grid_free(grid);
}

/* Each role has a letter of its own, so that the map of a script's "attrs" is unambiguous. */
static void test_letters(void)
{
	bool seen[256] = { false };

	for (unsigned i = 0; i < TERM_ROLE_N; i++) {
		enum term_role role;
		gunichar letter = term_role_letter(i);

		g_assert_true(letter < 256 && g_unichar_isprint(letter) && !seen[letter]);
		seen[letter] = true;
		g_assert_true(term_role_find(term_role_name(i), &role));
		g_assert_cmpuint(role, ==, i);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/grid/control", test_control);
	g_test_add_func("/grid/hostile", test_hostile);
	g_test_add_func("/grid/wide", test_wide);
	g_test_add_func("/grid/ascii", test_ascii);
	g_test_add_func("/grid/clip", test_clip);
	g_test_add_func("/grid/fit", test_fit);
	g_test_add_func("/grid/rows", test_rows);
	g_test_add_func("/grid/letters", test_letters);
	return g_test_run();
}
