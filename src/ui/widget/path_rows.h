/* SPDX-License-Identifier: MIT */
/* A critical path over time: one row per actor, with cells like those of the control flow (looks.h).  Lines
 * between the rows lead from one actor to the next. */
#ifndef PATH_ROWS_H
#define PATH_ROWS_H

#include "base/base_time.h"
#include "ui/widget/looks.h"

/* A point where the path goes from one actor to another. */
struct path_turn {
	int64_t at;
	uint32_t item; /* the first item after it */
	/* true: a link of the path (a hand-over); false: the path continues with the actor that waited,
	 * before its wait */
	bool handover;
};

/* The content and place of the drawing; all pointers are weak. */
struct path_rows {
	const struct qry *q;
	const struct ana_path *path;
	const struct path_items *items;
	const GArray *turns; /* of struct path_turn: path_turns_new() */
	int64_t from, to;    /* ns; [from, to) is divided into COLUMNS */
	unsigned columns;
	uint32_t current;             /* the item with the cursor; PATH_NO_ITEM: none */
	unsigned first, rows;         /* the first visible line of actors; the number of visible ones */
	unsigned step;                /* screen lines from one actor to the next */
	const struct term_area *area; /* the area of the time columns */
};

/* The begin of column C in ns. */
static inline int64_t path_rows_time(const struct path_rows *r, unsigned c)
{
	return base_time_column(r->from, r->to, MAX(r->columns, 1), c);
}

/* The column that contains TIME (ns); -1 if it is before the window, COLUMNS if it is after it. */
static inline int path_rows_column(const struct path_rows *r, int64_t time)
{
	return base_time_column_of(r->from, r->to, MAX(r->columns, 1), time);
}

/* Draw the rows, without names, and the turns between them. */
void path_rows_draw(const struct path_rows *r);
/* Draw the name of ACTOR with its share, over the whole line Y of AREA. */
void path_rows_name(const struct path_rows *r, const struct term_area *area, unsigned y, uint32_t actor);

/* ---- turns: from actor to actor ---- */

/* All turns between the ITEMS of PATH, of struct path_turn.  The caller unrefs. */
GArray *path_turns_new(const struct ana_path *path, const struct path_items *items);
/* The index of the last turn at or before item ITEM; -1 if there is none. */
int path_turns_before(const GArray *turns, uint32_t item);
/* The screen line of the actor on line LINE; -1 if it is above the visible rows, the height of the area if it
 * is below them. */
int path_turns_line(const struct path_rows *r, uint32_t line);

#endif
