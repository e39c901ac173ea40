/* SPDX-License-Identifier: MIT */
/* The time ruler: a tick at every round time, with its label. */
#ifndef RULER_H
#define RULER_H

#include "ui/core/ui_shell.h"

/* Draw the ruler of the window into the first line of AREA, shell->columns wide, with the cursor's mark. */
void ruler_draw(const struct ui_shell *shell, const struct term_area *area);

#endif
