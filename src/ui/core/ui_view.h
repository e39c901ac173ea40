/* SPDX-License-Identifier: MIT */
/*
 * One look at the experiment.  There are two, one for each MAIN pane; all else is about the one of the MAIN
 * pane that has the focus, or had it last.
 */
#ifndef UI_VIEW_H
#define UI_VIEW_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct ui_pane;
struct ui_shell;

#define UI_VIEWS 2

/* Where the user was: an entry of the history. */
struct ui_place_in_time {
	int64_t from, to, cursor;
	uint32_t row;
};

/* A place, and the way that led there before: a number of the shell's ways, 0 none. */
struct ui_way {
	struct ui_place_in_time place;
	uint32_t before;
	unsigned length; /* places on it, this one included */
};

/* Without padding: views are compared as bytes. */
struct ui_view {
	/* Read these; change them by the functions of the shell. */
	int64_t from, to; /* the window [from, to), inside the span, at least UI_SHELL_SPAN_MIN long */
	int64_t cursor;   /* inside the window, exact to the ns */
	/* Not for panes. */
	int64_t mark, mark_end; /* BASE_TIME_NONE: none / still at the cursor */
	uint32_t row;           /* the row of the experiment with the cursor; UI_NO_ROW: a heading */
	uint32_t way;           /* where "back" leads: a number of the shell's ways, 0 nowhere */
};

/* Other views move along, ... */
enum ui_link {
	UI_LINK_OFF,
	UI_LINK_TIME, /* to the same window and cursor, */
	UI_LINK_ZOOM, /* to a window of the same length. */
};

/* The views of a new shell, and the first of them. */
void ui_view_init(struct ui_shell *shell);
/* How many there are now, the first ones of shell->views. */
unsigned ui_view_count(const struct ui_shell *shell);
/*
 * PANE is spoken to: shell->view is its own, names and columns are those of its width.  Until
 * ui_view_leave(); what has a place beside MAIN and LOWER is about the view, names and columns that are there
 * anyhow.
 */
void ui_view_enter(const struct ui_pane *pane);
/* Back to those of shell->main. */
void ui_view_leave(struct ui_shell *shell);
/* Names that were made wider or narrower than can be, are as wide as can be. */
void ui_view_limit_names(struct ui_shell *shell);
/* Other indexes or clocks are opened: what TIME of ROW is now, none if there was none; what ROW is. */
int64_t ui_view_carry_time(const struct ui_shell *shell, uint32_t row, int64_t time);
uint32_t ui_view_carry_row(const struct ui_shell *shell, uint32_t row);
/* The same of all that is in VIEW. */
void ui_view_carry(const struct ui_shell *shell, struct ui_view *view);
/* CHANGES (of enum ui_change) are to be told. */
void ui_view_note(struct ui_shell *shell, unsigned changes);
/* PANE, a MAIN one, is what all is about from now on. */
void ui_view_turn_to(struct ui_pane *pane);
/* Let the other view go along, as it is linked. */
void ui_view_link(struct ui_shell *shell);

#endif
