/* SPDX-License-Identifier: MIT */
/* Rows of tables that are needed elsewhere as more than their cells, and cursors over lists of rows. */
#ifndef TABLE_ROWS_H
#define TABLE_ROWS_H

#include "table/table.h"

/* Of table_states. */
struct table_state {
	const struct qry_row *r;
	struct mdl_interval interval;
	const char *throttled; /* static: by what quota; NULL: it is not */
};

/* ---- cursors over what is in memory ---- */

/* A cursor over a list, which open() sets with table_list_begin(). */
struct table_list {
	struct table_cursor of;
	const GArray *array;       /* weak: of rows */
	const GPtrArray *pointers; /* weak, without ARRAY: to rows */
	guint n, next;             /* rows; the next one */
	void *made;                /* what FREE frees at the end; NULL: nothing */
	GDestroyNotify free;
};

/* The members of a struct table with such a cursor, except open(). */
#define TABLE_LIST_CURSOR \
	.size = sizeof(struct table_list), .next = table_list_next, .close = table_list_close

/* C goes over ARRAY, or, without one, over POINTERS, from the begin; FREE gets MADE at the end, unless that is NULL. */
void table_list_begin(struct table_cursor *c, const GArray *array, const GPtrArray *pointers, void *made,
	GDestroyNotify free);
int table_list_next(struct table_cursor *c, const void **row, GError **error);
void table_list_close(struct table_cursor *c);

#endif
