/* SPDX-License-Identifier: MIT */
/*
 * The tables of SQL for other programs: an SQLite database, or a folder of Parquet files. Both are made under
 * another name beside their final place, and renamed when they are complete.
 *
 * Parquet: a folder for each table, in it a folder for each host ("host=NAME", as Hive names partitions), in
 * that a file. Programs that read such a tree make the column "host" from the name.
 */
#include "export/exp.h"

#include "base/base_error.h"
#include "base/base_scratch.h"
#include "base/base_text.h"
#include "base/base_version.h"
#include "parquet/pqt.h"
#include "sql/sql.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

/* ---- tables ---- */

static bool has_name(GPtrArray *names, const char *name)
{
	return g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL);
}

static bool check_table(GPtrArray *all, const char *name, GError **error)
{
	g_autofree char *shown = NULL;

	if (has_name(all, name))
		return true;
	shown = base_text_clean(name, -1);
	return base_error_false(error, BASE_ERROR_USAGE,
		"no table \"%s\" can be written: \"wakepath sql TRACE 'SELECT * FROM wakepath_tables'\" lists the tables",
		shown);
}

GPtrArray *exp_database_tables(struct sql *s, const char *names, GError **error)
{
	g_autoptr(GPtrArray) all = sql_tables(s, error), tables = g_ptr_array_new_with_free_func(g_free);
	g_auto(GStrv) list = names ? g_strsplit(names, ",", -1) : NULL;

	for (guint i = 0; all && !names && i < all->len; i++)
		if (!g_str_equal(all->pdata[i], "event"))
			g_ptr_array_add(tables, g_strdup(all->pdata[i]));
	for (char **name = list; all && name && *name; name++) {
		g_autofree char *lower = g_ascii_strdown(g_strstrip(*name), -1);

		if (!check_table(all, lower, error))
			return NULL;
		if (!has_name(tables, lower))
			g_ptr_array_add(tables, g_steal_pointer(&lower));
	}
	return all ? g_steal_pointer(&tables) : NULL;
}

/* ---- SQLite ---- */

bool exp_database_sqlite(struct sql *s, const GPtrArray *tables, GPtrArray *left_out, const char *path,
	GError **error)
{
	struct exp_file *file = exp_file_new(path);
	const char *name = exp_file_beside(file);
	g_autoptr(GString) rest = g_string_new(NULL);
	bool fine = (!name || sql_copy(s, tables, left_out, name, error)) &&
		exp_file_finish(file, rest, false, error);

	exp_file_free(file);
	return fine;
}

/* ---- Parquet ---- */

/* A file that is being written. */
struct writing {
	struct sql_whole *rows;
	struct pqt_writer *writer;
	GString *out;
	unsigned n;
	enum pqt_type types[TABLE_COLUMNS_MAX];
	int column[TABLE_COLUMNS_MAX]; /* number of the column in the file; -1: the folder has it */
};

static enum pqt_type type_of(enum table_type type)
{
	switch (type) {
	case TABLE_NUMBER:
	case TABLE_TIME:
	case TABLE_DURATION: return PQT_INT;
	case TABLE_YES: return PQT_BOOL;
	case TABLE_SHARE: return PQT_DOUBLE;
	default: return PQT_TEXT;
	}
}

/* Set COLUMN to VALUE, which is not NULL. Integers of more than 63 bits become text "0x…", with all bits. */
static void put_value(struct pqt_writer *w, guint column, enum pqt_type type, const struct sql_value *value)
{
	bool real = value->kind == SQL_REAL, number = value->kind == SQL_INTEGER;
	char digits[32];

	switch (type) {
	case PQT_INT:
	case PQT_TIME:
		pqt_set_int(w, column,
			number         ? value->number
				: real ? (int64_t)value->real
				       : (int64_t)g_ascii_strtoull(value->text, NULL, 0));
		break;
	case PQT_BOOL: pqt_set_bool(w, column, value->number != 0); break;
	case PQT_DOUBLE: pqt_set_double(w, column, real ? value->real : (double)value->number); break;
	case PQT_TEXT:
		if (value->kind == SQL_TEXT)
			pqt_set_text(w, column, value->text, (gssize)value->length);
		else
			pqt_set_text(w, column,
				real ? g_ascii_dtostr(digits, sizeof digits, value->real)
				     : (g_snprintf(digits, sizeof digits, "%" PRId64, value->number), digits),
				-1);
	}
}

/* Begin the file for W's rows. A column "host" is left out if OF_HOST. False with an error. */
static bool begin_file(struct writing *w, bool of_host, GError **error)
{
	const struct sql_result *r = sql_whole_columns(w->rows);
	struct pqt_column columns[TABLE_COLUMNS_MAX];
	guint n = 0;

	w->n = sql_result_count(r);
	for (unsigned i = 0; i < w->n; i++) {
		const char *name = sql_result_name(r, i);

		w->types[i] = type_of(sql_result_declared(r, i));
		w->column[i] = of_host && g_str_equal(name, "host") ? -1 : (int)n;
		if (w->column[i] >= 0)
			columns[n++] = (struct pqt_column){ name, w->types[i] };
	}
	w->writer = pqt_writer_new(w->out, columns, n, "wakepath version " BASE_VERSION, 0, error);
	return w->writer;
}

static void put_row(struct writing *w)
{
	const struct sql_value *values = sql_whole_values(w->rows);

	for (unsigned i = 0; i < w->n; i++)
		if (w->column[i] >= 0 && values[i].kind != SQL_NULL)
			put_value(w->writer, (guint)w->column[i], w->types[i], &values[i]);
	pqt_end_row(w->writer);
}

static bool make_folder_of(const char *path, GError **error)
{
	g_autofree char *folder = g_path_get_dirname(path);

	if (g_mkdir_with_parents(folder, 0777) == 0)
		return true;
	base_error_set_errno(error, errno, "cannot make", folder);
	return false;
}

/* Write the rows of TABLE to PATH: those of HOST, or all if it is MDL_NONE. Makes the folders of PATH only if
 * there is an answer. */
static bool write_file(struct sql *s, const char *table, uint32_t host, const char *path, GError **error)
{
	struct writing w = { .out = g_string_new(NULL) };
	int more = -1;
	bool fine;

	w.rows = sql_whole_new(s, table, host, error);
	if (w.rows)
		more = sql_whole_next(w.rows, error);
	fine = more >= 0 && begin_file(&w, host != MDL_NONE, error) && make_folder_of(path, error);
	if (fine) {
		struct exp_file *file = exp_file_new(path);

		for (; more > 0 && !exp_file_failed(file); more = sql_whole_next(w.rows, error)) {
			put_row(&w);
			exp_file_take(file, w.out);
		}
		fine = more >= 0;
		if (fine) {
			pqt_writer_finish(w.writer);
			fine = exp_file_finish(file, w.out, false, error);
		}
		exp_file_free(file);
	}
	g_clear_pointer(&w.writer, pqt_writer_free);
	sql_whole_free(w.rows);
	g_string_free(w.out, TRUE);
	return fine;
}

/* NAME as a part of a path, as Hive makes it: everything except letters, digits, '-', '_', '~' and '.'
 * becomes %XX. The result is never hidden, empty or another folder. The caller frees. */
static char *partition_name(const char *name)
{
	g_autofree char *escaped = g_uri_escape_string(name, NULL, false);

	return g_strconcat(*escaped == '.' ? "%2E"
			: *escaped == '\0' ? "%"
					   : "",
		escaped + (*escaped == '.'), NULL);
}

/* 1 if TABLE has a column "host"; 0 if not; -1 with an error. */
static int has_hosts(struct sql *s, const char *table, GError **error)
{
	struct sql_whole *w = sql_whole_new(s, table, MDL_NONE, error);
	bool has = false;

	for (unsigned i = 0; w && i < sql_result_count(sql_whole_columns(w)); i++)
		has |= g_str_equal(sql_result_name(sql_whole_columns(w), i), "host");
	sql_whole_free(w);
	return w ? has : -1;
}

static bool write_table(struct sql *s, const struct qry *q, const char *table, GPtrArray *left_out,
	const char *folder, GError **error)
{
	g_autofree char *name = partition_name(table), *own = g_build_filename(folder, name, NULL);
	int hosts = has_hosts(s, table, error);
	GError *problem = NULL;
	bool fine = hosts >= 0;

	if (fine && (hosts == 0 || g_str_equal(table, "host"))) {
		g_autofree char *path = g_build_filename(own, "part-0.parquet", NULL);

		return write_file(s, table, MDL_NONE, path, &problem) ||
			sql_leave_out(table, left_out, problem, error);
	}
	for (uint32_t i = 0; fine && i < qry_host_count(q); i++) {
		g_autofree char *escaped = partition_name(qry_host(q, i)->name),
				*part = g_strconcat("host=", escaped, NULL),
				*path = g_build_filename(own, part, "part-0.parquet", NULL);

		/* If no host recorded what TABLE needs, the first host already reports that. */
		if (!write_file(s, table, i, path, &problem))
			return sql_leave_out(table, i == 0 ? left_out : NULL, problem, error);
	}
	return fine;
}

bool exp_database_parquet(struct sql *s, const struct qry *q, const GPtrArray *tables, GPtrArray *left_out,
	const char *path, GError **error)
{
	g_autofree char *around = g_path_get_dirname(path),
			*prefix = g_build_filename(around, ".wakepath-", NULL), *folder = NULL;
	bool fine = true;

	if (base_scratch_folder_at(prefix, &folder) != 0) {
		base_error_set_errno(error, errno, "cannot make", path);
		return false;
	}
	for (guint i = 0; fine && i < tables->len; i++)
		fine = write_table(s, q, g_ptr_array_index(tables, i), left_out, folder, error);
	if (fine && chmod(folder, 0755) == 0 && base_scratch_publish_folder(folder, path) == 0)
		return true;
	if (fine)
		base_error_set_errno(error, errno, "cannot make", path);
	base_scratch_remove(folder);
	return false;
}
