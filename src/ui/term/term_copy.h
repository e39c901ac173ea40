/* SPDX-License-Identifier: MIT */
/* Texts for the clipboard of the terminal: what to send it, and which terminals take it. */
#ifndef TERM_COPY_H
#define TERM_COPY_H

#include <glib.h>
#include <stdbool.h>

#define TERM_COPY_MAX 50000 /* bytes of a text; many terminals take no more than 74994 of what is sent */

/* Whether a terminal called TYPE ($TERM; may be NULL) is known to take OSC 52, or to swallow what it does not
 * know; others may show it. */
bool term_copy_is_taken(const char *type);
/*
 * OSC 52 with TEXT, encoded: nothing in it can be taken for a sequence.  Within tmux (TMUX) it is sent as it
 * is, which tmux takes with set-clipboard, and wrapped, which it passes on with allow-passthrough; within GNU
 * screen (SCREEN) wrapped, in pieces.  The caller frees.
 */
char *term_copy_sequence(const char *text, bool tmux, bool screen);

#endif
