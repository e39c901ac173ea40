/* SPDX-License-Identifier: MIT */
/* A view of the experiment.  There are two, one per MAIN pane.  Everything else uses the view of the MAIN
 * pane that has the focus, or had it last. */
#ifndef UI_VIEW_H
#define UI_VIEW_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct ui_pane;
struct ui_shell;

#define UI_VIEWS 2

/* A place where the user was: an entry of the history. */
struct ui_place_in_time {
	int64_t from, to, cursor;
	uint32_t row;
};

/* A place, and the way that led there: an index into the shell's ways, 0: none. */
struct ui_way {
	struct ui_place_in_time place;
	uint32_t before;
	unsigned length; /* places on it, this one included */
};

/* Has no padding, because views are compared as bytes. */
struct ui_view {
	/* Panes read these, and change them by functions of the shell. */
	int64_t from, to; /* the window [from, to), inside the span, at least UI_SHELL_SPAN_MIN ns long */
	int64_t cursor;   /* inside the window, exact to 1 ns */
	/* Not for panes: */
	int64_t mark, mark_end; /* BASE_TIME_NONE: no selection / it ends at the cursor */
	uint32_t row;           /* the row of the experiment that has the cursor; UI_NO_ROW: a heading */
	uint32_t way;           /* the target of "back": an index into the shell's ways, 0: none */
};

/* How the other view follows this one. */
enum ui_link {
	UI_LINK_OFF,
	UI_LINK_TIME, /* to the same window and cursor */
	UI_LINK_ZOOM, /* to a window of the same length */
};

/* Initialise the views of a new shell, and select the first. */
void ui_view_init(struct ui_shell *shell);
/* The number of views in use: the first ones of shell->views. */
unsigned ui_view_count(const struct ui_shell *shell);
/* Until ui_view_leave(), shell->view is the view of PANE, and names and columns are those of its width.
 * Panes outside MAIN and LOWER keep the present ones. */
void ui_view_enter(const struct ui_pane *pane);
/* Return to the view of shell->main. */
void ui_view_leave(struct ui_shell *shell);
/* Limit the width of names to what the screen allows. */
void ui_view_limit_names(struct ui_shell *shell);
/* Other indexes or clocks were opened.  _time(): the present time for TIME of ROW; BASE_TIME_NONE stays.
 * _row(): the present number of ROW. */
int64_t ui_view_carry_time(const struct ui_shell *shell, uint32_t row, int64_t time);
uint32_t ui_view_carry_row(const struct ui_shell *shell, uint32_t row);
/* Convert all times and the row of VIEW in the same way. */
void ui_view_carry(const struct ui_shell *shell, struct ui_view *view);
/* Note that CHANGES (of enum ui_change) must be told to the panes. */
void ui_view_note(struct ui_shell *shell, unsigned changes);
/* From now on, PANE, a MAIN one, is shell->main. */
void ui_view_turn_to(struct ui_pane *pane);
/* Move the other view along, as shell->linked says. */
void ui_view_link(struct ui_shell *shell);

#endif
