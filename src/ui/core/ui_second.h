/* SPDX-License-Identifier: MIT */
/* The second window: another MAIN pane with a view of its own. */
#ifndef UI_SECOND_H
#define UI_SECOND_H

#include "ui/core/ui_shell.h"

/* The shell begins: the second window is there where it was the last time. */
void ui_second_begin(struct ui_shell *shell);
/* Open it as a copy of what is shown, with the focus, or close it. */
void ui_second_show(struct ui_shell *shell);
/* Whether, and how, the two move together: the next way, or the one that was typed. */
void ui_second_link(struct ui_shell *shell);

#endif
