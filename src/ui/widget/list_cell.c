/* SPDX-License-Identifier: MIT */
#include "ui/widget/list_cell.h"

void list_cell_number(const struct term_area *area, const struct ui_column *cell, unsigned left, unsigned y,
	enum term_role role, const char *text)
{
	if (cell->w > left)
		term_area_before(area, cell->x + cell->w - left, y, role, text);
}

void list_cell_text(const struct term_area *area, const struct ui_column *cell, unsigned gap, unsigned y,
	enum term_role role, const char *text)
{
	if (cell->w > gap)
		term_area_fit(area, cell->x + gap, y, cell->w - gap, role, text);
}
