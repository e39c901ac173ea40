/* SPDX-License-Identifier: MIT */
/* Virtual tables over the cursors of src/table. */
#include "sql/sql_vtab.h"

#include "base/base_error.h"
#include "base/base_progress.h"
#include "base/base_time.h"

#include <string.h>
#include <xxhash.h>

#define LOOK_AFTER 1024 /* rows between two checks for cancellation */

/* ---- life ---- */

static int find_column(const struct sql_vtab *t, const char *name)
{
	for (guint i = 0; i < t->columns->len; i++)
		if (g_str_equal(g_array_index(t->columns, struct sql_column, i).name, name))
			return (int)i;
	return -1;
}

/* The statement that declares T. */
static char *declaration(const struct sql_vtab *t)
{
	GString *text = g_string_new("CREATE TABLE x(");

	for (guint i = 0; i < t->columns->len; i++) {
		const struct sql_column *c = &g_array_index(t->columns, struct sql_column, i);

		g_string_append_printf(text, "%s\"%s\" %s", i ? ", " : "", c->name, sql_column_type(c->type));
	}
	for (unsigned i = 0; t->source->arguments[i]; i++)
		g_string_append_printf(text, ", \"%s\" HIDDEN", t->source->arguments[i]);
	g_string_append(text, t->ends >= 0 ? ", ts_end HIDDEN)" : ")");
	return g_string_free(text, FALSE);
}

static char *vtab_declare(struct sql_module_vtab *base)
{
	struct sql_vtab *t = (struct sql_vtab *)base;

	t->source = base->of;
	t->columns = sql_column_list(base->sql->q, t->source->table);
	t->utid = find_column(t, "utid");
	t->ts = find_column(t, "ts");
	t->host = find_column(t, "host");
	t->kind = find_column(t, "kind");
	t->dur = find_column(t, "dur");
	t->ends = t->source->table->takes & TABLE_TAKES_ENDS ? (int)t->columns->len : -1;
	t->rows = t->source->table->rows ? t->source->table->rows(base->sql->q) : 100;
	return declaration(t);
}

static void vtab_clear(struct sql_module_vtab *base)
{
	g_array_unref(((struct sql_vtab *)base)->columns);
}

static void row_forget(struct sql_cursor *c)
{
	if (c->filled)
		table_row_clear(&c->cells);
	c->filled = false;
}

static void cursor_reset(struct sql_module_cursor *base)
{
	struct sql_cursor *c = (struct sql_cursor *)base;
	const struct sql_source *source = sql_vtab_of(c)->source;

	row_forget(c);
	g_clear_pointer(&c->c, table_close);
	if (source->forget)
		source->forget(&c->ask);
	g_clear_pointer(&c->utids, g_array_unref);
	for (unsigned i = 0; i < c->n_checks; i++)
		g_free(c->checks[i].text);
	g_free((char *)(uintptr_t)c->ask.kind);
	g_clear_pointer(&c->alike, g_hash_table_unref);
	c->n_checks = c->next_utid = 0;
	c->ask = TABLE_ALL;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	return sql_plan_find((const struct sql_vtab *)base, info);
}

/* ---- rows ---- */

static int stopped(struct sql_vtab *t)
{
	return sql_module_fail(&t->in, g_error_new_literal(BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted"));
}

static bool passes(struct sql_cursor *c)
{
	struct table_row cells;
	bool fine = true;

	cells.columns = NULL;
	for (unsigned i = 0; fine && i < c->n_checks; i++) {
		unsigned number = c->checks[i].number;
		const char *word;

		table_row_fill(&cells, UINT64_C(1) << number, c->c->table->columns, c->row, &c->c->in);
		word = table_word(&cells.cells[number]);
		fine = word && g_str_equal(word, c->checks[i].text);
		table_row_clear(&cells);
	}
	return fine;
}

/* Open the next thread of the list.  Returns 1; 0 at the end; -1 with an error. */
static int next_thread(struct sql_cursor *c, GError **error)
{
	struct sql_vtab *t = sql_vtab_of(c);

	g_clear_pointer(&c->c, table_close);
	if (!c->utids || c->next_utid >= c->utids->len)
		return 0;
	c->ask.row = g_array_index(c->utids, uint32_t, c->next_utid++);
	c->c = table_open(t->source->table, t->in.sql->q, &c->ask, error);
	if (c->c)
		c->c->wanted = c->reads;
	return c->c ? 1 : -1;
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
	struct sql_cursor *c = (struct sql_cursor *)base;
	struct sql_vtab *t = sql_vtab_of(c);
	GError *problem = NULL;

	row_forget(c);
	c->in.id++;
	for (unsigned n = 1; c->c; n++) {
		int found = table_next(c->c, &c->row, &problem);

		if (found == 0)
			found = next_thread(c, &problem);
		else if (found > 0 && (!c->n_checks || passes(c)))
			break;
		if (found < 0)
			return sql_module_fail(&t->in, problem);
		if (n % LOOK_AFTER == 0 && base_progress_cancelled(t->in.sql->progress))
			return stopped(t);
	}
	return SQLITE_OK;
}

static int cursor_filter(sqlite3_vtab_cursor *base, G_GNUC_UNUSED int given, const char *plan,
	G_GNUC_UNUSED int argc, sqlite3_value **values)
{
	struct sql_cursor *c = (struct sql_cursor *)base;
	struct sql_vtab *t = sql_vtab_of(c);
	GError *problem = NULL;
	int asks;

	cursor_reset(&c->in);
	c->ask.whole = true;
	c->ask.host = t->source->table->takes & TABLE_TAKES_HOST ? c->in.host : MDL_NONE;
	c->ask.format = TABLE_CSV;
	c->ask.progress = t->in.sql->progress;
	asks = sql_plan_ask(c, plan, values, &problem);
	if (c->in.all)
		c->wanted = c->reads;
	if (asks > 0)
		c->c = table_open(t->source->table, t->in.sql->q, &c->ask, &problem);
	if (c->c)
		c->c->wanted = c->reads;
	if (c->c)
		return cursor_next(base);
	if (asks == 0 ||
		(asks > 0 && t->source->or_nothing &&
			g_error_matches(problem, BASE_ERROR, BASE_ERROR_NO_ANSWER))) {
		g_clear_error(&problem);
		return SQLITE_OK;
	}
	return sql_module_fail(&t->in, problem);
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
	return !((struct sql_cursor *)base)->c;
}

/* The cell of column I in the current row. */
static const struct table_cell *cell_of(struct sql_cursor *c, int i)
{
	unsigned number = g_array_index(sql_vtab_of(c)->columns, struct sql_column, i).number;

	if (!c->filled) {
		c->cells.columns = NULL;
		c->cells.n = 0;
		c->cells.wanted = 0;
		c->filled = true;
	}
	if (!(c->cells.wanted >> number & 1)) {
		/* SQLite does not announce which columns it will read.  Expect those that it has read so
		 * far. */
		c->wanted |= UINT64_C(1) << number;
		table_row_clear(&c->cells);
		table_row_fill(&c->cells, c->wanted, c->c->table->columns, c->row, &c->c->in);
	}
	return &c->cells.cells[number];
}

static int cursor_value(struct sql_module_cursor *base, int i, struct sql_value *to)
{
	struct sql_cursor *c = (struct sql_cursor *)base;
	const struct sql_vtab *t = sql_vtab_of(c);

	if (i < (int)t->columns->len) {
		sql_column_value(to, g_array_index(t->columns, struct sql_column, i).type, cell_of(c, i));
	} else if (i == t->ends) {
		int64_t from = cell_of(c, t->ts)->number, dur = cell_of(c, t->dur)->number;

		if (from != BASE_TIME_NONE && dur != BASE_TIME_NONE)
			sql_value_number(to, from + dur);
	}
	return SQLITE_OK;
}

/*
 * The rowid.  SQLite answers "a OR b" with one scan for each term and skips rowids that it has seen, so a row
 * needs the same rowid in all scans, although each scan finds other rows.  The rowid is a hash of the columns
 * that the statement names and of ts, dur, host and utid.  Rows that are equal in all of these are in every
 * scan or in none, one after the other in order of time; a count of them makes their rowids differ.
 */
static int64_t cursor_id(struct sql_module_cursor *base)
{
	struct sql_cursor *c = (struct sql_cursor *)base;
	const struct sql_vtab *t = sql_vtab_of(c);
	uint64_t hash = 0, count;
	int64_t at = 0;

	if (c->alike && c->own_id_of == c->in.id)
		return c->own_id;
	for (int i = 0; i < (int)t->columns->len; i++) {
		struct sql_value value = { .kind = SQL_NULL };

		if (!(c->used >> MIN(i, 63) & 1))
			continue;
		cursor_value(base, i, &value);
		at = i == t->ts ? value.number : at;
		hash = XXH3_64bits_withSeed(&value.kind, sizeof value.kind, hash);
		if (value.kind == SQL_TEXT)
			hash = XXH3_64bits_withSeed(value.text, value.length, hash);
		else if (value.kind != SQL_NULL)
			hash = XXH3_64bits_withSeed(value.kind == SQL_REAL ? (void *)&value.real
									   : &value.number,
				8, hash);
	}
	if (!c->alike)
		c->alike = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	else if (at != c->alike_at)
		g_hash_table_remove_all(c->alike);
	count = GPOINTER_TO_SIZE(g_hash_table_lookup(c->alike, &hash));
	g_hash_table_replace(c->alike, g_memdup2(&hash, sizeof hash), GSIZE_TO_POINTER(count + 1));
	c->alike_at = at;
	c->own_id_of = c->in.id;
	c->own_id = (int64_t)XXH3_64bits_withSeed(&count, sizeof count, hash);
	return c->own_id;
}

static void cursor_values(struct sql_module_cursor *base, struct sql_value *to)
{
	struct sql_cursor *c = (struct sql_cursor *)base;
	const GArray *columns = sql_vtab_of(c)->columns;
	const struct table_cell *first = cell_of(c, 0) - g_array_index(columns, struct sql_column, 0).number;

	for (guint i = 0; i < columns->len; i++) {
		const struct sql_column *column = &g_array_index(columns, struct sql_column, i);

		to[i].kind = SQL_NULL;
		sql_column_value(&to[i], column->type, &first[column->number]);
	}
}

static const struct sql_module module = {
	.calls = { SQL_MODULE_CALLS, .xBestIndex = best_index, .xFilter = cursor_filter, .xNext = cursor_next,
		.xEof = cursor_eof },
	.vtab_size = sizeof(struct sql_vtab),
	.cursor_size = sizeof(struct sql_cursor),
	.declare = vtab_declare,
	.clear = vtab_clear,
	.reset = cursor_reset,
	.value = cursor_value,
	.id = cursor_id,
	.values = cursor_values,
};

bool sql_table_add(struct sql *s, const struct sql_source *source, GError **error)
{
	g_hash_table_add(s->tables, (gpointer)(uintptr_t)sql_source_name(source));
	return sql_module_add(s, sql_source_name(source), &module, source, error);
}
