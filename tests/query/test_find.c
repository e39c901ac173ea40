/* SPDX-License-Identifier: MIT */
/* Finding threads and lines, names over time, labels: two made-up hosts with one name. */
#include "base/base_error.h"
#include "index/table/writer.h"
#include "query/qry_traces.h"

#include <string.h>

#define START G_GINT64_CONSTANT(1795132800000000000) /* 2026-11-20 00:00:00 UTC */

static const struct made {
	enum mdl_row_type type;
	int64_t nr;
	uint32_t cpu;
	int64_t pid;
	int64_t first, last; /* from START */
	const char *names[4];
	int64_t times[4]; /* when it took them, from START */
} made[] = {
	{ MDL_ROW_CPU, 0, MDL_NONE, -1, 0, 1000, { NULL }, { 0 } },
	{ MDL_ROW_CPU, 1, MDL_NONE, -1, 0, 1000, { NULL }, { 0 } },
	{ MDL_ROW_THREAD, 0, 0, 0, 0, 1000, { "swapper/0" }, { 5 } },
	{ MDL_ROW_THREAD, 0, 1, 0, 0, 1000, { "swapper/1" }, { 5 } },
	{ MDL_ROW_THREAD, 10, MDL_NONE, 10, 0, 1000, { "sh", "make", "sh" }, { 5, 100, 200 } },
	{ MDL_ROW_THREAD, 11, MDL_NONE, 10, 0, 1000, { "kworker/0:1" }, { 5 } },
	{ MDL_ROW_THREAD, 12, MDL_NONE, 12, 0, 500, { "first" }, { 0 } },
	{ MDL_ROW_THREAD, 12, MDL_NONE, 12, 500, 1000, { "second" }, { 500 } },
	{ MDL_ROW_THREAD, 13, MDL_NONE, -1, 0, 1000, { "a@b" }, { 0 } },
	{ MDL_ROW_THREAD, 14, MDL_NONE, 12, 600, 1000, { "twin" }, { 600 } },
	{ MDL_ROW_THREAD, 15, MDL_NONE, 12, 100, 400, { "twin" }, { 100 } },
	{ MDL_ROW_THREAD, 16, MDL_NONE, -1, 0, 1000, { NULL }, { 0 } },
	{ MDL_ROW_THREAD, 17, MDL_NONE, 17, 0, 1000, { "prog", "ls" }, { 0, 200 } },
	{ MDL_ROW_THREAD, 18, MDL_NONE, 18, 300, 1000, { "fork", "prog" }, { 300, 310 } },
	{ MDL_ROW_IRQ, 28, MDL_NONE, -1, 0, 1000, { "disk" }, { 0 } },
	{ MDL_ROW_SOFTIRQ, 4, 1, -1, 0, 1000, { "BLOCK" }, { 0 } },
};

enum {
	IDLE0 = 2,
	IDLE1,
	SH,
	KWORKER,
	FIRST,
	SECOND,
	AT,
	TWIN_LATE,
	TWIN_EARLY,
	NAMELESS,
	RENAMED,
	PROG,
	IRQ,
	SOFTIRQ
};

static struct qry *one, *two;

static struct idx_meta *make_meta(void)
{
	const struct mdl_hides all_seen = { START, 0 };
	struct idx_meta *m = idx_meta_new();

	m->fingerprint = g_strnfill(32, '0');
	m->path = g_strdup("/traces/made");
	m->host = g_strdup("host");
	m->uuid = g_strdup("");
	m->clock_uuid = g_strdup("");
	m->domain = g_strdup("kernel");
	m->tracer = g_strdup("");
	m->release = g_strdup("");
	m->format = g_strdup("test");
	m->reader = g_strdup("test");
	m->from = START;
	m->to = START + 1000;
	m->n_cpus = 2;
	g_array_append_val(m->hides, all_seen);
	return m;
}

static struct mdl_row make_row(const struct made *r, uint32_t name)
{
	return (struct mdl_row){ .type = (uint8_t)r->type,
		.nr = r->nr,
		.cpu = r->cpu,
		.pid = r->pid,
		.ppid = -1,
		.parent = MDL_NONE,
		.name = name,
		.first = START + r->first,
		.last = START + r->last };
}

/* In order of time: SH is fair, then real-time, then deadline. KWORKER had its priority before it was seen
 * with it. */
static void write_priorities(struct idx_writer *w)
{
	idx_writer_priority(w, SH, START + 100, 120);
	idx_writer_priority(w, KWORKER, START + 150, 100);
	idx_writer_priority(w, SH, START + 200, 0);
	idx_writer_priority(w, TWIN_EARLY, START + 200, 139);
	idx_writer_priority(w, SH, START + 300, -1);
}

static void write_index(const char *path)
{
	struct base_strings *strings = base_strings_new();
	struct idx_meta *meta = make_meta();
	struct idx_tables t = { .meta = meta, .strings = strings };
	GError *error = NULL;
	struct idx_writer *w = idx_writer_new(path, &error);

	g_assert_no_error(error);
	for (uint32_t i = 0; i < G_N_ELEMENTS(made); i++) {
		struct mdl_interval v = { .from = START + made[i].first,
			.to = START + made[i].last,
			.aux = MDL_NONE };
		struct mdl_row row;
		uint32_t name = 0;

		for (unsigned n = 0; n < G_N_ELEMENTS(made[i].names) && made[i].names[n]; n++) {
			name = base_strings_add(strings, made[i].names[n]);
			if (made[i].type == MDL_ROW_THREAD)
				idx_writer_name(w, i, START + made[i].times[n], name);
		}
		row = make_row(&made[i], name);
		idx_writer_interval(w, i, &v);
		idx_writer_over(w, i, &row);
	}
	write_priorities(w);
	g_assert_true(idx_writer_finish(w, &t, &error));
	g_assert_no_error(error);
	idx_writer_free(w);
	idx_meta_free(meta);
	base_strings_free(strings);
}

static uint32_t find(const struct qry *q, const char *spec)
{
	uint32_t row = MDL_NONE;
	GError *error = NULL;

	g_assert_true(qry_find_thread(q, spec, &row, &error));
	g_assert_no_error(error);
	return row;
}

/* Resolving SPEC fails with CODE; the caller frees the message. */
static char *fail(const struct qry *q, const char *spec, int code)
{
	uint32_t row = MDL_NONE;
	GError *error = NULL;
	char *message;

	g_assert_false(qry_find_thread(q, spec, &row, &error));
	g_assert_error(error, BASE_ERROR, code);
	g_assert_nonnull(strstr(error->message, spec));
	message = g_strdup(error->message);
	g_error_free(error);
	return message;
}

static void test_one(void)
{
	static const struct {
		const char *spec;
		uint32_t row;
	} cases[] = {
		{ "10", SH },
		{ "sh", SH },
		{ "make", SH },
		{ "host/10", SH },
		{ "host/make", SH },
		{ "11", KWORKER },
		{ "kworker/0:1", KWORKER },
		{ "host/kworker/0:1", KWORKER },
		{ "kworker/0:1@+1us", KWORKER },
		{ "a@b", AT },
		{ "host/a@b", AT },
		{ "a@b@+500ns", AT },
		{ "swapper/0", IDLE0 },
		{ "swapper/1", IDLE1 },
		{ "first", FIRST },
		{ "second", SECOND },
		{ "12@+0ns", FIRST },
		{ "12@+499ns", FIRST },
		{ "12@+500ns", SECOND },
		{ "12@+1us", SECOND },
		{ "12@1795132800000000100", FIRST },
		{ "host/12@00:00:00.0000007", SECOND },
		{ "twin@+700ns", TWIN_LATE },
		{ "host/twin@+200ns", TWIN_EARLY },
		{ "16", NAMELESS },
		{ "14", TWIN_LATE },
		{ "prog", PROG },
		{ "host/prog", PROG },
		{ "ls", RENAMED },
		{ "fork", PROG },
		{ "prog@+100ns", RENAMED },
		{ "prog@+500ns", PROG },
		{ "ls@+100ns", RENAMED },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_test_message("%s", cases[i].spec);
		g_assert_cmpuint(find(one, cases[i].spec), ==, cases[i].row);
	}
}

static void test_none(void)
{
	static const char *const cases[] = { "99", "nobody", "", "nohost/10", "host/nobody", "host/",
		"10@+2us", "twin@+450ns", "mak", "SH", "10 ", "@+1ns", "/", "-1", "99999999999999999999",
		"kworker", "0:1", "28" };

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_test_message("%s", cases[i]);
		g_free(fail(one, cases[i], BASE_ERROR_NO_ANSWER));
	}
}

/* Each line of the message after the first begins with a text to type, which finds one thread, different for
 * each line. */
static void check_offers(const struct qry *q, const char *spec, unsigned n)
{
	char *message = fail(q, spec, BASE_ERROR_USAGE), **lines = g_strsplit(message, "\n", -1);
	uint32_t last = MDL_NONE;

	g_assert_cmpuint(g_strv_length(lines), ==, n + 1);
	for (unsigned i = 1; i <= n; i++) {
		char **words = g_strsplit(g_strchug(lines[i]), " ", 2);
		uint32_t row = find(q, words[0]);

		g_assert_cmpuint(row, !=, last);
		last = row;
		g_strfreev(words);
	}
	g_strfreev(lines);
	g_free(message);
}

static void test_several(void)
{
	check_offers(one, "12", 2);
	check_offers(one, "twin", 2);
	check_offers(one, "0", 2);
	check_offers(two, "10", 2);
	check_offers(two, "12", 4);
	check_offers(two, "host/12", 2);
	check_offers(two, "kworker/0:1", 2);
	check_offers(two, "12@+100ns", 2);
}

/* The second host of that name gets a distinct label. */
static void test_hosts(void)
{
	uint32_t n = G_N_ELEMENTS(made);

	g_assert_cmpuint(qry_host_count(two), ==, 2);
	g_assert_cmpstr(qry_host(two, 0)->name, ==, "host");
	g_assert_cmpstr(qry_host(two, 1)->name, ==, "host#2");
	g_assert_cmpuint(find(two, "host/10"), ==, SH);
	g_assert_cmpuint(find(two, "host#2/10"), ==, n + SH);
	g_assert_cmpuint(find(two, "host#2/kworker/0:1"), ==, n + KWORKER);
	g_assert_cmpuint(find(two, "host#2/12@+500ns"), ==, n + SECOND);
	g_assert_cmpuint(qry_cpu_row(two, 1, 1), ==, n + 1);
	g_assert_cmpuint(qry_row(two, n + KWORKER)->process, ==, n + SH);
}

static void expect_line(const struct qry *q, enum mdl_row_type type, const char *spec, uint32_t row, int code)
{
	uint32_t found = MDL_NONE;
	GError *error = NULL;

	g_test_message("%s", spec);
	if (qry_find_line(q, type, spec, &found, &error)) {
		g_assert_cmpuint(found, ==, row);
		return;
	}
	g_assert_cmpuint(row, ==, MDL_NONE);
	g_assert_error(error, BASE_ERROR, code);
	g_error_free(error);
}

static void test_lines(void)
{
	uint32_t n = G_N_ELEMENTS(made);

	expect_line(one, MDL_ROW_CPU, "1", 1, 0);
	expect_line(one, MDL_ROW_CPU, "host/0", 0, 0);
	expect_line(one, MDL_ROW_IRQ, "28", IRQ, 0);
	expect_line(one, MDL_ROW_CPU, "28", MDL_NONE, BASE_ERROR_NO_ANSWER);
	expect_line(one, MDL_ROW_CPU, "other/0", MDL_NONE, BASE_ERROR_NO_ANSWER);
	expect_line(one, MDL_ROW_IRQ, "disk", MDL_NONE, BASE_ERROR_USAGE);
	expect_line(one, MDL_ROW_CPU, "", MDL_NONE, BASE_ERROR_USAGE);
	expect_line(one, MDL_ROW_CPU, "-1", MDL_NONE, BASE_ERROR_USAGE);
	expect_line(one, MDL_ROW_CPU, "1x", MDL_NONE, BASE_ERROR_USAGE);
	expect_line(two, MDL_ROW_CPU, "1", MDL_NONE, BASE_ERROR_USAGE);
	expect_line(two, MDL_ROW_CPU, "host#2/1", n + 1, 0);
	expect_line(two, MDL_ROW_IRQ, "host/28", IRQ, 0);
}

static void test_names(void)
{
	GPtrArray *names = qry_names(one, SH);

	g_assert_cmpuint(names->len, ==, 2); /* each once, oldest first */
	g_assert_cmpstr(names->pdata[0], ==, "sh");
	g_assert_cmpstr(names->pdata[1], ==, "make");
	g_ptr_array_unref(names);
	g_assert_cmpstr(qry_name_at(one, SH, INT64_MIN), ==, "sh");
	g_assert_cmpstr(qry_name_at(one, SH, START + 99), ==, "sh");
	g_assert_cmpstr(qry_name_at(one, SH, START + 100), ==, "make");
	g_assert_cmpstr(qry_name_at(one, SH, START + 199), ==, "make");
	g_assert_cmpstr(qry_name_at(one, SH, START + 200), ==, "sh");
	g_assert_cmpstr(qry_name_at(one, SH, INT64_MAX), ==, "sh");
	g_assert_cmpstr(qry_row(one, SH)->name, ==, "sh");
	g_assert_cmpstr(qry_name_at(one, NAMELESS, START), ==, "");
	names = qry_names(one, NAMELESS);
	g_assert_cmpuint(names->len, ==, 0);
	g_ptr_array_unref(names);
}

static void expect_label(const struct qry *q, uint32_t row, const char *expected)
{
	char *label = qry_row_label(q, row);

	g_assert_cmpstr(label, ==, expected);
	g_free(label);
}

static void test_labels(void)
{
	expect_label(one, SH, "sh[10]");
	expect_label(one, NAMELESS, "?[16]");
	expect_label(one, IDLE1, "swapper/1");
	expect_label(one, 1, "CPU 1");
	expect_label(one, IRQ, "IRQ 28 disk");
	expect_label(one, SOFTIRQ, "softirq BLOCK/1");
	expect_label(two, SH, "host/sh[10]");
	expect_label(two, G_N_ELEMENTS(made) + SH, "host#2/sh[10]");
}

/* The main thread of a process is the one of that life. */
static void test_processes(void)
{
	g_assert_cmpuint(qry_row(one, KWORKER)->process, ==, SH);
	g_assert_cmpuint(qry_row(one, SH)->process, ==, SH);
	g_assert_cmpuint(qry_row(one, TWIN_LATE)->process, ==, SECOND);
	g_assert_cmpuint(qry_row(one, TWIN_EARLY)->process, ==, FIRST);
	g_assert_cmpuint(qry_row(one, NAMELESS)->process, ==, NAMELESS);
	g_assert_cmpuint(qry_row(one, IDLE0)->process, ==, IDLE0);
}

static void test_priorities(void)
{
	static const struct {
		uint32_t row;
		int64_t time;
		int priority;
		const char *class;
	} expected[] = {
		{ SH, 0, 120, "fair" },
		{ SH, 100, 120, "fair" },
		{ SH, 199, 120, "fair" },
		{ SH, 200, 0, "real-time" },
		{ SH, 299, 0, "real-time" },
		{ SH, 300, -1, "deadline" },
		{ SH, 1000, -1, "deadline" },
		{ KWORKER, 0, 100, "fair" },
		{ KWORKER, 1000, 100, "fair" },
		{ TWIN_EARLY, 300, 139, "fair" },
		{ FIRST, 0, MDL_PRIORITY_NONE, NULL },
		{ SOFTIRQ, 0, MDL_PRIORITY_NONE, NULL },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
		int priority = qry_priority_at(one, expected[i].row, START + expected[i].time);

		g_assert_cmpint(priority, ==, expected[i].priority);
		g_assert_cmpstr(mdl_class_name(priority), ==, expected[i].class);
	}
}

int main(int argc, char **argv)
{
	char *path = g_build_filename(g_get_tmp_dir(), "made.wpi", NULL);
	int status;

	g_test_init(&argc, &argv, NULL);
	write_index(path);
	one = qry_traces_open_indexes((const char *[]){ path, NULL });
	two = qry_traces_open_indexes((const char *[]){ path, path, NULL });
	g_test_add_func("/find/priorities", test_priorities);
	g_test_add_func("/find/one", test_one);
	g_test_add_func("/find/none", test_none);
	g_test_add_func("/find/several", test_several);
	g_test_add_func("/find/hosts", test_hosts);
	g_test_add_func("/find/lines", test_lines);
	g_test_add_func("/find/names", test_names);
	g_test_add_func("/find/labels", test_labels);
	g_test_add_func("/find/processes", test_processes);
	status = g_test_run();
	qry_free(one);
	qry_free(two);
	g_free(path);
	return status;
}
