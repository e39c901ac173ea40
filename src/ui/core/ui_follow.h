/* SPDX-License-Identifier: MIT */
/* A trace that is followed while it is recorded: what is new of it comes onto the screen. */
#ifndef UI_FOLLOW_H
#define UI_FOLLOW_H

#include "ui/core/ui_shell.h"

#define UI_FOLLOW_MS 100 /* between two looks */

/* Take what is new, where a trace is followed and its end is held. */
void ui_follow_run(struct ui_shell *shell);

#endif
