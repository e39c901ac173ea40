/* SPDX-License-Identifier: MIT */
/* The rows of queries in SQL. Those of several statements follow each other, separated by an empty line. */
#include "export/exp.h"

#include "export/exp_rows.h"

#include "base/base_error.h"
#include "sql/sql.h"

/* {"name", "type"} of each column. */
static GString *columns_json(const struct sql_result *r)
{
	GString *list = base_json_list();

	for (unsigned i = 0; i < sql_result_count(r); i++) {
		GString *column = base_json_object();

		base_json_string(column, "name", sql_result_name(r, i));
		base_json_text(column, "type", sql_result_type_name(r, i));
		base_json_put(list, NULL, column);
	}
	return list;
}

/* Write the rows of R as lists; MORE is 1 if the first one is read. Returns the last sql_result_next(). */
static int put_lists(GString *out, struct qry *q, struct sql_result *r, int more, const struct exp_options *o,
	GError **error)
{
	const struct table_in in = { .q = q, .context = r, .format = TABLE_JSON };
	const struct table_column element = { .type = TABLE_ANY };
	struct table_row row;

	base_json_put(out, "columns", columns_json(r));
	base_json_begin_list(out, "rows");
	row.columns = NULL;
	for (bool first = true; more > 0; more = sql_result_next(r, error), first = false) {
		g_string_append(out, first ? "\n[" : ",\n[");
		table_row_fill(&row, UINT64_MAX, sql_result_columns, r, &in);
		for (unsigned i = 0; i < row.n; i++)
			table_json_cell(out, &element, &row.cells[i]);
		table_row_clear(&row);
		g_string_append_c(out, ']');
		exp_file_take(o->file, out);
	}
	base_json_end_list(out);
	return more;
}

static int put_rows(GString *out, struct qry *q, struct sql_result *r, int more, const struct exp_options *o,
	GError **error)
{
	struct exp_rows *rows = exp_rows_new(out, "rows", sql_result_columns, o, q, r);

	for (; more > 0; more = sql_result_next(r, error))
		exp_rows_add(rows, r);
	exp_rows_finish(rows);
	return more;
}

static bool put_result(GString *out, struct qry *q, struct sql_result *r, const struct exp_options *o,
	GError **error)
{
	int more = sql_result_next(r, error);

	if (more >= 0)
		more = (o->format == TABLE_JSON ? put_lists : put_rows)(out, q, r, more, o, error);
	return more == 0;
}

/* True if there is a statement at TEXT. */
static bool is_more(struct sql *s, const char *all, const char *text)
{
	GError *problem = NULL;
	struct sql_result *r = sql_result_new(s, all, &text, &problem);
	bool is = r || problem;

	sql_result_free(r);
	g_clear_error(&problem);
	return is;
}

bool exp_sql(GString *out, struct qry *q, const void *result, const struct exp_options *o, GError **error)
{
	const struct exp_sql_of *of = result;
	const char *text = of->text;
	GError *problem = NULL;
	struct sql_result *r = sql_result_new(of->sql, of->text, &text, &problem);
	bool json = o->format == TABLE_JSON, several = r && is_more(of->sql, of->text, text), fine = true;

	if (!r && !problem)
		return base_error_false(error, BASE_ERROR_USAGE, "the query is empty: type a SELECT");
	if (!r) {
		g_propagate_error(error, problem);
		return false;
	}
	if (json && several)
		g_string_append(out, "{\"results\":[\n");
	for (bool first = true; r; first = false) {
		if (!first)
			g_string_append(out, json ? ",\n" : "\n");
		if (json)
			g_string_append_c(out, '{');
		fine = put_result(out, q, r, o, &problem);
		if (json)
			g_string_append_c(out, '}');
		sql_result_free(r);
		r = fine ? sql_result_new(of->sql, of->text, &text, &problem) : NULL;
	}
	if (json)
		g_string_append(out, several ? "\n]}\n" : "\n");
	if (o->format == TABLE_MARKDOWN)
		exp_markdown_command(out, o->command);
	if (problem)
		g_propagate_error(error, problem);
	return fine && !problem;
}
