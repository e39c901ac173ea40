/* SPDX-License-Identifier: MIT */
/* The keys of the terminal that curses uses.  Private to term_curses.c. */
#ifndef TERM_CURSES_KEY_H
#define TERM_CURSES_KEY_H

#include "ui/term/term.h"

/* From now on, the terminal's signals (stop, continue, new size) wait for term_curses_key().  Call it before
 * newterm().  False with errno. */
bool term_curses_key_catch(void);
/* Restore the usual signal handling.  Call it after endwin(). */
void term_curses_key_release(void);
/* Ask the terminal to mark pasted text, and to report its abilities.  Call it after newterm(). */
void term_curses_key_begin(void);
/* Undo term_curses_key_begin().  Call it before endwin(). */
void term_curses_key_end(void);
/* _holds(): true if the terminal can hold its output until a frame is complete (DEC mode 2026).  _repeats():
 * true if it repeats any character by REP.  Both are false until the terminal has answered. */
bool term_curses_key_holds(void);
bool term_curses_key_repeats(void);
/* The sequence that undoes term_curses_key_begin() if curses cannot be called; static. */
const char *term_curses_key_off(void);
/* Turn on or off reports of mouse moves while a button is pressed.  Mouse reports must be on. */
void term_curses_key_motion(bool wanted);
#define TERM_CURSES_MOTION_OFF "\033[?1002l"
/* The hook term_ops.key. */
uint32_t term_curses_key(struct term *term, int wait, bool idle);

#endif
