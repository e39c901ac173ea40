/* SPDX-License-Identifier: MIT */
/* Bars with a resolution of an eighth of a line, for histograms. */
#ifndef BAR_H
#define BAR_H

#include "ui/term/term_grid.h"

/* Draw a bar, HIGH eighths of a line high, that stands on line Y. */
void bar_draw(const struct term_area *area, unsigned x, unsigned y, unsigned width, enum term_role role,
	unsigned high);
/* The height of a bar for COUNT in eighths of a line, if MOST takes LINES lines; at least 1 if COUNT is not
 * 0. */
unsigned bar_height(uint64_t count, uint64_t most, unsigned lines);

#endif
