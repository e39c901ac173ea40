/* SPDX-License-Identifier: MIT */
/* A view of the experiment: window, cursor, row, selection.  There are two, one per MAIN pane.  All other
 * code uses the view of the MAIN pane that has the focus, or had it last. */
#ifndef UI_VIEW_H
#define UI_VIEW_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct ui_pane;
struct ui_shell;

#define UI_VIEWS 2

/* A place where the user was, an entry of the history.  Times in ns. */
struct ui_place_in_time {
	int64_t from, to, cursor;
	uint32_t row;
};

/* A place, and the places before it.  BEFORE: an index into the shell's ways, 0: none. */
struct ui_way {
	struct ui_place_in_time place;
	uint32_t before;
	unsigned length; /* number of places, this one included */
};

/* No padding: views are compared as bytes.  Times in ns. */
struct ui_view {
	/* Panes read these, and change them by functions of the shell. */
	int64_t from, to; /* the window [from, to), inside the span, at least UI_SHELL_SPAN_MIN ns long */
	int64_t cursor;   /* inside the window, exact to 1 ns */
	/* Not for panes: */
	int64_t mark, mark_end; /* MARK NONE: no selection; MARK_END NONE: it ends at the cursor */
	uint32_t row;           /* the row with the cursor; UI_NO_ROW: a heading */
	uint32_t way;           /* the target of "back": an index into the shell's ways, 0: none */
};

/* The way in which the other view follows this one. */
enum ui_link {
	UI_LINK_OFF,
	UI_LINK_TIME, /* it shows the same window and cursor */
	UI_LINK_ZOOM, /* it shows a window of the same length */
};

/* Initialise the views of a new shell, and select the first. */
void ui_view_init(struct ui_shell *shell);
/* The number of views in use, from the first of shell->views. */
unsigned ui_view_count(const struct ui_shell *shell);
/* Make PANE's view shell->view until ui_view_leave(), with names and columns for its width.  Panes outside
 * MAIN and LOWER keep the present ones. */
void ui_view_enter(const struct ui_pane *pane);
/* Return to the view of shell->main. */
void ui_view_leave(struct ui_shell *shell);
/* Limit names_extra to the width that the screen allows. */
void ui_view_limit_names(struct ui_shell *shell);
/* Convert TIME (ns) or ROW of the previous experiment to the one opened last.  TIME is converted by the clock
 * of ROW's host; BASE_TIME_NONE stays. */
int64_t ui_view_carry_time(const struct ui_shell *shell, uint32_t row, int64_t time);
uint32_t ui_view_carry_row(const struct ui_shell *shell, uint32_t row);
/* Convert all times and the row of VIEW in the same way. */
void ui_view_carry(const struct ui_shell *shell, struct ui_view *view);
/* Note CHANGES (of enum ui_change), to be passed to the panes. */
void ui_view_note(struct ui_shell *shell, unsigned changes);
/* Make PANE, a MAIN one, shell->main. */
void ui_view_turn_to(struct ui_pane *pane);
/* Move the other view as shell->linked says. */
void ui_view_link(struct ui_shell *shell);

#endif
