/* SPDX-License-Identifier: MIT */
#include "analysis/ana_fixture.h"

#include "app/app_open.h"
#include "query/clock/clock.h"
#include "query/clock/sync.h"

#include <stdio.h>
#include <string.h>

struct ana_fixture {
	char *folder;
	struct qry *q;
	char *text; /* babeltrace2's text of the trace; NULL until it is needed */
};

static GHashTable *opened; /* name → struct ana_fixture * */
static char **names, **inputs;

static char *folder_of(const char *name)
{
	static const char *const places[] = { "SAMPLES", "SHARED_TRACES" };

	for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
		const char *place = g_getenv(places[i]);
		char *folder = place ? g_build_filename(place, name, NULL) : NULL;

		if (folder && g_file_test(folder, G_FILE_TEST_IS_DIR))
			return folder;
		g_free(folder);
	}
	return NULL;
}

static void fixture_free(void *data)
{
	struct ana_fixture *f = data;

	qry_free(f->q);
	g_free(f->folder);
	g_free(f->text);
	g_free(f);
}

/* One clock for all hosts. */
static void synchronise(struct qry *q)
{
	GError *error = NULL;
	struct sync_hosts *clocks = qry_host_count(q) > 1 ? qry_sync_open(q, false, NULL, &error) : NULL;

	g_assert_no_error(error);
	qry_set_clocks(q, clocks);
	sync_hosts_unref(clocks);
}

struct ana_fixture *ana_fixture_open(const char *name)
{
	char *folder = folder_of(name), *index_dir;
	struct ana_fixture *f;
	GError *error = NULL;

	if (!opened)
		opened = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, fixture_free);
	f = g_hash_table_lookup(opened, name);
	if (f || !folder) {
		g_free(folder);
		return f;
	}
	index_dir = g_build_filename(g_get_tmp_dir(), "analysis-index", NULL);
	f = g_new0(struct ana_fixture, 1);
	f->folder = folder;
	f->q = app_open((char *[]){ folder, NULL },
		&(struct ing_options){ .index_dir = index_dir, .jobs = 1 }, &(struct app_clocks){ 0 }, NULL,
		&error);
	g_assert_no_error(error);
	synchronise(f->q);
	g_hash_table_insert(opened, g_strdup(name), f);
	g_free(index_dir);
	return f;
}

void ana_fixture_close_all(void)
{
	g_clear_pointer(&opened, g_hash_table_unref);
}

int ana_fixture_run(void)
{
	int status = g_test_run();

	ana_fixture_close_all();
	g_clear_pointer(&names, g_strfreev);
	g_clear_pointer(&inputs, g_strfreev);
	return status;
}

struct qry *ana_fixture_qry(const struct ana_fixture *f)
{
	return f->q;
}

static void add_inputs(GPtrArray *found, const char *place)
{
	char *all = g_build_filename(place, "inputs", NULL);
	GDir *dir = g_dir_open(all, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		char *folder = g_build_filename(all, name, "lttng", NULL);

		if (g_file_test(folder, G_FILE_TEST_IS_DIR))
			g_ptr_array_add(found, g_build_filename("inputs", name, "lttng", NULL));
		g_free(folder);
	}
	if (dir)
		g_dir_close(dir);
	g_free(all);
}

static void add_names(GPtrArray *found, const char *place)
{
	GDir *dir = place ? g_dir_open(place, 0, NULL) : NULL;
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		char *folder = g_build_filename(place, name, NULL);

		if (!g_str_equal(name, "inputs") && g_file_test(folder, G_FILE_TEST_IS_DIR) &&
			!g_ptr_array_find_with_equal_func(found, name, g_str_equal, NULL))
			g_ptr_array_add(found, g_strdup(name));
		g_free(folder);
	}
	if (dir)
		g_dir_close(dir);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char **finish_names(GPtrArray *found)
{
	g_ptr_array_sort(found, by_name);
	g_ptr_array_add(found, NULL);
	return (char **)g_ptr_array_free(found, FALSE);
}

char **ana_fixture_names(void)
{
	GPtrArray *found;

	if (names)
		return names;
	found = g_ptr_array_new();
	add_names(found, g_getenv("SAMPLES"));
	add_names(found, g_getenv("SHARED_TRACES"));
	names = finish_names(found);
	return names;
}

char **ana_fixture_inputs(void)
{
	GPtrArray *found;

	if (inputs)
		return inputs;
	found = g_ptr_array_new();
	if (g_getenv("SHARED_TRACES"))
		add_inputs(found, g_getenv("SHARED_TRACES"));
	inputs = finish_names(found);
	return inputs;
}

static const char *text_of(struct ana_fixture *f)
{
	GError *error = NULL;
	char *argv[] = { (char *)"babeltrace2", (char *)"--clock-seconds", f->folder, NULL };

	if (!f->text) {
		g_spawn_sync(NULL, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &f->text, NULL, NULL, &error);
		g_assert_no_error(error);
	}
	return f->text;
}

static int64_t time_of_line(const char *line)
{
	long long s, ns;

	g_assert_cmpint(sscanf(line, "[%lld.%9lld]", &s, &ns), ==, 2);
	return s * 1000000000 + ns;
}

/* True if the line that begins at LINE contains TEXT. */
static bool line_has(const char *line, const char *text)
{
	return g_strstr_len(line, (gssize)strcspn(line, "\n"), text);
}

int64_t ana_fixture_event(struct ana_fixture *f, int64_t time, const char *event, const char *field)
{
	char *name = g_strdup_printf(" %s: ", event);
	const char *line = text_of(f);

	while (line && *line &&
		!(line_has(line, name) && line_has(line, field) && time_of_line(line) > time)) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	g_free(name);
	g_assert_true(line && *line);
	return time_of_line(line);
}

int64_t ana_fixture_marker(struct ana_fixture *f, const char *text)
{
	char *field = g_strdup_printf("msg = \"%s\"", text);
	int64_t time = ana_fixture_event(f, 0, "lttng_logger", field);

	g_free(field);
	return time;
}

int64_t ana_fixture_at(const char *clock)
{
	const int64_t midnight = 1795132800; /* 2026-11-20T00:00:00Z */
	long long h, m, s, ns;

	g_assert_cmpint(sscanf(clock, "%lld:%lld:%lld.%9lld", &h, &m, &s, &ns), ==, 4);
	return (midnight + h * 3600 + m * 60 + s) * 1000000000 + ns;
}

uint32_t ana_fixture_thread(const struct ana_fixture *f, int64_t tid)
{
	uint32_t found = MDL_NONE;

	for (uint32_t i = 0; i < qry_row_count(f->q); i++) {
		const struct qry_row *r = qry_row(f->q, i);

		if (r->type != MDL_ROW_THREAD || r->nr != tid)
			continue;
		g_assert_cmpuint(found, ==, MDL_NONE);
		found = i;
	}
	g_assert_cmpuint(found, !=, MDL_NONE);
	return found;
}

uint32_t ana_fixture_find(const struct ana_fixture *f, const char *spec)
{
	GError *error = NULL;
	uint32_t row;

	qry_find_thread(f->q, spec, &row, &error);
	g_assert_no_error(error);
	return row;
}

struct ana_path *ana_fixture_path(const struct ana_fixture *f, int64_t tid, int64_t from, int64_t to)
{
	GError *error = NULL;
	struct ana_path *p = ana_path_new(f->q, ana_fixture_thread(f, tid), from, to, NULL, &error);

	g_assert_no_error(error);
	return p;
}

const struct ana_segment *ana_fixture_segment(const struct ana_path *p, guint i)
{
	g_assert_cmpuint(i, <, p->segments->len);
	return &g_array_index(p->segments, struct ana_segment, i);
}

void ana_fixture_check_cover(const struct ana_path *p)
{
	int64_t at = p->from;

	for (guint i = 0; i < p->segments->len; i++) {
		const struct ana_segment *s = ana_fixture_segment(p, i);

		g_assert_cmpint(s->from, ==, at);
		g_assert_cmpint(s->to, >, s->from);
		g_assert_nonnull(s->because);
		at = s->to;
	}
	g_assert_cmpint(at, ==, p->to);
}

uint32_t ana_fixture_segment_at(const struct ana_path *p, int64_t time)
{
	for (guint i = 0; i < p->segments->len; i++) {
		const struct ana_segment *s = ana_fixture_segment(p, i);

		if (s->from <= time && time < s->to)
			return i;
	}
	return UINT32_MAX;
}

const struct ana_actor *ana_fixture_actor(const struct ana_path *p, const struct ana_segment *s)
{
	g_assert_cmpuint(s->actor, <, p->actors->len);
	return &g_array_index(p->actors, struct ana_actor, s->actor);
}

int64_t ana_fixture_end_of_wait(const struct ana_path *p, guint i)
{
	const struct ana_segment *s = ana_fixture_segment(p, i), *next;

	while (s->source == UINT32_MAX && i + 1 < p->segments->len) {
		next = ana_fixture_segment(p, ++i);
		if (next->depth < s->depth ||
			(next->depth == s->depth && next->detail.kind != ANA_DETAIL_WAITER))
			break;
		if (next->depth == s->depth)
			s = next;
	}
	return s->to;
}

int64_t ana_fixture_time(const struct ana_path *p, const char *actor, enum ana_segment_kind kind)
{
	int64_t sum = 0;

	for (guint i = 0; i < p->segments->len; i++) {
		const struct ana_segment *s = ana_fixture_segment(p, i);

		if ((!actor || g_str_equal(ana_fixture_actor(p, s)->name, actor)) &&
			(kind == ANA_SEG_N || s->kind == kind))
			sum += s->to - s->from;
	}
	return sum;
}
