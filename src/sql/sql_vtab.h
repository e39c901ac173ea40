/* SPDX-License-Identifier: MIT */
/* A virtual table over a table of src/table, and its cursor, for plans (sql_plan.c) and rows (sql_table.c).
 * The tables of events share the functions for times in plans. */
#ifndef SQL_VTAB_H
#define SQL_VTAB_H

#include "sql/sql_parts.h"

#define SQL_CHECKS 4 /* texts that are compared */
/* The columns that come first (sql_column_list()), a bit each: ts, dur, host, utid. */
#define SQL_TELLS_APART UINT64_C(15)

struct sql_vtab {
	struct sql_module_vtab in;
	const struct sql_source *source;
	GArray *columns;               /* of struct sql_column, owned */
	int utid, ts, dur, host, kind; /* their numbers; -1: there is none */
	int ends;                      /* number of ts_end (ts + dur), behind COLUMNS; -1: there is none */
	uint64_t rows;                 /* about how many rows */
};

struct sql_cursor {
	struct sql_module_cursor in;
	struct table_question ask;
	struct table_cursor *c; /* owned; NULL: at the end */
	const void *row;
	GArray *utids; /* of uint32_t, owned: the list of threads to read; NULL: none */
	guint next_utid;
	uint64_t used;   /* columns in SQL that the statement names, and SQL_TELLS_APART if it needs rowids */
	uint64_t reads;  /* the columns of the table for these */
	uint64_t wanted; /* columns of the table that SQLite has read so far */
	unsigned n_checks;
	struct check {
		unsigned number; /* of the table's column */
		char *text;      /* owned */
	} checks[SQL_CHECKS];
	bool filled;
	struct table_row cells; /* if FILLED */
	GHashTable *alike; /* owned: hash of a row at ALIKE_AT (uint64_t) → number of such rows; NULL: none */
	int64_t alike_at, own_id,
		own_id_of; /* ALIKE_AT: ts, ns; OWN_ID: rowid of the row with number OWN_ID_OF in the scan */
};

static inline struct sql_vtab *sql_vtab_of(const struct sql_cursor *c)
{
	return (struct sql_vtab *)c->in.base.pVtab;
}

/* The use of a value that ts is compared with by OP, SQLITE_INDEX_CONSTRAINT_…: '>' (at or after), '<' (at or
 * before), '='; 0: none. */
char sql_plan_time(unsigned op);
/* Narrow [*FROM, *TO) (ns) by VALUE with this USE, never too far: SQLite checks its ends again.  False if
 * nothing is left. */
bool sql_plan_window(char use, sqlite3_value *value, int64_t *from, int64_t *to);

/* xBestIndex: how to read T for INFO. */
int sql_plan_find(const struct sql_vtab *t, sqlite3_index_info *info);
/* Narrow the question of C, which asks for all rows, and set the columns that it reads, by PLAN, the text
 * from sql_plan_find(), and VALUES.  Returns 1; 0 if no row can match; -1 with an error. */
int sql_plan_ask(struct sql_cursor *c, const char *plan, sqlite3_value **values, GError **error);

#endif
