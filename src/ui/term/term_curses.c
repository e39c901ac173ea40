/* SPDX-License-Identifier: MIT */
/*
 * What is shown, by curses: cells to cchar_t.  Keys are read in term_curses_key.c; no other file talks to
 * curses.
 *
 * Every frame all cells are handed over; curses finds out what differs from
 * what the terminal shows and sends only that, which is what a slow line wants.
 *
 * Colours: where the terminal's description is one of direct colour, or there
 * is one beside it ("xterm-direct" beside "xterm-256color") and COLORTERM says
 * that the terminal can, themes are shown in their true colours; else in the
 * nearest of 256 or 8.  The palette of the terminal is never changed.
 */
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "ui/term/term.h"

#include "base/base_error.h"
#include "ui/term/term_curses_key.h"
#include "ui/term/term_leave.h"

#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ESC_DELAY_MS 25
#define NO_PAIR (-1)

struct screen {
	struct term term;
	SCREEN *curses;
	struct term_style styles[TERM_ROLE_N];
	int pairs[TERM_ROLE_N][TERM_ROLE_N]; /* colour pair of role and overlay, NO_PAIR not asked for yet */
	bool repaint;
};

static int colour_number(const struct screen *s, const struct term_colour *colour)
{
	if (s->term.colours >= 1 << 24)
		return colour->rgb;
	return s->term.colours >= 256 ? colour->index256 : colour->index8;
}

static int pair_of(struct screen *s, unsigned role, unsigned over)
{
	const struct term_style *style = &s->styles[role], *top = &s->styles[over];
	int *pair = &s->pairs[role][over];
	int fg, bg;

	if (*pair != NO_PAIR)
		return *pair;
	fg = colour_number(s, &style->fg);
	bg = colour_number(s, &style->bg);
	if (over != TERM_ROLE_TEXT) {
		if (colour_number(s, &top->bg) != TERM_COLOUR_DEFAULT)
			bg = colour_number(s, &top->bg);
		if (colour_number(s, &top->fg) != TERM_COLOUR_DEFAULT)
			fg = colour_number(s, &top->fg);
	}
	*pair = s->term.colours ? MAX(alloc_pair(fg, bg), 0) : 0;
	return *pair;
}

static attr_t attrs_of(const struct screen *s, unsigned role, unsigned over)
{
	unsigned attrs = s->styles[role].attrs | (over == TERM_ROLE_TEXT ? 0 : s->styles[over].attrs);
	attr_t out = A_NORMAL;

	out |= attrs & TERM_BOLD ? A_BOLD : 0;
	out |= attrs & TERM_DIM ? A_DIM : 0;
	out |= attrs & TERM_UNDERLINE ? A_UNDERLINE : 0;
	out |= attrs & TERM_REVERSE ? A_REVERSE : 0;
	out |= attrs & TERM_ITALIC ? A_ITALIC : 0;
	return out;
}

static void curses_set_styles(struct term *term, const struct term_style *styles)
{
	struct screen *s = (struct screen *)term;

	memcpy(s->styles, styles, sizeof s->styles);
	for (unsigned i = 0; i < TERM_ROLE_N; i++)
		for (unsigned j = 0; j < TERM_ROLE_N; j++)
			s->pairs[i][j] = NO_PAIR;
	if (term->colours)
		reset_color_pairs();
}

static void curses_size(struct term *term, unsigned *columns, unsigned *rows)
{
	int y, x;

	(void)term;
	getmaxyx(stdscr, y, x);
	*columns = (unsigned)MAX(x, 1);
	*rows = (unsigned)MAX(y, 1);
}

static void draw_cell(struct screen *s, const struct term_cell *cell, unsigned x, unsigned y)
{
	wchar_t text[2] = { (wchar_t)cell->ch, 0 };
	int pair = pair_of(s, cell->role, cell->over);
	cchar_t out;

	if (setcchar(&out, text, attrs_of(s, cell->role, cell->over), 0, &pair) == OK)
		mvadd_wch((int)y, (int)x, &out);
}

static void curses_draw(struct term *term, const struct term_grid *grid)
{
	struct screen *s = (struct screen *)term;

	if (s->repaint)
		clear();
	s->repaint = false;
	for (unsigned y = 0; y < grid->rows; y++)
		for (unsigned x = 0; x < grid->columns; x++)
			if (term_grid_cell(grid, x, y)->ch)
				draw_cell(s, term_grid_cell(grid, x, y), x, y);
	refresh();
}

static void curses_repaint(struct term *term)
{
	((struct screen *)term)->repaint = true;
}

static bool curses_set_mouse(struct term *term, bool on)
{
	const mmask_t wanted = BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED | BUTTON_CTRL |
		BUTTON_ALT | BUTTON_SHIFT;

	(void)term;
	if (!has_mouse() && mousemask(wanted, NULL) == 0)
		return false;
	mousemask(on ? wanted : 0, NULL);
	return true;
}

static void curses_free(struct term *term)
{
	struct screen *s = (struct screen *)term;

	term_leave_arm(false);
	term_curses_key_end();
	endwin();
	delscreen(s->curses);
	g_clear_error(&term->error);
	if (term->pasted)
		g_string_free(term->pasted, TRUE);
	g_free(s);
}

static const struct term_ops curses_ops = {
	.name = "curses",
	.set_styles = curses_set_styles,
	.size = curses_size,
	.draw = curses_draw,
	.repaint = curses_repaint,
	.set_mouse = curses_set_mouse,
	.key = term_curses_key,
	.free = curses_free,
};

/* The terminal as described with direct colour; NULL when it does not say it can or there is none. */
static SCREEN *open_direct(const char *type)
{
	const char *can = g_getenv("COLORTERM");
	g_autofree char *base = NULL, *name = NULL;

	if (!can || (strcmp(can, "truecolor") != 0 && strcmp(can, "24bit") != 0))
		return NULL;
	base = g_str_has_suffix(type, "-256color") ? g_strndup(type, strlen(type) - strlen("-256color"))
						   : g_strdup(type);
	name = g_strconcat(base, "-direct", NULL);
	return newterm(name, stdout, stdin);
}

static SCREEN *open_screen(GError **error)
{
	const char *type = g_getenv("TERM");
	SCREEN *screen = NULL;

	if (type && *type)
		screen = open_direct(type);
	if (type && *type && !screen)
		screen = newterm(type, stdout, stdin);
	if (!screen)
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
			"TERM=%s: no description of such a terminal: set TERM (e.g. TERM=xterm) or install ncurses-term",
			type ? type : "");
	return screen;
}

static void start_colours(struct screen *s)
{
	if (!has_colors() || start_color() != OK)
		return;
	use_default_colors();
	s->term.colours = COLORS >= 1 << 24 ? 1 << 24 : COLORS >= 256 ? 256 : COLORS >= 8 ? 8 : 0;
}

/* The string of terminfo(5) called NAME; NULL: the terminal has none. */
static const char *terminal_text(const char *name)
{
	const char *text = tigetstr(name); /* the string, NULL or -1 */

	return text != (const char *)-1 ? text : NULL;
}

/* Mouse off as ncurses itself does it: by the capability XM of user_caps(5), else as xterm understands it. */
static void add_mouse_off(void)
{
	const char *mode = terminal_text("XM");

	if (terminal_text("kmous"))
		term_leave_add(mode ? tiparm(mode, 0) : "\033[?1000l");
}

static void prepare_leaving(void)
{
	static const char *const names[] = { "sgr0", "cnorm", "rmkx", "rmcup" };

	add_mouse_off();
	term_leave_add(term_curses_key_off());
	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
		term_leave_add(terminal_text(names[i]));
	term_leave_arm(true);
}

struct term *term_curses_new(GError **error)
{
	struct screen *s;
	SCREEN *screen;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
			"the explorer needs a terminal: use a subcommand such as info or states, or --script FILE");
		return NULL;
	}
	setlocale(LC_CTYPE, "");
	term_leave_begin();
	screen = open_screen(error);
	if (!screen)
		return NULL;
	s = g_new0(struct screen, 1);
	s->term.ops = &curses_ops;
	s->term.utf8 = !g_ascii_strcasecmp(nl_langinfo(CODESET), "UTF-8");
	s->curses = screen;
	set_escdelay(ESC_DELAY_MS);
	mouseinterval(0); /* a press is told at once, not when it is clear that no double click follows */
	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	leaveok(stdscr, TRUE);
	curs_set(0);
	start_colours(s);
	term_curses_key_begin();
	prepare_leaving();
	return &s->term;
}
