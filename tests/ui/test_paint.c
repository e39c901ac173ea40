/* SPDX-License-Identifier: MIT */
/*
 * term_paint: a terminal with these few control functions, written from ECMA-48 and DEC's manuals and
 * not from term_paint.c, must show each of many random frames exactly, whatever it supports; and frames like
 * those of the explorer must not take more bytes than they need.
 */
#include "ui/term/term_curses.h"

#include "ui/term/term.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 40
#define ROWS 16

/* ---- a terminal ---- */

struct seen {
	gunichar ch;  /* 0: the right half of a wide one */
	char sgr[64]; /* its appearance: attributes, colours */
};

struct screen {
	struct seen cells[ROWS][COLUMNS];
	int x, y, top, bottom; /* x is COLUMNS: the next character wraps */
	bool attrs[8];
	char fg[24], bg[24];
	gunichar last;
	bool own_erase; /* erased cells always get their own background */
	bool held;
};

static void reset_sgr(struct screen *s)
{
	memset(s->attrs, 0, sizeof s->attrs);
	g_strlcpy(s->fg, "39", sizeof s->fg);
	g_strlcpy(s->bg, "49", sizeof s->bg);
}

static void write_sgr(const struct screen *s, char *out, const char *fg, const char *bg)
{
	g_snprintf(out, 64, "%d%d%d%d%d %s %s", s->attrs[1], s->attrs[2], s->attrs[3], s->attrs[4],
		s->attrs[7], fg, bg);
}

static void erase(struct screen *s, int y, int x)
{
	static const struct screen plain = { .fg = "39" };

	s->cells[y][x].ch = ' ';
	write_sgr(&plain, s->cells[y][x].sgr, "39", s->own_erase ? "49" : s->bg);
}

static void put_char(struct screen *s, gunichar ch)
{
	bool wide = g_unichar_iswide(ch);

	g_assert_cmpint(s->x + wide, <, COLUMNS);
	g_assert_cmpint(s->y, >=, 0);
	if (!s->cells[s->y][s->x].ch && s->x > 0)
		s->cells[s->y][s->x - 1].ch = ' ';
	if (s->x + wide + 1 < COLUMNS && !s->cells[s->y][s->x + wide + 1].ch)
		s->cells[s->y][s->x + wide + 1].ch = ' ';
	for (int i = 0; i <= wide; i++) {
		s->cells[s->y][s->x].ch = i == 0 ? ch : 0;
		write_sgr(s, s->cells[s->y][s->x++].sgr, s->fg, s->bg);
	}
	s->last = ch;
}

static void take_colour(char *out, char **parameters, int *i)
{
	if (g_str_equal(parameters[*i], "38") || g_str_equal(parameters[*i], "48")) {
		g_assert_cmpstr(parameters[*i + 1], ==, "5");
		g_snprintf(out, 24, "5;%s", parameters[*i + 2]);
		*i += 2;
	} else {
		g_strlcpy(out, parameters[*i], 24);
	}
}

static void take_sgr(struct screen *s, const char *text)
{
	g_auto(GStrv) parameters = g_strsplit(*text ? text : "0", ";", -1);

	for (int i = 0; parameters[i]; i++) {
		int n = atoi(parameters[i]);

		if (n == 0)
			reset_sgr(s);
		else if (n < 8)
			s->attrs[n] = true;
		else if (n < 40 || (n >= 90 && n < 100))
			take_colour(s->fg, parameters, &i);
		else
			take_colour(s->bg, parameters, &i);
	}
}

static void move_lines(struct screen *s, int by)
{
	int n = ABS(by), height = s->bottom - s->top;

	g_assert_cmpint(n, <, height);
	memmove(s->cells[by > 0 ? s->top + n : s->top], s->cells[by > 0 ? s->top : s->top + n],
		(size_t)(height - n) * sizeof s->cells[0]);
	for (int i = 0; i < n; i++)
		for (int x = 0; x < COLUMNS; x++)
			erase(s, by > 0 ? s->top + i : s->bottom - 1 - i, x);
}

static void control(struct screen *s, const char *text, char final)
{
	int a = 0, b = 0, given = sscanf(text, "%d;%d", &a, &b), n = MAX(a, 1);

	switch (final) {
	case 'm': take_sgr(s, text); return;
	case 'H':
		s->y = (given > 0 ? a : 1) - 1;
		s->x = (given > 1 ? b : 1) - 1;
		break;
	case 'A': s->y -= n; break;
	case 'B': s->y += n; break;
	case 'C': s->x += n; break;
	case 'D': s->x -= n; break;
	case 'b':
		for (int i = 0; i < n; i++)
			put_char(s, s->last);
		break;
	case 'K':
		g_assert_cmpint(s->x, <, COLUMNS);
		for (int x = s->x; x < COLUMNS; x++)
			erase(s, s->y, x);
		break;
	case 'J':
		g_assert_cmpint(a, ==, 2);
		for (int i = 0; i < ROWS * COLUMNS; i++)
			erase(s, i / COLUMNS, i % COLUMNS);
		break;
	case 'r':
		s->top = given > 0 ? a - 1 : 0;
		s->bottom = given > 0 ? b : ROWS;
		s->x = s->y = 0;
		break;
	case 'S': move_lines(s, -n); break;
	case 'T': move_lines(s, n); break;
	case 'h':
	case 'l':
		g_assert_cmpstr(text, ==, "?2026");
		s->held = final == 'h';
		break;
	default: g_assert_not_reached();
	}
	g_assert_true(s->x >= 0 && s->x <= COLUMNS && s->y >= 0 && s->y < ROWS);
}

static void take_bytes(struct screen *s, const GString *bytes)
{
	const char *at = bytes->str;

	while (*at) {
		if (g_str_has_prefix(at, "\033[")) {
			size_t length = strspn(at + 2, "0123456789;?");
			g_autofree char *text = g_strndup(at + 2, length);

			control(s, text, at[2 + length]);
			at += length + 3;
		} else if (*at == '\b') {
			g_assert_cmpint(s->x, >, 0);
			g_assert_cmpint(s->x, <, COLUMNS); /* terminals differ after the last column */
			s->x--;
			at++;
		} else {
			put_char(s, g_utf8_get_char(at));
			at = g_utf8_next_char(at);
		}
	}
	g_assert_false(s->held);
}

/* ---- frames ---- */

static struct term_style styles[TERM_ROLE_N];

static void make_styles(void)
{
	for (unsigned i = 0; i < TERM_ROLE_N; i++) {
		styles[i] = (struct term_style){ { TERM_COLOUR_DEFAULT, TERM_COLOUR_DEFAULT,
							 TERM_COLOUR_DEFAULT },
			{ TERM_COLOUR_DEFAULT, TERM_COLOUR_DEFAULT, TERM_COLOUR_DEFAULT }, 0 };
		if (i % 3 == 1)
			styles[i].fg.index256 = (int16_t)(i * 7 % 256);
		if (i % 5 == 2)
			styles[i].bg.index256 = (int16_t)(i * 11 % 256);
		if (i % 7 == 3)
			styles[i].attrs = (uint8_t)(1 << i % 5);
	}
}

static void fill_line(GRand *rand, struct term_grid *grid, unsigned y)
{
	static const gunichar signs[] = { ' ', ' ', 'a', '7', 0x2588, 0x2581, 0x2500, 0x4e16 };

	for (unsigned x = 0; x < COLUMNS;) {
		struct term_cell cell = { signs[g_rand_int_range(rand, 0, G_N_ELEMENTS(signs))],
			(uint8_t)g_rand_int_range(rand, 0, 12), (uint8_t)g_rand_int_range(rand, 0, 3) };
		bool wide = g_unichar_iswide(cell.ch);
		int n = g_rand_int_range(rand, 1, 12);

		if (wide && x + 1 == COLUMNS)
			cell.ch = ' ';
		for (; n > 0 && x < COLUMNS && (!wide || x + 1 < COLUMNS); n--) {
			*term_grid_cell(grid, x++, y) = cell;
			if (wide)
				*term_grid_cell(grid, x++, y) = (struct term_cell){ 0, cell.role, cell.over };
		}
	}
}

/* Some lines new, some moved, some changed in the middle. */
static void change(GRand *rand, struct term_grid *grid)
{
	int by = g_rand_int_range(rand, -3, 4);
	unsigned top = (unsigned)g_rand_int_range(rand, 0, 4),
		 bottom = ROWS - (unsigned)g_rand_int_range(rand, 0, 4);
	g_autofree struct term_cell *before = g_memdup2(grid->cells, sizeof *before * COLUMNS * ROWS);

	for (unsigned y = top; y < bottom; y++) {
		int from = (int)y - by;

		if (from >= (int)top && from < (int)bottom)
			memcpy(&grid->cells[y * COLUMNS], &before[(unsigned)from * COLUMNS],
				COLUMNS * sizeof *before);
	}
	for (int i = g_rand_int_range(rand, 0, 4); i > 0; i--)
		fill_line(rand, grid, (unsigned)g_rand_int_range(rand, 0, ROWS));
	for (int i = g_rand_int_range(rand, 0, 6); i > 0; i--) {
		struct term_cell *cell = &grid->cells[g_rand_int_range(rand, 0, COLUMNS * ROWS)];

		if (cell->ch && !g_unichar_iswide(cell->ch))
			*cell = (struct term_cell){ 'x', (uint8_t)g_rand_int_range(rand, 0, 12), 0 };
	}
}

/* OUT: the appearance of CELL in the terminal's form, with the attributes in MASK only. */
static void wanted_sgr(const struct term_cell *cell, unsigned mask, char *out)
{
	const struct term_style *under = &styles[cell->role], *over = &styles[cell->over];
	bool laid = cell->over != TERM_ROLE_TEXT;
	int fg = laid && over->fg.index256 >= 0 ? over->fg.index256 : under->fg.index256,
	    bg = laid && over->bg.index256 >= 0 ? over->bg.index256 : under->bg.index256;
	unsigned attrs = (under->attrs | (laid ? over->attrs : 0u)) & mask;
	char fore[24] = "39", back[24] = "49";

	if (fg >= 0)
		g_snprintf(fore, sizeof fore, fg < 16 ? "%d" : "5;%d",
			fg < 8            ? 30 + fg
				: fg < 16 ? 82 + fg
					  : fg);
	if (bg >= 0)
		g_snprintf(back, sizeof back, bg < 16 ? "%d" : "5;%d",
			bg < 8            ? 40 + bg
				: bg < 16 ? 92 + bg
					  : bg);
	g_snprintf(out, 64, "%d%d%d%d%d %s %s", !!(attrs & TERM_BOLD), !!(attrs & TERM_DIM),
		!!(attrs & TERM_ITALIC), !!(attrs & TERM_UNDERLINE), !!(attrs & TERM_REVERSE), fore, back);
}

/* The ink of a blank is invisible, unless the cell is underlined or reversed. */
static void compare(const struct screen *s, const struct term_grid *grid, const struct term_paint_can *can)
{
	for (unsigned y = 0; y < ROWS; y++) {
		for (unsigned x = 0; x < COLUMNS; x++) {
			const struct term_cell *cell = term_grid_cell(grid, x, y);
			const struct seen *seen = &s->cells[y][x];
			bool blank = cell->ch == ' ' && seen->sgr[3] == '0' && seen->sgr[4] == '0';
			char sgr[64];

			if (!can->keeps_corner && y + 1 == ROWS && x + 2 >= COLUMNS)
				continue;
			wanted_sgr(cell, can->attrs, sgr);
			g_assert_cmpuint(seen->ch, ==, cell->ch);
			if (blank)
				g_assert_cmpstr(strrchr(seen->sgr, ' '), ==, strrchr(sgr, ' '));
			else
				g_assert_cmpstr(seen->sgr, ==, sgr);
		}
	}
}

static void play(unsigned kind)
{
	struct term_paint_can can = { .colours = 256,
		.attrs = kind & 1 ? 0x1f : TERM_BOLD | TERM_REVERSE,
		.repeats = kind & 2,
		.scrolls = kind & 4,
		.keeps_corner = kind & 16,
		.holds = kind & 1 };
	struct term_paint *paint = term_paint_new(&can);
	struct term_grid *grid = term_grid_new(COLUMNS, ROWS);
	struct screen *s = g_new0(struct screen, 1);
	GRand *rand = g_rand_new_with_seed(kind + 1);

	s->bottom = ROWS;
	s->own_erase = kind & 8;
	reset_sgr(s);
	make_styles();
	term_paint_styles(paint, styles);
	for (int i = 0; i < 300; i++) {
		change(rand, grid);
		if (i % 50 == 49) {
			memset(s->cells, 'z', sizeof s->cells); /* another program wrote there */
			reset_sgr(s);
			term_paint_forget(paint);
		}
		take_bytes(s, term_paint_frame(paint, grid));
		compare(s, grid, &can);
		g_assert_cmpuint(term_paint_frame(paint, grid)->len, ==, 0);
	}
	g_rand_free(rand);
	g_free(s);
	term_grid_free(grid);
	term_paint_free(paint);
}

static void test_frames(void)
{
	for (unsigned kind = 0; kind < 32; kind++)
		play(kind);
}

/* ---- few bytes ---- */

static void test_bytes(void)
{
	struct term_paint_can can = { .colours = 256,
		.attrs = 0x1f,
		.repeats = true,
		.scrolls = true,
		.keeps_corner = true };
	struct term_paint *paint = term_paint_new(&can);
	struct term_grid *grid = term_grid_new(COLUMNS, ROWS);
	const GString *bytes;

	make_styles();
	term_paint_styles(paint, styles);
	for (unsigned y = 0; y < ROWS; y++)
		for (unsigned x = 0; x < COLUMNS; x++)
			*term_grid_cell(grid, x, y) = (struct term_cell){ 0x2588, (uint8_t)(x / 10 + 3), 0 };
	g_assert_cmpuint(term_paint_frame(paint, grid)->len, <, ROWS * 4 * 16 + 64); /* runs: a move, a sign,
											REP */
	*term_grid_cell(grid, 5, 5) = (struct term_cell){ 'x', 0, 0 };
	g_assert_cmpstr(term_paint_frame(paint, grid)->str, ==, "\033[6;6Hx");
	for (unsigned x = 0; x < COLUMNS; x++)
		*term_grid_cell(grid, x, 7) = (struct term_cell){ ' ', 0, 0 };
	g_assert_cmpstr(term_paint_frame(paint, grid)->str, ==, "\033[8;1H\033[K");
	memmove(grid->cells, grid->cells + COLUMNS, sizeof *grid->cells * COLUMNS * (ROWS - 1));
	bytes = term_paint_frame(paint, grid); /* equal lines do not show where the region ends */
	g_assert_true(g_str_has_prefix(bytes->str, "\033[5;9r\033[1S\033[r\033[9;"));
	g_assert_cmpuint(bytes->len, <, 90);
	term_grid_free(grid);
	term_paint_free(paint);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/paint/frames", test_frames);
	g_test_add_func("/paint/bytes", test_bytes);
	return g_test_run();
}
