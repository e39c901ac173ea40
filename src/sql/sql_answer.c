/* SPDX-License-Identifier: MIT */
/* The result of one query as a table, for lists, with the query's columns.  A row with ts, dur or utid leads
 * to that time or thread. */
#include "sql/sql_parts.h"

#include "base/base_error.h"
#include "base/base_time.h"

#include <inttypes.h>
#include <math.h>

struct answer {
	struct table_cursor of;
	struct sql *sql;
	struct sql_result *result;
	int more;          /* of sql_result_next() for the row that is there */
	bool begun;        /* that row was returned */
	int ts, dur, utid; /* numbers of these columns; -1: none */
};

/* ---- cells ---- */

/* The type of column I in a list.  A column of reals is not shown as shares. */
static enum table_type type_of(const struct sql_result *r, unsigned i)
{
	switch (sql_result_type(r, i)) {
	case TABLE_SHARE: return TABLE_NUMBER;
	case TABLE_ANY: return TABLE_WORD;
	default: return sql_result_type(r, i);
	}
}

/* A real is sorted by its millionths and shown as it is.  SHARE has the exact value of every number. */
static void put_cell(struct table_cell *cell, const struct sql_value *value, enum table_type type)
{
	char digits[G_ASCII_DTOSTR_BUF_SIZE];

	if (value->kind == SQL_TEXT)
		cell->taken = g_strndup(value->text, value->length);
	else if (value->kind == SQL_REAL)
		cell->taken = g_strdup(g_ascii_formatd(digits, sizeof digits, "%.6g", value->real));
	else if (value->kind == SQL_INTEGER && type == TABLE_WORD)
		cell->taken = g_strdup_printf("%" PRId64, value->number);
	if (value->kind == SQL_INTEGER)
		cell->share = (double)value->number;
	else if (value->kind == SQL_REAL)
		cell->share = value->real;
	if (value->kind == SQL_INTEGER)
		cell->number = value->number;
	else if (value->kind == SQL_REAL && fabs(value->real) < 9e12)
		cell->number = (int64_t)(1e6 * value->real);
}

static void answer_columns(struct table_row *to, const void *row, const struct table_in *in)
{
	const struct answer *a = in->context;

	for (unsigned i = 0; i < sql_result_count(a->result); i++) {
		enum table_type type = type_of(a->result, i);

		TABLE_COLUMN_BY(to->columns ? g_intern_string(sql_result_name(a->result, i)) : "",
				to->columns ? sql_result_heading(a->result, i) : NULL, type, "",
				struct sql_value value = sql_result_value(a->result, i);
				put_cell(cell, &value, type));
	}
}

/* ---- rows ---- */

static int column_called(const struct sql_result *r, const char *name)
{
	for (unsigned i = 0; i < sql_result_count(r); i++)
		if (!sqlite3_stricmp(sql_result_name(r, i), name))
			return (int)i;
	return -1;
}

/* Set the parameters: the window of the question, and its thread or CPU. */
static void set_parameters(struct answer *a)
{
	const struct table_question *ask = &a->of.ask;
	const struct qry_row *row = ask->row == MDL_NONE ? NULL : qry_row(a->of.q, ask->row);

	sql_set(a->sql, "from", ask->from);
	sql_set(a->sql, "to", ask->to);
	sql_set(a->sql, "utid", row && row->type == MDL_ROW_THREAD ? (int64_t)row->id : BASE_TIME_NONE);
	sql_set(a->sql, "cpu", row && row->type == MDL_ROW_CPU ? row->nr : BASE_TIME_NONE);
}

static bool open_answer(struct table_cursor *c, GError **error)
{
	struct answer *a = (struct answer *)c;
	const char *text = c->ask.query;
	GError *problem = NULL;

	a->sql = sql_open(c->q, c->ask.progress, error);
	if (!a->sql)
		return false;
	set_parameters(a);
	sql_set_rules(a->sql, c->ask.rules);
	a->result = sql_result_new(a->sql, c->ask.query, &text, &problem);
	if (!a->result) {
		if (problem)
			g_propagate_error(error, problem);
		return problem
			? false
			: base_error_false(error, BASE_ERROR_USAGE, "the query is empty: type a SELECT");
	}
	a->more = sql_result_next(a->result, error);
	a->ts = column_called(a->result, "ts");
	a->dur = column_called(a->result, "dur");
	a->utid = column_called(a->result, "utid");
	c->in.context = a;
	return a->more >= 0;
}

static int next_answer(struct table_cursor *c, const void **row, GError **error)
{
	struct answer *a = (struct answer *)c;

	if (a->begun && a->more > 0)
		a->more = sql_result_next(a->result, error);
	a->begun = true;
	*row = a;
	return a->more;
}

static void close_answer(struct table_cursor *c)
{
	struct answer *a = (struct answer *)c;

	sql_result_free(a->result);
	sql_free(a->sql);
}

static int64_t number_of(const struct answer *a, int column)
{
	struct sql_value value = { .kind = SQL_NULL };

	if (column >= 0)
		value = sql_result_value(a->result, (unsigned)column);
	return value.kind == SQL_INTEGER ? value.number : BASE_TIME_NONE;
}

static bool answer_lead(const struct table_cursor *c, G_GNUC_UNUSED const void *row, struct table_place *to)
{
	const struct answer *a = (const struct answer *)c;
	int64_t from = number_of(a, a->ts), length = number_of(a, a->dur), utid = number_of(a, a->utid);
	bool is_row = utid >= 0 && utid < (int64_t)qry_row_count(c->q);

	*to = (struct table_place){ .row = is_row ? (uint32_t)utid : MDL_NONE, .from = from, .to = from };
	if (from != BASE_TIME_NONE && length > 0)
		to->to = base_time_sum(from, length);
	return is_row || from != BASE_TIME_NONE;
}

const struct table sql_rows = {
	.name = "query",
	.list = "rows",
	.doc = "a row of the answer to a query",
	.columns = answer_columns,
	.size = sizeof(struct answer),
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_WINDOW,
	.open = open_answer,
	.next = next_answer,
	.close = close_answer,
	.lead = answer_lead,
};

/* ---- words ---- */

void sql_words(struct qry *q, GPtrArray *words)
{
	static const char *const own[] = { "SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "DESC", "LIMIT",
		"JOIN", "USING", "count(*)", "sum", "avg", "min", "max", "quantile", "stddev", "quantize",
		"lquantize", "first", "last", "ms", "at", "hms", "GLOB", "DISTINCT", "HAVING", "event",
		"wakepath_tables", "wakepath_columns", "$from", "$to", "$utid", "$cpu" };
	const struct sql_source *source;

	for (unsigned i = 0; (source = sql_sources_at(i)); i++) {
		g_autoptr(GArray) columns = sql_column_list(q, source->table);

		g_ptr_array_add(words, g_strdup(sql_source_name(source)));
		for (guint k = 0; k < columns->len; k++)
			g_ptr_array_add(words, g_strdup(g_array_index(columns, struct sql_column, k).name));
	}
	for (gsize i = 0; i < G_N_ELEMENTS(own); i++)
		g_ptr_array_add(words, g_strdup(own[i]));
}
