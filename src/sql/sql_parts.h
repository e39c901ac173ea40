/* SPDX-License-Identifier: MIT */
/* The parts of a connection.  Private to src/sql. */
#ifndef SQL_PARTS_H
#define SQL_PARTS_H

#include "sql/sql.h"

#include <sqlite3.h>

struct sql_types;

struct sql {
	sqlite3 *db;
	struct qry *q;                  /* weak */
	struct base_progress *progress; /* weak */
	const struct ana_rules *rules;  /* weak; NULL: none */
	GError *problem;                /* owned: why a table failed; NULL: none did */
	bool declares;                  /* a table declares its columns; the authorizer sees a write then */
	GHashTable *tables; /* set of the names of tables (char *, static) besides those of events; owned */
	bool copies;        /* sql_copy() runs */
	GHashTable *made;   /* name of a table → struct made (sql_module.c), weak; owned */
	bool has_events;    /* each type of events has its table */
	bool needs_ids;     /* the statement that is being prepared may use rowids */
	struct sql_types *types; /* owned: the types of events; NULL: not needed yet */
	GHashTable *values;      /* name of a parameter (char *) → its value (int64_t *); owned */
};

/* ---- virtual tables (https://www.sqlite.org/vtab.html) ---- */

/* The first member of each virtual table. */
struct sql_module_vtab {
	sqlite3_vtab base;
	struct sql *sql;                 /* weak */
	const struct sql_module *module; /* static */
	const void *of;                  /* weak: the argument of sql_module_add() */
};

/* The first member of each cursor. */
struct sql_module_cursor {
	sqlite3_vtab_cursor base;
	sqlite3_int64 id; /* of the current row */
	uint32_t host;    /* only rows of this host are wanted; MDL_NONE: of all */
	bool all;         /* all columns are wanted */
};

/* A kind of virtual tables. */
struct sql_module {
	sqlite3_module calls;          /* SQL_MODULE_CALLS, and the functions that read rows */
	size_t vtab_size, cursor_size; /* bytes, with the first member; the others are zero at first */
	/* Fill in the members of T behind the first. Returns the statement that declares T; the caller
	 * frees. */
	char *(*declare)(struct sql_module_vtab *t);
	void (*clear)(struct sql_module_vtab *t);   /* free these members; NULL: nothing to do */
	void (*reset)(struct sql_module_cursor *c); /* free the members of C behind the first */
	/* Set *TO, which is SQL_NULL at first, to column I of the current row.  A text is valid until the
	 * next row; if ALL is not set, only until the next call.  Returns a status of SQLite. */
	int (*value)(struct sql_module_cursor *c, int i, struct sql_value *to);
	/* The rowid of the current row, equal in every scan of one statement.  NULL: its place in the
	 * scan. */
	int64_t (*id)(struct sql_module_cursor *c);
	/* Set TO to all columns; ALL is set.  NULL: use VALUE. */
	void (*values)(struct sql_module_cursor *c, struct sql_value *to);
};

/* Add the table NAME of the kind MODULE (static) to S; its OF becomes OF (weak).  False with an error. */
bool sql_module_add(struct sql *s, const char *name, const struct sql_module *module, const void *of,
	GError **error);
/* Note PROBLEM (taken over) as the reason why T fails.  Returns the status for SQLite. */
int sql_module_fail(struct sql_module_vtab *t, GError *problem);

#define SQL_MODULE_CALLS                                                                     \
	.iVersion = 0, .xConnect = sql_module_connect, .xDisconnect = sql_module_disconnect, \
	.xOpen = sql_module_open, .xClose = sql_module_close, .xRowid = sql_module_rowid,    \
	.xColumn = sql_module_column
int sql_module_connect(sqlite3 *db, void *data, int argc, const char *const *argv, sqlite3_vtab **vtab,
	char **message);
int sql_module_disconnect(sqlite3_vtab *t);
int sql_module_open(sqlite3_vtab *t, sqlite3_vtab_cursor **cursor);
int sql_module_close(sqlite3_vtab_cursor *c);
int sql_module_rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *id);
int sql_module_column(sqlite3_vtab_cursor *c, sqlite3_context *to, int i);
/* A cursor of the table NAME of S without a statement.  It owns its virtual table.  The caller frees. */
struct sql_module_cursor *sql_module_cursor_new(struct sql *s, const char *name);
void sql_module_cursor_free(struct sql_module_cursor *c);
static inline const struct sql_module *sql_module_of(const struct sql_module_cursor *c)
{
	return ((const struct sql_module_vtab *)c->base.pVtab)->module;
}

/* ---- tables of src/table, and those that have arguments ---- */

#define SQL_ARGUMENTS_MAX 5

/* A table in SQL. */
struct sql_source {
	const struct table *table;
	const char *name; /* NULL: that of the table */
	bool or_nothing;  /* BASE_ERROR_NO_ANSWER is no error: there are no rows */
	/* Arguments, hidden columns in SQL; the first REQUIRED of them must be given. */
	const char *arguments[SQL_ARGUMENTS_MAX + 1];
	unsigned required;
	/* Narrow *ASK, which asks for all rows, by the arguments VALUES (NULL: not given).  Returns 1; 0 if
	 * there are no rows; -1 with an error. */
	int (*ask)(struct sql *s, sqlite3_value *const *values, struct table_question *ask, GError **error);
	void (*forget)(struct table_question *ask); /* free what the function ASK allocated; NULL: nothing */
};

/* Add SOURCE (static) to S. */
bool sql_table_add(struct sql *s, const struct sql_source *source, GError **error);
/* A column in SQL. */
struct sql_column {
	char *name;      /* owned */
	unsigned number; /* of the table's column */
	unsigned type;   /* enum table_type without flags */
	const char *doc; /* static */
};
/* The name of SOURCE in SQL. */
static inline const char *sql_source_name(const struct sql_source *source)
{
	return source->name ? source->name : source->table->name;
}
/* The columns of TABLE (of struct sql_column), in the order of SQL.  The caller unrefs. */
GArray *sql_column_list(struct qry *q, const struct table *table);
/* The declaration of TYPE in SQL: "time", "integer", …. */
const char *sql_column_type(unsigned type);
/* The type with the declaration DECLARED (may be NULL); TABLE_ANY: none. */
unsigned sql_column_type_of(const char *declared);
/* Set *TO, which is SQL_NULL at first, to the value of CELL of TYPE. */
void sql_column_value(struct sql_value *to, unsigned type, const struct table_cell *cell);
static inline void sql_value_text(struct sql_value *to, const char *text, size_t length)
{
	*to = (struct sql_value){ .kind = SQL_TEXT, .text = text, .length = length };
}
static inline void sql_value_number(struct sql_value *to, int64_t number)
{
	*to = (struct sql_value){ .kind = SQL_INTEGER, .number = number };
}

/* The tables that are not simply tables of src/table, S(name of the variable without "sql_source_"). */
#define SQL_SOURCES(S) \
	S(requests)    \
	S(stacks)      \
	S(clock)       \
	S(path) S(blame) S(running_on) S(pairs) S(overlap) S(windows) S(sums) /* only sql_short.c names it */
#define SQL_DECLARE(name) extern const struct sql_source sql_source_##name;
SQL_SOURCES(SQL_DECLARE)
#undef SQL_DECLARE

/* ---- events ---- */

/* A type of events, in all hosts. */
struct sql_type {
	char *table;      /* owned: the name in SQL, in lower case */
	GPtrArray *names; /* owned, of char *: its names in the traces */
	uint64_t count;
	GPtrArray *fields;  /* owned, of char *: names */
	GPtrArray *columns; /* owned, of char *: the column of each field in SQL */
	GArray *kinds;      /* owned, of enum trc_value_type: of each field */
};

/* The types of the events of S, from a file beside the index.  If it is missing, it is made, which reads the
 * traces once.  NULL with an error.  S owns them. */
const GPtrArray *sql_types(struct sql *s, GError **error);
/* The type whose table is NAME; NULL: none. */
const struct sql_type *sql_types_find(struct sql *s, const char *name);
void sql_types_free(struct sql_types *types);

/* The columns of TYPE's table that are fields: their number, and the declaration of column I. */
guint sql_event_columns(const struct sql_type *type);
const char *sql_event_declared(const struct sql_type *type, guint i);

/* Add the table of all events, without the types. */
bool sql_event_add_all(struct sql *s, GError **error);
/* Add a table for each type of events, once, unless a table of that name exists. */
bool sql_event_add_types(struct sql *s, GError **error);

/* ---- the rest ---- */

/* The heading of column I of R for a table: the name in the query; numbers are aligned to the right. 
 * Static. */
const char *sql_result_heading(const struct sql_result *r, unsigned i);
/* Set BASE_ERROR_USAGE: WHAT is wrong, and the line of the query ALL with a mark below AT.  Returns false. */
bool sql_result_fail_at(const char *all, const char *at, const char *what, GError **error);
/* Like sql_open(), without tables and without an experiment. */
struct sql *sql_open_empty(struct base_progress *progress, GError **error);
/* Set the error for STATUS of SQLite while a statement of S ran.  Returns false. */
bool sql_result_fail(struct sql *s, int status, GError **error);

/* Add the functions to S. */
bool sql_function_add(struct sql *s, GError **error);
bool sql_sum_add(struct sql *s, GError **error);
/* Add wakepath_tables and wakepath_columns. */
bool sql_list_add(struct sql *s, GError **error);
/* All tables that exist for every trace; NULL at the end. */
const struct sql_source *sql_sources_at(unsigned i);

/* TEXT, LENGTH bytes, with ts_end instead of ts + dur (sql_ends.c); NULL: nothing to replace.  The caller
 * frees. */
char *sql_ends_of(struct sql *s, const char *text, size_t length);

/* A statement with the same result as TEXT, LENGTH bytes, that reads only sums and counts of the index; NULL:
 * there is none.  The caller frees. */
char *sql_short_of(struct sql *s, const char *text, size_t length);

#endif
