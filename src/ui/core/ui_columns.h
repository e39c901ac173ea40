/* SPDX-License-Identifier: MIT */
/* The columns of lists: which exist, which are shown, in which order.  [columns] in the configuration sets
 * them; by default a list shows all columns that fit.  A pane with a table lists its columns by the hook
 * "columns"; those of the list "rows" are here. */
#ifndef UI_COLUMNS_H
#define UI_COLUMNS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct ui_pane_ops;

/* C(ID, "name"): the columns after the row names of the control flow.  The configuration uses the names. */
#define UI_COLUMNS_ROWS(C) C(TID, "tid") C(CPU, "cpu") C(WAIT, "wait") C(LATE, "latency")

#define UI_COLUMN_ID(ID, name) UI_ROWS_##ID,
enum { UI_COLUMNS_ROWS(UI_COLUMN_ID) UI_ROWS_N };
#undef UI_COLUMN_ID

#define UI_LIST_ROWS 0    /* the index of "rows" in struct ui_columns */
#define UI_COLUMNS_MAX 64 /* of a list */
#define UI_LISTS_MAX 24

/* The columns of one list. */
struct ui_columns_of {
	const char *list;         /* its name; static */
	const char *const *known; /* N_KNOWN names of columns; static, or in OWNED */
	unsigned n_known;
	GPtrArray *owned; /* of char *; NULL: KNOWN is static */
	unsigned line;    /* the configuration line that sets them; 0: none */
	unsigned n;
	uint8_t shown[UI_COLUMNS_MAX]; /* in this order */
};

/* The columns of all lists. */
struct ui_columns {
	unsigned n;
	struct ui_columns_of of[UI_LISTS_MAX];
};

/* Show all columns, also those of the lists of PANES (NULL-terminated; NULL: none). */
void ui_columns_init(struct ui_columns *columns, const struct ui_pane_ops *const *panes);
void ui_columns_clear(struct ui_columns *columns);
/* The columns that the configuration sets for the list called NAME; NULL if it sets none. */
const struct ui_columns_of *ui_columns_set(const struct ui_columns *columns, const char *name);
/* Set the columns of a list from LINE, "LIST COLUMN ...", line N of FILE.  False with an error that names
 * file and line, if the list or a column does not exist or is named twice. */
bool ui_columns_take(struct ui_columns *columns, const char *line, const char *file, unsigned n,
	GError **error);
/* The part [columns] of a configuration, one line per list.  A list that the configuration sets: its shown
 * columns, and in a comment all of its columns.  Any other list: a comment with all of its columns.  The
 * caller frees. */
char *ui_columns_text(const struct ui_columns *columns);
#endif
