/* SPDX-License-Identifier: MIT */
/* What the mouse does in the explorer. */
#ifndef UI_MOUSE_H
#define UI_MOUSE_H

#include "ui/core/ui_shell.h"

/*
 * KEY is one of the mouse's (term_key_is_mouse()): the pane under it gets the focus; a click puts that pane's
 * cursor there; the wheel does the command bound to it, zooming around the instant under the mouse; on the
 * ruler, the first line of the main pane, it does what it does with Ctrl.
 */
void ui_mouse_key(struct ui_shell *shell, uint32_t key);

#endif
