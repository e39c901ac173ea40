/* SPDX-License-Identifier: MIT */
/* A virtual table over a table of src/table, and its cursor, for plans (sql_plan.c) and rows (sql_table.c); times in
 * plans, for those of events, too. */
#ifndef SQL_VTAB_H
#define SQL_VTAB_H

#include "sql/sql_parts.h"

#define SQL_CHECKS 4 /* texts that are compared */
/* The columns that come first (sql_column_list()): when, how long, which host, which thread. */
#define SQL_TELLS_APART UINT64_C(15)

struct sql_vtab {
	struct sql_module_vtab in;
	const struct sql_source *source;
	GArray *columns;               /* of struct sql_column, owned */
	int utid, ts, dur, host, kind; /* their numbers; -1: there is none */
	int ends;                      /* likewise ts_end, which is ts + dur, behind COLUMNS */
	uint64_t rows;                 /* about how many */
};

struct sql_cursor {
	struct sql_module_cursor in;
	struct table_question ask;
	struct table_cursor *c; /* owned; NULL: at the end */
	const void *row;
	GArray *utids; /* of uint32_t, owned: those that come after the one at hand; NULL: none */
	guint next_utid;
	uint64_t used;   /* columns of SQL that the statement names, and those that tell rows apart */
	uint64_t reads;  /* the columns of the table for these */
	uint64_t wanted; /* those that were asked for so far */
	unsigned n_checks;
	struct check {
		unsigned number; /* of the table's column */
		char *text;      /* owned */
	} checks[SQL_CHECKS];
	bool filled;
	struct table_row cells; /* if FILLED */
	GHashTable *alike; /* owned: numbers of rows with TS (uint64_t) → how many are alike; NULL: none */
	int64_t alike_at, own_id,
		own_id_of; /* their ts; the number of the row that is OWN_ID_OF in the scan */
};

static inline struct sql_vtab *sql_vtab_of(const struct sql_cursor *c)
{
	return (struct sql_vtab *)c->in.base.pVtab;
}

/* The use of a value that a time is compared with by OP, SQLITE_INDEX_CONSTRAINT_…: '>' (at or after), '<' (at or
 * before), '='; 0: none. */
char sql_plan_time(unsigned op);
/* Cut [*FROM, *TO) to the times that VALUE with this USE lets through; SQLite checks its ends again.  False: there is
 * none. */
bool sql_plan_window(char use, sqlite3_value *value, int64_t *from, int64_t *to);

/* xBestIndex: how to read T for INFO. */
int sql_plan_find(const struct sql_vtab *t, sqlite3_index_info *info);
/* Set the question of C, which asks for all, and what it reads, from PLAN, the text that sql_plan_find() made, and
 * VALUES.  1; 0: no row can be in the answer; -1 with an error. */
int sql_plan_ask(struct sql_cursor *c, const char *plan, sqlite3_value **values, GError **error);

#endif
