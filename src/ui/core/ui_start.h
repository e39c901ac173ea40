/* SPDX-License-Identifier: MIT */
/* What is done at the start: the commands of the configuration, then those of a file. */
#ifndef UI_START_H
#define UI_START_H

#include "ui/core/ui_shell.h"

/* The experiment was opened: do the commands of the configuration, and name those that it leaves without a
 * key. */
void ui_start_configured(struct ui_shell *shell);
/* Nothing is left to be done: do the next line of the file.  False: there is none. */
bool ui_start_next(struct ui_shell *shell);
/* A key came: what is left of the file is not done. */
void ui_start_stop(struct ui_shell *shell);

#endif
