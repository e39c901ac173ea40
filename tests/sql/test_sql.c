/* SPDX-License-Identifier: MIT */
/* Statements that are rewritten before SQLite sees them, and tables that are read without it. */
#include "query/qry_traces.h"
#include "sql/sql_parts.h"

#include <string.h>

static struct sql *open_sql(struct qry *q)
{
	GError *error = NULL;
	struct sql *s = sql_open(q, NULL, &error);

	g_assert_no_error(error);
	return s;
}

/* ---- ends ---- */

static void test_ends(void)
{
	static const struct {
		const char *text, *other; /* NULL: unchanged */
	} cases[] = {
		{ "SELECT 1 FROM sched s WHERE s.ts + s.dur > 5",
			"SELECT 1 FROM sched s WHERE s.ts_end > 5" },
		{ "select 1 from SCHED as S where 5 < S.TS+s.dur;",
			"select 1 from SCHED as S where 5 < S.ts_end;" },
		{ "SELECT 1 FROM thread_state WHERE thread_state.ts + thread_state.dur >= 5 OR 1",
			"SELECT 1 FROM thread_state WHERE thread_state.ts_end >= 5 OR 1" },
		{ "SELECT 1 FROM sched a JOIN thread_state b ON a.ts < b.ts + b.dur AND b.ts < a.ts + a.dur",
			"SELECT 1 FROM sched a JOIN thread_state b ON a.ts < b.ts_end AND b.ts < a.ts_end" },
		{ "SELECT 1 FROM sched s WHERE (s.ts + s.dur) > 5", NULL },   /* no side of a comparison */
		{ "SELECT s.ts + s.dur FROM sched s", NULL },                 /* its type would change */
		{ "SELECT 1 FROM sched s WHERE s.ts + s.dur * 2 > 5", NULL }, /* parts of other terms */
		{ "SELECT 1 FROM sched s WHERE s.ts + s.dur || '' > 5", NULL },
		{ "SELECT 1 FROM sched s WHERE 3 * s.ts + s.dur > 5", NULL },
		{ "SELECT 1 FROM sched s WHERE - s.ts + s.dur > 5", NULL },
		{ "SELECT 1 FROM sched s WHERE s.ts + s.dur COLLATE nocase > 5", NULL },
		{ "SELECT 1 FROM irq s WHERE s.ts + s.dur > 5", NULL }, /* a table without ts_end */
		{ "SELECT 1 FROM sched s, sched t WHERE s.ts + t.dur > 5", NULL }, /* of two rows */
		{ "SELECT 1 FROM sched s, (SELECT 1 AS ts, 2 AS dur) s WHERE s.ts + s.dur > 5", NULL },
		{ "SELECT 1 AS s FROM sched s WHERE s.ts + s.dur > 5", NULL }, /* the name is used twice */
		{ "SELECT 1 FROM sched s, (SELECT 1 ts_end) WHERE s.ts + s.dur > 5", NULL },
		{ "SELECT 1 FROM sched s WHERE s.ts + s.dur > 5 -- comment", NULL }, /* not parsed */
		{ "SELECT 1 FROM sched \"s\" WHERE s.ts + s.dur > 5", NULL },
		{ "SELECT 's.ts + s.dur > 5' FROM sched s", NULL },
		{ "SELECT 1 FROM sched s WHERE s.ts + s.dur > 'x", NULL },
		{ "s.ts + s.dur > 5", NULL },
		{ "", NULL },
	};
	struct qry *q = qry_traces_open("pipeline");
	struct sql *s = open_sql(q);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *other = sql_ends_of(s, cases[i].text, strlen(cases[i].text));

		g_assert_cmpstr(other, ==, cases[i].other);
	}
	sql_free(s);
	qry_free(q);
}

/* ---- whole tables ---- */

static void check_value(const struct sql_value *a, const struct sql_value *b)
{
	g_assert_cmpint(a->kind, ==, b->kind);
	switch (a->kind) {
	case SQL_NULL: break;
	case SQL_INTEGER: g_assert_cmpint(a->number, ==, b->number); break;
	case SQL_REAL: g_assert_cmpfloat(a->real, ==, b->real); break;
	case SQL_TEXT: g_assert_cmpmem(a->text, a->length, b->text, b->length); break;
	}
}

/* The rows of TABLE of HOST, or of all, equal those that SQLite reads.  Returns their number. */
static uint64_t check_whole(struct sql *s, struct qry *q, const char *table, uint32_t host)
{
	g_autofree char *query = g_strdup_printf("SELECT * FROM \"%s\"%s%s%s", table,
		host == MDL_NONE ? "" : " WHERE host = '", host == MDL_NONE ? "" : qry_host(q, host)->name,
		host == MDL_NONE ? "" : "'");
	const char *text = query;
	GError *problem = NULL, *other = NULL;
	struct sql_result *r = sql_result_new(s, query, &text, &problem);
	struct sql_whole *w = sql_whole_new(s, table, host, &other);
	uint64_t rows = 0;
	int more, there;

	g_assert_no_error(problem);
	g_assert_no_error(other);
	g_assert_cmpuint(sql_result_count(r), ==, sql_result_count(sql_whole_columns(w)));
	while (true) {
		more = sql_result_next(r, &problem);
		there = sql_whole_next(w, &other);
		g_assert_cmpint(more, ==, there);
		if (more <= 0)
			break;
		for (unsigned i = 0; i < sql_result_count(r); i++) {
			struct sql_value value = sql_result_value(r, i);

			check_value(&sql_whole_values(w)[i], &value);
		}
		rows++;
	}
	g_assert_cmpstr(problem ? problem->message : NULL, ==, other ? other->message : NULL);
	g_clear_error(&problem);
	g_clear_error(&other);
	sql_result_free(r);
	sql_whole_free(w);
	return rows;
}

static void test_whole(gconstpointer name)
{
	struct qry *q = qry_traces_open(name);
	struct sql *s = open_sql(q);
	g_autoptr(GPtrArray) tables = sql_tables(s, NULL);
	uint64_t rows = 0;

	g_assert_cmpuint(tables->len, >, 20);
	for (guint i = 0; i < tables->len; i++) {
		const char *table = tables->pdata[i];
		uint64_t all = check_whole(s, q, table, MDL_NONE), parts = 0;

		for (uint32_t host = 0; host < qry_host_count(q); host++)
			parts += check_whole(s, q, table, host);
		g_assert_cmpuint(parts, ==, all);
		rows += all;
	}
	g_assert_cmpuint(rows, >, 1000);
	sql_free(s);
	qry_free(q);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sql/ends", test_ends);
	g_test_add_data_func("/sql/whole/ioburst-ipi", "ioburst-ipi", test_whole);
	g_test_add_data_func("/sql/whole/lost-events", "lost-events", test_whole);
	g_test_add_data_func("/sql/whole/rpc-chain", "rpc-chain", test_whole);
	return g_test_run();
}
