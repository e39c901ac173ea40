/* SPDX-License-Identifier: MIT */
/* The keys of the terminal that curses has; private to term_curses.c. */
#ifndef TERM_CURSES_KEY_H
#define TERM_CURSES_KEY_H

#include "ui/term/term.h"

/* Catch the signals of a terminal that has another size or comes back; before newterm().  False with errno.
 */
bool term_curses_key_catch(void);
/* Ask the terminal to mark what is pasted, where it can; after newterm(). */
void term_curses_key_begin(void);
/* Take that back; before endwin(). */
void term_curses_key_end(void);
/* What does the same where curses cannot be called; static, NULL nothing. */
const char *term_curses_key_off(void);
/* term_ops.key */
uint32_t term_curses_key(struct term *term, int wait, bool idle);

#endif
