/* SPDX-License-Identifier: MIT */
/* Tables that compute their answer themselves, on real traces: the sums of their rows, and that every row
 * has its cells in every format and leads to a place of the experiment. */
#include "analysis/ana_fixture.h"
#include "base/base_time.h"
#include "table/json.h"

/* ---- reading tables ---- */

/* JSON without the places of events. */
static GString *no_evidence(G_GNUC_UNUSED struct table_evidence *evidence,
	G_GNUC_UNUSED const struct ana_why *why, G_GNUC_UNUSED guint first, G_GNUC_UNUSED guint n)
{
	return base_json_list();
}

struct reader {
	struct table_cursor *c;
	struct table_column columns[TABLE_COLUMNS_MAX];
	unsigned n;
	struct table_row row;
	uint64_t rows; /* read so far */
};

static struct table_evidence evidence = { no_evidence };

static void reader_open(struct reader *r, const struct table *table, struct qry *q, struct table_question ask)
{
	GError *error = NULL;

	ask.evidence = &evidence;
	r->c = table_open(table, q, &ask, &error);
	g_assert_no_error(error);
	g_assert_nonnull(r->c);
	r->n = table_describe(table->columns, &r->c->in, r->columns);
	r->row.columns = NULL;
	r->row.n = 0;
	r->rows = 0;
}

/* The next row with all its cells; false at the end, with the cursor closed. */
static bool reader_next(struct reader *r)
{
	struct table_place place;
	GError *error = NULL;
	const void *row;
	int found = table_next(r->c, &row, &error);

	g_assert_no_error(error);
	table_row_clear(&r->row);
	if (found <= 0) {
		table_close(r->c);
		return false;
	}
	table_row_fill(&r->row, UINT64_MAX, r->c->table->columns, row, &r->c->in);
	g_assert_cmpuint(r->row.n, ==, r->n);
	if (r->c->table->lead && r->c->table->lead(r->c, row, &place)) {
		g_assert_true(place.row == MDL_NONE || place.row < qry_row_count(r->c->q));
		g_assert_cmpint(place.from, <=, place.to);
	}
	r->rows++;
	return true;
}

static const struct table_cell *reader_cell(const struct reader *r, const char *name)
{
	for (unsigned i = 0; i < r->n; i++)
		if (g_str_equal(r->columns[i].name, name))
			return &r->row.cells[i];
	g_error("%s has no column %s", r->c->table->name, name);
}

static int64_t number(const struct reader *r, const char *name)
{
	return reader_cell(r, name)->number;
}

/* The sum of column NAME, and the number of rows. */
static int64_t sum_of(const struct table *table, struct qry *q, struct table_question ask, const char *name,
	uint64_t *rows)
{
	struct reader r;
	int64_t sum = 0;

	reader_open(&r, table, q, ask);
	while (reader_next(&r))
		sum += number(&r, name);
	*rows = r.rows;
	return sum;
}

static struct table_question about(struct qry *q, uint32_t row)
{
	struct table_question ask = TABLE_ALL;

	ask.row = row;
	qry_span(q, &ask.from, &ask.to);
	ask.format = TABLE_CSV;
	return ask;
}

/* ---- every table in every format ---- */

/* Reads TABLE in all formats, which must have the same number of rows. */
static void read_all(const struct table *table, struct qry *q, struct table_question ask)
{
	uint64_t rows = 0;

	ask.kind = g_str_has_prefix(table->name, "latency") ? "wakeup" : NULL;
	ask.by = g_str_equal(table->name, "latency_groups") ? "cpu" : NULL;
	for (ask.format = TABLE_TEXT; ask.format <= TABLE_MARKDOWN; ask.format++) {
		struct reader r;

		reader_open(&r, table, q, ask);
		while (reader_next(&r))
			;
		g_test_message("%s: %" G_GUINT64_FORMAT " rows", table->name, r.rows);
		g_assert_true(ask.format == TABLE_TEXT || r.rows == rows);
		rows = r.rows;
	}
}

/* Arguments about one thread, and about all. */
static void test_formats(void)
{
	ANA_FIXTURE_OR_SKIP(f, "preempt")
	static const struct table *const tables[] = { &table_threads, &table_states, &table_wakeups,
		&table_causes, &table_requests, &table_latency_worst, &table_latency_open,
		&table_latency_groups, &table_latency_classes, &table_latency_histogram, &table_events,
		&table_event_names, &table_machines, &table_machine_lines, &table_sync_packets,
		&table_sync_columns, &table_traces, &table_overview, &table_bookmarks, &table_notes,
		&table_path_segments, &table_path_links, &table_path_summary, &table_account,
		&table_account_chain };
	struct qry *q = ana_fixture_qry(f);
	struct table_question ask = about(q, ana_fixture_find(f, "wk-victim"));

	for (gsize i = 0; i < G_N_ELEMENTS(tables); i++) {
		read_all(tables[i], q, ask);
		if (!g_str_has_prefix(tables[i]->name, "path") && tables[i] != &table_account &&
			tables[i] != &table_account_chain) /* these are about one thread */
			read_all(tables[i], q, TABLE_ALL);
	}
}

/* ---- sums of rows ---- */

static void test_account(void)
{
	ANA_FIXTURE_OR_SKIP(f, "preempt")
	struct qry *q = ana_fixture_qry(f);
	struct table_question ask = about(q, ana_fixture_find(f, "wk-victim"));
	uint64_t rows;

	ask.from = MAX(ask.from, qry_row(q, ask.row)->first);
	ask.to = MIN(ask.to, qry_row(q, ask.row)->last);
	g_assert_cmpint(sum_of(&table_account, q, ask, "time", &rows), ==, ask.to - ask.from);
	g_assert_cmpuint(rows, >, 2);
}

/* Segments follow each other, and their sums are those of the actors. */
static void test_path(void)
{
	ANA_FIXTURE_OR_SKIP(f, "preempt")
	struct qry *q = ana_fixture_qry(f);
	struct table_question ask = about(q, ana_fixture_find(f, "wk-victim"));
	int64_t end = BASE_TIME_NONE, sum = 0;
	uint64_t rows;
	struct reader r;

	reader_open(&r, &table_path_segments, q, ask);
	while (reader_next(&r)) {
		g_assert_true(end == BASE_TIME_NONE || number(&r, "from") == end);
		end = number(&r, "to");
		sum += number(&r, "duration");
	}
	g_assert_cmpuint(r.rows, >, 10);
	g_assert_cmpint(sum_of(&table_path_summary, q, ask, "time", &rows), ==, sum);
	g_assert_cmpuint(rows, <, r.rows);
	g_assert_cmpint(sum_of(&table_path_summary, q, ask, "segments", &rows), ==, (int64_t)r.rows);
}

/* Each case is in one group, in one class of the histogram, and in the list. */
static void test_latency(void)
{
	ANA_FIXTURE_OR_SKIP(f, "preempt")
	struct qry *q = ana_fixture_qry(f);
	struct table_question ask = about(q, MDL_NONE);
	uint64_t cases, rows;
	struct reader r;
	int64_t sum, last = INT64_MAX;

	ask.kind = "wakeup";
	sum = sum_of(&table_latency_worst, q, ask, "latency", &cases);
	g_assert_cmpuint(cases, >, 50);
	g_assert_cmpint(sum_of(&table_latency_histogram, q, ask, "count", &rows), ==, (int64_t)cases);
	ask.by = "thread";
	g_assert_cmpint(sum_of(&table_latency_groups, q, ask, "count", &rows), ==, (int64_t)cases);
	g_assert_cmpint(sum_of(&table_latency_groups, q, ask, "sum", &rows), ==, sum);
	g_assert_cmpuint(rows, >, 5);
	ask.top = 7;
	ask.threshold = 1000;
	reader_open(&r, &table_latency_worst, q, ask);
	while (reader_next(&r)) {
		g_assert_cmpint(number(&r, "latency"), <=, last);
		last = number(&r, "latency");
		g_assert_cmpint(last, >=, ask.threshold);
		g_assert_cmpint(number(&r, "end") - number(&r, "start"), ==, last);
	}
	g_assert_cmpuint(r.rows, ==, 7);
}

/* The four parts of a request sum to the window of its path. */
static void test_requests(void)
{
	ANA_FIXTURE_OR_SKIP(f, "rpc-chain")
	struct qry *q = ana_fixture_qry(f);
	struct table_question ask = about(q, ana_fixture_find(f, "client/wk-client"));
	struct reader r;

	reader_open(&r, &table_requests, q, ask);
	while (reader_next(&r)) {
		g_assert_cmpint(number(&r, "number"), ==, (int64_t)r.rows);
		g_assert_cmpint(number(&r, "net") + number(&r, "waiting") + number(&r, "cpu") +
				number(&r, "unknown"),
			==, number(&r, "path_to") - number(&r, "path_from"));
	}
	g_assert_cmpuint(r.rows, ==, 12);
}

/* Each packet is in one part of the window. */
static void test_packets(void)
{
	ANA_FIXTURE_OR_SKIP(f, "rpc-chain")
	struct qry *q = ana_fixture_qry(f);
	struct table_question ask = about(q, MDL_NONE);
	uint64_t packets, rows;

	ask.to++; /* with one at the very end */
	sum_of(&table_sync_packets, q, ask, "residual", &packets);
	g_assert_cmpuint(packets, >, 50);
	ask.columns = 3;
	g_assert_cmpint(sum_of(&table_sync_columns, q, ask, "packets", &rows), ==, (int64_t)packets);
	g_assert_cmpuint(rows, >, 3);
}

static void test_stacks(void)
{
	ANA_FIXTURE_OR_SKIP(f, "offcpu-stacks")
	struct qry *q = ana_fixture_qry(f);
	double share = 0;
	struct reader r;

	reader_open(&r, &table_stacks, q, about(q, MDL_NONE));
	while (reader_next(&r))
		share += reader_cell(&r, "share")->share;
	g_assert_cmpfloat_with_epsilon(share, 1, 1e-9);
}

/* The parts of the time of a virtual CPU that have no cause of their own sum to its life. */
static void test_machines(void)
{
	ANA_FIXTURE_OR_SKIP(f, "vm-preempt")
	struct qry *q = ana_fixture_qry(f);
	double share = 0;
	int64_t vcpu = 0;
	struct reader r;

	reader_open(&r, &table_machine_lines, q, about(q, MDL_NONE));
	while (reader_next(&r)) {
		if (number(&r, "tid") == BASE_TIME_NONE || table_word(reader_cell(&r, "name")))
			continue;
		vcpu = vcpu ? vcpu : number(&r, "tid");
		if (number(&r, "tid") == vcpu)
			share += reader_cell(&r, "share")->share;
	}
	g_assert_cmpfloat_with_epsilon(share, 1, 1e-9);
}

/* Events of one name on one CPU; a truncated list gives the number of rows left out. */
static void test_events(void)
{
	ANA_FIXTURE_OR_SKIP(f, "preempt")
	struct qry *q = ana_fixture_qry(f);
	struct table_question ask = about(q, qry_cpu_row(q, 0, 1));
	uint64_t of_cpu;
	struct reader r;

	ask.to++; /* with the last one */
	ask.kind = "sched_switch";
	reader_open(&r, &table_events, q, ask);
	while (reader_next(&r)) {
		g_assert_cmpint(number(&r, "cpu"), ==, 1);
		g_assert_cmpstr(table_word(reader_cell(&r, "name")), ==, "sched_switch");
	}
	of_cpu = r.rows;
	g_assert_cmpuint(of_cpu, ==, 79); /* by babeltrace2 */
	ask.top = 10;
	reader_open(&r, &table_events, q, ask);
	while (reader_next(&r))
		;
	g_assert_cmpuint(r.rows, ==, 10);
}

static void test_left(void)
{
	ANA_FIXTURE_OR_SKIP(f, "preempt")
	struct qry *q = ana_fixture_qry(f);
	struct table_question ask = about(q, MDL_NONE);
	uint64_t rows;
	struct reader r;

	sum_of(&table_causes, q, ask, "time", &rows);
	reader_open(&r, &table_causes, q, ask);
	g_assert_true(reader_next(&r));
	g_assert_cmpuint(table_left(r.c), ==, rows - 1);
	table_row_clear(&r.row);
	table_close(r.c);
	reader_open(&r, &table_threads, q, ask);
	g_assert_true(reader_next(&r));
	g_assert_cmpuint(table_left(r.c), ==, 1); /* the table is read: it has a row */
	table_row_clear(&r.row);
	table_close(r.c);
}

/* A wrong question is an error, not an empty answer. */
static void test_wrong(void)
{
	ANA_FIXTURE_OR_SKIP(f, "preempt")
	struct qry *q = ana_fixture_qry(f);
	struct table_question ask = about(q, MDL_NONE);
	g_autoptr(GError) by = NULL, kind = NULL;

	ask.by = "colour";
	ask.kind = "wakeup";
	g_assert_null(table_open(&table_causes, q, &ask, &by));
	g_assert_nonnull(by);
	ask.by = NULL;
	ask.kind = "colour";
	g_assert_null(table_open(&table_latency_worst, q, &ask, &kind));
	g_assert_nonnull(kind);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/table/tables/formats", test_formats);
	g_test_add_func("/table/tables/account", test_account);
	g_test_add_func("/table/tables/path", test_path);
	g_test_add_func("/table/tables/latency", test_latency);
	g_test_add_func("/table/tables/requests", test_requests);
	g_test_add_func("/table/tables/packets", test_packets);
	g_test_add_func("/table/tables/stacks", test_stacks);
	g_test_add_func("/table/tables/machines", test_machines);
	g_test_add_func("/table/tables/events", test_events);
	g_test_add_func("/table/tables/left", test_left);
	g_test_add_func("/table/tables/wrong", test_wrong);
	return ana_fixture_run();
}
