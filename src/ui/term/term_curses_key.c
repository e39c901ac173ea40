/* SPDX-License-Identifier: MIT */
/*
 * Keys, by curses: its codes and the terminal's characters to ours.  There is one terminal, so what is known
 * of it is static.
 */
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "ui/term/term_curses_key.h"

#include <signal.h>

/* Bracketed paste, as xterm and most others have it: what is pasted comes between two sequences. */
#define PASTE_ON "\033[?2004h"
#define PASTE_OFF "\033[?2004l"
#define KEY_PASTE_BEGIN (KEY_MAX + 1)
#define KEY_PASTE_END (KEY_MAX + 2)
#define PASTE_MAX 4096 /* bytes of it that are kept */

static struct {
	bool brackets; /* the terminal was asked for bracketed paste */
	bool pasting;  /* between the two sequences: what comes is text */
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
	{ KEY_RESIZE, TERM_KEY_RESIZE },
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
	return key | (event.bstate & BUTTON_CTRL ? TERM_KEY_CTRL : 0) |
		(event.bstate & BUTTON_ALT ? TERM_KEY_ALT : 0) |
		(event.bstate & BUTTON_SHIFT ? TERM_KEY_SHIFT : 0);
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

	timeout(0);
	got = get_wch(&ch);
	if (got == ERR)
		return TERM_KEY_ESC;
	if (got != KEY_CODE_YES)
		return TERM_KEY_ALT | plain_key(ch);
	if (special_key(ch) != TERM_KEY_NONE && ch != KEY_RESIZE)
		return TERM_KEY_ALT | special_key(ch);
	ungetch((int)ch);
	return TERM_KEY_ESC;
}

/* ---- pasting ---- */

static void want_brackets(bool wanted)
{
	if (!state.brackets)
		return;
	putp(wanted ? PASTE_ON : PASTE_OFF);
	fflush(stdout); /* putp() writes there, past what curses itself keeps back */
}

/* Only of terminals whose other sequences are those of ECMA-48 too. */
void term_curses_key_begin(void)
{
	const char *move = tigetstr("cup");

	state.brackets = move && move != (const char *)-1 && g_str_has_prefix(move, "\033[");
	state.pasting = false;
	if (!state.brackets)
		return;
	define_key("\033[200~", KEY_PASTE_BEGIN);
	define_key("\033[201~", KEY_PASTE_END);
	want_brackets(true);
}

void term_curses_key_end(void)
{
	want_brackets(false);
}

const char *term_curses_key_off(void)
{
	return state.brackets ? PASTE_OFF : NULL;
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
	if (is_key && ch == KEY_RESIZE)
		return TERM_KEY_RESIZE;
	if (is_key && ch == KEY_PASTE_END) {
		state.pasting = false;
		return TERM_KEY_PASTE;
	}
	if (!is_key && ch && term->pasted->len < PASTE_MAX && g_unichar_validate(ch))
		g_string_append_unichar(term->pasted, ch);
	return TERM_KEY_NONE;
}

static void suspend(void)
{
	want_brackets(false);
	raise(SIGTSTP); /* curses' handler leaves the screen and comes back to it */
	want_brackets(true);
}

static uint32_t function_key(struct term *term, wint_t code)
{
	if (code == KEY_MOUSE)
		return mouse_key(term);
	return code == KEY_PASTE_BEGIN ? begin_paste(term) : special_key(code);
}

/* The key for what get_wch() has GOT. */
static uint32_t key_of(struct term *term, wint_t ch, int got)
{
	uint32_t key;

	if (state.pasting)
		return take_pasted(term, ch, got == KEY_CODE_YES);
	if (got == KEY_CODE_YES)
		return function_key(term, ch);
	key = plain_key(ch);
	if (key == (TERM_KEY_CTRL | 'z')) {
		suspend();
		return TERM_KEY_NONE;
	}
	return key == TERM_KEY_ESC ? after_escape() : key;
}

uint32_t term_curses_key(struct term *term, int wait, bool idle)
{
	uint32_t key;
	wint_t ch;
	int got;

	(void)idle;
	do { /* what is pasted is there at once */
		timeout(wait);
		got = get_wch(&ch);
		if (got == ERR) /* without a time limit this means that the terminal is gone */
			return wait < 0 ? TERM_KEY_END_OF_INPUT : TERM_KEY_NONE;
		key = key_of(term, ch, got);
	} while (state.pasting && key == TERM_KEY_NONE);
	return key;
}
