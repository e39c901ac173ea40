/* SPDX-License-Identifier: MIT */
/* What clicks, drags and turns of the wheel mean, by where they happen. */
#ifndef UI_MOUSE_H
#define UI_MOUSE_H

#include "ui/core/ui_shell.h"

/*
 * KEY is one of the mouse's (term_key_is_mouse()), at its place in SHELL->term.  A click on a hint is that
 * hint's command.  Else the pane under it gets the focus; a click puts its cursor there, a second one opens
 * what is there: in time, who ended the wait.  A drag over time selects it, as it goes; one of the lower
 * pane's title moves the border.  The wheel does the command bound to it, zooming around the instant under
 * the mouse; on the ruler, the first line of the main pane, it does what it does with Ctrl.
 *
 * Returns the command that is to be done, *TIMES times; NONE: none.
 */
enum ui_command ui_mouse_key(struct ui_shell *shell, uint32_t key, unsigned *times);

#endif
