/* SPDX-License-Identifier: MIT */
/* The common part of lists in panes: the selected line, moving by keys and mouse, scrolling, the mark.  The
 * pane passes the number of lines with each call. */
#ifndef LIST_VIEW_H
#define LIST_VIEW_H

#include "ui/core/ui_pane.h"
#include "ui/term/term_grid.h"

/* Initially zeros.  Panes can read it, and can change the selected line. */
struct list_view {
	unsigned line;         /* the selected line */
	unsigned top;          /* the first visible line */
	unsigned height, seen; /* lines that fit; lines that fit and exist */
	unsigned y;            /* the line of the pane's area with the first visible line */
	unsigned tail;         /* lines below the selected one to keep visible, if there is room */
	bool centre;           /* move the selected line to the middle at the next draw */
};

/* The number of lines that COMMAND moves down (negative: up) in a list of N lines; the target can be beyond
 * the ends.  0: COMMAND does not move in lists. */
int list_view_step(const struct list_view *list, enum ui_command command, unsigned n);
/* Select the line STEP lines away, clamped to the first and last of N lines. */
void list_view_go(struct list_view *list, int step, unsigned n);
/* Run COMMAND in a list of N lines.  False if COMMAND does not move in lists. */
bool list_view_move(struct list_view *list, enum ui_command command, unsigned n);
/* Select the line, of N, at line Y of the pane's area, where the mouse points.  False if there is none. */
bool list_view_point(struct list_view *list, unsigned y, unsigned n);
/* Scroll so that the selected line, of N, is among the HEIGHT visible lines, and the list fills them if it
 * can. */
void list_view_scroll(struct list_view *list, unsigned height, unsigned n);
/* Returns the part of AREA (the pane's area) for a list of N lines: from line Y on, without the last BELOW
 * lines.  Scrolls the list.  The caller then draws SEEN lines from TOP on into it, and the mark. */
struct term_area list_view_area(struct list_view *list, const struct term_area *area, unsigned y,
	unsigned below, unsigned n);
/* Mark the selected line in AREA, the list's area; bright if PANE has the focus. */
void list_view_mark(const struct list_view *list, const struct ui_pane *pane, const struct term_area *area);

#endif
