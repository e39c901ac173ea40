/* SPDX-License-Identifier: MIT */
/*
 * One history of views: what is shown where is taken down before each key, and where that differs from the
 * last time, it was a step that can be undone and done again.  Small steps of one kind, one after the other,
 * are one.
 */
#ifndef UI_UNDO_H
#define UI_UNDO_H

#include "ui/core/ui_shell.h"

#define UI_UNDO_MAX 500 /* steps that are remembered */

/* A step has ended, if there was one; while a question is open it has not. */
void ui_undo_note(struct ui_shell *shell);
/* COMMAND is done now: the first one after a note tells of which kind a step is. */
void ui_undo_command(struct ui_shell *shell, enum ui_command command);
/* What changed since the last note was no step of the user's. */
void ui_undo_accept(struct ui_shell *shell);
/* Show the scene that TEXT tells (ui_scene.h): a step.  False with an error where it tells none. */
bool ui_undo_show(struct ui_shell *shell, const char *text, GError **error);
/* All that was under way is done: panes whose lists came only now are told once more where one was in them.
 * False: there was nothing to do. */
bool ui_undo_settle(struct ui_shell *shell);
/* Show what was before the last step (REDO: what was undone last), or say that there is nothing. */
void ui_undo_go(struct ui_shell *shell, bool redo);
/* Times and rows are others now: ui_view_carry() all views that were, of the rows that there were until now.
 */
void ui_undo_carry(struct ui_shell *shell);
/* The panes were made anew, after ui_undo_carry(): let the lower ones show what they did, which is no step.
 */
void ui_undo_again(struct ui_shell *shell);

#endif
