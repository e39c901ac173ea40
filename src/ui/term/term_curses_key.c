/* SPDX-License-Identifier: MIT */
/*
 * Keys, by curses: its codes and the terminal's characters to ours.  There is one terminal, so what is known
 * of it is static.
 *
 * SIGTSTP, SIGCONT and SIGWINCH stay blocked, and the loop takes them between two keys: no handler runs, on a
 * screen that is gone or inside malloc().  A stop that waits is taken back by the kernel when the program is
 * told to go on (kernel/signal.c, prepare_signal()), so no stop is done late, after which nobody would wake
 * it.
 */
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "ui/term/term_curses_key.h"

#define DOUBLE_US 400000 /* a second click comes within that */
#define MOUSE_MOST 16    /* more than curses keeps (EV_MAX) */

#include "ui/term/term_paint.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

/* Bracketed paste, as xterm and most others have it: what is pasted comes between two sequences. */
#define PASTE_ON "\033[?2004h"
#define PASTE_OFF "\033[?2004l"
/* The mouse is told of while a button is pressed, too, which curses does not ask for by itself. */
#define MOTION_ON "\033[?1002h"
#define KEY_PASTE_BEGIN (KEY_MAX + 1)
#define KEY_PASTE_END (KEY_MAX + 2)
/*
 * What descriptions of terminals do not tell, or tell of another one (TERM=xterm inside tmux): whether the
 * terminal can hold its output, by DECRQM, which answers not known, set, reset, set or reset for ever; and
 * whether it repeats what is not ASCII, by where its cursor is then.  It is asked of those that have xterm's
 * second screen: others may print a part of it, as old consoles of Linux do.
 */
#define ASK "\033[?2026$p\033[2;1H\342\226\210\033[6b\033[6n"
#define KEY_HOLD_CAN (KEY_MAX + 3)
#define KEY_HOLD_CANNOT (KEY_MAX + 4)
#define KEY_REPEAT_CAN (KEY_MAX + 5)
#define KEY_REPEAT_CANNOT (KEY_MAX + 6)
#define ANSWER_US 1000000 /* one that did not come by then does not come */
#define ANSWER_MS 100     /* that is waited for it on leaving */
#define PASTE_MAX 4096    /* bytes of it that are kept */

static struct {
	WINDOW *pad;     /* keys are read through it: for a window curses would draw */
	sigset_t before; /* what was blocked before */
	int signals;     /* signalfd(2) of those that wait */
	bool pasting;    /* between the two sequences: what comes is text */
	gint64 asked;    /* ASK, µs, monotonic; 0: it was not, or all was answered */
	bool holds;      /* the terminal can hold its output */
	bool repeats;    /* REP works with any character */
	/* What the mouse did and is not told yet, the latest first: where several came at once, as over a
	 * slow line, curses says so once, and gives the latest. */
	MEVENT mouse[MOUSE_MOST];
	unsigned mouse_n;
	bool pressed;      /* the button is, as far as was told, */
	bool moved;        /* and the mouse was moved since */
	bool motion;       /* moves are wanted */
	gint64 pressed_at; /* when it was last, µs, monotonic; 0: that does not count */
} state;

static const struct {
	wint_t curses;
	uint32_t key;
} key_table[] = {
	{ KEY_UP, TERM_KEY_UP },
	{ KEY_DOWN, TERM_KEY_DOWN },
	{ KEY_LEFT, TERM_KEY_LEFT },
	{ KEY_RIGHT, TERM_KEY_RIGHT },
	{ KEY_SLEFT, TERM_KEY_LEFT | TERM_KEY_SHIFT },
	{ KEY_SRIGHT, TERM_KEY_RIGHT | TERM_KEY_SHIFT },
	{ KEY_SR, TERM_KEY_UP | TERM_KEY_SHIFT },
	{ KEY_SF, TERM_KEY_DOWN | TERM_KEY_SHIFT },
	{ KEY_HOME, TERM_KEY_HOME },
	{ KEY_END, TERM_KEY_END },
	{ KEY_PPAGE, TERM_KEY_PGUP },
	{ KEY_NPAGE, TERM_KEY_PGDN },
	{ KEY_IC, TERM_KEY_INSERT },
	{ KEY_DC, TERM_KEY_DELETE },
	{ KEY_BACKSPACE, TERM_KEY_BACKSPACE },
	{ KEY_ENTER, TERM_KEY_ENTER },
	{ KEY_BTAB, TERM_KEY_TAB | TERM_KEY_SHIFT },
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

/* Whether the button is pressed a second time where it was before: for people, right behind that. */
static bool is_double(const struct term *term, const MEVENT *event)
{
	gint64 before = state.pressed_at;
	bool is_there = (unsigned)event->x == term->mouse_x && (unsigned)event->y == term->mouse_y;

	state.pressed_at = g_get_monotonic_time();
	if (!before || !is_there || state.pressed_at - before > DOUBLE_US)
		return false;
	state.pressed_at = 0; /* a third one begins anew */
	return true;
}

/* The mouse is somewhere else, with the button pressed; NONE: in the same cell, or it is not pressed. */
static uint32_t moved_to(const struct term *term, const MEVENT *event)
{
	if (!state.pressed || ((unsigned)event->x == term->mouse_x && (unsigned)event->y == term->mouse_y))
		return TERM_KEY_NONE;
	state.moved = true;
	state.pressed_at = 0; /* what comes next is no second click */
	return TERM_KEY_MOVE;
}

/* The button is let go: a drag, where it was pressed, and elsewhere, or was moved meanwhile. */
static uint32_t release(const struct term *term, const MEVENT *event)
{
	bool was_pressed = state.pressed;

	state.pressed = false;
	if (was_pressed && state.moved)
		return TERM_KEY_DRAG;
	return was_pressed && ((unsigned)event->x != term->mouse_x || (unsigned)event->y != term->mouse_y)
		? TERM_KEY_DRAG
		: TERM_KEY_NONE;
}

static uint32_t press(const struct term *term, const MEVENT *event)
{
	state.pressed = true;
	state.moved = false;
	return is_double(term, event) ? TERM_KEY_DOUBLE : TERM_KEY_CLICK;
}

/* What EVENT of the mouse is; NONE: no key. */
static uint32_t event_key(struct term *term, const MEVENT *event)
{
	uint32_t key = TERM_KEY_NONE;

	if (event->x < 0 || event->y < 0)
		return TERM_KEY_NONE;
	if (event->bstate & REPORT_MOUSE_POSITION)
		key = moved_to(term, event);
	else if (event->bstate & BUTTON1_RELEASED)
		key = release(term, event);
	else if (event->bstate & BUTTON1_PRESSED)
		key = press(term, event);
	else if (event->bstate & BUTTON4_PRESSED)
		key = TERM_KEY_WHEEL_UP;
	else if (event->bstate & BUTTON5_PRESSED)
		key = TERM_KEY_WHEEL_DOWN;
	if (key == TERM_KEY_NONE)
		return TERM_KEY_NONE;
	term->mouse_x = (unsigned)event->x;
	term->mouse_y = (unsigned)event->y;
	return key | (event->bstate & BUTTON_CTRL ? TERM_KEY_CTRL : 0) |
		(event->bstate & BUTTON_ALT ? TERM_KEY_ALT : 0) |
		(event->bstate & BUTTON_SHIFT ? TERM_KEY_SHIFT : 0);
}

/* The next of what the mouse did that is a key, of moves that follow each other the last; NONE: no more. */
static uint32_t next_mouse(struct term *term)
{
	uint32_t key = TERM_KEY_NONE, next;

	while ((key == TERM_KEY_NONE || key == TERM_KEY_MOVE) && state.mouse_n > 0) {
		const MEVENT *event = &state.mouse[state.mouse_n - 1];

		if (key == TERM_KEY_MOVE && !(event->bstate & (REPORT_MOUSE_POSITION | BUTTON1_RELEASED)))
			break;
		state.mouse_n--;
		next = event_key(term, event);
		key = next == TERM_KEY_NONE ? key : next;
	}
	return key;
}

static uint32_t mouse_key(struct term *term)
{
	while (state.mouse_n < MOUSE_MOST && getmouse(&state.mouse[state.mouse_n]) == OK)
		state.mouse_n++;
	return next_mouse(term);
}

static uint32_t plain_key(wint_t ch)
{
	switch (ch) {
	case '\t': return TERM_KEY_TAB;
	case '\r':
	case '\n': return TERM_KEY_ENTER;
	case '\b':
	case 0x7f: return TERM_KEY_BACKSPACE;
	case 0x1b: return TERM_KEY_ESC;
	case 0: return TERM_KEY_CTRL | ' ';
	default: return ch < ' ' ? TERM_KEY_CTRL | (ch + (ch <= 26 ? 'a' - 1 : '@')) : ch;
	}
}

/* Alt comes as Esc with a character right behind it.  What is no key by itself comes after the Esc. */
static uint32_t after_escape(void)
{
	wint_t ch;
	int got;

	wtimeout(state.pad, 0);
	got = wget_wch(state.pad, &ch);
	if (got == ERR)
		return TERM_KEY_ESC;
	if (got != KEY_CODE_YES)
		return TERM_KEY_ALT | plain_key(ch);
	if (special_key(ch) != TERM_KEY_NONE)
		return TERM_KEY_ALT | special_key(ch);
	ungetch((int)ch);
	return TERM_KEY_ESC;
}

/* ---- pasting ---- */

static void want_brackets(bool wanted)
{
	putp(wanted ? PASTE_ON : PASTE_OFF);
	fflush(stdout); /* putp() writes there, past what curses itself keeps back */
}

void term_curses_key_motion(bool wanted)
{
	state.motion = wanted;
	putp(wanted ? MOTION_ON : TERM_CURSES_MOTION_OFF);
	fflush(stdout);
}

static sigset_t signals_of_terminal(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGCONT);
	sigaddset(&set, SIGWINCH);
	return set;
}

/* Threads that are made from now on block them, too. */
bool term_curses_key_catch(void)
{
	sigset_t set = signals_of_terminal();

	state.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (state.signals >= 0)
		pthread_sigmask(SIG_BLOCK, &set, &state.before);
	return state.signals >= 0;
}

void term_curses_key_release(void)
{
	close(state.signals);
	pthread_sigmask(SIG_SETMASK, &state.before, NULL);
}

static void define_answers(void)
{
	static const struct {
		const char *text;
		int key;
	} answers[] = { { "\033[?2026;0$y", KEY_HOLD_CANNOT }, { "\033[?2026;1$y", KEY_HOLD_CAN },
		{ "\033[?2026;2$y", KEY_HOLD_CAN }, { "\033[?2026;3$y", KEY_HOLD_CANNOT },
		{ "\033[?2026;4$y", KEY_HOLD_CANNOT }, { "\033[2;8R", KEY_REPEAT_CAN },
		{ "\033[2;2R", KEY_REPEAT_CANNOT }, { "\033[2;1R", KEY_REPEAT_CANNOT } };

	for (unsigned i = 0; i < G_N_ELEMENTS(answers); i++)
		define_key(answers[i].text, answers[i].key);
}

static void term_curses_key_ask(void)
{
	const char *screen = tigetstr("smcup");
	bool xterm = screen && screen != (const char *)-1 && strstr(screen, "?1049h") && LINES >= 2 &&
		COLS >= 10; /* there is room to ask */

	state.holds = state.repeats = false;
	state.asked = xterm ? g_get_monotonic_time() : 0;
	if (!xterm)
		return;
	define_answers();
	putp(ASK);
	fflush(stdout);
}

static void take_answer(wint_t code)
{
	state.holds = state.holds || code == KEY_HOLD_CAN;
	state.repeats = state.repeats || code == KEY_REPEAT_CAN;
	state.asked = code >= KEY_REPEAT_CAN ? 0 : state.asked; /* asked last */
}

void term_curses_key_begin(void)
{
	state.pad = newpad(1, 1);
	keypad(state.pad, TRUE);
	state.pasting = false;
	define_key("\033[200~", KEY_PASTE_BEGIN);
	define_key("\033[201~", KEY_PASTE_END);
	want_brackets(true);
	term_curses_key_ask();
}

bool term_curses_key_holds(void)
{
	return state.holds;
}

bool term_curses_key_repeats(void)
{
	return state.repeats;
}

/* An answer that comes after us is typed to the shell. */
static void drop_answer(void)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };

	if (state.asked > 0 && g_get_monotonic_time() - state.asked < ANSWER_US) {
		poll(&fd, 1, ANSWER_MS);
		tcflush(STDIN_FILENO, TCIFLUSH);
	}
}

void term_curses_key_end(void)
{
	want_brackets(false);
	if (state.motion)
		term_curses_key_motion(false);
	drop_answer();
	delwin(state.pad);
}

const char *term_curses_key_off(void)
{
	return state.asked > 0 || state.holds ? TERM_PAINT_HOLD_OFF PASTE_OFF : PASTE_OFF;
}

static uint32_t begin_paste(struct term *term)
{
	if (!term->pasted)
		term->pasted = g_string_new(NULL);
	g_string_truncate(term->pasted, 0);
	state.pasting = true;
	return TERM_KEY_NONE;
}

/* A character, or a key, within what is pasted. */
static uint32_t take_pasted(struct term *term, wint_t ch, bool is_key)
{
	if (is_key && ch == KEY_PASTE_END) {
		state.pasting = false;
		return TERM_KEY_PASTE;
	}
	if (!is_key && ch && term->pasted->len < PASTE_MAX && g_unichar_validate(ch))
		g_string_append_unichar(term->pasted, ch);
	return TERM_KEY_NONE;
}

/* ---- signals ---- */

static void leave_screen(void)
{
	want_brackets(false);
	if (state.motion)
		putp(TERM_CURSES_MOTION_OFF);
	endwin();
}

static void enter_screen(void)
{
	refresh();
	want_brackets(true);
	if (state.motion)
		term_curses_key_motion(true);
}

/* Let a stop that still waits happen; this returns when the program goes on. */
static void term_curses_key_stop(void)
{
	sigset_t set, was;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	pthread_sigmask(SIG_UNBLOCK, &set, &was);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
}

/* Take what waits; true if the program went on, so that another may have had the terminal. */
static bool drain(void)
{
	const struct timespec none = { 0 };
	sigset_t set = signals_of_terminal();
	bool went_on = false;
	int number;

	sigdelset(&set, SIGTSTP);
	while ((number = sigtimedwait(&set, NULL, &none)) > 0)
		went_on = went_on || number == SIGCONT;
	return went_on;
}

/* The terminal may have another size, and show something else. */
static uint32_t take_signals(void)
{
	struct winsize size;
	sigset_t waiting;
	bool left;

	sigpending(&waiting);
	left = sigismember(&waiting, SIGTSTP) == 1;
	if (left) {
		leave_screen();
		term_curses_key_stop();
	}
	if (drain() && !left) {
		leave_screen();
		left = true;
	}
	if (left)
		enter_screen();
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
		resize_term(size.ws_row, size.ws_col);
	return TERM_KEY_RESIZE;
}

static uint32_t function_key(struct term *term, wint_t code)
{
	if (code == KEY_MOUSE)
		return mouse_key(term);
	if (code >= KEY_HOLD_CAN && code <= KEY_REPEAT_CANNOT)
		take_answer(code);
	return code == KEY_PASTE_BEGIN ? begin_paste(term) : special_key(code);
}

/* The key for what get_wch() has GOT. */
static uint32_t term_curses_key_key_of(struct term *term, wint_t ch, int got)
{
	uint32_t key;

	if (state.pasting)
		return take_pasted(term, ch, got == KEY_CODE_YES);
	if (got == KEY_CODE_YES)
		return function_key(term, ch);
	key = plain_key(ch);
	if (key == (TERM_KEY_CTRL | 'z')) {
		raise(SIGTSTP);
		return take_signals();
	}
	return key == TERM_KEY_ESC ? after_escape() : key;
}

/* Wait for what wakes; what of struct pollfd came of the terminal. */
static short wait_for_key(int wait, bool *is_woken)
{
	struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = state.signals, .events = POLLIN } };

	*is_woken = poll(fds, 2, wait) > 0 && fds[1].revents & POLLIN;
	return fds[0].revents;
}

/* There is something to read, and it is nothing: the terminal is gone. */
static bool is_gone(short came)
{
	int bytes = 0;

	return came & (POLLHUP | POLLERR | POLLNVAL) ||
		(came & POLLIN && ioctl(STDIN_FILENO, FIONREAD, &bytes) == 0 && bytes == 0 && errno != EINTR);
}

/* As get_wch() within WAIT ms, but for signals; what curses has taken in already comes first. */
static int read_key(int wait, wint_t *ch, uint32_t *instead)
{
	bool is_woken;
	short came;
	int got;

	wtimeout(state.pad, 0);
	got = wget_wch(state.pad, ch);
	if (got != ERR)
		return got;
	came = wait_for_key(wait, &is_woken);
	if (came & POLLIN)
		got = wget_wch(state.pad, ch);
	*instead = got != ERR   ? TERM_KEY_NONE
		: is_woken      ? take_signals()
		: is_gone(came) ? TERM_KEY_END_OF_INPUT
				: TERM_KEY_NONE;
	return got;
}

uint32_t term_curses_key(struct term *term, int wait, G_GNUC_UNUSED bool idle)
{
	uint32_t key = next_mouse(term);
	wint_t ch;

	if (key != TERM_KEY_NONE)
		return key;
	do { /* what is pasted is there at once */
		int got = read_key(wait, &ch, &key);

		if (got == ERR)
			return key;
		key = term_curses_key_key_of(term, ch, got);
	} while (state.pasting && key == TERM_KEY_NONE);
	return key;
}
