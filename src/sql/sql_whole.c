/* SPDX-License-Identifier: MIT */
/* All rows of a table, from the cursor of its virtual table without SQLite. */
#include "sql/sql_parts.h"

#include "base/base_error.h"
#include "base/base_progress.h"

#include <string.h>

#define LOOK_AFTER 1024 /* rows between two checks for cancellation */

struct sql_whole {
	struct sql *sql;
	struct sql_result *columns;  /* owned */
	struct sql_module_cursor *c; /* owned */
	int host;                    /* number of the column host; -1: there is none */
	const char *only;            /* name of the only host; weak, NULL: all */
	bool begun;
	struct sql_value values[TABLE_COLUMNS_MAX]; /* of the current row */
	unsigned passed;                            /* rows read */
};

struct sql_whole *sql_whole_new(struct sql *s, const char *table, uint32_t host, GError **error)
{
	struct sql_whole *w = g_new0(struct sql_whole, 1);
	char *query = sqlite3_mprintf("SELECT * FROM \"%w\"", table);
	const char *text = query;

	w->sql = s;
	w->host = -1;
	w->columns = sql_result_new(s, query, &text, error);
	sqlite3_free(query);
	if (!w->columns) {
		g_free(w);
		return NULL;
	}
	for (unsigned i = 0; i < sql_result_count(w->columns); i++)
		if (g_str_equal(sql_result_name(w->columns, i), "host"))
			w->host = (int)i;
	w->c = sql_module_cursor_new(s, table);
	w->c->all = true;
	w->c->host = w->host < 0 ? MDL_NONE : host;
	w->only = w->c->host == MDL_NONE ? NULL : qry_host(s->q, host)->name;
	return w;
}

void sql_whole_free(struct sql_whole *w)
{
	if (!w)
		return;
	sql_module_cursor_free(w->c);
	sql_result_free(w->columns);
	g_free(w);
}

const struct sql_result *sql_whole_columns(const struct sql_whole *w)
{
	return w->columns;
}

/* True if STATUS of the cursor is fine; else false with its error. */
static bool is_fine(struct sql_whole *w, int status, GError **error)
{
	if (status != SQLITE_OK)
		g_propagate_error(error, g_steal_pointer(&w->sql->problem));
	return status == SQLITE_OK;
}

/* Read the values of the current row.  False with an error. */
static bool find_values(struct sql_whole *w, GError **error)
{
	const struct sql_module *m = sql_module_of(w->c);
	int status = SQLITE_OK;

	if (m->values) {
		m->values(w->c, w->values);
		return true;
	}
	for (unsigned i = 0; status == SQLITE_OK && i < sql_result_count(w->columns); i++) {
		w->values[i].kind = SQL_NULL;
		status = m->value(w->c, (int)i, &w->values[i]);
	}
	return is_fine(w, status, error);
}

/* True if the current row belongs to the wanted host. */
static bool is_wanted(const struct sql_whole *w)
{
	const struct sql_value *host = &w->values[MAX(w->host, 0)];

	return !w->only || (host->kind == SQL_TEXT && g_str_equal(host->text, w->only));
}

int sql_whole_next(struct sql_whole *w, GError **error)
{
	const sqlite3_module *calls = &sql_module_of(w->c)->calls;

	do {
		int status = w->begun
			? calls->xNext(&w->c->base)
			: calls->xFilter(&w->c->base, 0, "-1 ", 0, NULL); /* all columns, no values */

		w->begun = true;
		if (++w->passed % LOOK_AFTER == 0 && base_progress_cancelled(w->sql->progress)) {
			g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
			return -1;
		}
		if (!is_fine(w, status, error))
			return -1;
		if (calls->xEof(&w->c->base))
			return 0;
		if (!find_values(w, error))
			return -1;
	} while (!is_wanted(w));
	return 1;
}

const struct sql_value *sql_whole_values(const struct sql_whole *w)
{
	return w->values;
}
