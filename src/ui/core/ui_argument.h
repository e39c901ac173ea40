/* SPDX-License-Identifier: MIT */
/*
 * The text behind a command that was typed as a line ("theme light").  Questions take it by themselves as
 * their answer (ui_shell_ask()); commands that ask nothing look here, each once.
 */
#ifndef UI_ARGUMENT_H
#define UI_ARGUMENT_H

#include "ui/core/ui_shell.h"

/* The text, which is taken and freed by the caller; NULL: there is none. */
char *ui_argument_take(struct ui_shell *shell);
/* What becomes of what COMMAND turns on and off, *ON or not before: the other, or what the text says.  False,
 * with an error on the screen, where that is neither. */
bool ui_argument_switch(struct ui_shell *shell, enum ui_command command, bool *on);
/* How many COMMAND moves by: the number that is the text, else NORMAL. */
int ui_argument_number(struct ui_shell *shell, enum ui_command command, int normal);
/* Which of N NAMES the text says; NEXT without one; N: none of them, which was said. */
unsigned ui_argument_of(struct ui_shell *shell, enum ui_command command, const char *const *names, unsigned n,
	unsigned next);
/* The field of PANE that COMMAND chooses becomes what the text says, without one the next of its words.
 * False: the text is none of them, which was said. */
bool ui_argument_turn(struct ui_pane *pane, enum ui_command command);
/* The words that COMMAND takes as text, where it takes one of a few: of char *, weak.  The caller unrefs. */
GPtrArray *ui_argument_words(struct ui_shell *shell, enum ui_command command);
/* Add N NAMES (static) to WORDS: of the hook "words". */
void ui_argument_add(GPtrArray *words, const char *const *names, unsigned n);
/* Say that TEXT is none of these. */
void ui_argument_refuse(struct ui_shell *shell, enum ui_command command, const char *text);

#endif
