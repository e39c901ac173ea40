/* SPDX-License-Identifier: MIT */
/* "wakepath export": the tables of SQL for other programs. */
#include "app/app_args.h"
#include "app/app_session.h"

#include "base/base_error.h"
#include "sql/sql.h"

#include <string.h>
#include <sys/stat.h>

static bool is_parquet(const struct app_args *args)
{
	return g_strcmp0(args->format_name, "parquet") == 0;
}

/* True if the output does not exist, or is a file that a database can replace.  False with an error. */
static bool check_place(const struct app_args *args, GError **error)
{
	struct stat st;

	if (lstat(args->output, &st) != 0)
		return true;
	if (is_parquet(args))
		return base_error_false(error, BASE_ERROR_IO, "%s exists: choose another name, or remove it",
			args->output);
	if (!S_ISREG(st.st_mode))
		return base_error_false(error, BASE_ERROR_IO,
			"%s is not a regular file: a database needs one; choose another name", args->output);
	return true;
}

static bool export_check(const struct app_args *args, GError **error)
{
	if (!is_parquet(args) && g_strcmp0(args->format_name, "sqlite") != 0)
		return base_error_false(error, BASE_ERROR_USAGE, "type --format sqlite or --format parquet");
	if (!args->output || !*args->output)
		return base_error_false(error, BASE_ERROR_USAGE,
			"type -o NAME: the database, or (parquet) the new folder");
	return true;
}

static bool export_answer(struct app_session *s, G_GNUC_UNUSED GString *out, GError **error)
{
	const struct app_args *a = s->args;
	g_autoptr(GPtrArray) tables = NULL, left_out = g_ptr_array_new_with_free_func(g_free);
	struct app_progress *shown;
	struct sql *sql;
	bool fine = false;

	if (!check_place(a, error))
		return false;
	sql = app_session_sql(s, error);
	if (!sql)
		return false;
	app_session_warn(s->q);
	shown = app_progress_new(s->progress, a->quiet);
	tables = exp_database_tables(sql, a->tables, error);
	if (tables)
		fine = is_parquet(a)
			? exp_database_parquet(sql, s->q, tables, a->tables ? NULL : left_out, a->output,
				  error)
			: exp_database_sqlite(sql, tables, a->tables ? NULL : left_out, a->output, error);
	app_progress_free(shown);
	if (fine)
		app_session_warn_all(left_out);
	sql_free(sql);
	return fine;
}

const struct app_command app_export = {
	.name = "export",
	.operands = "TRACE... --format sqlite|parquet -o NAME [--tables A,B]",
	.summary = "Write the tables of sql to a database of SQLite, or to Parquet files.",
	.examples =
		"  wakepath export sample-traces/pipeline --format sqlite -o pipeline.db\n"
		"  wakepath export sample-traces/rpc-chain --format parquet -o rpc --tables wakeup,thread\n",
	.options = APP_TAKES_KALLSYMS | APP_TAKES_EXPORT,
	.check = export_check,
	.answer = export_answer,
};
