/* SPDX-License-Identifier: MIT */
/*
 * SQL queries over an experiment: SQLite reads the tables of src/table while it runs a query.  Nothing is
 * copied, nothing is written.  A query from an untrusted source can read the traces and nothing else, in
 * bounded memory.
 */
#ifndef SQL_H
#define SQL_H

#include "table/table.h"

#define SQL_HEAP_MOST (INT64_C(96) << 20) /* bytes that SQLite uses in all */

struct base_progress;
struct sql;

/* Open Q (weak) for queries.  If PROGRESS (weak; may be NULL) is cancelled, the running query fails.  NULL
 * with an error. */
struct sql *sql_open(struct qry *q, struct base_progress *progress, GError **error);
/* Free S (may be NULL), after all its results. */
void sql_free(struct sql *s);

/* Set the parameter $NAME of later queries; BASE_TIME_NONE: NULL. */
void sql_set(struct sql *s, const char *name, int64_t value);

/* The table of latencies also has those that RULES (weak; NULL: none) define. */
void sql_set_rules(struct sql *s, const struct ana_rules *rules);

/* ---- the answer to one statement ---- */

struct sql_result;

/*
 * Prepare the statement at *TEXT (weak, part of the text ALL) and move *TEXT behind it.  NULL without an
 * error if no statement is left.  NULL with BASE_ERROR_USAGE for an error in the statement: "line 1, column
 * 8: …", and two more lines that show the place; with BASE_ERROR_NO_ANSWER if the table needs events that
 * were not recorded.
 */
struct sql_result *sql_result_new(struct sql *s, const char *all, const char **text, GError **error);
void sql_result_free(struct sql_result *r);

/* Go to the first row, or the next.  Returns 1; 0 at the end; -1 with an error. */
int sql_result_next(struct sql_result *r, GError **error);

/* The columns; for their types call sql_result_next() first.  R owns the texts. */
unsigned sql_result_count(const struct sql_result *r);
const char *sql_result_name(const struct sql_result *r, unsigned i);
/* TABLE_TIME, _DURATION, _NUMBER, _SHARE (any real), _WORD, _YES: the type of the table's column, else of the
 * value in the first row; TABLE_ANY: none. */
enum table_type sql_result_type(const struct sql_result *r, unsigned i);
/* Like sql_result_type(), of the table's column only: all its values have that type, except integers beyond
 * 63 bits. */
enum table_type sql_result_declared(const struct sql_result *r, unsigned i);
/* "time", "duration", "integer", "real", "text", "boolean"; NULL for TABLE_ANY. */
const char *sql_result_type_name(const struct sql_result *r, unsigned i);

/* A value of the current row. */
struct sql_value {
	enum sql_kind { SQL_NULL, SQL_INTEGER, SQL_REAL, SQL_TEXT } kind;
	int64_t number;   /* INTEGER */
	double real;      /* REAL */
	const char *text; /* TEXT: any bytes, weak, until the next row */
	size_t length;    /* bytes of TEXT */
	bool is_blob;     /* of TEXT: SQLite's BLOB */
};
struct sql_value sql_result_value(const struct sql_result *r, unsigned i);

/* The columns of the current row; context: the result, row: any but NULL. */
table_columns sql_result_columns;

/* The result of the query in the question, for lists.  The query has its row and window as $utid, $cpu,
 * $from, $to. */
extern const struct table sql_rows;

/* Append the words that a query can have to WORDS (of char *): names of tables, columns, functions; a word
 * may come more than once. */
void sql_words(struct qry *q, GPtrArray *words);

/* ---- all rows of whole tables ---- */

/* The names (char *) of the tables that have no arguments, with "event". The caller unrefs. NULL with an
 * error. */
GPtrArray *sql_tables(struct sql *s, GError **error);

/*
 * The rows of TABLE, one of sql_tables(), as from SELECT *, but without SQLite, which costs as much as the
 * rows. HOST: only rows of that host; MDL_NONE: of all.  NULL with an error.
 */
struct sql_whole *sql_whole_new(struct sql *s, const char *table, uint32_t host, GError **error);
void sql_whole_free(struct sql_whole *w);
/* Its columns. */
const struct sql_result *sql_whole_columns(const struct sql_whole *w);
/* Go to the first row, or the next.  Returns 1; 0 at the end; -1 with an error. */
int sql_whole_next(struct sql_whole *w, GError **error);
/* The values of the current row, by column; valid until the next row. */
const struct sql_value *sql_whole_values(const struct sql_whole *w);

/* True if LEFT_OUT (of char *) is not NULL and PROBLEM (taken over) is that the recording cannot answer
 * TABLE; LEFT_OUT gets a line with the reason.  Else PROBLEM becomes *ERROR. */
bool sql_leave_out(const char *table, GPtrArray *left_out, GError *problem, GError **error);

/* Copy the rows of TABLES (of char *: names, without arguments) to tables of the same names in the SQLite
 * database FILE, which exists and is empty; LEFT_OUT (may be NULL) as for sql_leave_out().  False with an
 * error; then FILE is useless. */
bool sql_copy(struct sql *s, const GPtrArray *tables, GPtrArray *left_out, const char *file, GError **error);

#endif
