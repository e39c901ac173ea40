/* SPDX-License-Identifier: MIT */
/* Internals of the critical-path pane.  Only its files include this header. */
#ifndef PATH_H
#define PATH_H

#include "analysis/path/path.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/list_view.h"
#include "ui/widget/path_rows.h"

/* A question for the worker. */
struct path_question {
	uint32_t row; /* MDL_NONE: nothing to ask */
	int64_t from, to;
};

/* The forms in which a path is shown. */
enum path_mode {
	PATH_ROWS,   /* a row per actor, along time */
	PATH_LIST,   /* a line per item */
	PATH_SHARES, /* a line per actor and kind */
	PATH_MODES
};

struct path {
	struct ui_pane pane;
	struct path_question asked; /* the last question: PATH answers it, or the worker is busy with it */
	bool has_asked;
	struct ana_path *path;   /* owned; NULL: see problem */
	struct path_items items; /* the items that are shown */
	GArray *turns;           /* of struct path_turn, in time order; owned, NULL if there is no path */
	char *problem;           /* reason why there is no path; owned, NULL while it is computed */
	uint32_t subject;        /* the row whose path is shown */
	bool moving;             /* the user moves along the path */
	uint32_t own_row;        /* the row selected by such a move: it is not a new subject */
	/* the user asked for the path; false: the path only follows the selected row */
	bool anew;
	enum path_mode mode;
	char *opened;          /* the opened folds as text, for a kept view; owned, NULL: none */
	struct list_view view; /* scroll state of the actors, items or shares */
};

/* The actor whose row is line I of the pane. */
static inline uint32_t path_line_actor(const struct path *p, uint32_t i)
{
	return g_array_index(p->items.lines, uint32_t, i);
}

/* The item under the cursor; PATH_NO_ITEM if the cursor is outside the path, or there is no path. */
static inline uint32_t path_current(const struct path *p)
{
	return p->path ? path_items_at(&p->items, p->pane.shell->view->cursor) : PATH_NO_ITEM;
}

/* ---- path_screen.c ---- */

/* The hook "title": the subject, the length, the number of segments, the share of each kind. */
void path_text_title(struct ui_pane *pane, GString *title);
/* The number of lines that the pane needs in COLUMNS columns: for a ruler, the rows, the shares, and the item
 * under the cursor. */
unsigned path_screen_lines(const struct path *p, unsigned columns);
/* Draw the pane into AREA. */
void path_screen_draw(struct path *p, const struct term_area *area);

/* ---- path_move.c: the cursor along the path, and folding ---- */

/* The row of the control flow that stands for item I: that of its actor, or that of the thread that waits for
 * the actor. */
uint32_t path_move_row(const struct path *p, uint32_t i);
/* Do COMMAND if it moves along the path; there must be a path.  False if it does not. */
bool path_move_command(struct path *p, enum ui_command command);

/* Remake the items and everything that depends on them. */
void path_remake(struct path *p);
/* Do COMMAND if it folds or unfolds; there must be a path.  False if it does not. */
bool path_fold_command(struct path *p, enum ui_command command);
/* Open the item under the cursor.  False if it is not a fold. */
bool path_fold_open(struct path *p);
/* The next larger or smaller limit in the series 1, 2, 5, 10, … µs, in ns; 0: no limit.  From 0, the next
 * larger one is about a thousandth of SPAN (ns), at least 1 µs.  From 1 µs, the next smaller one is 0. */
int64_t path_fold_limit(int64_t limit, bool larger, int64_t span);
/* The next number of levels in the cycle 0 … DEEPEST - 1, all (PATH_ALL_LEVELS); upwards if MORE. */
uint32_t path_fold_levels(uint32_t levels, bool more, uint32_t deepest);

#endif
