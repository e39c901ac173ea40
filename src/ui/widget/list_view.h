/* SPDX-License-Identifier: MIT */
/* The common part of lists in panes: the selected line, moves by keys and mouse, scrolling, the mark.  The
 * pane passes the number of lines with each call. */
#ifndef LIST_VIEW_H
#define LIST_VIEW_H

#include "ui/core/ui_pane.h"
#include "ui/term/term_grid.h"

/* Initially zeros.  Panes can read it, and can change the selected line. */
struct list_view {
	unsigned line;         /* the selected line */
	unsigned top;          /* the first visible line */
	unsigned height, seen; /* lines that fit, lines of them that exist */
	unsigned y;            /* the first visible line, in lines of the pane's area */
	unsigned tail;         /* lines below the selected one that are seen with it, if there is room */
	bool centre;           /* move the selected line to the middle at the next draw */
};

/* The number of lines that COMMAND moves down (negative: up) in a list of N lines; it can lead beyond the
 * ends.  0: COMMAND moves in no list. */
int list_view_step(const struct list_view *list, enum ui_command command, unsigned n);
/* Select the line STEP lines away, limited to the first and last of N lines. */
void list_view_go(struct list_view *list, int step, unsigned n);
/* Do COMMAND in a list of N lines.  False: COMMAND moves in no list. */
bool list_view_move(struct list_view *list, enum ui_command command, unsigned n);
/* Select the line, of N, that the mouse points at on line Y of the pane's area.  False if there is none. */
bool list_view_point(struct list_view *list, unsigned y, unsigned n);
/* Scroll so that the selected line of N is among the HEIGHT visible lines, and no visible line is empty
 * without need. */
void list_view_scroll(struct list_view *list, unsigned height, unsigned n);
/* Returns the part of AREA (the pane's whole area) for a list of N lines: from line Y on, without the last
 * BELOW lines.  Scrolls the list.  Then draw SEEN lines from TOP on into it, and the mark. */
struct term_area list_view_area(struct list_view *list, const struct term_area *area, unsigned y,
	unsigned below, unsigned n);
/* Mark the selected line in AREA, the list's area; bright if PANE has the focus. */
void list_view_mark(const struct list_view *list, const struct ui_pane *pane, const struct term_area *area);

#endif
