/* SPDX-License-Identifier: MIT */
/* What the lists in panes have in common: keys that move along a list, scrolling, the mark on the selected line. */
#ifndef LIST_VIEW_H
#define LIST_VIEW_H

#include "ui/core/ui_pane.h"
#include "ui/term/term_grid.h"

/*
 * How many lines down (negative: up) COMMAND moves in a list of N lines of which
 * HEIGHT are in view; the caller stops at the ends.  0: COMMAND moves in no list.
 */
int list_view_step(enum ui_command command, unsigned height, unsigned n);
/* The line to be first in view, TOP if it can stay so, that line LINE of N is among the HEIGHT in view and none of them is empty without need. */
unsigned list_view_top(unsigned top, unsigned line, unsigned height, unsigned n);
/* Mark line Y of AREA as the selected one; it is lit where PANE has the focus. */
void list_view_mark(const struct ui_pane *pane, const struct term_area *area, unsigned y);

#endif
