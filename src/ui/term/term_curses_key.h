/* SPDX-License-Identifier: MIT */
/* The keys of the terminal that curses has; private to term_curses.c. */
#ifndef TERM_CURSES_KEY_H
#define TERM_CURSES_KEY_H

#include "ui/term/term.h"

/* From now on the signals of a terminal (stop, go on, another size) wait for term_curses_key(); before
 * newterm().  False with errno. */
bool term_curses_key_catch(void);
/* They do what is usual again; after endwin(). */
void term_curses_key_release(void);
/* Ask the terminal to mark what is pasted, and what it can; after newterm(). */
void term_curses_key_begin(void);
/* Take that back; before endwin(). */
void term_curses_key_end(void);
/* Whether the terminal can hold its output until a frame is whole (DEC mode 2026), and whether it repeats any
 * character by REP: as far as it has answered. */
bool term_curses_key_holds(void);
bool term_curses_key_repeats(void);
/* What does the same where curses cannot be called; static. */
const char *term_curses_key_off(void);
/* Have the terminal tell, or no longer, where the mouse is moved while a button is pressed; the mouse is on.
 */
void term_curses_key_motion(bool wanted);
#define TERM_CURSES_MOTION_OFF "\033[?1002l"
/* term_ops.key */
uint32_t term_curses_key(struct term *term, int wait, bool idle);

#endif
