// SPDX-License-Identifier: MIT
/*
 * The only file that talks to curses: cells to cchar_t, curses' keys to ours.
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

#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define ESC_DELAY_MS 25
#define NO_PAIR (-1)

struct screen {
	struct term term;
	SCREEN *curses;
	struct term_style styles[TERM_ROLE_N];
	int pairs[TERM_ROLE_N][TERM_ROLE_N];	/* colour pair of role and overlay, NO_PAIR not asked for yet */
	bool repaint;
};

/* What gives the terminal back when curses cannot be called: its modes, and what to send it. */
static struct {
	volatile sig_atomic_t wanted;
	struct termios modes;
	char text[256];
	size_t length;
} leaving;

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

static const struct {
	wint_t curses;
	uint32_t key;
} key_table[] = {
	{ KEY_UP, TERM_KEY_UP }, { KEY_DOWN, TERM_KEY_DOWN }, { KEY_LEFT, TERM_KEY_LEFT }, { KEY_RIGHT, TERM_KEY_RIGHT },
	{ KEY_SLEFT, TERM_KEY_LEFT | TERM_KEY_SHIFT }, { KEY_SRIGHT, TERM_KEY_RIGHT | TERM_KEY_SHIFT },
	{ KEY_SR, TERM_KEY_UP | TERM_KEY_SHIFT }, { KEY_SF, TERM_KEY_DOWN | TERM_KEY_SHIFT },
	{ KEY_HOME, TERM_KEY_HOME }, { KEY_END, TERM_KEY_END }, { KEY_PPAGE, TERM_KEY_PGUP }, { KEY_NPAGE, TERM_KEY_PGDN },
	{ KEY_IC, TERM_KEY_INSERT }, { KEY_DC, TERM_KEY_DELETE }, { KEY_BACKSPACE, TERM_KEY_BACKSPACE },
	{ KEY_ENTER, TERM_KEY_ENTER }, { KEY_BTAB, TERM_KEY_TAB | TERM_KEY_SHIFT }, { KEY_RESIZE, TERM_KEY_RESIZE },
};

static uint32_t special_key(wint_t code)
{
	for (gsize i = 0; i < G_N_ELEMENTS(key_table); i++)
		if (key_table[i].curses == code)
			return key_table[i].key;
	if (code >= (wint_t)KEY_F(1) && code <= (wint_t)KEY_F(12))
		return TERM_KEY_F1 + (code - (wint_t)KEY_F(1));
	return TERM_KEY_NONE;
}

/* What the mouse did; NONE where that is no key. */
static uint32_t mouse_key(struct term *term)
{
	uint32_t key = TERM_KEY_NONE;
	MEVENT event;

	if (getmouse(&event) != OK || event.x < 0 || event.y < 0)
		return TERM_KEY_NONE;
	if (event.bstate & BUTTON1_PRESSED)
		key = TERM_KEY_CLICK;
	else if (event.bstate & BUTTON4_PRESSED)
		key = TERM_KEY_WHEEL_UP;
	else if (event.bstate & BUTTON5_PRESSED)
		key = TERM_KEY_WHEEL_DOWN;
	else
		return TERM_KEY_NONE;
	term->mouse_x = (unsigned)event.x;
	term->mouse_y = (unsigned)event.y;
	return key | (event.bstate & BUTTON_CTRL ? TERM_KEY_CTRL : 0) | (event.bstate & BUTTON_ALT ? TERM_KEY_ALT : 0) |
	       (event.bstate & BUTTON_SHIFT ? TERM_KEY_SHIFT : 0);
}

static uint32_t plain_key(wint_t ch)
{
	switch (ch) {
	case '\t':
		return TERM_KEY_TAB;
	case '\r':
	case '\n':
		return TERM_KEY_ENTER;
	case '\b':
	case 0x7f:
		return TERM_KEY_BACKSPACE;
	case 0x1b:
		return TERM_KEY_ESC;
	case 0:
		return TERM_KEY_CTRL | ' ';
	default:
		return ch < ' ' ? TERM_KEY_CTRL | (ch + (ch <= 26 ? 'a' - 1 : '@')) : ch;
	}
}

/* Alt comes as Esc with a character right behind it. */
static uint32_t after_escape(void)
{
	wint_t ch;
	int got;

	timeout(0);
	got = get_wch(&ch);
	if (got == ERR)
		return TERM_KEY_ESC;
	return TERM_KEY_ALT | (got == KEY_CODE_YES ? special_key(ch) : plain_key(ch));
}

static uint32_t curses_key(struct term *term, int wait, bool idle)
{
	wint_t ch;
	int got;
	uint32_t key;

	(void)idle;
	timeout(wait);
	got = get_wch(&ch);
	if (got == ERR)		/* without a time limit this means that the terminal is gone */
		return wait < 0 ? TERM_KEY_END_OF_INPUT : TERM_KEY_NONE;
	if (got == KEY_CODE_YES)
		return ch == KEY_MOUSE ? mouse_key(term) : special_key(ch);
	key = plain_key(ch);
	if (key == (TERM_KEY_CTRL | 'z')) {
		raise(SIGTSTP);	/* curses' handler leaves the screen and comes back to it */
		return TERM_KEY_NONE;
	}
	return key == TERM_KEY_ESC ? after_escape() : key;
}

static bool curses_set_mouse(struct term *term, bool on)
{
	const mmask_t wanted = BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED | BUTTON_CTRL | BUTTON_ALT | BUTTON_SHIFT;

	(void)term;
	if (!has_mouse() && mousemask(wanted, NULL) == 0)
		return false;
	mousemask(on ? wanted : 0, NULL);
	return true;
}

static void curses_free(struct term *term)
{
	struct screen *s = (struct screen *)term;

	leaving.wanted = false;
	endwin();
	delscreen(s->curses);
	g_clear_error(&term->error);
	g_free(s);
}

static const struct term_ops curses_ops = {
	.name = "curses",
	.set_styles = curses_set_styles,
	.size = curses_size,
	.draw = curses_draw,
	.repaint = curses_repaint,
	.set_mouse = curses_set_mouse,
	.key = curses_key,
	.free = curses_free,
};

/* The terminal as described with direct colour; NULL when it does not say it can or there is no such description. */
static SCREEN *open_direct(const char *type)
{
	const char *can = g_getenv("COLORTERM");
	char *base, *name;
	SCREEN *screen;

	if (!can || (strcmp(can, "truecolor") && strcmp(can, "24bit")))
		return NULL;
	base = g_str_has_suffix(type, "-256color") ? g_strndup(type, strlen(type) - strlen("-256color")) : g_strdup(type);
	name = g_strconcat(base, "-direct", NULL);
	screen = newterm(name, stdout, stdin);
	g_free(base);
	g_free(name);
	return screen;
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
	const char *text = tigetstr(name);	/* the string, NULL or -1 */

	return text != (const char *)-1 ? text : NULL;
}

static void add_to_leaving(const char *text)
{
	if (text)
		leaving.length += g_strlcpy(leaving.text + leaving.length, text, sizeof leaving.text - leaving.length);
	leaving.length = MIN(leaving.length, sizeof leaving.text - 1);
}

/* Mouse off as ncurses itself does it: by the capability XM of user_caps(5), else as xterm understands it. */
static void add_mouse_off(void)
{
	const char *mode = terminal_text("XM");

	if (terminal_text("kmous"))
		add_to_leaving(mode ? tiparm(mode, 0) : "\033[?1000l");
}

static void prepare_leaving(void)
{
	static const char *const names[] = { "sgr0", "cnorm", "rmkx", "rmcup" };

	leaving.length = 0;
	add_mouse_off();
	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
		add_to_leaving(terminal_text(names[i]));
	leaving.wanted = true;
}

void term_curses_leave(void)
{
	ssize_t ignored;

	if (!leaving.wanted)
		return;
	ignored = write(STDOUT_FILENO, leaving.text, leaving.length);
	(void)ignored;
	tcsetattr(STDIN_FILENO, TCSANOW, &leaving.modes);
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
	tcgetattr(STDIN_FILENO, &leaving.modes);
	screen = open_screen(error);
	if (!screen)
		return NULL;
	s = g_new0(struct screen, 1);
	s->term.ops = &curses_ops;
	s->term.utf8 = !g_ascii_strcasecmp(nl_langinfo(CODESET), "UTF-8");
	s->curses = screen;
	set_escdelay(ESC_DELAY_MS);
	mouseinterval(0);	/* a press is told at once, not when it is clear that no double click follows */
	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	leaveok(stdscr, TRUE);
	curs_set(0);
	start_colours(s);
	prepare_leaving();
	return &s->term;
}
