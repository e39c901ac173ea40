/* SPDX-License-Identifier: MIT */
/*
 * Statements and their rows.  The tables of events are made when a statement names a table that does not
 * exist yet, because finding the types of events may read the traces.
 */
#include "sql/sql_parts.h"
#include "sql/sql_words.h"

#include "analysis/kind/advice.h"
#include "base/base_error.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "model/event/table.h"

#include <string.h>

struct sql_result {
	struct sql *sql; /* weak */
	sqlite3_stmt *statement;
	enum table_type types[TABLE_COLUMNS_MAX]; /* see sql_result_type() */
	bool has_types;
};

/* ---- errors ---- */

#define ONLY_SELECT "only SELECT is allowed: a query reads the trace and nothing else"
#define LINE_MOST 200 /* bytes of a line that an error shows */

/* Append the line of ALL that contains AT, and a mark below AT. */
static void append_place(GString *message, const char *all, const char *at)
{
	const char *begin = at, *end = at + strcspn(at, "\n");
	g_autofree char *copy = NULL, *line = NULL, *before = NULL;

	while (begin > all && begin[-1] != '\n')
		begin--;
	if (at - begin > LINE_MOST)
		begin = g_utf8_find_prev_char(begin, at - LINE_MOST);
	if (end - at > LINE_MOST)
		end = g_utf8_find_prev_char(at, at + LINE_MOST);
	copy = g_strdelimit(g_strndup(begin, (gsize)(end - begin)), "\t", ' ');
	line = base_text_clean(copy, -1);
	before = base_text_clean(copy, at - begin);
	g_string_append_printf(message, "\n%s\n%*s^", line, (int)base_text_width(before), "");
}

bool sql_result_fail_at(const char *all, const char *at, const char *what, GError **error)
{
	g_autoptr(GString) message = g_string_new(NULL);
	glong line = 1, column;
	const char *begin = all;

	for (const char *c = all; c < at; c++)
		if (*c == '\n') {
			line++;
			begin = c + 1;
		}
	column = 1 + g_utf8_strlen(begin, at - begin);
	g_string_printf(message, "line %ld, column %ld: %s", line, column, what);
	append_place(message, all, at);
	return base_error_false(error, BASE_ERROR_USAGE, "%s", message->str);
}

/* Set the error for STATUS of SQLite in the statement at TEXT, a part of ALL (NULL: while it ran). */
static bool fail(struct sql *s, int status, const char *all, const char *text, GError **error)
{
	int at = sqlite3_error_offset(s->db);
	const char *what = sqlite3_errmsg(s->db);

	if (s->problem) {
		g_propagate_error(error, g_steal_pointer(&s->problem));
		return false;
	}
	switch (status & 0xff) {
	case SQLITE_INTERRUPT: return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
	case SQLITE_NOMEM:
		return base_error_false(error, BASE_ERROR_REFUSED,
			"the query needs more than %d MiB of memory: ask for less at once, by WHERE or LIMIT",
			(int)(SQL_HEAP_MOST >> 20));
	case SQLITE_FULL:
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return base_error_false(error, BASE_ERROR_IO,
			s->copies
				? "cannot write the database: %s"
				: "cannot sort in the folder for temporary files: %s: make room there, or set TMPDIR",
			what);
	case SQLITE_TOOBIG:
		return base_error_false(error, BASE_ERROR_USAGE, "a value of the query is too long: %s",
			what);
	default:
		if (g_str_has_prefix(what, "not authorized"))
			what = ONLY_SELECT;
	}
	if (all)
		return sql_result_fail_at(all, text + (at > 0 && (size_t)at <= strlen(text) ? at : 0), what,
			error);
	return base_error_false(error, BASE_ERROR_USAGE, "%s", what);
}

bool sql_result_fail(struct sql *s, int status, GError **error)
{
	return fail(s, status, NULL, NULL, error);
}

/* True, with BASE_ERROR_NO_ANSWER, if NAME is an event that wakepath knows but that was not recorded. */
static bool is_not_recorded(struct sql *s, const char *name, GError **error)
{
	const char *command = ana_advice_command(s->q, 0, name);
	struct mdl_mapping unused;

	if (!command && !mdl_table_find(name, &unused))
		return false;
	g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER, "%s: no %s was recorded%s%s",
		qry_host(s->q, 0)->name, name, command ? "; record it with: " : "", command ? command : "");
	return true;
}

/* ---- statements ---- */

#define NO_TABLE "no such table: "

/* True if SQLite may need rowids: the statement names them, has an OR (one scan for each term), or a RIGHT or
 * FULL JOIN (which rows found a match). */
static bool needs_ids(const char *text)
{
	static const char *const words[] = { "OR", "RIGHT", "FULL", "rowid", "oid", "_rowid_", "\"rowid\"",
		"[rowid]", NULL };
	struct sql_words w;
	bool needs = false;

	sql_words_read(&w, text);
	for (guint i = 0; i < w.tokens->len && !needs; i++)
		needs = sql_words_is_one_of(&w, i, words);
	sql_words_clear(&w);
	return needs;
}

/* Prepare the statement at TEXT.  *REST: behind it. */
static sqlite3_stmt *prepare(struct sql *s, const char *all, const char *text, const char **rest,
	GError **error)
{
	sqlite3_stmt *statement = NULL;
	g_autofree char *table = NULL;
	int status;

	s->needs_ids = needs_ids(text);
	status = sqlite3_prepare_v2(s->db, text, -1, &statement, rest);

	if (status == SQLITE_OK)
		return statement;
	if (g_str_has_prefix(sqlite3_errmsg(s->db), NO_TABLE)) {
		table = g_strdup(sqlite3_errmsg(s->db) + strlen(NO_TABLE));
		if (s->q && !s->has_events) {
			if (!sql_event_add_types(s, error))
				return NULL;
			return prepare(s, all, text, rest, error);
		}
		if (s->q && is_not_recorded(s, table, error))
			return NULL;
	}
	fail(s, status, all, text, error);
	return NULL;
}

/* Bind the parameters of STATEMENT, at TEXT in ALL, to their values. */
static bool bind_values(struct sql *s, sqlite3_stmt *statement, const char *all, const char *text,
	GError **error)
{
	for (int i = 1; i <= sqlite3_bind_parameter_count(statement); i++) {
		const char *name = sqlite3_bind_parameter_name(statement, i), *at;
		const int64_t *value = name ? g_hash_table_lookup(s->values, name + 1) : NULL;

		if (!value) {
			at = strstr(text, name ? name : "?");
			return sql_result_fail_at(all, at ? at : text,
				"the parameters are $from, $to, $utid and $cpu", error);
		}
		if (*value != BASE_TIME_NONE)
			sqlite3_bind_int64(statement, i, *value);
	}
	return true;
}

struct sql_result *sql_result_new(struct sql *s, const char *all, const char **text, GError **error)
{
	const char *rest = *text;
	g_autofree char *other = NULL;
	sqlite3_stmt *statement = NULL, *faster = NULL;
	struct sql_result *r;
	GError *problem = NULL;

	while (!statement && *rest) {
		*text = rest;
		statement = prepare(s, all, *text, &rest, &problem);
		if (problem) {
			g_propagate_error(error, problem);
			return NULL;
		}
	}
	if (!statement)
		return NULL;
	if (sqlite3_column_count(statement) == 0 || !sqlite3_stmt_readonly(statement)) {
		sqlite3_finalize(statement);
		sql_result_fail_at(all, *text + strspn(*text, " \t\r\n"), ONLY_SELECT, error);
		return NULL;
	}
	if (s->q)
		other = sql_short_of(s, *text, (size_t)(rest - *text));
	if (!other && s->q)
		other = sql_ends_of(s, *text, (size_t)(rest - *text));
	if (other && sqlite3_prepare_v2(s->db, other, -1, &faster, NULL) == SQLITE_OK) {
		sqlite3_finalize(statement);
		statement = faster;
	}
	if (!bind_values(s, statement, all, *text, error)) {
		sqlite3_finalize(statement);
		return NULL;
	}
	*text = rest;
	r = g_new0(struct sql_result, 1);
	r->sql = s;
	r->statement = statement;
	return r;
}

void sql_result_free(struct sql_result *r)
{
	if (!r)
		return;
	sqlite3_finalize(r->statement);
	g_free(r);
}

enum table_type sql_result_declared(const struct sql_result *r, unsigned i)
{
	return sql_column_type_of(sqlite3_column_decltype(r->statement, (int)i));
}

static enum table_type type_of(const struct sql_result *r, unsigned i, bool has_row)
{
	enum table_type type = sql_result_declared(r, i);

	if (type != TABLE_ANY)
		return type;
	switch (has_row ? sqlite3_column_type(r->statement, (int)i) : SQLITE_NULL) {
	case SQLITE_INTEGER: return TABLE_NUMBER;
	case SQLITE_FLOAT: return TABLE_SHARE;
	case SQLITE_NULL: return TABLE_ANY;
	default: return TABLE_WORD;
	}
}

int sql_result_next(struct sql_result *r, GError **error)
{
	int status = sqlite3_step(r->statement);

	if (status != SQLITE_ROW && status != SQLITE_DONE) {
		fail(r->sql, status, NULL, NULL, error);
		return -1;
	}
	for (unsigned i = 0; !r->has_types && i < sql_result_count(r); i++)
		r->types[i] = type_of(r, i, status == SQLITE_ROW);
	r->has_types = true;
	return status == SQLITE_ROW;
}

unsigned sql_result_count(const struct sql_result *r)
{
	return MIN((unsigned)sqlite3_column_count(r->statement), TABLE_COLUMNS_MAX);
}

const char *sql_result_name(const struct sql_result *r, unsigned i)
{
	return sqlite3_column_name(r->statement, (int)i);
}

enum table_type sql_result_type(const struct sql_result *r, unsigned i)
{
	return r->types[i];
}

const char *sql_result_type_name(const struct sql_result *r, unsigned i)
{
	return r->types[i] == TABLE_ANY ? NULL : sql_column_type(r->types[i]);
}

struct sql_value sql_result_value(const struct sql_result *r, unsigned i)
{
	sqlite3_stmt *statement = r->statement;

	switch (sqlite3_column_type(statement, (int)i)) {
	case SQLITE_NULL: return (struct sql_value){ .kind = SQL_NULL };
	case SQLITE_INTEGER:
		return (struct sql_value){ .kind = SQL_INTEGER,
			.number = sqlite3_column_int64(statement, (int)i) };
	case SQLITE_FLOAT:
		return (struct sql_value){ .kind = SQL_REAL,
			.real = sqlite3_column_double(statement, (int)i) };
	default:
		return (struct sql_value){ .kind = SQL_TEXT,
			.text = (const char *)sqlite3_column_text(statement, (int)i),
			.length = (size_t)sqlite3_column_bytes(statement, (int)i),
			.is_blob = sqlite3_column_type(statement, (int)i) == SQLITE_BLOB };
	}
}

/* ---- cells ---- */

static char *blob_text(const uint8_t *bytes, int length)
{
	GString *text = g_string_new("x'");

	for (int i = 0; i < length; i++)
		g_string_append_printf(text, "%02x", bytes[i]);
	g_string_append_c(text, '\'');
	return g_string_free(text, FALSE);
}

/* Fill CELL with column I of R for FORMAT.  A text may have any bytes. */
static void fill(struct table_cell *cell, const struct sql_result *r, int i, enum table_format format)
{
	sqlite3_stmt *statement = r->statement;
	int64_t number;

	switch (sqlite3_column_type(statement, i)) {
	case SQLITE_NULL: break;
	case SQLITE_FLOAT: cell->share = sqlite3_column_double(statement, i); break;
	case SQLITE_INTEGER:
		number = sqlite3_column_int64(statement, i);
		if (number == BASE_TIME_NONE) /* an ordinary number here, not "unknown" */
			cell->share = (double)number;
		else if (table_told(format) && r->types[i] == TABLE_TIME)
			cell->taken = table_time_text(number);
		else if (table_told(format) && r->types[i] == TABLE_DURATION && number >= 0)
			cell->taken = table_duration_text(number);
		else
			cell->number = number;
		break;
	case SQLITE_BLOB:
		cell->taken = blob_text(sqlite3_column_blob(statement, i),
			sqlite3_column_bytes(statement, i));
		break;
	default:
		cell->taken = base_text_clean((const char *)sqlite3_column_text(statement, i),
			sqlite3_column_bytes(statement, i));
		cell->is_known = true;
	}
}

const char *sql_result_heading(const struct sql_result *r, unsigned i)
{
	enum table_type type = r->types[i];
	bool is_number = type != TABLE_ANY && type != TABLE_WORD && type != TABLE_TIME;
	g_autofree char *name = base_text_clean(sql_result_name(r, i), -1),
			*text = g_strconcat(is_number ? ">" : "",
				!is_number && strchr("(>", *name) ? " " : "", name,
				NULL); /* ">" and "(" at the front of a heading have a meaning */

	return g_intern_string(text);
}

void sql_result_columns(struct table_row *to, const void *row, const struct table_in *in)
{
	const struct sql_result *r = in->context;

	for (unsigned i = 0; i < sql_result_count(r); i++)
		TABLE_COLUMN_BY(to->columns ? sql_result_name(r, i) : "",
			to->columns ? sql_result_heading(r, i) : NULL, TABLE_ANY, "",
			fill(cell, r, (int)i, in->format));
}
