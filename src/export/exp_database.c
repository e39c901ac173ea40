/* SPDX-License-Identifier: MIT */
/*
 * The tables of SQL for other programs: a database of SQLite, or a folder of Parquet files.  Both are made beside
 * their place under another name, and get their own when they are complete.
 *
 * Parquet: a folder for each table, in it a folder for each host ("host=NAME", as Hive names partitions), and in that
 * a file.  Programs that read such a tree make the column "host" from the name.
 */
#include "export/exp.h"

#include "base/base_error.h"
#include "base/base_progress.h"
#include "base/base_scratch.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "base/base_version.h"
#include "parquet/pqt.h"
#include "sql/sql.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ALL_TABLES \
	"SELECT \"table\" FROM wakepath_tables WHERE type = 'events' OR (type = 'table' AND \"table\" <> 'event')"
#define TABLE_EXISTS "SELECT 1 FROM wakepath_tables WHERE \"table\" = %s AND type <> 'function'"

/* NAME, which may come from the trace, within quotes of SQL: \' around a text, " around a name.  The caller frees. */
static char *quote(const char *name, const char *mark)
{
	g_autofree char *twice = g_strconcat(mark, mark, NULL), *inside = NULL;
	g_auto(GStrv) parts = g_strsplit(name, mark, -1);

	inside = g_strjoinv(twice, parts);
	return g_strconcat(mark, inside, mark, NULL);
}

/* ---- tables ---- */

/* Append the texts in the first column of the answer to QUERY to TEXTS.  False with an error. */
static bool ask_texts(struct sql *s, const char *query, GPtrArray *texts, GError **error)
{
	const char *text = query;
	struct sql_result *r = sql_result_new(s, query, &text, error);
	int more = -1;

	while (r && (more = sql_result_next(r, error)) > 0) {
		struct sql_value value = sql_result_value(r, 0);

		g_ptr_array_add(texts, g_strndup(value.text ? value.text : "", value.length));
	}
	sql_result_free(r);
	return more == 0;
}

static bool check_table(struct sql *s, const char *name, GError **error)
{
	g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *text = quote(name, "'"), *query = g_strdup_printf(TABLE_EXISTS, text), *shown = NULL;

	if (!ask_texts(s, query, found, error))
		return false;
	if (found->len > 0)
		return true;
	shown = base_text_clean(name, -1);
	return base_error_false(error, BASE_ERROR_USAGE,
		"no table \"%s\" can be written: \"wakepath sql TRACE 'SELECT * FROM wakepath_tables'\" lists the tables",
		shown);
}

/* Take those out of TABLES that cannot be answered from this recording, and tell why in LEFT_OUT (of char *). */
static bool leave_out(struct sql *s, GPtrArray *tables, GPtrArray *left_out, GError **error)
{
	for (guint i = 0; i < tables->len;) {
		g_autoptr(GPtrArray) first = g_ptr_array_new_with_free_func(g_free);
		g_autofree char *name = quote(g_ptr_array_index(tables, i), "\""),
				*query = g_strdup_printf("SELECT 1 FROM %s LIMIT 1", name);
		GError *problem = NULL;

		if (ask_texts(s, query, first, &problem)) {
			i++;
			continue;
		}
		if (!g_error_matches(problem, BASE_ERROR, BASE_ERROR_NO_ANSWER)) {
			g_propagate_error(error, problem);
			return false;
		}
		g_ptr_array_add(left_out,
			g_strdup_printf("%s is left out: %s", (const char *)g_ptr_array_index(tables, i),
				problem->message));
		g_error_free(problem);
		g_ptr_array_remove_index(tables, i);
	}
	return true;
}

GPtrArray *exp_database_tables(struct sql *s, const char *names, GPtrArray *left_out, GError **error)
{
	GPtrArray *tables = g_ptr_array_new_with_free_func(g_free);
	g_auto(GStrv) list = names ? g_strsplit(names, ",", -1) : NULL;
	bool fine = true;

	if (!names)
		fine = ask_texts(s, ALL_TABLES, tables, error) && leave_out(s, tables, left_out, error);
	for (char **name = list; fine && name && *name; name++) {
		g_autofree char *lower = g_ascii_strdown(g_strstrip(*name), -1);

		fine = check_table(s, lower, error);
		if (!g_ptr_array_find_with_equal_func(tables, lower, g_str_equal, NULL))
			g_ptr_array_add(tables, g_steal_pointer(&lower));
	}
	if (fine)
		return tables;
	g_ptr_array_unref(tables);
	return NULL;
}

/* ---- a name beside the place ---- */

/* What the new file or folder is called until it is complete.  The caller frees. */
static char *beside(const char *path)
{
	g_autofree char *folder = g_path_get_dirname(path);

	return g_strdup_printf("%s/.wakepath-", folder);
}

static bool sync_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool fine = fd >= 0 && fsync(fd) == 0;

	if (fd >= 0)
		close(fd);
	return fine;
}

/* ---- SQLite ---- */

bool exp_database_sqlite(struct sql *s, const GPtrArray *tables, const char *path, GError **error)
{
	g_autofree char *prefix = beside(path), *name = NULL;
	int fd = base_scratch_file(prefix, 0666, &name);

	if (fd < 0) {
		base_error_set_errno(error, errno, "cannot write", path);
		return false;
	}
	close(fd);
	if (sql_copy(s, tables, name, error)) {
		if (sync_file(name) && base_scratch_publish(name, path) == 0)
			return true;
		base_error_set_errno(error, errno, "cannot write", path);
	}
	base_scratch_unlink(name);
	return false;
}

/* ---- Parquet ---- */

/* A file on its way. */
struct writing {
	struct sql_result *result;
	struct pqt_writer *writer;
	GString *out;
	unsigned n;
	enum pqt_type types[TABLE_COLUMNS_MAX];
	int column[TABLE_COLUMNS_MAX]; /* in the file; -1: it is told by the folder */
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

/* VALUE as that of COLUMN.  What is beyond 63 bits is the text "0x…" in SQL, and here the same bits. */
static void put_value(struct pqt_writer *w, guint column, enum pqt_type type, const struct sql_value *value)
{
	bool real = value->kind == SQL_REAL, number = value->kind == SQL_INTEGER;
	char digits[32];

	if (value->kind == SQL_NULL)
		return;
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

/* Begin the file for W's result, which is at its first row; the column HOST (may be NULL) is left out. */
static bool begin_file(struct writing *w, const char *host, GError **error)
{
	struct pqt_column columns[TABLE_COLUMNS_MAX];
	guint n = 0;

	w->n = sql_result_count(w->result);
	for (unsigned i = 0; i < w->n; i++) {
		const char *name = sql_result_name(w->result, i);

		w->types[i] = type_of(sql_result_type(w->result, i));
		w->column[i] = host && g_str_equal(name, host) ? -1 : (int)n;
		if (w->column[i] >= 0)
			columns[n++] = (struct pqt_column){ name, w->types[i] };
	}
	w->writer = pqt_writer_new(w->out, columns, n, "wakepath version " BASE_VERSION, 0, error);
	return w->writer;
}

static void put_row(struct writing *w)
{
	for (unsigned i = 0; i < w->n; i++) {
		struct sql_value value;

		if (w->column[i] < 0)
			continue;
		value = sql_result_value(w->result, i);
		put_value(w->writer, (guint)w->column[i], w->types[i], &value);
	}
	pqt_end_row(w->writer);
}

/* Write the answer to QUERY to PATH. */
static bool write_file(struct sql *s, const char *query, const char *host, const char *path, GError **error)
{
	struct writing w = { .out = g_string_new(NULL) };
	const char *text = query;
	struct exp_file *file = NULL;
	int more = -1;
	bool fine;

	w.result = sql_result_new(s, query, &text, error);
	if (w.result)
		more = sql_result_next(w.result, error);
	fine = more >= 0;
	if (fine) {
		fine = begin_file(&w, host, error);
		file = exp_file_new(path);
		for (; fine && more > 0 && !exp_file_failed(file); more = sql_result_next(w.result, error)) {
			put_row(&w);
			exp_file_take(file, w.out);
		}
		fine = fine && more >= 0;
		if (fine) {
			pqt_writer_finish(w.writer);
			fine = exp_file_finish(file, w.out, false, error);
		}
		exp_file_free(file);
		pqt_writer_free(w.writer);
	}
	sql_result_free(w.result);
	g_string_free(w.out, TRUE);
	return fine;
}

/* NAME as the part of a path that Hive would make: all but letters, digits, '-', '_', '~' and '.' as %XX; never hidden,
 * nor nothing, nor another folder. */
static char *partition_name(const char *name)
{
	g_autofree char *escaped = g_uri_escape_string(name, NULL, false);

	return g_strconcat(*escaped == '.' ? "%2E"
			: *escaped == '\0' ? "%"
					   : "",
		escaped + (*escaped == '.'), NULL);
}

static bool make_folder(const char *path, GError **error)
{
	if (mkdir(path, 0777) == 0)
		return true;
	base_error_set_errno(error, errno, "cannot make", path);
	return false;
}

/* True if TABLE has a column "host".  -1 with an error. */
static int has_hosts(struct sql *s, const char *table, GError **error)
{
	g_autofree char *query =
		g_strdup_printf("SELECT name FROM wakepath_columns WHERE \"table\" = '%s' AND name = 'host'",
			table);
	g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);

	return ask_texts(s, query, found, error) ? found->len > 0 : -1;
}

static bool write_table(struct sql *s, const struct qry *q, const char *table, const char *folder,
	GError **error)
{
	g_autofree char *name = partition_name(table), *own = g_build_filename(folder, name, NULL),
			*from = quote(table, "\"");
	int hosts = has_hosts(s, table, error);
	bool fine = hosts >= 0 && make_folder(own, error);

	if (fine && (hosts == 0 || g_str_equal(table, "host"))) {
		g_autofree char *query = g_strdup_printf("SELECT * FROM %s", from),
				*path = g_build_filename(own, "part-0.parquet", NULL);

		return write_file(s, query, NULL, path, error);
	}
	for (uint32_t i = 0; fine && i < qry_host_count(q); i++) {
		g_autofree char *text = quote(qry_host(q, i)->name, "'"),
				*escaped = partition_name(qry_host(q, i)->name),
				*part = g_strconcat("host=", escaped, NULL),
				*of_host = g_build_filename(own, part, NULL),
				*path = g_build_filename(of_host, "part-0.parquet", NULL),
				*query = g_strdup_printf("SELECT * FROM %s WHERE host = %s", from, text);

		fine = make_folder(of_host, error) && write_file(s, query, "host", path, error);
	}
	return fine;
}

bool exp_database_parquet(struct sql *s, const struct qry *q, const GPtrArray *tables, const char *path,
	GError **error)
{
	g_autofree char *prefix = beside(path), *folder = NULL;
	bool fine = true;

	if (base_scratch_folder_at(prefix, &folder) != 0) {
		base_error_set_errno(error, errno, "cannot make", path);
		return false;
	}
	for (guint i = 0; fine && i < tables->len; i++)
		fine = write_table(s, q, g_ptr_array_index(tables, i), folder, error);
	if (fine && chmod(folder, 0755) == 0 && base_scratch_publish_folder(folder, path) == 0)
		return true;
	if (fine)
		base_error_set_errno(error, errno, "cannot make", path);
	base_scratch_remove(folder);
	return false;
}
