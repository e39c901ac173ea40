/* SPDX-License-Identifier: MIT */
/* The columns of lists: the available columns, the shown ones, and their order.  The [columns] part of the
 * configuration sets them.  By default, all columns that fit are shown, in the order of the tables here.  Panes
 * that show a table have its columns (hook "columns"). */
#ifndef UI_COLUMNS_H
#define UI_COLUMNS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct ui_pane_ops;

/* C(LIST, ID, "name"); the configuration uses the names. */
#define UI_COLUMNS_ROWS(C) \
	C(ROWS, TID, "tid") C(ROWS, CPU, "cpu") C(ROWS, WAIT, "wait") C(ROWS, LATE, "latency")
#define UI_COLUMNS_EVENTS(C)        \
	C(EVENTS, NUMBER, "number") \
	C(EVENTS, TIME, "time")     \
	C(EVENTS, AFTER, "after")   \
	C(EVENTS, CPU, "cpu")       \
	C(EVENTS, THREAD, "thread") \
	C(EVENTS, EVENT, "event")

/* L(LIST, "name").  ROWS: the columns after the names of the rows in the control flow. */
#define UI_LISTS(L)     \
	L(ROWS, "rows") \
	L(EVENTS, "events")

#define UI_COLUMN_ID(LIST, ID, name) UI_##LIST##_##ID,
#define UI_LIST_ENUM(LIST, name) enum { UI_COLUMNS_##LIST(UI_COLUMN_ID) UI_##LIST##_N };
UI_LISTS(UI_LIST_ENUM)
#undef UI_LIST_ENUM
#undef UI_COLUMN_ID

enum ui_list {
#define UI_LIST_ID(LIST, name) UI_LIST_##LIST,
	UI_LISTS(UI_LIST_ID)
#undef UI_LIST_ID
		UI_LIST_N
};

#define UI_COLUMNS_MAX 64 /* of a list */
#define UI_LISTS_MAX 24

/* The columns of a list, and which are shown. */
struct ui_columns_of {
	const char *list;         /* its name; static */
	const char *const *known; /* N_KNOWN names of columns; static, or in OWNED */
	unsigned n_known;
	GPtrArray *owned; /* of char *; NULL: KNOWN is static */
	unsigned line;    /* the configuration line that sets them; 0: none */
	unsigned n;
	uint8_t shown[UI_COLUMNS_MAX]; /* in this order */
};

/* Of all lists, those of enum ui_list first. */
struct ui_columns {
	unsigned n;
	struct ui_columns_of of[UI_LISTS_MAX];
};

/* Place of a column, in columns of the screen; W 0: it is hidden. */
struct ui_column {
	unsigned x, w;
};

/* Show all columns, also of lists of PANES (NULL-terminated; NULL: none). */
void ui_columns_init(struct ui_columns *columns, const struct ui_pane_ops *const *panes);
void ui_columns_clear(struct ui_columns *columns);
/* The columns that the configuration sets for the list called NAME; NULL: none. */
const struct ui_columns_of *ui_columns_set(const struct ui_columns *columns, const char *name);
/* Set the columns of a list from LINE, "LIST COLUMN ...", which is line N of FILE.  False with an error,
 * which names file and line, if the list or a column does not exist, or is named twice. */
bool ui_columns_take(struct ui_columns *columns, const char *line, const char *file, unsigned n,
	GError **error);
/* One line per list with its shown columns and, as a comment, all available columns.  The caller frees. */
char *ui_columns_text(const struct ui_columns *columns);
/*
 * Place the columns of LIST side by side, in WIDTH columns of the screen from column X on.  WIDTHS has the
 * width of each.  UI_COLUMN_REST columns share the remaining width.  UI_COLUMN_SPARED columns are shown only
 * if the configuration names them.  CELLS has one element per column of the list.
 */
#define UI_COLUMN_REST 0
#define UI_COLUMN_SPARED 0x10000u /* added to the width */
void ui_columns_place(const struct ui_columns *columns, enum ui_list list, const unsigned *widths, unsigned x,
	unsigned width, struct ui_column *cells);

/* The columns of CELL that text can use, in a list of WIDTH columns; a gap remains if another column can
 * follow. */
static inline unsigned ui_column_room(const struct ui_column *cell, unsigned width)
{
	return cell->w - (cell->w && cell->x + cell->w < width);
}

#endif
