/* SPDX-License-Identifier: MIT */
/* Bars in eighths of a line: of drawings of how often and how long. */
#ifndef BAR_H
#define BAR_H

#include "ui/term/term_grid.h"

/* A bar HIGH eighths high, with its foot on line Y. */
void bar_draw(const struct term_area *area, unsigned x, unsigned y, unsigned width, enum term_role role,
	unsigned high);
/* How many eighths of LINES lines COUNT takes where MOST takes all; at least one where it is not 0. */
unsigned bar_height(uint64_t count, uint64_t most, unsigned lines);

#endif
