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
	bool declares;                  /* a table declares its columns, which SQLite takes for a write */
	GHashTable *tables; /* set of the names of tables (char *, static) besides those of events; owned */
	bool copies;        /* tables are written to a database of their own */
	GHashTable *made;   /* name of a table → what it is made of (sql_module.c), weak; owned */
	bool has_events;    /* each type of events has its table */
	bool needs_ids;     /* the statement that is prepared may ask for the numbers of rows */
	struct sql_types *types; /* owned: the types of events; NULL: not needed yet */
	GHashTable *values;      /* name of a parameter (char *) → its value (int64_t *); owned */
};

/* ---- virtual tables (https://www.sqlite.org/vtab.html) ---- */

/* The first member of each virtual table. */
struct sql_module_vtab {
	sqlite3_vtab base;
	struct sql *sql;                 /* weak */
	const struct sql_module *module; /* static */
	const void *of;                  /* weak: as sql_module_add() has it */
};

/* The first member of each cursor. */
struct sql_module_cursor {
	sqlite3_vtab_cursor base;
	sqlite3_int64 id; /* of the row at hand */
	uint32_t host;    /* only rows of this host are wanted; MDL_NONE: of all */
	bool all;         /* all columns are */
};

/* A kind of virtual tables. */
struct sql_module {
	sqlite3_module calls;          /* SQL_MODULE_CALLS, and those that read rows */
	size_t vtab_size, cursor_size; /* bytes, with the first member; the rest begins as zeros */
	/* Fill in the members of T behind the first.  Returns the statement that declares T; the caller frees. */
	char *(*declare)(struct sql_module_vtab *t);
	void (*clear)(struct sql_module_vtab *t);   /* free these members; NULL: nothing to do */
	void (*reset)(struct sql_module_cursor *c); /* free the members of C behind the first */
	/* *TO, which is NULL at first, becomes column I of the row at hand.  A text is valid until the next row; without ALL
	 * only until the next call. */
	int (*value)(struct sql_module_cursor *c, int i, struct sql_value *to);
	/* A number for the row at hand that it has in every scan of the same statement; NULL: its place in the scan. */
	int64_t (*id)(struct sql_module_cursor *c);
	/* All N columns; with ALL.  NULL: VALUE finds them. */
	void (*values)(struct sql_module_cursor *c, struct sql_value *to);
};

/* Add the table NAME of the kind MODULE (static) to S, which hands OF (weak) to it. */
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
/* A cursor of the table NAME of S that no statement has, and the table, which are freed together. */
struct sql_module_cursor *sql_module_cursor_new(struct sql *s, const char *name);
void sql_module_cursor_free(struct sql_module_cursor *c);
static inline const struct sql_module *sql_module_of(const struct sql_module_cursor *c)
{
	return ((const struct sql_module_vtab *)c->base.pVtab)->module;
}

/* ---- tables of src/table, and those that have arguments ---- */

#define SQL_ARGUMENTS_MAX 5

/* A table as SQL has it. */
struct sql_source {
	const struct table *table;
	const char *name; /* NULL: that of the table */
	bool or_nothing;  /* BASE_ERROR_NO_ANSWER is no error: there are no rows */
	/* Arguments, which SQL has as hidden columns; the first REQUIRED of them must be given. */
	const char *arguments[SQL_ARGUMENTS_MAX + 1];
	unsigned required;
	/* Set *ASK, which asks for all, from VALUES (NULL: not given).  1; 0: no row is asked for; -1 with an
	 * error. */
	int (*ask)(struct sql *s, sqlite3_value *const *values, struct table_question *ask, GError **error);
	void (*forget)(struct table_question *ask); /* free what ASK made; NULL: nothing */
};

/* Add SOURCE (static) to S. */
bool sql_table_add(struct sql *s, const struct sql_source *source, GError **error);
/* A column as SQL has it. */
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
/* "time", "integer", …: how SQL declares TYPE. */
const char *sql_column_type(unsigned type);
/* The type that is DECLARED (may be NULL) so; TABLE_ANY: none. */
unsigned sql_column_type_of(const char *declared);
/* *TO, which is NULL at first, becomes CELL of TYPE. */
void sql_column_value(struct sql_value *to, unsigned type, const struct table_cell *cell);
static inline void sql_value_text(struct sql_value *to, const char *text, size_t length)
{
	*to = (struct sql_value){ .kind = SQL_TEXT, .text = text, .length = length };
}
static inline void sql_value_number(struct sql_value *to, int64_t number)
{
	*to = (struct sql_value){ .kind = SQL_INTEGER, .number = number };
}

/* The tables that are not those of src/table as they are, S(name of the variable without "sql_source_"). */
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
	GPtrArray *columns; /* owned, of char *: what SQL calls each field */
	GArray *kinds;      /* owned, of enum trc_value_type: of each field */
};

/* The types of the events of S, from a file beside the index, which is made first: that reads the traces
 * once. NULL with an error.  S owns them. */
const GPtrArray *sql_types(struct sql *s, GError **error);
/* The type whose table is NAME; NULL: none. */
const struct sql_type *sql_types_find(struct sql *s, const char *name);
void sql_types_free(struct sql_types *types);

/* The columns of TYPE's table that are fields: how many, and how SQL declares column I. */
guint sql_event_columns(const struct sql_type *type);
const char *sql_event_declared(const struct sql_type *type, guint i);

/* Add the table of all events, without the types. */
bool sql_event_add_all(struct sql *s, GError **error);
/* Add a table for each type of events, once, unless a table of that name exists. */
bool sql_event_add_types(struct sql *s, GError **error);

/* ---- the rest ---- */

/* The heading of column I of R as a table has it: as the query has it; numbers are aligned to the right.  Static. */
const char *sql_result_heading(const struct sql_result *r, unsigned i);
/* Tell WHAT is wrong AT a place in the query ALL, and show it.  False, with BASE_ERROR_USAGE. */
bool sql_result_fail_at(const char *all, const char *at, const char *what, GError **error);
/* Like sql_open(), without tables and without an experiment. */
struct sql *sql_open_empty(struct base_progress *progress, GError **error);
/* Tell why S failed with STATUS of SQLite while a statement ran.  False. */
bool sql_result_fail(struct sql *s, int status, GError **error);

/* Add the functions to S. */
bool sql_function_add(struct sql *s, GError **error);
bool sql_sum_add(struct sql *s, GError **error);
/* Add wakepath_tables and wakepath_columns. */
bool sql_list_add(struct sql *s, GError **error);
/* All tables that exist for every trace; NULL at the end. */
const struct sql_source *sql_sources_at(unsigned i);

/* TEXT, LENGTH bytes, with ends of rows as a column that tables can look for; NULL: it has none.  The caller frees. */
char *sql_ends_of(struct sql *s, const char *text, size_t length);

/* A statement that asks for the same as TEXT, LENGTH bytes, and is answered from sums and counts of the
 * index; NULL: there is none.  The caller frees. */
char *sql_short_of(struct sql *s, const char *text, size_t length);

#endif
