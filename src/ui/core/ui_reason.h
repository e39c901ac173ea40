/* SPDX-License-Identifier: MIT */
/* A key that did nothing says why. */
#ifndef UI_REASON_H
#define UI_REASON_H

#include "ui/core/ui_shell.h"

/* COMMAND is about to be done for a key: remember the screen. */
void ui_reason_before(struct ui_shell *shell, enum ui_command command);
/* All is done and drawn: where the screen is as it was, and nothing was said, say why.  True: that is to be
 * drawn. */
bool ui_reason_after(struct ui_shell *shell);

#endif
