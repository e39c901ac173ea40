/* SPDX-License-Identifier: MIT */
/* Damaged traces: the reader returns what is there, reports what is missing, and leaves nothing behind. */
#include "base/base_error.h"
#include "trace/trc_reader.h"
#include "trace/trc_test_open.h"
#include "trc_test.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#else
#define __lsan_disable() ((void)0)
#define __lsan_enable() ((void)0)
#endif

/* ---- a copy to damage ---- */

static char *sample(const char *name)
{
	const char *samples = g_getenv("SAMPLES");

	return g_build_filename(samples ? samples : "sample-traces", name, "kernel", NULL);
}

static void copy_file(const char *from, const char *to, const char *name)
{
	char *source = g_build_filename(from, name, NULL), *target = g_build_filename(to, name, NULL), *data;
	gsize size;

	if (g_file_get_contents(source, &data, &size, NULL)) {
		g_assert_true(g_file_set_contents(target, data, (gssize)size, NULL));
		g_free(data);
	}
	g_free(source);
	g_free(target);
}

/* A copy of the sample NAME, with its index. */
static char *copy_sample(const char *name)
{
	static const char *const files[] = { "metadata", "k_0", "k_1", "index/k_0.idx", "index/k_1.idx" };
	char *from = sample(name), *to = g_dir_make_tmp("damage-XXXXXX", NULL);
	char *index = g_build_filename(to, "index", NULL);
	size_t i;

	g_assert_cmpint(g_mkdir(index, 0700), ==, 0);
	for (i = 0; i < G_N_ELEMENTS(files); i++)
		copy_file(from, to, files[i]);
	g_free(index);
	g_free(from);
	return to;
}

static void cut(const char *folder, const char *name, gint64 length)
{
	char *path = g_build_filename(folder, name, NULL);

	g_assert_cmpint(truncate(path, length), ==, 0);
	g_free(path);
}

static gint64 size_of(const char *folder, const char *name)
{
	char *path = g_build_filename(folder, name, NULL);
	GStatBuf st;

	g_assert_cmpint(g_stat(path, &st), ==, 0);
	g_free(path);
	return st.st_size;
}

static void write_at(const char *folder, const char *name, gint64 at, const void *bytes, size_t n)
{
	char *path = g_build_filename(folder, name, NULL);
	FILE *file = fopen(path, "r+b");

	g_assert_nonnull(file);
	g_assert_cmpint(fseek(file, at, SEEK_SET), ==, 0);
	g_assert_cmpuint(fwrite(bytes, 1, n, file), ==, n);
	fclose(file);
	g_free(path);
}

/* ---- reading the copy ---- */

struct result {
	GPtrArray *events[2]; /* per CPU: time, kind and arguments as text */
	guint64 count;
	char *warnings; /* joined by "; " */
};

static void result_clear(struct result *r)
{
	g_ptr_array_unref(r->events[0]);
	g_ptr_array_unref(r->events[1]);
	g_free(r->warnings);
}

static char *join_warnings(const struct trc_info *info)
{
	GString *text = g_string_new(NULL);
	guint i;

	for (i = 0; i < info->warnings->len; i++)
		g_string_append_printf(text, "%s; ", (char *)g_ptr_array_index(info->warnings, i));
	return g_string_free(text, FALSE);
}

static void keep(struct result *r, const struct mdl_event *e)
{
	if (e->kind != MDL_EV_NONE && e->kind != MDL_EV_GAP_BEGIN && e->kind != MDL_EV_GAP_END)
		g_ptr_array_add(r->events[e->cpu % 2],
			g_strdup_printf("%" G_GINT64_FORMAT " %u %" G_GINT64_FORMAT " %s", e->time, e->kind,
				e->arg[0], e->text[0] ? e->text[0] : "-"));
}

/* Read FOLDER by READER; false with an error. */
static bool read_all(const char *folder, const char *reader, struct result *result, GError **error)
{
	struct trc_reader *r = trc_test_open(folder, reader, error);
	struct mdl_event events[100];
	gint64 time = G_MININT64;
	int n, i;

	if (!r)
		return false;
	result->events[0] = g_ptr_array_new_with_free_func(g_free);
	result->events[1] = g_ptr_array_new_with_free_func(g_free);
	while ((n = trc_reader_read(r, events, G_N_ELEMENTS(events), error)) > 0) {
		for (i = 0; i < n; i++) {
			g_assert_cmpint(events[i].time, >=, time);
			time = events[i].time;
			keep(result, &events[i]);
		}
	}
	g_assert_cmpint(n, ==, 0);
	result->count = trc_reader_info(r)->events;
	result->warnings = join_warnings(trc_reader_info(r));
	trc_reader_free(r);
	return true;
}

static void read_fine(const char *folder, const char *reader, struct result *result)
{
	GError *error = NULL;

	read_all(folder, reader, result, &error);
	g_assert_no_error(error);
}

/* PART is the beginning of WHOLE. */
static void assert_prefix(const GPtrArray *part, const GPtrArray *whole)
{
	guint i;

	g_assert_cmpuint(part->len, <=, whole->len);
	for (i = 0; i < part->len; i++)
		g_assert_cmpstr(g_ptr_array_index(part, i), ==, g_ptr_array_index(whole, i));
}

static void assert_has(const char *text, const char *words)
{
	if (!strstr(text, words))
		g_error("\"%s\" does not say \"%s\"", text, words);
}

/* No folder of a repaired copy is left behind. */
static void assert_nothing_left(void)
{
	GDir *dir = g_dir_open(g_get_tmp_dir(), 0, NULL);
	const char *name;

	while ((name = g_dir_read_name(dir)))
		if (g_str_has_prefix(name, "wakepath-") && strlen(name) == strlen("wakepath-XXXXXX") &&
			g_getenv("SAMPLES"))
			g_error("left behind: %s", name);
	g_dir_close(dir);
}

/* ---- cut streams ---- */

/* Cut k_1 at every length of a sequence: CPU 0 keeps all its events, CPU 1 keeps its first events, more of
 * them with each length.
 */
static void check_cuts(const char *reader, gint64 step)
{
	char *folder = copy_sample("pipeline");
	gint64 size = size_of(folder, "k_1"), length = 0;
	struct result whole, part;
	guint before = 0;
	bool last;

	read_fine(folder, reader, &whole);
	g_assert_cmpuint(whole.events[1]->len, >, 100);
	do {
		char *from = sample("pipeline");

		last = length == size;
		copy_file(from, folder, "k_1");
		g_free(from);
		cut(folder, "k_1", length);
		read_fine(folder, reader, &part);
		assert_prefix(part.events[0], whole.events[0]);
		g_assert_cmpuint(part.events[0]->len, ==, whole.events[0]->len);
		assert_prefix(part.events[1], whole.events[1]);
		g_assert_cmpuint(part.events[1]->len, >=, before);
		before = part.events[1]->len;
		if (!last)
			assert_has(part.warnings, "k_1: ");
		result_clear(&part);
		length = MIN(length + (length < 200 ? MAX(1, step / 500) : step), size);
	} while (!last);
	g_assert_cmpuint(before, ==, whole.events[1]->len);
	result_clear(&whole);
	trc_test_remove(folder);
	g_free(folder);
}

static void test_cuts(void)
{
	check_cuts("ctf", 211);
}

/* babeltrace2 2.0 leaks the event that it found cut in half. */
static void test_cuts_babeltrace2(void)
{
	__lsan_disable();
	check_cuts("babeltrace2", 4999);
	__lsan_enable();
	assert_nothing_left();
}

/* Both readers treat a cut alike: no half event, and one gap. */
static void test_cuts_same(void)
{
	char *folder = copy_sample("pipeline");
	gint64 length = size_of(folder, "k_0");

	__lsan_disable();
	for (length -= 5; length > 300; length = length * 4 / 5) {
		char *difference;

		cut(folder, "k_0", length);
		difference = trc_test_compare(folder, folder);
		g_assert_cmpstr(difference, ==, NULL);
	}
	__lsan_enable();
	trc_test_remove(folder);
	g_free(folder);
}

/* ---- files that are missing or foreign ---- */

static const char *const readers[] = { "ctf", "babeltrace2", NULL };

/* Damage a copy of "pipeline" by DAMAGE; each reader reads CPU 1 as before and says WORDS. */
static void check_damage(void (*damage)(const char *folder), const char *words)
{
	char *folder = copy_sample("pipeline");
	struct result whole, part;
	size_t i;

	read_fine(folder, NULL, &whole);
	damage(folder);
	for (i = 0; i < G_N_ELEMENTS(readers); i++) {
		read_fine(folder, readers[i], &part);
		g_assert_cmpuint(part.events[1]->len, ==, whole.events[1]->len);
		assert_prefix(part.events[1], whole.events[1]);
		assert_prefix(part.events[0], whole.events[0]);
		if (words)
			assert_has(part.warnings, words);
		else
			g_assert_cmpstr(part.warnings, ==, "");
		result_clear(&part);
	}
	result_clear(&whole);
	trc_test_remove(folder);
	g_free(folder);
	assert_nothing_left();
}

static void make_empty(const char *folder)
{
	cut(folder, "k_0", 0);
}

static void remove_stream(const char *folder)
{
	char *path = g_build_filename(folder, "k_0", NULL);

	g_assert_cmpint(g_remove(path), ==, 0);
	g_free(path);
}

static void add_foreign(const char *folder)
{
	char *path = g_build_filename(folder, "notes.txt", NULL);

	g_assert_true(g_file_set_contents(path, "not a stream at all, but long enough to look at", -1, NULL));
	g_free(path);
}

static void add_rubbish(const char *folder)
{
	char *path = g_build_filename(folder, "k_0", NULL);
	FILE *file = fopen(path, "ab");

	g_assert_cmpint(fprintf(file, "%0500d", 0), ==, 500);
	fclose(file);
	g_free(path);
}

static void damage_index(const char *folder)
{
	write_at(folder, "index/k_0.idx", 20, "\x12\x34\x56\x78", 4);
	write_at(folder, "index/k_1.idx", 16, "\xff\xff", 2);
}

static void cut_index(const char *folder)
{
	cut(folder, "index/k_0.idx", 31);
}

static void test_missing(void)
{
	check_damage(make_empty, "k_0: empty");
	check_damage(remove_stream, "no stream file for CPU 0 in channel k");
	check_damage(add_foreign, "notes.txt: left out");
	check_damage(add_rubbish, "k_0: the last 500 bytes are damaged");
	check_damage(damage_index, NULL);
	check_damage(cut_index, NULL);
}

/* Nothing at all to read. */
static void test_nothing(void)
{
	char *folder = copy_sample("pipeline");
	GError *error = NULL;
	struct result result;
	size_t i;

	cut(folder, "k_0", 0);
	cut(folder, "k_1", 10);
	for (i = 0; i < G_N_ELEMENTS(readers); i++) {
		g_assert_false(read_all(folder, readers[i], &result, &error));
		g_assert_error(error, BASE_ERROR, BASE_ERROR_DATA);
		assert_has(error->message, folder);
		g_clear_error(&error);
	}
	trc_test_remove(folder);
	g_free(folder);
	assert_nothing_left();
}

static void test_no_permission(void)
{
	char *folder = copy_sample("pipeline"), *path = g_build_filename(folder, "k_1", NULL);
	GError *error = NULL;
	struct result result;

	if (geteuid() == 0) {
		g_test_skip("everything can be read by root");
	} else {
		g_chmod(path, 0);
		g_assert_false(read_all(folder, NULL, &result, &error));
		g_assert_error(error, BASE_ERROR, BASE_ERROR_IO);
		assert_has(error->message, path);
		g_clear_error(&error);
	}
	g_free(path);
	trc_test_remove(folder);
	g_free(folder);
}

/* ---- metadata ---- */

/* Metadata cut within a packet is reported; cut between two packets it may make sense up to there. */
static void test_metadata(void)
{
	char *folder = copy_sample("pipeline");
	gint64 length = size_of(folder, "metadata") - 1;
	GError *error = NULL;
	struct result result;

	for (; length > 0; length -= 997) {
		cut(folder, "metadata", length);
		if (read_all(folder, NULL, &result, &error)) {
			g_assert_cmpint(length % 4096, ==, 0);
			result_clear(&result);
			continue;
		}
		g_assert_error(error, BASE_ERROR, BASE_ERROR_DATA);
		assert_has(error->message, folder);
		assert_has(error->message, "/metadata");
		assert_has(error->message, "copy the trace again");
		g_assert_null(strchr(error->message, '\n'));
		g_clear_error(&error);
	}
	trc_test_remove(folder);
	g_free(folder);
}

/* ---- any damage ---- */

/* Bytes changed at random: the events that can be read are in order of time, and reading terminates. */
static void test_random(void)
{
	char *folder = copy_sample("pipeline"), *from = sample("pipeline");
	gint64 size = size_of(folder, "k_1");
	int round, i;

	for (round = 0; round < 300; round++) {
		struct result result;
		GError *error = NULL;

		copy_file(from, folder, "k_1");
		for (i = g_test_rand_int_range(1, 30); i > 0; i--) {
			char byte = (char)g_test_rand_int_range(0, 256);
			gint64 most = round % 2 ? 100 : size;

			write_at(folder, "k_1", g_test_rand_int_range(0, (gint32)most), &byte, 1);
		}
		if (read_all(folder, "ctf", &result, &error))
			result_clear(&result);
		g_clear_error(&error);
	}
	g_free(from);
	trc_test_remove(folder);
	g_free(folder);
}

/* Metadata changed at random (sizes, names, types), with unchanged streams. */
static void test_random_metadata(void)
{
	char *folder = copy_sample("pipeline"), *path = g_build_filename(folder, "metadata", NULL);
	const char *argv[] = { "babeltrace2", "--output-format=ctf-metadata", folder, NULL };
	char *text = trc_test_run(argv, NULL);
	gint32 length = (gint32)strlen(text);
	int round, i, read = 0;

	g_assert_cmpint(length, >, 10000);
	for (round = 0; round < 400; round++) {
		static const char likely[] = "0123456789abcdef{}[];:=_<> ";
		char *damaged = g_strdup(text);
		struct result result;

		for (i = g_test_rand_int_range(1, 4); i > 0; i--)
			damaged[g_test_rand_int_range(0, round % 2 ? 3000 : length)] =
				likely[g_test_rand_int_range(0, sizeof(likely) - 1)];
		g_assert_true(g_file_set_contents(path, damaged, -1, NULL));
		if (read_all(folder, "ctf", &result, NULL)) {
			result_clear(&result);
			read++;
		}
		g_free(damaged);
	}
	g_assert_cmpint(read, >, 10);
	g_free(text);
	g_free(path);
	trc_test_remove(folder);
	g_free(folder);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/damage/cuts/ctf", test_cuts);
	g_test_add_func("/damage/cuts/babeltrace2", test_cuts_babeltrace2);
	g_test_add_func("/damage/cuts/same", test_cuts_same);
	g_test_add_func("/damage/missing", test_missing);
	g_test_add_func("/damage/nothing", test_nothing);
	g_test_add_func("/damage/no-permission", test_no_permission);
	g_test_add_func("/damage/metadata", test_metadata);
	g_test_add_func("/damage/random", test_random);
	g_test_add_func("/damage/random-metadata", test_random_metadata);
	return g_test_run();
}
