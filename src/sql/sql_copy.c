/* SPDX-License-Identifier: MIT */
/*
 * Tables as an SQLite database file.  SQLite copies them from the virtual tables, so no row passes through
 * here. The file is new, and the caller discards it if anything fails, so it needs no journal.
 */
#include "sql/sql_parts.h"

#include "base/base_error.h"

/* Run the statement that FORMAT (of sqlite3_mprintf()) makes.  False with an error. */
static bool run(struct sql *s, GError **error, const char *format, ...)
{
	va_list arguments;
	char *text;
	int status;

	va_start(arguments, format);
	text = sqlite3_vmprintf(format, arguments);
	va_end(arguments);
	status = text ? sqlite3_exec(s->db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
	sqlite3_free(text);
	return status == SQLITE_OK || sql_result_fail(s, status, error);
}

/* The declarations of the columns of the new TABLE.  The types are SQLite's own, so that every program knows
 * them: times and durations are integers, ns.  NULL with an error. */
static char *declared(struct sql *s, const char *table, GError **error)
{
	char *text = sqlite3_mprintf("SELECT * FROM \"%w\" LIMIT 0", table);
	g_autoptr(GString) columns = g_string_new(NULL);
	sqlite3_stmt *statement = NULL;
	int status = sqlite3_prepare_v2(s->db, text, -1, &statement, NULL);

	sqlite3_free(text);
	if (status != SQLITE_OK) {
		sql_result_fail(s, status, error);
		return NULL;
	}
	for (int i = 0; i < sqlite3_column_count(statement); i++) {
		enum table_type type = sql_column_type_of(sqlite3_column_decltype(statement, i));
		char *column = sqlite3_mprintf("%s\"%w\" %s", i ? ", " : "",
			sqlite3_column_name(statement, i),
			type == TABLE_WORD            ? "TEXT"
				: type == TABLE_SHARE ? "REAL"
						      : "INTEGER");

		g_string_append(columns, column);
		sqlite3_free(column);
	}
	sqlite3_finalize(statement);
	return g_string_free(g_steal_pointer(&columns), FALSE);
}

bool sql_leave_out(const char *table, GPtrArray *left_out, GError *problem, GError **error)
{
	if (!left_out || !g_error_matches(problem, BASE_ERROR, BASE_ERROR_NO_ANSWER)) {
		g_propagate_error(error, problem);
		return false;
	}
	g_ptr_array_add(left_out, g_strdup_printf("%s is left out: %s", table, problem->message));
	g_error_free(problem);
	return true;
}

static bool copy_table(struct sql *s, const char *table, GPtrArray *left_out, GError **error)
{
	g_autofree char *columns = declared(s, table, error);
	GError *problem = NULL;

	if (!columns || !run(s, error, "CREATE TABLE copy.\"%w\"(%s)", table, columns))
		return false;
	return run(s, &problem, "INSERT INTO copy.\"%w\" SELECT * FROM main.\"%w\"", table, table) ||
		(sql_leave_out(table, left_out, problem, error) &&
			run(s, error, "DROP TABLE copy.\"%w\"", table));
}

/* Allow S to write, or forbid it. */
static void set_writes(struct sql *s, bool writes)
{
	s->copies = writes;
	sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, writes);
}

bool sql_copy(struct sql *s, const GPtrArray *tables, GPtrArray *left_out, const char *file, GError **error)
{
	bool fine;

	if (!s->has_events && !sql_event_add_types(s, error))
		return false;
	set_writes(s, true);
	fine = run(s, error, "ATTACH %Q AS copy", file) &&
		run(s, error, "PRAGMA copy.journal_mode = OFF; PRAGMA copy.synchronous = OFF; BEGIN");
	for (guint i = 0; fine && i < tables->len; i++)
		fine = copy_table(s, g_ptr_array_index(tables, i), left_out, error);
	fine = fine && run(s, error, "COMMIT");
	run(s, fine ? error : NULL, "DETACH copy");
	set_writes(s, false);
	return fine;
}
