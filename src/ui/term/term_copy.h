/* SPDX-License-Identifier: MIT */
/* Texts for the terminal's clipboard: the sequence to send, and the terminals that accept it. */
#ifndef TERM_COPY_H
#define TERM_COPY_H

#include <glib.h>
#include <stdbool.h>

#define TERM_COPY_MAX 50000 /* bytes of a text; many terminals accept at most 74994 bytes of a sequence */

/* True if terminals of TYPE ($TERM; may be NULL) are known to execute OSC 52, or to ignore unknown sequences.
 * Other terminals could print it. */
bool term_copy_is_taken(const char *type);
/*
 * OSC 52 with TEXT in base64, so TEXT cannot contain a sequence.  TMUX: the sequence is sent twice: plain,
 * which tmux takes if set-clipboard is on, and wrapped, which tmux passes on if allow-passthrough is on.
 * SCREEN (GNU screen): wrapped, in pieces.  The caller frees.
 */
char *term_copy_sequence(const char *text, bool tmux, bool screen);

#endif
