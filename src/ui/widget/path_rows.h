/* SPDX-License-Identifier: MIT */
/*
 * A critical path along time: a row for each actor, as cells like those of the control flow (path_look), and
 * between them lines from who handed over to whom (path_turns.c).
 */
#ifndef PATH_ROWS_H
#define PATH_ROWS_H

#include "base/base_time.h"
#include "ui/widget/path_look.h"

/* Where the path goes from one actor to another. */
struct path_turn {
	int64_t at;
	uint32_t item; /* the first one after it */
	bool handover; /* a link of the path; else the path goes on with who waited, before its wait */
};

/* What is drawn where; all weak. */
struct path_rows {
	const struct qry *q;
	const struct ana_path *path;
	const struct path_items *items;
	const GArray *turns; /* of struct path_turn: path_turns_new() */
	int64_t from, to;    /* time, in so many COLUMNS */
	unsigned columns;
	uint32_t current;             /* the item with the cursor; PATH_NO_ITEM: none */
	unsigned first, rows;         /* the lines of actors in view */
	unsigned step;                /* lines from one to the next */
	const struct term_area *area; /* of time */
};

static inline const struct ana_segment *path_rows_segment(const struct path_rows *r, uint32_t i)
{
	return &g_array_index(r->path->segments, struct ana_segment, i);
}

static inline const struct ana_actor *path_rows_actor(const struct path_rows *r, uint32_t i)
{
	return &g_array_index(r->path->actors, struct ana_actor, i);
}

static inline const struct path_item *path_rows_item(const struct path_rows *r, uint32_t i)
{
	return &g_array_index(r->items->items, struct path_item, i);
}

static inline const struct path_sum *path_rows_sum(const struct path_rows *r, uint32_t i)
{
	return &g_array_index(r->items->sums, struct path_sum, i);
}

/* The line of ACTOR; UINT32_MAX when it has none. */
static inline uint32_t path_rows_line_of(const struct path_rows *r, uint32_t actor)
{
	return g_array_index(r->items->line_of, uint32_t, actor);
}

/* When column C begins, and in which one TIME is. */
static inline int64_t path_rows_time(const struct path_rows *r, unsigned c)
{
	return base_time_column(r->from, r->to, MAX(r->columns, 1), c);
}

static inline int path_rows_column(const struct path_rows *r, int64_t time)
{
	return base_time_column_of(r->from, r->to, MAX(r->columns, 1), time);
}

/* The rows, without names. */
void path_rows_draw(const struct path_rows *r);
/* The name of ACTOR with its share, over all of line Y of AREA. */
void path_rows_name(const struct path_rows *r, const struct term_area *area, unsigned y, uint32_t actor);

/* ---- path_turns.c: from actor to actor ---- */

/* All turns between the ITEMS of PATH; the caller unrefs. */
GArray *path_turns_new(const struct ana_path *path, const struct path_items *items);
/* The index of the last turn up to item ITEM; -1 when there is none. */
int path_turns_before(const GArray *turns, uint32_t item);
/* Where the row of the actor of line LINE stands; -1 above the rows, the height of the area below them. */
int path_turns_line(const struct path_rows *r, uint32_t line);
/* Draw the turns between the rows. */
void path_turns_draw(const struct path_rows *r);

#endif
