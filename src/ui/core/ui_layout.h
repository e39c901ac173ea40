/* SPDX-License-Identifier: MIT */
/* Where each pane stands, and one frame of the screen. */
#ifndef UI_LAYOUT_H
#define UI_LAYOUT_H

#include "ui/core/ui_shell.h"

/* Give each pane its area for the size the terminal has now. */
void ui_layout_arrange(struct ui_shell *shell);
/* The second window, which begins where the first one ends; NULL: not both are on the screen. */
struct ui_pane *ui_layout_second(const struct ui_shell *shell);
/* What is made larger and smaller, in rows or columns: the lower pane, else the second window. */
int *ui_layout_extra(struct ui_shell *shell);
/* Draw all panes and the message line, and show them. */
void ui_layout_draw(struct ui_shell *shell);

#endif
