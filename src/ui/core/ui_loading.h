/* SPDX-License-Identifier: MIT */
/* The screen while the experiment is being opened. */
#ifndef UI_LOADING_H
#define UI_LOADING_H

#include "ui/core/ui_shell.h"

/*
 * Open the experiment with the clocks SYNC in a thread of its own; show its progress as soon as it
 * takes longer than a moment; let a key cancel it.  False with the error of
 * the opener, or BASE_ERROR_CANCELLED.
 */
bool ui_loading_run(struct ui_shell *shell, const char *sync, struct ui_opened *opened, GError **error);

#endif
