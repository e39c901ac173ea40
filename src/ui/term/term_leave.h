/* SPDX-License-Identifier: MIT */
/* Gives the terminal back when curses cannot be called: its modes, and what to send it. */
#ifndef TERM_LEAVE_H
#define TERM_LEAVE_H

#include <stdbool.h>

/* Note the modes that the terminal of standard input has now; nothing is to be sent yet. */
void term_leave_begin(void);
/* Add TEXT (NULL: nothing) to what is sent. */
void term_leave_add(const char *text);
/* Whether term_leave() does anything. */
void term_leave_arm(bool armed);
/*
 * Give the terminal back as it was, from a signal after which the program can only end: async-signal-safe,
 * frees nothing.
 */
void term_leave(void);

#endif
