/* SPDX-License-Identifier: MIT */
/* The same experiment once more, with other clocks: ui_shell_reopen() asks for it, the loop does it between
 * two keys. */
#ifndef UI_REOPEN_H
#define UI_REOPEN_H

#include "ui/core/ui_shell.h"

/* Do what ui_shell_reopen() asked for, if it did.  Where that fails all stays as it is, and it is said. */
void ui_reopen_run(struct ui_shell *shell);
/* Show OPENED instead of what is open: places stay as options->carry() says, panes are made anew. */
void ui_reopen_take(struct ui_shell *shell, const struct ui_opened *opened);

#endif
