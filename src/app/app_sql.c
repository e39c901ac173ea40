/* SPDX-License-Identifier: MIT */
/* The command sql: a query over the tables of the traces. */
#include "app/app_args.h"
#include "app/app_session.h"
#include "app/app_sql_fleet.h"

#include "base/base_error.h"
#include "base/base_file.h"
#include "base/base_time.h"
#include "sql/sql.h"

static const struct base_file_kind query_kind = { "query", 1 << 20, BASE_ERROR_USAGE };

/* Set $from, $to, $utid and $cpu. */
static bool set_parameters(struct app_session *s, struct sql *sql, GError **error)
{
	const struct app_args *a = s->args;
	uint32_t row = MDL_NONE, cpu = MDL_NONE;
	int64_t from, to;

	if ((a->thread && !app_session_thread(s, &row, error)) ||
		(a->cpu && !qry_find_line(s->q, MDL_ROW_CPU, a->cpu, &cpu, error)) ||
		!app_session_instants(s, MDL_NONE, &from, &to, error))
		return false;
	sql_set(sql, "from", from);
	sql_set(sql, "to", to);
	sql_set(sql, "utid", table_id(row));
	sql_set(sql, "cpu", cpu == MDL_NONE ? BASE_TIME_NONE : qry_row(s->q, cpu)->nr);
	return true;
}

/* Return the query that was typed, or the text of --file.  The caller frees.  NULL with an error. */
static char *read_query(const struct app_args *args, GError **error)
{
	return args->query_file ? base_file_text(args->query_file, &query_kind, error)
				: g_strdup(args->query);
}

static bool sql_answer(struct app_session *s, GString *out, GError **error)
{
	g_autofree char *text = read_query(s->args, error);
	struct exp_sql_of of = { .text = text };
	bool fine;

	if (!text)
		return false;
	of.sql = app_session_sql(s, error);
	if (!of.sql)
		return false;
	app_session_warn(s->q);
	fine = set_parameters(s, of.sql, error) && app_session_write(s, &of, out, error);
	sql_free(of.sql);
	return fine;
}

static bool sql_check(const struct app_args *args, GError **error)
{
	if (args->query && !g_utf8_validate(args->query, -1, NULL))
		return base_error_false(error, BASE_ERROR_USAGE, "the query is not UTF-8");
	if (args->fleet && ((args->traces && args->traces[0]) || args->thread || args->cpu))
		return base_error_false(error, BASE_ERROR_USAGE,
			"--fleet names the traces, and a thread or CPU belongs to one of them: leave TRACE, --thread and --cpu out");
	if (args->fleet && !args->query && !args->query_file)
		return base_error_false(error, BASE_ERROR_USAGE, "the query is missing");
	return true;
}

static bool sql_run(const struct app_args *args, GError **error)
{
	g_autofree char *text = args->fleet ? read_query(args, error) : NULL;

	return args->fleet ? text && app_sql_fleet(args, text, error)
			   : app_session_run(args, sql_answer, error);
}

const struct app_command app_sql = {
	.name = "sql",
	.operands = "TRACE... 'QUERY' | TRACE... --file FILE | --fleet LIST 'QUERY'",
	.summary = "Answer a query in SQL over the tables of the traces.",
	.examples =
		"  wakepath sql sample-traces/pipeline 'SELECT name, cpu_time FROM thread ORDER BY 2 DESC LIMIT 5'\n"
		"  wakepath sql sample-traces/ioburst-ipi 'SELECT kind, count(*), sum(ts - since) FROM wakeup GROUP BY 1'\n"
		"  wakepath sql sample-traces/pipeline 'SELECT \"table\", doc FROM wakepath_tables'\n",
	.options = APP_TAKES_KALLSYMS | APP_TAKES_THREAD | APP_TAKES_WINDOW | APP_TAKES_SQL |
		APP_TAKES_OUTPUT,
	.check = sql_check,
	.run = sql_run,
};
