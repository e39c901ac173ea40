/* SPDX-License-Identifier: MIT */
/* The look of a cell: height is the share, the larger class is shown, and every state present is visible. */
#include "analysis/path/path.h"
#include "ui/core/ui_theme.h"
#include "ui/widget/looks.h"
#include "ui/widget/meaning.h"

#include <string.h>

#define SECOND G_GINT64_CONSTANT(1000000000)

/* The signs of each mode. */
static struct term_grid heights = { 0 }, letters = { .letters = true },
			ascii = { .ascii = true, .letters = true };

static void test_empty(void)
{
	struct qry_cell cell = { { 0 }, 0 };
	struct state_look look = state_look_cell(&heights, &cell);

	g_assert_cmpuint(look.ch, ==, ' ');
	g_assert_cmpuint(look.state, ==, QRY_CELL_N);
}

/* States of the same class add up to one height; the colour is that of the largest. */
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

/* Every share above 0 is visible, and only a whole one is drawn whole. */
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

/* The larger of the two classes is shown; of two rare ones, the one on a CPU. */
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

/* No two states share a sign, with letters and in ASCII, whatever the share. */
static void test_readable(void)
{
	const struct term_grid *grids[] = { &letters, &ascii };

	for (unsigned g = 0; g < G_N_ELEMENTS(grids); g++) {
		g_autoptr(GHashTable) whose = g_hash_table_new(NULL, NULL);

		for (unsigned state = 0; state < QRY_CELL_N; state++) {
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

/* Heights are used only where colours distinguish the states. */
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

/* Each state, kind of segment and grade has its role, in the same order. */
static void test_roles(void)
{
	for (unsigned i = 0; i < QRY_CELL_N; i++) {
		char *name = g_strconcat("state.", state_look_name(i), NULL);

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

/* ---- meanings of signs: the legend, and docs/cells.md ---- */

static unsigned count_of(enum meaning_of of, unsigned nr)
{
	unsigned n = 0;

	for (unsigned i = 0; i < meanings_n; i++)
		n += meanings[i].of == of && meanings[i].nr == nr;
	return n;
}

static void test_all_meanings(void)
{
	for (unsigned i = 0; i < QRY_CELL_N; i++)
		g_assert_cmpuint(count_of(MEANING_STATE, i), ==, 1);
	for (unsigned i = 0; i < PATH_LOOK_N; i++) /* all others look like states */
		g_assert_cmpuint(count_of(MEANING_WAIT, i), ==, path_look_class(i) == STATE_RESTING);
	for (unsigned i = 0; i < MDL_GRADES; i++)
		g_assert_cmpuint(count_of(MEANING_GRADE, i), ==, 1);
}

/* Texts fit into 80 columns, and commands exist. */
static void test_meaning_texts(void)
{
	for (unsigned i = 0; i < meanings_n; i++) {
		const struct meaning *m = &meanings[i];
		g_auto(GStrv) words = g_strsplit_set(m->todo ? m->todo : "", " ,;", -1);
		enum ui_command unused;

		g_assert_true(m->of == MEANING_HEADING || m->text);
		if (m->of != MEANING_HEADING)
			g_assert_cmpuint(strlen(m->text), <=, MEANING_TEXT_MAX);
		if (m->todo)
			g_assert_cmpuint(strlen(m->todo), <=, MEANING_TEXT_MAX);
		for (char **word = words; *word; word++)
			if (**word == ':' && !ui_command_find(*word + 1, &unused))
				g_error("%s names no command", *word);
	}
}

/* CH as code, unless it is a blank. */
static void append_sign(GString *out, gunichar ch)
{
	if (ch == ' ')
		return;
	g_string_append(out, "`");
	g_string_append_unichar(out, ch);
	g_string_append(out, "` ");
}

/* The signs of M, with colours and without. */
static void append_signs(GString *out, const struct meaning *m, bool colours)
{
	bool high = m->of == MEANING_STATE &&
		state_look_part(&letters, m->nr, 8) != state_look_part(&letters, m->nr, 1);

	if (m->of == MEANING_SIGN) {
		if (colours)
			g_string_append_printf(out, "`%s` ", m->sign);
	} else if (m->of == MEANING_WAIT)
		append_sign(out, path_look_glyph(&letters, m->nr, true));
	else if (high && colours)
		g_string_append(out, "`\342\226\201` `\342\226\204` `\342\226\210` ");
	else if (high) {
		append_sign(out, state_look_part(&letters, m->nr, 7));
		append_sign(out, state_look_part(&letters, m->nr, 1));
		append_sign(out, state_look_part(&letters, m->nr, 8));
	} else if (m->of == MEANING_STATE)
		append_sign(out, state_look_glyph(&letters, m->nr));
}

static char *signs_page(void)
{
	GString *out = g_string_new("## All signs\n\n`F3` shows this list; `make screens` writes it from "
				    "`src/ui/widget/meaning.c`. `:NAME` is a command.\n");

	for (unsigned i = 0; i < meanings_n; i++) {
		const struct meaning *m = &meanings[i];

		if (m->of == MEANING_HEADING) {
			g_string_append_printf(out,
				"\n### %s\n\n| name | sign | without colours | means | what to do |\n|---|---|---|---|---|\n",
				m->sign);
			continue;
		}
		g_string_append_printf(out, "| %s%s| ", meaning_name(m), *meaning_name(m) ? " " : "");
		append_signs(out, m, true);
		g_string_append(out, "| ");
		append_signs(out, m, false);
		g_string_append_printf(out, "| %s | %s%s|\n", m->text, m->todo ? m->todo : "",
			m->todo ? " " : "");
	}
	return g_string_free(out, FALSE);
}

static void test_signs_page(void)
{
	g_autofree char *path = g_build_filename(g_getenv("TOP") ? g_getenv("TOP") : ".", "docs", "cells.md",
				NULL),
			*page = signs_page(), *stored = NULL, *made = NULL;
	char *begin, *end;

	g_assert_true(g_file_get_contents(path, &stored, NULL, NULL));
	begin = strstr(stored, "## All signs\n");
	g_assert_nonnull(begin);
	end = strstr(begin + 1, "\n## ");
	g_assert_nonnull(end);
	made = g_strdup_printf("%.*s%s%s", (int)(begin - stored), stored, page, end);
	if (g_getenv("REWRITE_SCREENS"))
		g_assert_true(g_file_set_contents(path, made, -1, NULL));
	else if (strcmp(made, stored))
		g_error("docs/cells.md is stale: make screens writes it anew");
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
	g_test_add_func("/meanings/all", test_all_meanings);
	g_test_add_func("/meanings/texts", test_meaning_texts);
	g_test_add_func("/meanings/page", test_signs_page);
	return g_test_run();
}
