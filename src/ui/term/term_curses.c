/* SPDX-License-Identifier: MIT */
/*
 * The terminal.  curses provides its description, its modes and its keys (term_curses_key.c).  Frames bypass
 * curses, because term_paint.c needs far fewer bytes.  No other file calls curses.
 *
 * Colours: themes have their true colours if the terminal's description has direct colour, or if COLORTERM
 * says that the terminal has it and there is a description with it ("xterm-direct" beside "xterm-256color");
 * otherwise the nearest of 256 or 8.  The palette of the terminal is never changed.
 *
 * Copying is OSC 52 of xterm's control sequences ("Manipulate Selection Data"): ESC ] 52 ; c ; BASE64 BEL.  A
 * terminal without OSC, such as those of the VT100's time, would print the text.
 */
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "ui/term/term_curses.h"

#include "base/base_error.h"
#include "base/base_stop.h"
#include "ui/term/term.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define ESC_DELAY_MS 25
#define SCREEN_PIECE 700 /* bytes; GNU screen rejects strings longer than 768 */

/* The string of terminfo(5) called NAME; NULL if the terminal has none. */
static const char *terminal_text(const char *name)
{
	const char *text = tigetstr(name); /* the string, NULL or -1 */

	return text != (const char *)-1 ? text : NULL;
}

/* ---- the clipboard ---- */

bool term_copy_is_taken(const char *type)
{
	/* Prefixes of names of emulators that parse OSC, whether or not their settings allow OSC 52. */
	static const char *const known[] = { "xterm", "tmux", "screen", "rxvt", "alacritty", "kitty", "foot",
		"wezterm", "ghostty", "contour", "iterm", "mintty", "putty", "konsole", "vte", "gnome", "st-",
		"st" };

	for (gsize i = 0; type && i < G_N_ELEMENTS(known); i++)
		if (g_str_has_prefix(type, known[i]) && (strcmp(known[i], "st") != 0 || !type[2]))
			return true;
	return false;
}

/* Append SEQUENCE wrapped in the device control string that tmux passes on, with each ESC doubled. */
static void append_for_tmux(GString *out, const char *sequence)
{
	g_string_append(out, "\033Ptmux;");
	for (const char *c = sequence; *c; c++) {
		if (*c == '\033')
			g_string_append_c(out, '\033');
		g_string_append_c(out, *c);
	}
	g_string_append(out, "\033\\");
}

char *term_copy_sequence(const char *text, bool tmux, bool screen)
{
	g_autofree char *encoded = g_base64_encode((const guchar *)text, strlen(text)),
			*sequence = g_strconcat("\033]52;c;", encoded, "\a", NULL);
	GString *out = g_string_new(NULL);

	if (tmux || !screen)
		g_string_append(out, sequence);
	if (tmux)
		append_for_tmux(out, sequence);
	for (gsize length = strlen(sequence), at = 0; screen && !tmux && at < length; at += SCREEN_PIECE) {
		g_string_append(out, "\033P");
		g_string_append_len(out, sequence + at, (gssize)MIN(SCREEN_PIECE, length - at));
		g_string_append(out, "\033\\");
	}
	return g_string_free(out, FALSE);
}

/* ---- when a signal ends the program ---- */

static struct {
	volatile sig_atomic_t armed; /* term_leave() does something */
	struct termios modes;
	char text[256];
	size_t length;
} leaving;

/* Add TEXT, a string of terminfo(5) (NULL: nothing), to the sequences to send, without its pauses
 * ("$<5>"). */
static void leave_add(const char *text)
{
	while (text && *text && leaving.length < sizeof leaving.text) {
		const char *after = strncmp(text, "$<", 2) == 0 ? strchr(text, '>') : NULL;

		if (!after)
			leaving.text[leaving.length++] = *text;
		text = after ? after + 1 : text + 1;
	}
}

void term_leave(void)
{
	if (!leaving.armed)
		return;
	base_stop_put(STDOUT_FILENO, leaving.text, leaving.length);
	tcsetattr(STDIN_FILENO, TCSANOW, &leaving.modes);
}

/* ---- the terminal ---- */

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

/* Errors are ignored: if the terminal is gone, reading keys detects it.  A signal ends the wait for a
 * terminal that nobody reads. */
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
	term_curses_key_teach(s->paint);
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
		*how = "this terminal (TERM) may print the copied text instead: --copy copies anyway";
		return false;
	}
	sequence = term_copy_sequence(text, tmux, screen);
	send_bytes(sequence, strlen(sequence));
	*how = tmux      ? "OSC 52; tmux needs set-clipboard on"
		: screen ? "OSC 52, through screen"
			 : "OSC 52, if the terminal allows it";
	return true;
}

/* endwin() waits until the terminal is read.  A signal can come meanwhile, so term_leave() stays armed. */
static void curses_free(struct term *term)
{
	struct screen *s = (struct screen *)term;

	if (base_stop_signal()) {
		term_leave();
	} else {
		term_curses_key_end();
		if (!terminal_text("rmcup")) { /* the frame would stay on the terminal's only screen */
			clear();
			refresh();
		}
		endwin();
	}
	leaving.armed = false;
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

/* newterm() installs handlers for SIGTSTP and SIGWINCH, which would draw on a screen that is gone.  Restore
 * the previous ones. */
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

/* Open the terminal by a description with direct colour; NULL if COLORTERM does not claim it or there is
 * none. */
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

	if (!term_type_is_good(type, error))
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

/* The SGR sequence of the terminal's description for a 24-bit colour. */
static const char *rgb_text(int32_t rgb, bool background)
{
	return tiparm(terminal_text(background ? "setab" : "setaf"), rgb);
}

static struct term_paint_can paint_can(void)
{
	static const struct {
		const char *name;
		enum term_attr attr;
	} attrs[] = { { "bold", TERM_BOLD }, { "dim", TERM_DIM }, { "smul", TERM_UNDERLINE },
		{ "rev", TERM_REVERSE }, { "sitm", TERM_ITALIC } };
	struct term_paint_can can = { .rgb = rgb_text };
	const char *setaf = terminal_text("setaf");
	int colours = setaf && g_str_has_prefix(setaf, "\033[") ? tigetnum("colors") : 0;

	can.colours = colours >= 1 << 24 ? 1 << 24 : colours >= 256 ? 256 : colours >= 8 ? 8 : 0;
	for (unsigned i = 0; i < G_N_ELEMENTS(attrs); i++)
		can.attrs |= terminal_text(attrs[i].name) ? (uint8_t)attrs[i].attr : 0;
	can.scrolls = terminal_text("csr") && !g_strcmp0(terminal_text("indn"), "\033[%p1%dS") &&
		!g_strcmp0(terminal_text("rin"), "\033[%p1%dT");
	can.keeps_corner = tigetflag("xenl") > 0 || tigetflag("am") <= 0;
	return can;
}

/* Mouse off as in ncurses itself: by the capability XM of user_caps(5), else as xterm understands it. */
static void prepare_leaving(void)
{
	static const char *const names[] = { "sgr0", "cnorm", "rmkx", "rmcup" };
	const char *mode = terminal_text("XM");

	if (terminal_text("kmous")) {
		leave_add(TERM_CURSES_MOTION_OFF);
		leave_add(mode ? tiparm(mode, 0) : "\033[?1000l");
	}
	leave_add(term_curses_key_off());
	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
		leave_add(terminal_text(names[i]));
	if (!terminal_text("rmcup"))
		leave_add(terminal_text("clear"));
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
	leaving.length = 0;
	tcgetattr(STDIN_FILENO, &leaving.modes);
	screen = open_screen(error);
	if (!screen)
		return NULL;
	leaving.armed = true;
	s = g_new0(struct screen, 1);
	s->term.ops = &curses_ops;
	s->term.utf8 = !g_ascii_strcasecmp(nl_langinfo(CODESET), "UTF-8");
	s->curses = screen;
	set_escdelay(ESC_DELAY_MS);
	mouseinterval(0); /* report a press at once, without waiting for a double click */
	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	curs_set(0);
	refresh(); /* enters the screen; from here on curses draws nothing */
	can = paint_can();
	s->term.colours = can.colours;
	s->paint = term_paint_new(&can);
	term_curses_key_begin();
	prepare_leaving();
	return &s->term;
}
