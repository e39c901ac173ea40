/* SPDX-License-Identifier: MIT */
/*
 * The undo history of scenes.  Before each key, the scene is compared with the last noted one; if they
 * differ, the change is a step that can be undone and redone.  Successive small steps of one kind are one
 * step.
 */
#ifndef UI_UNDO_H
#define UI_UNDO_H

#include "ui/core/ui_shell.h"

#define UI_UNDO_MAX 500 /* steps that are remembered */

/* Note a step if the scene has changed.  Does nothing while a question is open. */
void ui_undo_note(struct ui_shell *shell);
/* COMMAND is about to run.  The first command after a note decides the kind of the step. */
void ui_undo_command(struct ui_shell *shell, enum ui_command command);
/* Changes since the last note are not a step of the user. */
void ui_undo_accept(struct ui_shell *shell);
/* Show the scene that TEXT describes; this is a step.  False with an error if TEXT is not valid. */
bool ui_undo_show(struct ui_shell *shell, const char *text, GError **error);
/* Call it when no work is left: restores the panes once more, for lists that were complete only now.  False
 * if there was nothing to do. */
bool ui_undo_settle(struct ui_shell *shell);
/* Show the scene before the last step (REDO: the one undone last), or a message that there is none. */
void ui_undo_go(struct ui_shell *shell, bool redo);
/* The experiment was opened again: convert all scenes of the history to its times and rows
 * (ui_view_carry()). */
void ui_undo_carry(struct ui_shell *shell);
/* The panes were made again, after ui_undo_carry(): restore the lower ones.  This is not a step. */
void ui_undo_again(struct ui_shell *shell);

#endif
