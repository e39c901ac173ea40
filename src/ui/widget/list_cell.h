/* SPDX-License-Identifier: MIT */
/* Text in the columns of lists (ui_columns.h).  A column that is not shown has none. */
#ifndef LIST_CELL_H
#define LIST_CELL_H

#include "ui/core/ui_columns.h"
#include "ui/term/term_grid.h"

/* TEXT on line Y of AREA, LEFT columns of the screen before the end of CELL: it ends there. */
void list_cell_number(const struct term_area *area, const struct ui_column *cell, unsigned left, unsigned y,
	enum term_role role, const char *text);
/* TEXT from GAP columns behind the begin of CELL on, as much as fits. */
void list_cell_text(const struct term_area *area, const struct ui_column *cell, unsigned gap, unsigned y,
	enum term_role role, const char *text);

#endif
