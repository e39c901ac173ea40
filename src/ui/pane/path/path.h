/* SPDX-License-Identifier: MIT */
/* The inside of the critical-path pane, shared by its files; no other pane includes it. */
#ifndef PATH_H
#define PATH_H

#include "analysis/path/path.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/list_view.h"
#include "ui/widget/path_rows.h"

/* What is asked of the worker. */
struct path_question {
	uint32_t row; /* MDL_NONE: nothing to ask */
	int64_t from, to;
};

/* The ways to look at a path. */
enum path_mode {
	PATH_ROWS,   /* a row for each actor, along time */
	PATH_LIST,   /* a line for each item */
	PATH_SHARES, /* a line for each actor and kind */
	PATH_MODES
};

struct path {
	struct ui_pane pane;
	struct path_question asked; /* what the path answers, or the worker is busy with */
	bool has_asked;
	struct ana_path *path;   /* owned; NULL: see problem */
	struct path_items items; /* what of it is shown */
	GArray *turns;           /* of struct path_turn, in time order; owned, NULL when there is no path */
	char *problem;           /* why there is none; owned, NULL while it is being looked for */
	uint32_t subject;        /* whose path */
	bool moving;             /* the user moves along the path: */
	uint32_t own_row;        /* this row, selected by that, is no new subject */
	bool anew;               /* the path was asked for, and does not just follow the selected row */
	enum path_mode mode;
	char *opened;          /* which folds were, as a text, while that is wanted; owned, NULL none */
	struct list_view view; /* of the actors, items or shares */
};

static inline const struct ana_segment *path_segment(const struct path *p, uint32_t i)
{
	return &g_array_index(p->path->segments, struct ana_segment, i);
}

static inline const struct ana_actor *path_actor(const struct path *p, uint32_t i)
{
	return &g_array_index(p->path->actors, struct ana_actor, i);
}

static inline const struct path_item *path_item(const struct path *p, uint32_t i)
{
	return &g_array_index(p->items.items, struct path_item, i);
}

static inline const struct path_sum *path_sum(const struct path *p, uint32_t i)
{
	return &g_array_index(p->items.sums, struct path_sum, i);
}

/* The actor whose row is line I of the rows. */
static inline uint32_t path_line_actor(const struct path *p, uint32_t i)
{
	return g_array_index(p->items.lines, uint32_t, i);
}

/* The line of ACTOR among the rows; UINT32_MAX when it has none. */
static inline uint32_t path_actor_line(const struct path *p, uint32_t actor)
{
	return g_array_index(p->items.line_of, uint32_t, actor);
}

/* The item under the cursor; PATH_NO_ITEM when it is not on the path, or there is none. */
static inline uint32_t path_current(const struct path *p)
{
	return p->path ? path_items_at(&p->items, p->pane.shell->view->cursor) : PATH_NO_ITEM;
}

/* ---- path_screen.c ---- */

/* Draw the pane into AREA. */
void path_screen_draw(struct path *p, const struct term_area *area);

/* ---- path_move.c: the cursor along the path, and folding ---- */

/* The thread that stands for item I in the control flow: its actor, or who waits for it. */
uint32_t path_move_row(const struct path *p, uint32_t i);
/* Do COMMAND, if it moves, in the path, which must be there. */
bool path_move_command(struct path *p, enum ui_command command);

/* Make the items, and what follows from them, anew. */
void path_remake(struct path *p);
/* Do COMMAND, if it folds or unfolds something of the path, which must be there. */
bool path_fold_command(struct path *p, enum ui_command command);
/* Open the item under the cursor; false when it is no fold. */
bool path_fold_open(struct path *p);
/* The next limit, larger or smaller, of 1, 2, 5, 10, … ns; from 0 up to about a thousandth of SPAN, below 1
 * µs down to 0. */
int64_t path_fold_limit(int64_t limit, bool larger, int64_t span);
/* The next number of levels of 0 … DEEPEST - 1 and all, around the end. */
uint32_t path_fold_levels(uint32_t levels, bool more, uint32_t deepest);

/* ---- path_text.c: what is said in words ---- */

/* Of the hook "title": whose path, how long, how many segments, the share of each kind. */
void path_text_title(struct ui_pane *pane, GString *title);
/* Why there is no path, over the lines of AREA. */
void path_text_problem(const struct path *p, const struct term_area *area);
/* How segment I ended: "then woke X", "ended: timer: …"; NULL when it just went on.  The caller frees. */
char *path_text_end(const struct path *p, uint32_t i);
/* Of an item that is one packet's way between two hosts how far its length may be off, and how sure it is:
 * "±136 µs inferred"; NULL of all others.  The caller frees. */
char *path_text_crossing(const struct path *p, const struct path_item *item);
/* What the folded ITEM holds: "5 segments: wk-stage1[436] 60%, hrtimer 30%, …".  The caller frees. */
char *path_text_fold(const struct path *p, const struct path_item *item);
/* Everything about the item under the cursor, from the first line of AREA on. */
void path_text_detail(const struct path *p, const struct term_area *area);

#endif
