/* SPDX-License-Identifier: MIT */
/* wakepath_tables and wakepath_columns, which list all tables and columns, and the names of tables for
 * exports. */
#include "sql/sql_parts.h"

#include <inttypes.h>
#include <string.h>

/* A row of either list.  Its members are the columns in SQL. */
struct line {
	char *table, *name, *type, *doc; /* owned */
	int64_t count;                   /* of events; -1: unknown */
};

struct cursor {
	struct sql_module_cursor in; /* its id: the current line, from 0 */
	GArray *lines;               /* of struct line, owned; NULL: none yet */
};

/* ---- lines ---- */

static void line_clear(gpointer data)
{
	struct line *l = data;

	g_free(l->table);
	g_free(l->name);
	g_free(l->type);
	g_free(l->doc);
}

static void add_line(GArray *lines, const char *table, const char *name, const char *type, const char *doc,
	int64_t count)
{
	struct line l = { g_strdup(table), g_strdup(name), g_strdup(type), g_strdup(doc), count };

	g_array_append_val(lines, l);
}

/* "path(utid, begin, end)", or the name alone.  The caller frees. */
static char *call_of(const struct sql_source *source)
{
	GString *text = g_string_new(sql_source_name(source));

	for (unsigned i = 0; source->arguments[i]; i++)
		g_string_append_printf(text, "%s%s%s", i >= source->required ? "[" : "", i ? ", " : "(",
			source->arguments[i]);
	for (unsigned i = source->required; source->arguments[0] && source->arguments[i]; i++)
		g_string_append_c(text, ']');
	if (source->arguments[0])
		g_string_append_c(text, ')');
	return g_string_free(text, FALSE);
}

static void add_source(struct sql *s, GArray *lines, const struct sql_source *source, bool of_columns)
{
	g_autoptr(GArray) columns = of_columns ? sql_column_list(s->q, source->table) : NULL;
	g_autofree char *call = call_of(source);

	if (!of_columns)
		add_line(lines, sql_source_name(source), call, source->arguments[0] ? "function" : "table",
			source->table->doc, -1);
	for (guint i = 0; of_columns && i < columns->len; i++) {
		const struct sql_column *c = &g_array_index(columns, struct sql_column, i);

		add_line(lines, sql_source_name(source), c->name, sql_column_type(c->type), c->doc, -1);
	}
}

/* The columns that all tables of events begin with, and those of "event". */
static void add_event_columns(GArray *lines, const char *table, bool all)
{
	add_line(lines, table, "ts", "time", "", -1);
	add_line(lines, table, "host", "text", "", -1);
	add_line(lines, table, "cpu", "integer", "", -1);
	add_line(lines, table, "utid", "integer", "the thread that ran on the CPU", -1);
	add_line(lines, table, "rank", "integer", "event number in the trace of its host", -1);
	if (all) {
		add_line(lines, table, "name", "text", "the type of the event", -1);
		add_line(lines, table, "fields", "text", "`{ name = value, … }`, as in the trace", -1);
	}
}

static void add_type(GArray *lines, const struct sql_type *type, bool of_columns)
{
	if (!of_columns) {
		add_line(lines, type->table, type->table, "events",
			"an event of this type; its fields are columns", (int64_t)type->count);
		return;
	}
	add_event_columns(lines, type->table, false);
	for (guint i = 0; i < sql_event_columns(type); i++)
		add_line(lines, type->table, type->columns->pdata[i], sql_event_declared(type, i), "", -1);
}

/* The tables that exist for every trace. */
static GArray *fixed_lines(struct sql *s, bool of_columns)
{
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct line));
	const struct sql_source *source;

	g_array_set_clear_func(lines, line_clear);
	for (unsigned i = 0; (source = sql_sources_at(i)); i++)
		if (source != &sql_source_sums)
			add_source(s, lines, source, of_columns);
	if (of_columns)
		add_event_columns(lines, "event", true);
	else
		add_line(lines, "event", "event", "table", "an event of any type", -1);
	return lines;
}

GPtrArray *sql_tables(struct sql *s, GError **error)
{
	const GPtrArray *types = sql_types(s, error);
	const struct sql_source *source;
	GPtrArray *names = types ? g_ptr_array_new_with_free_func(g_free) : NULL;

	for (unsigned i = 0; types && (source = sql_sources_at(i)); i++)
		if (source != &sql_source_sums && !source->arguments[0])
			g_ptr_array_add(names, g_strdup(sql_source_name(source)));
	if (types)
		g_ptr_array_add(names, g_strdup("event"));
	for (guint i = 0; types && i < types->len; i++)
		g_ptr_array_add(names, g_strdup(((const struct sql_type *)types->pdata[i])->table));
	return names;
}

/* ---- tables of SQLite ---- */

static const char all_tables[] = "wakepath_tables", all_columns[] = "wakepath_columns";

static char *vtab_declare(struct sql_module_vtab *t)
{
	return g_strdup(t->of == all_columns
			? "CREATE TABLE x(\"table\" TEXT, name TEXT, type TEXT, doc TEXT)"
			: "CREATE TABLE x(\"table\" TEXT, call TEXT, type TEXT, doc TEXT, events INTEGER)");
}

static int best_index(G_GNUC_UNUSED sqlite3_vtab *t, sqlite3_index_info *info)
{
	info->estimatedRows = 1000;
	info->estimatedCost = 1000;
	return SQLITE_OK;
}

static void cursor_reset(struct sql_module_cursor *c)
{
	g_clear_pointer(&((struct cursor *)c)->lines, g_array_unref);
}

static int cursor_filter(sqlite3_vtab_cursor *base, G_GNUC_UNUSED int number, G_GNUC_UNUSED const char *plan,
	G_GNUC_UNUSED int n, G_GNUC_UNUSED sqlite3_value **values)
{
	struct cursor *c = (struct cursor *)base;
	struct sql_module_vtab *t = (struct sql_module_vtab *)base->pVtab;
	GError *problem = NULL;
	const GPtrArray *types = sql_types(t->sql, &problem);

	if (!types)
		return sql_module_fail(t, problem);
	cursor_reset(&c->in);
	c->lines = fixed_lines(t->sql, t->of == all_columns);
	for (guint i = 0; i < types->len; i++)
		add_type(c->lines, types->pdata[i], t->of == all_columns);
	c->in.id = 0;
	return SQLITE_OK;
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
	((struct sql_module_cursor *)base)->id++;
	return SQLITE_OK;
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
	const struct cursor *c = (const struct cursor *)base;

	return c->in.id >= c->lines->len;
}

static int cursor_value(struct sql_module_cursor *base, int i, struct sql_value *to)
{
	const struct cursor *c = (const struct cursor *)base;
	const struct line *l = &g_array_index(c->lines, struct line, c->in.id);
	const char *const texts[] = { l->table, l->name, l->type, l->doc };

	if (i < (int)G_N_ELEMENTS(texts))
		sql_value_text(to, texts[i], strlen(texts[i]));
	else if (l->count >= 0)
		sql_value_number(to, l->count);
	return SQLITE_OK;
}

static const struct sql_module module = {
	.calls = { SQL_MODULE_CALLS, .xBestIndex = best_index, .xFilter = cursor_filter, .xNext = cursor_next,
		.xEof = cursor_eof },
	.vtab_size = sizeof(struct sql_module_vtab),
	.cursor_size = sizeof(struct cursor),
	.declare = vtab_declare,
	.reset = cursor_reset,
	.value = cursor_value,
};

bool sql_list_add(struct sql *s, GError **error)
{
	return sql_module_add(s, all_tables, &module, all_tables, error) &&
		sql_module_add(s, all_columns, &module, all_columns, error);
}
