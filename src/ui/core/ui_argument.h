/* SPDX-License-Identifier: MIT */
/* The text typed after the name of a command ("theme light").  A question (ui_shell_ask()) takes it as its
 * answer.  Commands without a question read it here.  The text can be read once. */
#ifndef UI_ARGUMENT_H
#define UI_ARGUMENT_H

#include "ui/core/ui_shell.h"

/* Returns the text, or NULL if there is none.  The caller frees. */
char *ui_argument_take(struct ui_shell *shell);
/* True if the text is "on" or "off".  For panes whose command also takes other texts. */
bool ui_argument_is_switch(const struct ui_shell *shell);
/* Set *ON, the switch of COMMAND, to the text ("on", "off"); without a text, invert it.  False, with an error
 * on the screen, if the text is neither. */
bool ui_argument_switch(struct ui_shell *shell, enum ui_command command, bool *on);
/* The number of steps of COMMAND: the number in the text, NORMAL without a text.  0, with an error on the
 * screen, if the text is not a number in range. */
int ui_argument_number(struct ui_shell *shell, enum ui_command command, int normal);
/* The index of the text in N NAMES; NEXT if there is no text; N, with an error on the screen, if the text is
 * not among them. */
unsigned ui_argument_of(struct ui_shell *shell, enum ui_command command, const char *const *names, unsigned n,
	unsigned next);
/* Set the field of PANE that COMMAND chooses to the word in the text; without a text, to its next word.
 * False, with an error on the screen, if the text is not one of its words. */
bool ui_argument_turn(struct ui_pane *pane, enum ui_command command);
/* The words that COMMAND accepts as text.  Empty if it takes any text, or none.  Of char *, weak.  The caller
 * unrefs. */
GPtrArray *ui_argument_words(struct ui_shell *shell, enum ui_command command);
/* Add N NAMES (static) to WORDS; for the hook "words". */
void ui_argument_add(GPtrArray *words, const char *const *names, unsigned n);
/* Show the error that TEXT is not one of the words of COMMAND. */
void ui_argument_refuse(struct ui_shell *shell, enum ui_command command, const char *text);

/* ---- times, in every notation of the screen, and steps from the cursor ---- */

/*
 * *TIME becomes the time of TEXT in ns since the Epoch.  It can be outside the experiment.
 *
 *   8.5  8.5 s  850 ms                 from the start, as rulers, lists and the header show it; seconds if
 *                                      there is no unit
 *   50%                                of the experiment
 *   10:03:04.9  2026-11-20 10:03:04.9  local time; without a date: on the cursor's day, else on the first or
 *                                      the last day
 *   1795176184733782515                ns since the Epoch
 *   +2ms  -2ms  +2  -2 s               from the cursor
 *
 * False with BASE_ERROR_USAGE if TEXT is none of these, or the time is out of range.
 */
bool ui_when_parse(const struct ui_shell *shell, const char *text, int64_t *time, GError **error);

#endif
