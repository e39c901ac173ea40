/* SPDX-License-Identifier: MIT */
/* Restores the terminal if curses cannot be called: its modes, and sequences to send. */
#ifndef TERM_LEAVE_H
#define TERM_LEAVE_H

#include <stdbool.h>

/* Store the present modes of the terminal on standard input; sends nothing yet. */
void term_leave_begin(void);
/* Add TEXT, a string of terminfo(5) (NULL: nothing), to the sequences to send.  Its pauses are left out. */
void term_leave_add(const char *text);
/* Switch term_leave() on or off. */
void term_leave_arm(bool armed);
/* Restore the terminal before a signal ends the program.  Does not wait, frees nothing, and is
 * async-signal-safe. */
void term_leave(void);

#endif
