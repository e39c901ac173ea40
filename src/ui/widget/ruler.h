/* SPDX-License-Identifier: MIT */
/* The time ruler: a tick with a label at round times. */
#ifndef RULER_H
#define RULER_H

#include "ui/core/ui_shell.h"

/* Draw the ruler of the window, with the cursor's mark, into the first line of AREA, shell->columns wide. */
void ruler_draw(const struct ui_shell *shell, const struct term_area *area);

#endif
