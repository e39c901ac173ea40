/* SPDX-License-Identifier: MIT */
/*
 * A connection: a database in memory with virtual tables, and nothing else.
 *
 * A query may come from an untrusted source.  The authorizer lets it read tables and call functions; anything
 * else (ATTACH, PRAGMA, every write) is refused when the statement is prepared.  Limits keep its size,
 * SQLite's heap and the depth of expressions small.  Sorts that do not fit in memory go to files in $TMPDIR
 * that SQLite's os_unix.c unlinks as soon as they are open, so nothing is left if the program is killed.
 */
#include "sql/sql_parts.h"

#include "base/base_error.h"
#include "base/base_progress.h"

#define OPERATIONS 1000 /* of SQLite's virtual machine, between two checks for cancellation */

static int authorize(void *data, int action, G_GNUC_UNUSED const char *first, const char *second,
	G_GNUC_UNUSED const char *database, G_GNUC_UNUSED const char *trigger)
{
	const struct sql *s = data;

	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE: return SQLITE_OK;
	case SQLITE_FUNCTION: return sqlite3_stricmp(second, "load_extension") ? SQLITE_OK : SQLITE_DENY;
	default: return s->declares || s->copies ? SQLITE_OK : SQLITE_DENY;
	}
}

static int on_progress(void *data)
{
	return base_progress_cancelled(((const struct sql *)data)->progress);
}

static void set_limits(sqlite3 *db)
{
	static const struct {
		int what, most;
	} limits[] = {
		{ SQLITE_LIMIT_LENGTH, 4 << 20 },
		{ SQLITE_LIMIT_SQL_LENGTH, 1 << 20 },
		{ SQLITE_LIMIT_COLUMN, TABLE_COLUMNS_MAX },
		{ SQLITE_LIMIT_EXPR_DEPTH, 100 },
		{ SQLITE_LIMIT_COMPOUND_SELECT, 50 },
		{ SQLITE_LIMIT_VDBE_OP, 25000 },
		{ SQLITE_LIMIT_FUNCTION_ARG, 32 },
		{ SQLITE_LIMIT_ATTACHED, 0 },
		{ SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000 },
		{ SQLITE_LIMIT_VARIABLE_NUMBER, 100 },
		{ SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
		{ SQLITE_LIMIT_WORKER_THREADS, 0 },
	};
	static const int off[] = { SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, SQLITE_DBCONFIG_ENABLE_TRIGGER,
		SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER,
		SQLITE_DBCONFIG_WRITABLE_SCHEMA, SQLITE_DBCONFIG_TRUSTED_SCHEMA };

	for (gsize i = 0; i < G_N_ELEMENTS(limits); i++)
		sqlite3_limit(db, limits[i].what, limits[i].most);
	for (gsize i = 0; i < G_N_ELEMENTS(off); i++)
		sqlite3_db_config(db, off[i], 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
}

static bool add_all(struct sql *s, GError **error)
{
	const struct sql_source *source;

	for (unsigned i = 0; (source = sql_sources_at(i)); i++)
		if (!sql_table_add(s, source, error))
			return false;
	return sql_event_add_all(s, error) && sql_list_add(s, error) && sql_function_add(s, error) &&
		sql_sum_add(s, error);
}

/* Open a database for Q (NULL: none), with what ADD adds. */
static struct sql *open_with(struct qry *q, bool (*add)(struct sql *s, GError **error),
	struct base_progress *progress, GError **error)
{
	struct sql *s = g_new0(struct sql, 1);
	bool fine;

	s->q = q;
	s->progress = progress;
	s->tables = g_hash_table_new(g_str_hash, g_str_equal);
	s->made = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	s->values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	sqlite3_hard_heap_limit64(SQL_HEAP_MOST);
	fine = sqlite3_open_v2(":memory:", &s->db,
		       SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK &&
		/* KiB: the size of the runs of a sort, which then fit into the caches of the processor */
		sqlite3_exec(s->db, "PRAGMA temp_store = FILE; PRAGMA cache_size = -2048", NULL, NULL,
			NULL) == SQLITE_OK;
	if (!fine)
		g_set_error(error, BASE_ERROR, BASE_ERROR_IO, "SQLite: %s", sqlite3_errmsg(s->db));
	fine = fine && add(s, error);
	if (!fine) {
		sql_free(s);
		return NULL;
	}
	set_limits(s->db);
	sqlite3_progress_handler(s->db, OPERATIONS, on_progress, s);
	sqlite3_set_authorizer(s->db, authorize, s);
	return s;
}

struct sql *sql_open(struct qry *q, struct base_progress *progress, GError **error)
{
	return open_with(q, add_all, progress, error);
}

static bool add_functions(struct sql *s, GError **error)
{
	return sql_function_add(s, error) && sql_sum_add(s, error);
}

struct sql *sql_open_empty(struct base_progress *progress, GError **error)
{
	return open_with(NULL, add_functions, progress, error);
}

void sql_free(struct sql *s)
{
	if (!s)
		return;
	sqlite3_close(s->db);
	sql_types_free(s->types);
	g_hash_table_unref(s->values);
	g_hash_table_unref(s->tables);
	g_hash_table_unref(s->made);
	g_clear_error(&s->problem);
	g_free(s);
}

void sql_set(struct sql *s, const char *name, int64_t value)
{
	g_hash_table_replace(s->values, g_strdup(name), g_memdup2(&value, sizeof value));
}

void sql_set_rules(struct sql *s, const struct ana_rules *rules)
{
	s->rules = rules;
}
