/* SPDX-License-Identifier: MIT */
/* The keys worth knowing now, on the message line; each does what it says when it is clicked. */
#ifndef UI_HINTS_H
#define UI_HINTS_H

#include "ui/core/ui_shell.h"

/* Draw into LINE as many as fit: help, search and quit always, then those of the pane with the focus. */
void ui_hints_draw(struct ui_shell *shell, const struct term_area *line);
/* No hints are on the screen now. */
void ui_hints_clear(struct ui_shell *shell);
/* The command whose hint stands at column X of line Y of the screen; UI_CMD_NONE: there is none. */
enum ui_command ui_hints_at(const struct ui_shell *shell, unsigned x, unsigned y);

#endif
