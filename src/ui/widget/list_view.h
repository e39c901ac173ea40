/* SPDX-License-Identifier: MIT */
/*
 * What the lists in panes have in common: the selected line, keys and mouse that move it, scrolling, its
 * mark. How many lines there are the pane says each time.
 */
#ifndef LIST_VIEW_H
#define LIST_VIEW_H

#include "ui/core/ui_columns.h"
#include "ui/core/ui_pane.h"
#include "ui/term/term_grid.h"

/* Begins as zeros.  Panes read it and may change the selected line. */
struct list_view {
	unsigned line;         /* the selected line */
	unsigned top;          /* the first in view */
	unsigned height, seen; /* how many have room, how many of them are there */
	unsigned y;            /* the line of the pane's area where the first stands */
	bool centre;           /* the selected line comes to the middle when it is drawn next */
};

/*
 * How many lines down (negative: up) COMMAND moves in a list of N lines; the
 * caller stops at the ends.  0: COMMAND moves in no list.
 */
int list_view_step(const struct list_view *list, enum ui_command command, unsigned n);
/* Select the line of N that is STEP lines away, or the first or last one. */
void list_view_go(struct list_view *list, int step, unsigned n);
/* Do COMMAND in a list of N lines; false: it moves in no list. */
bool list_view_move(struct list_view *list, enum ui_command command, unsigned n);
/* Select what of N lines the mouse points at on line Y of the pane's area; false: it is none of them. */
bool list_view_point(struct list_view *list, unsigned y, unsigned n);
/* Scroll so that the selected line of N is among the HEIGHT in view and none is empty without need. */
void list_view_scroll(struct list_view *list, unsigned height, unsigned n);
/*
 * The part of AREA, all of the pane's, from line Y on and without the last BELOW lines, for a list of N
 * lines, which is scrolled.  Draw SEEN lines from TOP on into it, then the mark.
 */
struct term_area list_view_area(struct list_view *list, const struct term_area *area, unsigned y,
	unsigned below, unsigned n);
/* Mark the selected line in AREA, that of the list; it is lit where PANE has the focus. */
void list_view_mark(const struct list_view *list, const struct ui_pane *pane, const struct term_area *area);

/* ---- text in the columns of lists (ui_columns.h); a column that is not shown has none ---- */

/* TEXT on line Y of AREA, LEFT columns of the screen before the end of CELL: it ends there. */
void list_cell_number(const struct term_area *area, const struct ui_column *cell, unsigned left, unsigned y,
	enum term_role role, const char *text);
/* TEXT from GAP columns behind the begin of CELL on, as much as fits. */
void list_cell_text(const struct term_area *area, const struct ui_column *cell, unsigned gap, unsigned y,
	enum term_role role, const char *text);

#endif
