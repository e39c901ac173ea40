/* SPDX-License-Identifier: MIT */
/* The columns of tables in SQL, and their values. */
#include "sql/sql_parts.h"

#include <string.h>

static const struct {
	const char *declared;
	unsigned type;
} types[] = {
	{ "integer", TABLE_NUMBER },
	{ "time", TABLE_TIME },
	{ "duration", TABLE_DURATION },
	{ "boolean", TABLE_YES },
	{ "real", TABLE_SHARE },
	{ "text", TABLE_WORD },
};

const char *sql_column_type(unsigned type)
{
	for (gsize i = 0; i < G_N_ELEMENTS(types); i++)
		if (types[i].type == type)
			return types[i].declared;
	return "text";
}

unsigned sql_column_type_of(const char *declared)
{
	for (gsize i = 0; declared && i < G_N_ELEMENTS(types); i++)
		if (!sqlite3_stricmp(types[i].declared, declared))
			return types[i].type;
	return TABLE_ANY;
}

static void column_clear(gpointer data)
{
	g_free(((struct sql_column *)data)->name);
}

/* The name of COLUMN of TABLE in SQL; NULL: SQL does not have it. */
static const char *name_in_sql(const struct table *table, const struct table_column *column)
{
	if (!*column->name)
		return NULL;
	for (const struct table_alias *a = table->aliases; a && a->name; a++)
		if (g_str_equal(a->name, column->name))
			return a->sql;
	return column->name;
}

/* ts, dur, host and utid come first. */
static int column_place(const struct sql_column *c)
{
	static const char *const first[] = { "ts", "dur", "host", "utid" };

	for (gsize i = 0; i < G_N_ELEMENTS(first); i++)
		if (g_str_equal(c->name, first[i]))
			return (int)i;
	return (int)(G_N_ELEMENTS(first) + c->number);
}

static int by_place(gconstpointer a, gconstpointer b)
{
	return column_place(a) - column_place(b);
}

GArray *sql_column_list(struct qry *q, const struct table *table)
{
	const struct table_in in = { .q = q, .format = TABLE_CSV };
	struct table_column described[TABLE_COLUMNS_MAX];
	unsigned n = table_describe(table->columns, &in, described);
	GArray *columns = g_array_new(FALSE, FALSE, sizeof(struct sql_column));

	g_array_set_clear_func(columns, column_clear);
	for (unsigned i = 0; i < n; i++) {
		const char *name = name_in_sql(table, &described[i]);
		struct sql_column c = { .number = i,
			.type = described[i].type & ~TABLE_FLAGS,
			.doc = described[i].doc };

		if (!name)
			continue;
		c.name = g_strdelimit(g_strdup(name), "-", '_');
		g_array_append_val(columns, c);
	}
	g_array_sort(columns, by_place);
	return columns;
}

void sql_column_value(struct sql_value *to, unsigned type, const struct table_cell *cell)
{
	switch (type) {
	case TABLE_WORD:
	case TABLE_LONG:
	case TABLE_DECIMAL:
		if (table_word(cell))
			sql_value_text(to, table_word(cell), strlen(table_word(cell)));
		break; /* else it is NULL */
	case TABLE_SHARE:
		if (!isnan(cell->share))
			*to = (struct sql_value){ .kind = SQL_REAL, .real = cell->share };
		break;
	default:
		if (cell->number != MDL_NEVER)
			sql_value_number(to, cell->number);
	}
}
