/* SPDX-License-Identifier: MIT */
/* Gives the terminal back when curses cannot be called: its modes, and what to send it. */
#ifndef TERM_LEAVE_H
#define TERM_LEAVE_H

#include <stdbool.h>

/* Note the modes that the terminal of standard input has now; nothing is sent yet. */
void term_leave_begin(void);
/* Add TEXT, a string of terminfo(5) (NULL: nothing), to what is sent. */
void term_leave_add(const char *text);
/* Whether term_leave() does anything. */
void term_leave_arm(bool armed);
/*
 * Give the terminal back as it was, before an end that a signal asks for: waits for nobody, frees nothing,
 * and is async-signal-safe.
 */
void term_leave(void);

#endif
