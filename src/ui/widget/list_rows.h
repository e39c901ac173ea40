/* SPDX-License-Identifier: MIT */
/*
 * The rows of a table in memory: cells as numbers and texts, and the place to which each row leads.
 *
 * A worker adds rows, and the screen reads those that were there when the worker passed them on: rows do not
 * move in memory, and do not change.
 */
#ifndef LIST_ROWS_H
#define LIST_ROWS_H

#include "table/table.h"

#define LIST_ROWS_MAX 1000000      /* rows, */
#define LIST_BYTES_MAX (64u << 20) /* and bytes of cells and texts, that are kept */
#define LIST_ROWS_BLOCK 1024
#define LIST_SHARE_SCALE 1e9 /* of a share in struct list_measure */

/* The value of a column in one row. */
struct list_cell {
	union {
		int64_t number; /* BASE_TIME_NONE: unknown */
		double share;   /* of a column of that type; NAN: unknown */
	};
	const char *word; /* the text, also instead of a number; NULL: none */
};

/* What all cells of a column have in common, for its width on the screen. */
struct list_measure {
	int64_t most;   /* the largest number; of shares the largest × LIST_SHARE_SCALE */
	unsigned width; /* columns of the widest text */
};

struct list_rows {
	gint users;
	unsigned n_columns; /* those with a heading in text, and those that are in KEYS */
	struct table_column columns[TABLE_COLUMNS_MAX]; /* texts are in TEXTS */
	/* The worker's: */
	unsigned from[TABLE_COLUMNS_MAX]; /* the number of each in the table */
	uint64_t wanted;
	guint n, bytes;
	bool full; /* there were more rows than are kept */
	GStringChunk *texts;
	GHashTable *known; /* set of texts in TEXTS */
	struct list_measure measures[TABLE_COLUMNS_MAX];
	struct list_block {
		struct table_place places[LIST_ROWS_BLOCK];
		struct list_cell cells[]; /* LIST_ROWS_BLOCK × n_columns */
	} * blocks[LIST_ROWS_MAX / LIST_ROWS_BLOCK + 1];
};

/* Rows as the worker passes them on. */
struct list_part {
	struct list_rows *rows; /* owned */
	guint n;
	bool full;
	struct list_measure measures[TABLE_COLUMNS_MAX];
};

/* For the rows of C; KEYS (NULL: none) are names of columns without heading that are kept, too.  Freed with
 * list_rows_unref(). */
struct list_rows *list_rows_new(const struct table_cursor *c, const char *const *keys);
void list_rows_unref(struct list_rows *rows);
/* Add ROW of C.  False if there is no room; nothing more is added then. */
bool list_rows_add(struct list_rows *rows, const struct table_cursor *c, const void *row);
/* Pass on the rows so far; freed with list_part_free(), by any thread. */
struct list_part *list_part_new(struct list_rows *rows);
void list_part_free(void *part);

static inline const struct list_cell *list_rows_cell(const struct list_rows *rows, guint row, unsigned column)
{
	return &rows->blocks[row / LIST_ROWS_BLOCK]
			->cells[(gsize)(row % LIST_ROWS_BLOCK) * rows->n_columns + column];
}

/* Where ROW leads; its row MDL_NONE and its end BASE_TIME_NONE: nowhere. */
static inline const struct table_place *list_rows_place(const struct list_rows *rows, guint row)
{
	return &rows->blocks[row / LIST_ROWS_BLOCK]->places[row % LIST_ROWS_BLOCK];
}

/* True if cells of COLUMN are compared, and aligned, as texts. */
bool list_rows_is_text(const struct table_column *column);
/* True if CELL of COLUMN has neither number nor text. */
bool list_rows_is_unknown(const struct table_column *column, const struct list_cell *cell);
/* The number of the column called NAME (NULL: none is); rows->n_columns: there is none. */
unsigned list_rows_find(const struct list_rows *rows, const char *name);
/* Three-way comparison of cells A and B of COLUMN: <0, 0, >0; unknown is last, also if REVERSED. */
int list_rows_compare(const struct table_column *column, const struct list_cell *a, const struct list_cell *b,
	bool reversed);

#endif
