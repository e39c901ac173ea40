/* SPDX-License-Identifier: MIT */
/*
 * The rows of a table in memory: cells as numbers and texts, and the place to which each row leads.
 *
 * A worker adds rows.  The screen reads the rows that existed when the worker passed them on: rows do not
 * move in memory, and do not change.
 */
#ifndef LIST_ROWS_H
#define LIST_ROWS_H

#include "table/table.h"

#define LIST_ROWS_MAX 1000000      /* rows that are kept, and */
#define LIST_BYTES_MAX (64u << 20) /* bytes of their cells and texts */
#define LIST_ROWS_BLOCK 1024
#define LIST_SHARE_SCALE 1e9 /* scale of shares in struct list_measure */

/* The value of a column in one row. */
struct list_cell {
	union {
		int64_t number; /* BASE_TIME_NONE: unknown */
		double share;   /* of a column of type TABLE_SHARE; NAN: unknown */
	};
	const char *word; /* the text, possibly in place of a number; NULL: none */
};

/* The extremes of a column, for its width and bars on the screen. */
struct list_measure {
	int64_t most;   /* the largest absolute number; of shares, the largest × LIST_SHARE_SCALE */
	unsigned width; /* columns of the widest text */
};

struct list_rows {
	gint users;                                     /* reference count */
	unsigned n_columns;                             /* columns with a heading or in KEYS */
	struct table_column columns[TABLE_COLUMNS_MAX]; /* their texts are in TEXTS */
	/* The worker's: */
	unsigned from[TABLE_COLUMNS_MAX]; /* the number of each column in the table */
	uint64_t wanted;                  /* bit I: column I of the table is kept */
	guint n, bytes;                   /* rows; bytes of their cells and texts */
	bool full;                        /* there were more rows than are kept */
	gsize row_size;                   /* as in struct table, if rows are completed; else 0 */
	bool costly[TABLE_COLUMNS_MAX];   /* a column that is unknown until the row is complete */
	GStringChunk *texts;
	GHashTable *known; /* set of texts in TEXTS */
	struct list_measure measures[TABLE_COLUMNS_MAX];
	GStringChunk *late; /* the screen's: texts of completed rows */
	struct list_block {
		struct table_place places[LIST_ROWS_BLOCK];
		bool complete[LIST_ROWS_BLOCK]; /* the screen's, for rows that were passed on */
		char *raw;                      /* LIST_ROWS_BLOCK × row_size; owned */
		struct list_cell cells[];       /* LIST_ROWS_BLOCK × n_columns */
	} * blocks[LIST_ROWS_MAX / LIST_ROWS_BLOCK + 1];
};

/* The rows at the time when the worker passed them on. */
struct list_part {
	struct list_rows *rows; /* owned */
	guint n;
	bool full;
	struct list_measure measures[TABLE_COLUMNS_MAX];
};

/* Make storage for rows of C.  COLUMNS (NULL: none), "NAME NAME=HEADING ...": columns to keep although they
 * have no heading, or with another heading; a "?" after one is ignored; "host" is left out if there is only
 * one host.  KEYS (NULL: none): names of columns to keep without a heading.  Free with list_rows_unref(). */
struct list_rows *list_rows_new(const struct table_cursor *c, const char *columns, const char *const *keys);
void list_rows_unref(struct list_rows *rows);
/* Add ROW of C.  False if there is no room; then nothing more is added. */
bool list_rows_add(struct list_rows *rows, const struct table_cursor *c, const void *row);
/* Pass on the rows so far.  Free with list_part_free(), in any thread. */
struct list_part *list_part_new(struct list_rows *rows);
void list_part_free(void *part);

static inline const struct list_cell *list_rows_cell(const struct list_rows *rows, guint row, unsigned column)
{
	return &rows->blocks[row / LIST_ROWS_BLOCK]
			->cells[(gsize)(row % LIST_ROWS_BLOCK) * rows->n_columns + column];
}

/* The place to which ROW leads; nowhere if its row is MDL_NONE and its end is BASE_TIME_NONE. */
static inline const struct table_place *list_rows_place(const struct list_rows *rows, guint row)
{
	return &rows->blocks[row / LIST_ROWS_BLOCK]->places[row % LIST_ROWS_BLOCK];
}

/* ---- rows that are completed later (struct table) ---- */

static inline bool list_rows_is_complete(const struct list_rows *rows, guint row)
{
	return !rows->row_size || rows->blocks[row / LIST_ROWS_BLOCK]->complete[row % LIST_ROWS_BLOCK];
}

/* The row itself, as the table made it; NULL: not kept. */
static inline const void *list_rows_raw(const struct list_rows *rows, guint row)
{
	return rows->row_size
		? rows->blocks[row / LIST_ROWS_BLOCK]->raw + row % LIST_ROWS_BLOCK * rows->row_size
		: NULL;
}

/* Copy the completed cells and the measures of row FROM of PART to row ROW of TO.  Both are the same row of
 * the table, and both parts have the same columns. */
void list_rows_complete(struct list_part *to, guint row, const struct list_part *part, guint from);

/* True if cells of COLUMN are compared and aligned as texts. */
bool list_rows_is_text(const struct table_column *column);
/* True if CELL of COLUMN has neither number nor text. */
bool list_rows_is_unknown(const struct table_column *column, const struct list_cell *cell);
/* The heading of COLUMN, without the sign of its alignment. */
const char *list_rows_heading(const struct table_column *column);
/* The names of the columns, each after a space.  HEADED: only those with a heading.  The caller frees. */
char *list_rows_names(const struct list_rows *rows, bool headed);
/* The number of the column called NAME; rows->n_columns if there is none, or NAME is NULL. */
unsigned list_rows_find(const struct list_rows *rows, const char *name);
/* Like list_rows_find(), for a NAME that a user typed: it may also be the heading, in small letters. */
unsigned list_rows_find_typed(const struct list_rows *rows, const char *name);
/* Three-way comparison of cells A and B of COLUMN: <0, 0, >0.  Unknown is last, also if REVERSED. */
int list_rows_compare(const struct table_column *column, const struct list_cell *a, const struct list_cell *b,
	bool reversed);

#endif
