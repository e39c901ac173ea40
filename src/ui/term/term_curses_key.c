/* SPDX-License-Identifier: MIT */
/*
 * Keys, read by curses: its codes and the characters of the terminal become our keys.  There is only one
 * terminal, so the state is static.
 *
 * SIGTSTP, SIGCONT and SIGWINCH stay blocked, and the loop takes them between two keys, so no handler runs on
 * a screen that is gone, or inside malloc().  When SIGCONT comes, the kernel drops a pending stop
 * (kernel/signal.c, prepare_signal()), so the program never stops late, when nobody would continue it.
 */
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "ui/term/term_curses.h"

#include "ui/term/term.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#define DOUBLE_US 400000 /* µs: longest time between the clicks of a double click */
#define MOUSE_MOST 16    /* more than curses keeps (EV_MAX) */
/* Bracketed paste, as in xterm and most others: pasted text comes between two sequences. */
#define PASTE_ON "\033[?2004h"
#define PASTE_OFF "\033[?2004l"
/* Reports of mouse moves while a button is pressed; curses does not request them by itself. */
#define MOTION_ON "\033[?1002h"
#define KEY_PASTE_BEGIN (KEY_MAX + 1)
#define KEY_PASTE_END (KEY_MAX + 2)
/*
 * Two abilities about which a terminal's description says nothing, or describes another terminal (TERM=xterm
 * inside tmux).  So the program asks the terminal itself:
 *
 *   synchronised output  by DECRQM; the answer is unknown, set, reset, always set or always reset
 *   REP beyond ASCII     repeat a character, then ask for the cursor's position
 *
 * It asks only terminals with xterm's second screen.  Others, such as old Linux consoles, could print a part
 * of the question.
 */
#define ASK "\033[?2026$p\033[2;1H\342\226\210\033[6b\033[6n"
#define KEY_HOLD_CAN (KEY_MAX + 3)
#define KEY_HOLD_CANNOT (KEY_MAX + 4)
#define KEY_REPEAT_CAN (KEY_MAX + 5)
#define KEY_REPEAT_CANNOT (KEY_MAX + 6)
#define ANSWER_US 1000000 /* µs: an answer comes within this, or never */
#define ANSWER_MS 100     /* ms to wait for an answer when leaving */
#define PASTE_MAX 4096    /* bytes of pasted text that are kept */

static struct {
	WINDOW *pad;     /* to read keys; reading from a window would let curses draw */
	sigset_t before; /* the signals that were blocked before */
	int signals;     /* signalfd(2) of pending signals */
	bool pasting;    /* between the two sequences of a paste: characters are text */
	gint64 asked;    /* when ASK was sent, µs, monotonic; 0: never, or it was answered */
	bool holds;      /* the terminal has synchronised output */
	bool repeats;    /* REP works with any character */
	/* Mouse events not delivered yet, the latest first.  If several come at once, as over a slow line,
	 * curses reports them once and returns the latest first. */
	MEVENT mouse[MOUSE_MOST];
	unsigned mouse_n;
	bool pressed;      /* the button is pressed, by the delivered events, */
	bool moved;        /* and the mouse moved since */
	bool motion;       /* reports of moves are on */
	gint64 pressed_at; /* the last press, µs, monotonic; 0: the next one is no double click */
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

/* True if this press is the second of a double click: at the same place, and soon enough. */
static bool is_double(const struct term *term, const MEVENT *event)
{
	gint64 before = state.pressed_at;
	bool is_there = (unsigned)event->x == term->mouse_x && (unsigned)event->y == term->mouse_y;

	state.pressed_at = g_get_monotonic_time();
	if (!before || !is_there || state.pressed_at - before > DOUBLE_US)
		return false;
	state.pressed_at = 0; /* a third press begins anew */
	return true;
}

/* The key of EVENT, or NONE.  A release is a drag if the mouse moved since the press. */
static uint32_t event_key(struct term *term, const MEVENT *event)
{
	uint32_t key = TERM_KEY_NONE;
	bool is_elsewhere = (unsigned)event->x != term->mouse_x || (unsigned)event->y != term->mouse_y;

	if (event->x < 0 || event->y < 0)
		return TERM_KEY_NONE;
	if (event->bstate & REPORT_MOUSE_POSITION) {
		if (state.pressed && is_elsewhere) {
			key = TERM_KEY_MOVE;
			state.moved = true;
			state.pressed_at = 0; /* the next press is not a double click */
		}
	} else if (event->bstate & BUTTON1_RELEASED) {
		key = state.pressed && (state.moved || is_elsewhere) ? TERM_KEY_DRAG : TERM_KEY_NONE;
		state.pressed = false;
	} else if (event->bstate & BUTTON1_PRESSED) {
		state.pressed = true;
		state.moved = false;
		key = is_double(term, event) ? TERM_KEY_DOUBLE : TERM_KEY_CLICK;
	} else if (event->bstate & BUTTON4_PRESSED) {
		key = TERM_KEY_WHEEL_UP;
	} else if (event->bstate & BUTTON5_PRESSED) {
		key = TERM_KEY_WHEEL_DOWN;
	}
	if (key == TERM_KEY_NONE)
		return TERM_KEY_NONE;
	term->mouse_x = (unsigned)event->x;
	term->mouse_y = (unsigned)event->y;
	return key | (event->bstate & BUTTON_CTRL ? TERM_KEY_CTRL : 0) |
		(event->bstate & BUTTON_ALT ? TERM_KEY_ALT : 0) |
		(event->bstate & BUTTON_SHIFT ? TERM_KEY_SHIFT : 0);
}

/* The next mouse event that is a key, or NONE.  Of successive moves, and a release right after them, only the
 * last one counts. */
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

/* Alt comes as Esc followed at once by a character.  A code that is not a key is put back, to come after the
 * Esc. */
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
	fflush(stdout); /* putp() writes to stdout, which curses does not flush */
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

/* Threads created from now on inherit the mask. */
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

/* Ask for the two abilities, if the terminal has xterm's second screen and is large enough for the
 * question. */
static void term_curses_key_ask(void)
{
	static const struct {
		const char *text;
		int key;
	} answers[] = { { "\033[?2026;0$y", KEY_HOLD_CANNOT }, { "\033[?2026;1$y", KEY_HOLD_CAN },
		{ "\033[?2026;2$y", KEY_HOLD_CAN }, { "\033[?2026;3$y", KEY_HOLD_CANNOT },
		{ "\033[?2026;4$y", KEY_HOLD_CANNOT }, { "\033[2;8R", KEY_REPEAT_CAN },
		{ "\033[2;2R", KEY_REPEAT_CANNOT }, { "\033[2;1R", KEY_REPEAT_CANNOT } };
	const char *screen = tigetstr("smcup");
	bool xterm = screen && screen != (const char *)-1 && strstr(screen, "?1049h") && LINES >= 2 &&
		COLS >= 10;

	state.holds = state.repeats = false;
	state.asked = xterm ? g_get_monotonic_time() : 0;
	if (!xterm)
		return;
	for (unsigned i = 0; i < G_N_ELEMENTS(answers); i++)
		define_key(answers[i].text, answers[i].key);
	putp(ASK);
	fflush(stdout);
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

void term_curses_key_teach(struct term_paint *paint)
{
	term_paint_learn(paint, state.repeats, state.holds);
}

void term_curses_key_end(void)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };

	want_brackets(false);
	if (state.motion)
		term_curses_key_motion(false);
	/* Otherwise the shell would read a late answer as typed text. */
	if (state.asked > 0 && g_get_monotonic_time() - state.asked < ANSWER_US) {
		poll(&fd, 1, ANSWER_MS);
		tcflush(STDIN_FILENO, TCIFLUSH);
	}
	delwin(state.pad);
}

const char *term_curses_key_off(void)
{
	return state.asked > 0 || state.holds ? TERM_PAINT_HOLD_OFF PASTE_OFF : PASTE_OFF;
}

/* ---- signals ---- */

static void leave_screen(void)
{
	want_brackets(false);
	if (state.motion)
		putp(TERM_CURSES_MOTION_OFF);
	endwin();
}

/* Take the pending signals.  True if the program was continued: another program may have used the
 * terminal. */
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

/* Handle pending signals: stop, restore the screen, take the new size.  Returns RESIZE, because size and
 * content may be new. */
static uint32_t take_signals(void)
{
	struct winsize size;
	sigset_t waiting, stop, was;
	bool left;

	sigpending(&waiting);
	left = sigismember(&waiting, SIGTSTP) == 1;
	if (left) {
		leave_screen();
		sigemptyset(&stop);
		sigaddset(&stop, SIGTSTP);
		pthread_sigmask(SIG_UNBLOCK, &stop, &was); /* stops here, if SIGTSTP is still pending */
		pthread_sigmask(SIG_SETMASK, &was, NULL);
	}
	if (drain() && !left) {
		leave_screen();
		left = true;
	}
	if (left) {
		refresh();
		want_brackets(true);
		if (state.motion)
			term_curses_key_motion(true);
	}
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
		resize_term(size.ws_row, size.ws_col);
	return TERM_KEY_RESIZE;
}

static uint32_t function_key(struct term *term, wint_t code)
{
	switch (code) {
	case KEY_MOUSE:
		while (state.mouse_n < MOUSE_MOST && getmouse(&state.mouse[state.mouse_n]) == OK)
			state.mouse_n++;
		return next_mouse(term);
	case KEY_HOLD_CAN: state.holds = true; break;
	case KEY_REPEAT_CAN:
	case KEY_REPEAT_CANNOT:
		state.repeats |= code == KEY_REPEAT_CAN;
		state.asked = 0; /* this is the last answer to ASK */
		break;
	case KEY_PASTE_BEGIN:
		if (!term->pasted)
			term->pasted = g_string_new(NULL);
		g_string_truncate(term->pasted, 0);
		state.pasting = true;
		break;
	}
	return special_key(code);
}

/* The key for CH, which get_wch() returned with GOT. */
static uint32_t term_curses_key_key_of(struct term *term, wint_t ch, int got)
{
	uint32_t key;

	if (state.pasting) {
		state.pasting = got != KEY_CODE_YES || ch != KEY_PASTE_END;
		if (got != KEY_CODE_YES && ch && term->pasted->len < PASTE_MAX && g_unichar_validate(ch))
			g_string_append_unichar(term->pasted, ch);
		return state.pasting ? TERM_KEY_NONE : TERM_KEY_PASTE;
	}
	if (got == KEY_CODE_YES)
		return function_key(term, ch);
	key = plain_key(ch);
	if (key == (TERM_KEY_CTRL | 'z')) {
		raise(SIGTSTP);
		return take_signals();
	}
	return key == TERM_KEY_ESC ? after_escape() : key;
}

/* True if the result CAME of poll() means that the terminal is gone: an error, or readable without any
 * byte. */
static bool is_gone(short came)
{
	int bytes = 0;

	return came & (POLLHUP | POLLERR | POLLNVAL) ||
		(came & POLLIN && ioctl(STDIN_FILENO, FIONREAD, &bytes) == 0 && bytes == 0 && errno != EINTR);
}

/* Like get_wch() within WAIT ms.  If it returns ERR, *INSTEAD becomes the key to deliver: for a signal, for
 * the end of the terminal, or NONE.  Input that curses has already read comes first. */
static int read_key(int wait, wint_t *ch, uint32_t *instead)
{
	struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = state.signals, .events = POLLIN } };
	bool is_woken;
	int got;

	wtimeout(state.pad, 0);
	got = wget_wch(state.pad, ch);
	if (got != ERR)
		return got;
	is_woken = poll(fds, 2, wait) > 0 && fds[1].revents & POLLIN;
	if (fds[0].revents & POLLIN)
		got = wget_wch(state.pad, ch);
	*instead = got != ERR             ? TERM_KEY_NONE
		: is_woken                ? take_signals()
		: is_gone(fds[0].revents) ? TERM_KEY_END_OF_INPUT
					  : TERM_KEY_NONE;
	return got;
}

uint32_t term_curses_key(struct term *term, int wait, G_GNUC_UNUSED bool idle)
{
	uint32_t key = next_mouse(term);
	wint_t ch;

	if (key != TERM_KEY_NONE)
		return key;
	do { /* pasted text is complete at once */
		int got = read_key(wait, &ch, &key);

		if (got == ERR)
			return key;
		key = term_curses_key_key_of(term, ch, got);
	} while (state.pasting && key == TERM_KEY_NONE);
	return key;
}
