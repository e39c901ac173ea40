/* SPDX-License-Identifier: MIT */
/*
 * The terminal.  curses has its description, its modes and its keys, which are read in term_curses_key.c;
 * what is shown goes past it, as term_paint.c needs far fewer bytes.  No other file talks to curses.
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
#include "base/base_stop.h"
#include "ui/term/term_copy.h"
#include "ui/term/term_curses_key.h"
#include "ui/term/term_leave.h"
#include "ui/term/term_paint.h"
#include "ui/term/term_type.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ESC_DELAY_MS 25

struct screen {
	struct term term;
	SCREEN *curses;
	struct term_paint *paint;
};

static void curses_set_styles(struct term *term, const struct term_style *styles)
{
	term_paint_styles(((struct screen *)term)->paint, styles);
}

static void curses_size(G_GNUC_UNUSED struct term *term, unsigned *columns, unsigned *rows)
{
	int y, x;

	getmaxyx(stdscr, y, x);
	*columns = (unsigned)MAX(x, 1);
	*rows = (unsigned)MAX(y, 1);
}

/* A terminal that is gone is noticed where keys are read.  One that nobody reads does not keep the program
 * from its end. */
static void send_bytes(const char *bytes, gsize length)
{
	for (gsize at = 0; at < length && !base_stop_signal();) {
		ssize_t n = write(STDOUT_FILENO, bytes + at, length - at);

		if (n < 0 && errno != EINTR)
			return;
		at += n > 0 ? (gsize)n : 0;
	}
}

static void curses_draw(struct term *term, const struct term_grid *grid)
{
	const GString *bytes = term_paint_frame(((struct screen *)term)->paint, grid);

	send_bytes(bytes->str, bytes->len);
}

static void curses_repaint(struct term *term)
{
	term_paint_forget(((struct screen *)term)->paint);
}

static uint32_t curses_key(struct term *term, int timeout, bool idle)
{
	struct screen *s = (struct screen *)term;
	uint32_t key = term_curses_key(term, timeout, idle);

	if (key == TERM_KEY_RESIZE)
		term_paint_forget(s->paint);
	term_paint_learn(s->paint, term_curses_key_repeats(), term_curses_key_holds());
	return key;
}

static bool curses_set_mouse(G_GNUC_UNUSED struct term *term, bool on)
{
	const mmask_t wanted = BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON4_PRESSED | BUTTON5_PRESSED |
		BUTTON_CTRL | BUTTON_ALT | BUTTON_SHIFT | REPORT_MOUSE_POSITION;

	if (!has_mouse() && mousemask(wanted, NULL) == 0)
		return false;
	if (!on)
		term_curses_key_motion(false);
	mousemask(on ? wanted : 0, NULL);
	if (on)
		term_curses_key_motion(true);
	return true;
}

static bool curses_copy(struct term *term, const char *text, const char **how)
{
	const char *type = g_getenv("TERM");
	bool tmux = g_getenv("TMUX"), screen = !tmux && g_getenv("STY");
	g_autofree char *sequence = NULL;

	if (!term->copy && !term_copy_is_taken(type)) {
		*how = "this terminal (TERM) may show what is copied instead: --copy copies all the same";
		return false;
	}
	sequence = term_copy_sequence(text, tmux, screen);
	send_bytes(sequence, strlen(sequence));
	*how = tmux      ? "OSC 52, for which tmux needs set-clipboard on"
		: screen ? "OSC 52, through screen"
			 : "OSC 52, where the terminal allows it";
	return true;
}

/* The string of terminfo(5) called NAME; NULL: the terminal has none. */
static const char *terminal_text(const char *name)
{
	const char *text = tigetstr(name); /* the string, NULL or -1 */

	return text != (const char *)-1 ? text : NULL;
}

/* Where the terminal has no screen of its own to leave, what is painted would stay. */
static void leave_screen(void)
{
	term_curses_key_end();
	if (!terminal_text("rmcup")) {
		clear();
		refresh();
	}
	endwin();
}

/* curses waits until the terminal is read.  A signal may come while it does: term_leave() stays armed. */
static void curses_free(struct term *term)
{
	struct screen *s = (struct screen *)term;

	if (base_stop_signal())
		term_leave();
	else
		leave_screen();
	term_leave_arm(false);
	delscreen(s->curses);
	term_curses_key_release();
	term_paint_free(s->paint);
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
	.copy = curses_copy,
	.key = curses_key,
	.free = curses_free,
};

/*
 * newterm() takes SIGTSTP and SIGWINCH for itself, where they do what is usual.  Its handlers would draw on a
 * screen that is gone, so they are taken out again.
 */
static SCREEN *open_described(const char *type)
{
	struct sigaction stop, size;
	SCREEN *screen;

	sigaction(SIGTSTP, NULL, &stop);
	sigaction(SIGWINCH, NULL, &size);
	screen = newterm(type, stdout, stdin);
	sigaction(SIGTSTP, &stop, NULL);
	sigaction(SIGWINCH, &size, NULL);
	return screen;
}

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
	return open_described(name);
}

static SCREEN *open_screen(GError **error)
{
	const char *type = g_getenv("TERM");
	SCREEN *screen = NULL;

	if (!term_type_good(type, error))
		return NULL;
	if (!term_curses_key_catch())
		return base_error_null_errno(error, errno, "cannot use", "the terminal");
	screen = open_direct(type);
	if (!screen)
		screen = open_described(type);
	if (screen)
		return screen;
	term_curses_key_release();
	g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "TERM=%s: the terminal cannot be used", type);
	return NULL;
}

/* SGR for a colour of 24 bits, as the terminal is described. */
static const char *rgb_text(int32_t rgb, bool background)
{
	return tiparm(terminal_text(background ? "setab" : "setaf"), rgb);
}

static unsigned colours_of(void)
{
	const char *text = terminal_text("setaf");
	int colours = text && g_str_has_prefix(text, "\033[") ? tigetnum("colors") : 0;

	return colours >= 1 << 24 ? 1 << 24 : colours >= 256 ? 256 : colours >= 8 ? 8 : 0;
}

static struct term_paint_can paint_can(unsigned colours)
{
	static const struct {
		const char *name;
		enum term_attr attr;
	} attrs[] = { { "bold", TERM_BOLD }, { "dim", TERM_DIM }, { "smul", TERM_UNDERLINE },
		{ "rev", TERM_REVERSE }, { "sitm", TERM_ITALIC } };
	struct term_paint_can can = { .colours = colours, .rgb = rgb_text };

	for (unsigned i = 0; i < G_N_ELEMENTS(attrs); i++)
		can.attrs |= terminal_text(attrs[i].name) ? (uint8_t)attrs[i].attr : 0;
	can.scrolls = terminal_text("csr") && !g_strcmp0(terminal_text("indn"), "\033[%p1%dS") &&
		!g_strcmp0(terminal_text("rin"), "\033[%p1%dT");
	can.keeps_corner = tigetflag("xenl") > 0 || tigetflag("am") <= 0;
	return can;
}

/* Mouse off as ncurses itself does it: by the capability XM of user_caps(5), else as xterm understands it. */
static void add_mouse_off(void)
{
	const char *mode = terminal_text("XM");

	if (terminal_text("kmous")) {
		term_leave_add(TERM_CURSES_MOTION_OFF);
		term_leave_add(mode ? tiparm(mode, 0) : "\033[?1000l");
	}
}

static void prepare_leaving(void)
{
	static const char *const names[] = { "sgr0", "cnorm", "rmkx", "rmcup" };

	add_mouse_off();
	term_leave_add(term_curses_key_off());
	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
		term_leave_add(terminal_text(names[i]));
	if (!terminal_text("rmcup"))
		term_leave_add(terminal_text("clear"));
}

struct term *term_curses_new(GError **error)
{
	struct term_paint_can can;
	struct screen *s;
	SCREEN *screen;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return base_error_null(error, BASE_ERROR_USAGE,
			"the explorer needs a terminal: use a subcommand such as info or states, or --script FILE");
	setlocale(LC_CTYPE, "");
	term_leave_begin();
	screen = open_screen(error);
	if (!screen)
		return NULL;
	term_leave_arm(true);
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
	curs_set(0);
	refresh(); /* enters the screen; from here on curses draws nothing more */
	s->term.colours = colours_of();
	can = paint_can(s->term.colours);
	s->paint = term_paint_new(&can);
	term_curses_key_begin();
	prepare_leaving();
	return &s->term;
}
