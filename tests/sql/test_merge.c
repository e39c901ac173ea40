/* SPDX-License-Identifier: MIT */
/*
 * Queries to many hosts, against SQLite's own answer to each of them over one database with the rows of all hosts, in
 * which each thread has another number.  Thousands of queries are drawn from a grammar, which also makes queries that
 * must be refused; each query that is written down here would have a wrong answer without a check for it.
 */
#include "base/base_error.h"
#include "base/base_figures.h"
#include "query/qry_traces.h"
#include "sql/sql_merge.h"
#include "sql/sql_parts.h"

#include <glib/gstdio.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const traces[] = { "pipeline", "preempt", "ioburst-ipi", "lockfight" };
static const char *const tables[] = { "thread", "sched", "wakeup", "cpu", "thread_state" };
#define HOSTS G_N_ELEMENTS(traces)
#define DRAWN 1500

static struct {
	struct qry *q[HOSTS];
	struct sql *one[HOSTS], *all;
} of;

/* ---- the database with the rows of all hosts ---- */

static void run(struct sql *s, const char *format, ...)
{
	va_list arguments;
	char *text, *why = NULL;

	va_start(arguments, format);
	text = sqlite3_vmprintf(format, arguments);
	va_end(arguments);
	sqlite3_exec(s->db, text, NULL, NULL, &why);
	g_assert_cmpstr(why, ==, NULL);
	sqlite3_free(text);
}

/* The columns of TABLE of the attached database, with numbers of threads that no other host has. */
static char *columns_of(const char *table, unsigned host)
{
	g_autofree char *query = g_strdup_printf("SELECT * FROM host.%s", table);
	GString *columns = g_string_new(NULL);
	sqlite3_stmt *s = NULL;

	g_assert_cmpint(sqlite3_prepare_v2(of.all->db, query, -1, &s, NULL), ==, SQLITE_OK);
	for (int i = 0; i < sqlite3_column_count(s); i++) {
		const char *name = sqlite3_column_name(s, i);

		g_string_append_printf(columns, "%s%s", i ? ", " : "", name);
		if (g_str_has_suffix(name, "utid"))
			g_string_append_printf(columns, " + %u", host * 1000000);
	}
	sqlite3_finalize(s);
	return g_string_free(columns, FALSE);
}

static void add_host(unsigned host)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	g_autofree char *name = g_strdup_printf("h%u", host);
	char *file = NULL;
	GError *error = NULL;

	g_close(g_file_open_tmp("merge-XXXXXX", &file, NULL), NULL);
	of.q[host] = qry_traces_open(traces[host]);
	qry_set_host_name(of.q[host], 0, name);
	of.one[host] = sql_open(of.q[host], NULL, &error);
	g_assert_no_error(error);
	for (gsize i = 0; i < G_N_ELEMENTS(tables); i++)
		g_ptr_array_add(names, (gpointer)(uintptr_t)tables[i]);
	of.one[host]->has_events = true; /* none are copied */
	sql_copy(of.one[host], names, NULL, file, &error);
	g_assert_no_error(error);
	run(of.all, "ATTACH %Q AS host", file);
	for (gsize i = 0; i < G_N_ELEMENTS(tables); i++) {
		g_autofree char *columns = columns_of(tables[i], host);

		if (host == 0)
			run(of.all, "CREATE TABLE %s AS SELECT * FROM host.%s LIMIT 0", tables[i], tables[i]);
		run(of.all, "INSERT INTO %s SELECT %s FROM host.%s", tables[i], columns, tables[i]);
	}
	run(of.all, "DETACH host");
	g_unlink(file);
	g_free(file);
}

static void open_all(void)
{
	of.all = sql_open_empty(NULL, NULL);
	of.all->copies = true;
	sqlite3_limit(of.all->db, SQLITE_LIMIT_ATTACHED, 1);
	for (unsigned i = 0; i < HOSTS; i++)
		add_host(i);
	of.all->copies = false;
}

static void close_all(void)
{
	for (unsigned i = 0; i < HOSTS; i++) {
		sql_free(of.one[i]);
		qry_free(of.q[i]);
	}
	sql_free(of.all);
}

/* ---- answers ---- */

/* The answer to TEXT, a query to S: a line for each row, numbers of type real with six digits.  NULL with
 * an error. */
static GPtrArray *answer(struct sql *s, const char *text, GError **error)
{
	struct sql_result *r = sql_result_new(s, text, &text, error);
	GPtrArray *rows = g_ptr_array_new_with_free_func(g_free);
	int more;

	while (r && (more = sql_result_next(r, error)) > 0) {
		GString *row = g_string_new(NULL);

		for (unsigned i = 0; i < sql_result_count(r); i++) {
			struct sql_value v = sql_result_value(r, i);

			g_string_append_printf(row, "%s=", sql_result_name(r, i));
			switch (v.kind) {
			case SQL_NULL: g_string_append(row, "null"); break;
			case SQL_INTEGER: g_string_append_printf(row, "%" PRId64, v.number); break;
			case SQL_REAL: g_string_append_printf(row, "%.6g r", v.real); break;
			case SQL_TEXT:
				g_string_append_printf(row, "%s'%s'", v.is_blob ? "x" : "", v.text);
				break;
			}
			g_string_append_c(row, ' ');
		}
		g_ptr_array_add(rows, g_string_free(row, FALSE));
	}
	if (!r || more < 0)
		g_clear_pointer(&rows, g_ptr_array_unref);
	sql_result_free(r);
	return rows;
}

/* The combined answer of all hosts to TEXT.  NULL with an error. */
static GPtrArray *merged(const char *text, GError **error)
{
	struct sql_merge *m = sql_merge_new(text, error);
	GPtrArray *rows = NULL;
	struct sql *s;
	bool fine = m;

	for (unsigned i = 0; fine && i < HOSTS; i++) {
		g_autoptr(GByteArray) bytes = g_byte_array_new();

		fine = sql_merge_part(m, of.one[i], bytes, error) &&
			sql_merge_add(m, bytes->data, bytes->len, error);
	}
	if (fine && sql_merge_whole(m, &s, &text, error))
		rows = answer(s, text, error);
	sql_merge_free(m);
	return rows;
}

static int by_text(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Compares the answers to TEXT.  False: it is refused. */
static bool check(const char *text)
{
	g_autoptr(GError) refused = NULL, wrong = NULL;
	g_autoptr(GPtrArray) rows = merged(text, &refused),
			     wanted = rows ? answer(of.all, text, &wrong) : NULL;

	if (!rows)
		return false;
	if (wrong)
		g_error("%s: SQLite refuses it: %s", text, wrong->message);
	if (!strstr(text, " ORDER BY ")) {
		g_ptr_array_sort(rows, by_text);
		g_ptr_array_sort(wanted, by_text);
	}
	if (rows->len != wanted->len)
		g_error("%s: %u rows, not %u", text, rows->len, wanted->len);
	for (guint i = 0; i < rows->len; i++)
		if (!g_str_equal(rows->pdata[i], wanted->pdata[i]))
			g_error("%s: row %u is %s, not %s", text, i, (char *)rows->pdata[i],
				(char *)wanted->pdata[i]);
	return true;
}

/* ---- queries that are written down ---- */

static void test_answered(void)
{
	static const char *const queries[] = {
		"SELECT count(*) FROM sched",
		"SELECT name, count(*) n, avg(s.dur), total(s.dur) FROM sched s JOIN thread t USING (utid) GROUP BY name HAVING n >= 2 ORDER BY n DESC, 1",
		"SELECT name FROM thread ORDER BY name, tid LIMIT 7 OFFSET 3",
		"SELECT name FROM thread ORDER BY length(name) DESC, name COLLATE NOCASE, name, tid DESC LIMIT 9",
		"SELECT -dur AS dur FROM sched ORDER BY dur + 0 LIMIT 3", /* by the column */
		"SELECT -dur AS dur FROM sched ORDER BY dur LIMIT 3",     /* by the alias */
		"SELECT max(name) m, min(name) FROM thread HAVING length(m) > 1 AND m > 'a'", /* no blobs */
		"SELECT name || '/' || count(*) AS x FROM thread GROUP BY name HAVING count(*) <> 1 ORDER BY 1",
		"SELECT cpu * 2 + 1 AS x, sum(dur) - max(dur) FROM sched GROUP BY cpu ORDER BY x DESC",
		"SELECT (dur / 1000000) b, count(*) FROM sched GROUP BY b ORDER BY b",
		"SELECT CAST(dur / 1e6 AS INTEGER) b, count(*) FROM sched GROUP BY b ORDER BY b",
		"SELECT DISTINCT kind, grade FROM wakeup ORDER BY kind DESC, 2",
		"SELECT count(*), sum(dur) FROM sched WHERE 0",
		"SELECT cpu, count(by_name), max(latency), avg(irq) FROM wakeup GROUP BY cpu ORDER BY cpu",
		"SELECT host, count(*) FROM sched WHERE host <> 'h1' GROUP BY host ORDER BY host DESC",
		"SELECT host, name, sum(dur) FROM sched s LEFT JOIN thread t USING (host, utid) GROUP BY host, name ORDER BY 3 DESC, 1, 2 LIMIT 12",
		"SELECT count(*) FROM sched WHERE utid IN (SELECT utid FROM thread WHERE name GLOB 'wk-*')",
		"SELECT count(*) FROM sched WHERE cpu = 0 OR utid NOT IN (SELECT utid FROM thread WHERE tid > 100)",
		"SELECT count(*) FROM (SELECT utid, dur FROM sched WHERE dur > 1000) x JOIN thread t ON t.utid = x.utid",
		"SELECT a.name, count(*) FROM wakeup w JOIN thread a ON a.utid = w.by_utid JOIN thread b ON b.utid = w.utid GROUP BY a.name ORDER BY 2 DESC, 1",
		"SELECT end_state IS NOT DISTINCT FROM NULL, count(*) FROM sched GROUP BY 1 ORDER BY 1",
		"SELECT CASE WHEN dur > 1000000 THEN 'long' ELSE 'short' END AS how, count(*), min(dur, 5) + 0 FROM sched GROUP BY how, min(dur, 5) + 0 ORDER BY 1, 2 -- the end",
		"SELECT count(*), count(t.utid), count(s.utid), sum(t.tid) FROM sched s FULL JOIN thread t ON t.utid = s.utid AND s.dur > 5000000",
		"SELECT count(*), count(t.utid), count(s.utid), sum(dur) FROM thread t RIGHT JOIN thread_state s ON t.utid = s.utid AND t.tid > 300",
		"SELECT count(*), sum(dur) FROM thread_state WHERE utid IN (SELECT utid FROM thread WHERE tid > 300) OR state = 'blocked' OR dur < 9000",
		"SELECT state, count(*) FROM thread_state WHERE cpu = 1 OR state = 'blocked' OR dur = 0 GROUP BY state",
		"SELECT max(prio + 0.5) x, dur / 100000 FROM sched s WHERE s.utid IN (SELECT utid FROM thread WHERE tid % 2) OR end_state IN ('blocked', 'preempted') GROUP BY dur / 100000 HAVING avg(dur / 100000) > 94",
		"SELECT count(*), count(by_utid) FROM wakeup WHERE by_utid <> utid AND by_utid IS NOT NULL AND utid IN (SELECT utid FROM thread)",
		"SELECT count(*), min(w.dur) FROM (SELECT utid, dur FROM sched) w JOIN (SELECT host, utid, name FROM thread) t USING (utid)",
		"SELECT count(*) FROM cpu /* ; UNION */ WHERE host <> 'WITH \"(' ;",
		"SELECT 3, 'x', NULL, count(*) FROM sched",
		"SELECT x'0061' AS b, count(*) FROM sched GROUP BY b",
		"SELECT DISTINCT x'0061', 1.5 FROM sched",
		"SELECT max(ts), min(ts), avg(ts) FROM sched",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(queries); i++)
		if (!check(queries[i])) {
			g_autoptr(GError) error = NULL;

			merged(queries[i], &error);
			g_error("%s: refused: %s", queries[i], error->message);
		}
}

static void test_refused(void)
{
	/* Queries whose combined rows differ, or can differ, from those of one database. */
	static const char *const queries[] = {
		"SELECT upper(name) AS name, count(*) FROM thread GROUP BY name", /* the column, or the alias */
		"SELECT count(*) AS dur, cpu FROM sched GROUP BY cpu HAVING dur > 5",
		"SELECT utid, count(*) FROM sched GROUP BY utid", /* another thread on each host */
		"SELECT utid % 2, count(*) FROM sched GROUP BY 1",
		"SELECT DISTINCT utid FROM sched",
		"SELECT rowid / 2, count(*) FROM thread GROUP BY 1",
		"SELECT count(*) FROM sched s JOIN cpu i ON i.cpu = s.cpu", /* rows of two hosts */
		"SELECT count(*) FROM sched s JOIN thread t ON t.utid = s.utid OR t.tid = 1",
		"SELECT count(*) FROM sched s JOIN thread t ON NOT t.utid = s.utid",
		"SELECT count(*) FROM sched s JOIN thread t ON t.utid = s.utid = 0",
		"SELECT count(*) FROM sched s, thread t WHERE s.cpu BETWEEN 0 AND s.utid = t.utid",
		"SELECT count(*) FROM sched s, thread t WHERE CASE WHEN 1 THEN 1 AND s.utid = t.utid AND 1 END",
		"SELECT count(*) FROM thread a JOIN thread b LEFT JOIN sched c ON a.utid = b.utid AND c.utid = a.utid",
		"SELECT count(*) FROM thread a, thread b LEFT JOIN sched c ON c.utid = a.utid AND c.utid = b.utid",
		"SELECT count(*) FROM thread a, thread b, sched c WHERE a.utid = c.utid",
		"SELECT count(*) FROM thread a, thread b JOIN sched c USING (utid)",
		"SELECT count(*) FROM cpu a NATURAL JOIN cpu b",
		"SELECT count(*) FROM (SELECT cpu AS utid FROM sched) x JOIN thread t ON t.utid = x.utid",
		"SELECT count(*) FROM (SELECT cpu utid FROM sched) x JOIN thread t USING (utid)",
		"SELECT count(*) FROM (SELECT cpu AS \"utid\" FROM sched) x JOIN thread t USING (utid)",
		"SELECT n, count(*) FROM (SELECT utid AS n FROM sched) GROUP BY n",
		"SELECT n, count(*) FROM (SELECT utid % 2 n FROM sched) GROUP BY n",
		"SELECT n, count(*) FROM (SELECT abs(utid) n FROM sched) GROUP BY n",
		"SELECT sum(dur) FROM sched WHERE utid = 5", /* another thread on each host */
		"SELECT sum(dur) FROM sched s WHERE s.utid IN (5, 6)",
		"SELECT sum(dur) FROM sched s WHERE 5 >= s.utid",
		"SELECT sum(dur) FROM sched WHERE utid <> $utid",
		"SELECT sum(dur) FROM sched WHERE utid NOT BETWEEN 5 AND 9",
		"SELECT sum(dur) FROM sched WHERE utid % 2",
		"SELECT name FROM thread WHERE name NOT IN (SELECT by_name FROM wakeup)",
		"SELECT count(*) FROM thread WHERE 1 + utid IN (SELECT utid FROM thread)",
		"SELECT count(*) FROM thread WHERE EXISTS (SELECT 1 FROM cpu WHERE cpu = 3)",
		"SELECT count(*) FROM thread WHERE tid = (SELECT tid FROM thread)",
		"SELECT 1", /* once, not for each host */
		"SELECT count(*)",
		"SELECT count(*) FROM (VALUES (1), (2))",
		"SELECT count(*) FROM (SELECT 1)",
		"SELECT count(*) FROM thread HAVING count(*) > 5 ORDER BY name",
		"SELECT name FROM thread ORDER BY count(*)", /* one row */
		"SELECT 1 + tid FROM thread HAVING count(*) > 1",
		"SELECT \"count\"(*) FROM thread",
		"SELECT [max](tid) FROM thread",
		"SELECT sketch(dur) FROM sched",
		"SELECT max(dur) * cpu + 1 FROM sched GROUP BY cpu + 1", /* not (cpu + 1) */
		"SELECT name COLLATE NOCASE, count(*) FROM thread GROUP BY 1",
		"SELECT max(name COLLATE NOCASE) FROM thread",
		"SELECT name COLLATE NOCASE AS n FROM thread ORDER BY n",
		"SELECT name FROM thread ORDER BY (name COLLATE NOCASE)",
		"SELECT CAST(cpu AS TEXT), count(*) FROM sched GROUP BY 1 HAVING CAST(cpu AS TEXT) = 1",
		"SELECT CAST(cpu AS TEXT) x, count(*) FROM sched GROUP BY 1 HAVING x = 1",
		"SELECT sum(dur) / ($to - $from) FROM sched", /* the host is ambiguous */
		"SELECT count(*) FROM sched HAVING c0 > 1",
		"SELECT name = 'A', count(*) FROM thread GROUP BY name = 'a'",
		"SELECT t.name, count(*) FROM thread t GROUP BY name",
		"SELECT count(*), quantile(dur, cpu) FROM sched GROUP BY cpu",
		"SELECT count(*) FROM sched GROUP BY 7",
		"SELECT sum(ts) FROM sched",
		"SELECT count(*) FROM sched LIMIT (SELECT tid FROM thread)",
		"SELECT * FROM thread GROUP BY host, utid",
		"SELECT count(*) FROM main.sched s, main.thread",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(queries); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(GPtrArray) rows = merged(queries[i], &error);

		if (rows)
			g_error("%s: answered", queries[i]);
		g_assert_true(g_error_matches(error, BASE_ERROR, BASE_ERROR_USAGE));
	}
}

/* A host with other columns than the others must not shift values into them. */
static void test_shapes(void)
{
	static const char *const queries[] = { "SELECT cpu FROM cpu LIMIT 3",
		"SELECT cpu, host FROM cpu LIMIT 3" };
	struct sql_merge *m = sql_merge_new("SELECT cpu FROM cpu", NULL);
	GError *error = NULL;

	for (unsigned i = 0; i < 2; i++) {
		struct sql_merge *other = sql_merge_new(queries[i], NULL);
		g_autoptr(GByteArray) bytes = g_byte_array_new();

		g_assert_true(sql_merge_part(other, of.one[i], bytes, NULL));
		g_assert_cmpint(sql_merge_add(m, bytes->data, bytes->len, &error), ==, i == 0);
		sql_merge_free(other);
	}
	g_assert_error(error, BASE_ERROR, BASE_ERROR_USAGE);
	g_clear_error(&error);
	sql_merge_free(m);
}

static void test_quantiles(void)
{
	static const double shares[] = { 0, 0.01, 0.5, 0.9, 0.99, 1 };

	for (gsize i = 0; i < G_N_ELEMENTS(shares); i++) {
		g_autofree char *query =
			g_strdup_printf("SELECT quantile(dur, %g) q FROM sched GROUP BY cpu ORDER BY cpu",
				shares[i]);
		g_autoptr(GPtrArray) told = merged(query, NULL), exact = answer(of.all, query, NULL);

		g_assert_cmpuint(told->len, ==, exact->len);
		for (guint k = 0; k < told->len; k++) {
			double x = g_ascii_strtod((char *)exact->pdata[k] + 2, NULL),
			       y = g_ascii_strtod((char *)told->pdata[k] + 2, NULL);

			g_assert_cmpfloat(fabs(x - y), <=, fabs(x) / 256 + 1);
		}
	}
}

/* ---- queries that are drawn ---- */

static uint64_t state = 3;

static unsigned draw(unsigned n)
{
	return (unsigned)(base_mix_next(&state) % n);
}

/* One of WORDS (NULL-terminated). */
static const char *one_of(const char *const *words)
{
	unsigned n = 0;

	while (words[n])
		n++;
	return words[draw(n)];
}

/* Columns of "sched s" and, if JOINED, of "thread t". */
static const char *column(bool joined)
{
	static const char *const alone[] = { "cpu", "dur", "s.cpu", "end_state", "prio", "host", "S.Prio",
		"dur / 100000", "end_state IS NULL", "prio + 0.5", NULL },
				 *const both[] = { "s.cpu", "t.name", "name", "dur", "t.tid % 3", "s.host",
					 "ppid", "kernel", "upper(name)", "coalesce(cgroup, 'none')", NULL };

	return one_of(joined ? both : alone);
}

static char *aggregate(bool joined)
{
	static const char *const forms[] = { "count(*)", "sum(%s)", "min(%s)", "max(%s)", "avg(%s)",
		"total(%s)", "count(%s)", "count(DISTINCT %s)", "sum(%s) * 1.0 / count(*)", "max(%s) || '-'",
		"Min (%s)", "group_concat(%s)", "count(*) > count(%s)", "coalesce(max(%s), 0) - 1", NULL };

	return g_strdup_printf(one_of(forms), column(joined)); /* NOLINT */
}

static void put_where(GString *to, bool joined)
{
	static const char *const conditions[] = { "dur > 100000", "s.cpu = 0", "s.host <> 'h2'", "prio < 120",
		"end_state IN ('blocked', 'preempted')", "s.utid IN (SELECT utid FROM thread WHERE tid % 2)",
		"s.cpu IN (SELECT cpu FROM cpu)", "dur > (SELECT avg(dur) FROM sched)",
		"end_state IS NOT NULL", "NOT dur < 5000", "prio BETWEEN 100 AND 120",
		"EXISTS (SELECT 1 FROM thread x WHERE x.utid = s.utid AND x.tid > 300)", NULL };

	for (unsigned n = draw(3), i = 0; i < n; i++)
		g_string_append_printf(to, " %s %s",
			i                ? (draw(2) ? "AND" : "OR")
				: joined ? "AND"
					 : "WHERE",
			one_of(conditions));
}

static char *drawn(void)
{
	static const char *const joins[] = { " FROM sched s JOIN thread t USING (utid) WHERE 1",
		" FROM sched s, thread t WHERE s.utid = t.utid",
		" FROM thread t LEFT JOIN sched s ON s.utid = t.utid WHERE 1",
		" FROM sched s JOIN thread t ON s.cpu = t.cpu WHERE 1", " FROM sched s JOIN thread t WHERE 1",
		NULL },
				 *const suffixes[] = { "", " DESC", " ASC", " NULLS LAST", NULL };
	bool joined = draw(2), sums = draw(3), distinct = !draw(8);
	unsigned n = 1 + draw(3), keys = draw(3);
	g_autoptr(GString) group = g_string_new(NULL);
	GString *q = g_string_new(draw(20) ? "SELECT" : "WITH a AS (SELECT 1) SELECT");

	g_string_append(q, distinct ? " DISTINCT" : "");
	for (unsigned i = 0; i < n; i++) {
		g_autofree char *sum = aggregate(joined);
		const char *plain = column(joined);
		bool is_key = sums && i < keys && draw(6);

		g_string_append_printf(q, "%s %s", i ? "," : "", sums && !is_key ? sum : plain);
		if (draw(2))
			g_string_append_printf(q, "%s %c", draw(2) ? " AS" : "", 'x' + (char)i);
		if (is_key)
			g_string_append_printf(group, "%s %s", group->len ? "," : " GROUP BY",
				draw(2)          ? plain
					: i == 0 ? "1"
					: i == 1 ? "2"
						 : "3");
	}
	g_string_append(q, joined ? one_of(joins) : " FROM sched s");
	put_where(q, joined);
	g_string_append(q, group->str);
	if (group->len > 0 && draw(3) == 0) {
		g_autofree char *sum = aggregate(joined);

		g_string_append_printf(q, " HAVING %s > %u", draw(4) ? sum : "x", draw(100));
	}
	/* Order by all columns, so that the order of the rows is known. */
	if (draw(2)) {
		g_string_append(q, " ORDER BY");
		if (draw(4) == 0)
			g_string_append_printf(q, " %s,", draw(2) ? column(joined) : "x");
		for (unsigned i = 0; i < n; i++)
			g_string_append_printf(q, "%s %u%s", i ? "," : "", i + 1, one_of(suffixes));
		if (draw(2))
			g_string_append_printf(q, " LIMIT %u%s", 1 + draw(9), draw(3) ? "" : " OFFSET 2");
	}
	return g_string_free(q, FALSE);
}

static void test_drawn(void)
{
	unsigned answered = 0;

	for (unsigned i = 0; i < DRAWN; i++) {
		g_autofree char *query = drawn();

		answered += check(query);
	}
	g_test_message("%u of %u are answered", answered, DRAWN);
	g_assert_cmpuint(answered, >=, DRAWN / 4);
	g_assert_cmpuint(answered, <=, DRAWN - DRAWN / 10);
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	open_all();
	g_test_add_func("/sql/merge/answered", test_answered);
	g_test_add_func("/sql/merge/refused", test_refused);
	g_test_add_func("/sql/merge/shapes", test_shapes);
	g_test_add_func("/sql/merge/quantiles", test_quantiles);
	g_test_add_func("/sql/merge/drawn", test_drawn);
	status = g_test_run();
	close_all();
	return status;
}
