/* SPDX-License-Identifier: MIT */
/* The time ruler: a tick at every round time, with its label. */
#ifndef UI_RULER_H
#define UI_RULER_H

#include "ui/core/ui_shell.h"

/* Draw the ruler of the window into the first line of AREA, which is shell->columns wide, with the cursor's mark. */
void ui_ruler_draw(const struct ui_shell *shell, const struct term_area *area);

/* The smallest of 1, 2, 5 × 10ⁿ ns that is at least LEAST. */
int64_t ui_ruler_step(int64_t least);
/*
 * The label of a tick SINCE ns from the start of the trace where ticks are STEP
 * apart and times go up to MOST: one unit for all, as many digits as STEP needs.
 * The caller frees.
 */
char *ui_ruler_label(int64_t since, int64_t step, int64_t most);

#endif
