/* SPDX-License-Identifier: MIT */
/*
 * Traces whose streams are spread over several files, as LTTng records them with --tracefile-size (k_0_0,
 * k_0_1, …) and --tracefile-count (the oldest file is overwritten). They are made from packets of real
 * traces.
 */
#include "trace/core/trc_info.h"
#include "trace/trc_reader.h"
#include "trace/trc_test_open.h"
#include "trace/trc_test.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define INDEX_HEADER 16 /* lttng-tools, ctf-index.h: all numbers are big endian */

static guint64 number(const char *bytes, unsigned i)
{
	guint64 value;

	memcpy(&value, bytes + 8 * i, 8);
	return GUINT64_FROM_BE(value);
}

static char *read_file(const char *folder, const char *below, const char *name, const char *end, gsize *size)
{
	char *path = g_strdup_printf("%s/%s%s%s", folder, below, name, end), *bytes;
	GError *error = NULL;

	g_file_get_contents(path, &bytes, size, &error);
	g_assert_no_error(error);
	g_free(path);
	return bytes;
}

static void write_file(const char *folder, const char *below, const char *name, unsigned number,
	const char *end, const char *bytes, gsize size)
{
	char *path = g_strdup_printf("%s/%s%s_%u%s", folder, below, name, number, end);
	GError *error = NULL;

	g_file_set_contents(path, bytes, (gssize)size, &error);
	g_assert_no_error(error);
	g_free(path);
}

/* Spread the packets of stream NAME over files of EACH packets. COUNT: the most files (0: no limit); newer
 * packets then overwrite the oldest. */
static void split_stream(const char *from, const char *to, const char *name, unsigned each, unsigned count)
{
	gsize size, index_size;
	char *bytes = read_file(from, "", name, "", &size),
	     *index = read_file(from, "index/", name, ".idx", &index_size);
	gsize entry = GUINT32_FROM_BE(*(const guint32 *)(const void *)(index + 12)),
	      packets = (index_size - INDEX_HEADER) / entry;

	for (gsize i = 0; i < packets; i += each) {
		const char *first = index + INDEX_HEADER + i * entry;
		const char *last = index + INDEX_HEADER + (MIN(i + each, packets) - 1) * entry;
		guint64 begin = number(first, 0), end = number(last, 0) + number(last, 1) / 8;
		gsize part_size = INDEX_HEADER + (gsize)(last + entry - first);
		unsigned file = (unsigned)(i / each);
		char *part = g_malloc(part_size);

		memcpy(part, index, INDEX_HEADER);
		memcpy(part + INDEX_HEADER, first, part_size - INDEX_HEADER);
		for (gsize at = INDEX_HEADER; at < part_size; at += entry) {
			guint64 offset = GUINT64_TO_BE(number(part + at, 0) - begin);

			memcpy(part + at, &offset, 8);
		}
		g_assert_cmpuint(end, <=, size);
		write_file(to, "", name, count ? file % count : file, "", bytes + begin, end - begin);
		write_file(to, "index/", name, count ? file % count : file, ".idx", part, part_size);
		g_free(part);
	}
	g_free(bytes);
	g_free(index);
}

/* A new folder with the trace in FROM, spread by split_stream(). */
static char *split(const char *from, unsigned each, unsigned count)
{
	char *to = g_build_filename(g_get_tmp_dir(), "rotated-XXXXXX", NULL), *below, *metadata;
	GDir *dir = g_dir_open(from, 0, NULL);
	const char *name;
	gsize size;

	g_assert_nonnull(dir);
	g_assert_nonnull(g_mkdtemp(to));
	below = g_build_filename(to, "index", NULL);
	g_assert_cmpint(g_mkdir(below, 0700), ==, 0);
	g_free(below);
	while ((name = g_dir_read_name(dir)))
		if (strcmp(name, "metadata") != 0 && strcmp(name, "index") != 0)
			split_stream(from, to, name, each, count);
	g_dir_close(dir);
	metadata = read_file(from, "", "metadata", "", &size);
	below = g_build_filename(to, "metadata", NULL);
	g_assert_true(g_file_set_contents(below, metadata, (gssize)size, NULL));
	g_free(metadata);
	g_free(below);
	return to;
}

static void expect_same(const char *a, const char *b)
{
	char *difference = trc_test_compare(a, b);

	if (difference)
		g_error("%s by ctf, %s by babeltrace2: %s", a, b, difference);
}

/* Nothing is missing: both readers read the trace as if each stream was one file. */
static void check_whole(const char *from, unsigned each)
{
	char *to = split(from, each, 0);

	expect_same(to, from);
	expect_same(from, to);
	trc_test_remove(to);
	g_free(to);
}

static char *lost_events(void)
{
	return g_build_filename(g_getenv("SAMPLES"), "lost-events", "kernel", NULL);
}

static void test_whole(void)
{
	char *from = lost_events();

	for (unsigned each = 1; each <= 13; each += 3)
		check_whole(from, each);
	g_free(from);
	if (g_getenv("SHARED_TRACES")) {
		from = g_build_filename(g_getenv("SHARED_TRACES"), "many-threads", "kernel", NULL);
		if (g_file_test(from, G_FILE_TEST_EXISTS))
			check_whole(from, 2);
		g_free(from);
	}
}

/* The number of times that TEXT contains WHAT; *SUM: the sum of the numbers that follow it. */
static unsigned count(const char *text, const char *what, guint64 *sum)
{
	unsigned n = 0;

	*sum = 0;
	for (const char *at = text; (at = strstr(at, what)); n++) {
		at += strlen(what);
		*sum += g_ascii_strtoull(at, NULL, 10);
	}
	return n;
}

/* Read all of FOLDER by READER. */
static struct trc_reader *read_all(const char *folder, const char *reader)
{
	GError *error = NULL;
	struct trc_reader *r = trc_test_open(folder, reader, &error);
	struct mdl_event events[64];

	g_assert_no_error(error);
	while (trc_reader_read(r, events, G_N_ELEMENTS(events), NULL) > 0)
		;
	return r;
}

/* The reader "ctf" finds in FOLDER what the program babeltrace2 prints. */
static void check_counts(const char *folder)
{
	struct trc_reader *r = read_all(folder, "ctf");
	const char *argv[] = { "babeltrace2", folder, NULL };
	char *errors, *out = trc_test_run(argv, &errors);
	const struct trc_info *info = trc_reader_info(r);
	guint64 lost, nothing;
	unsigned lines, late = 0;

	lines = count(errors, "Tracer discarded ", &lost) +
		count(errors, "Tracer may have discarded ", &nothing);
	g_assert_cmpuint(trc_reader_info(r)->events, ==, count(out, "\n", &nothing));
	g_assert_cmpuint(trc_reader_info(r)->discarded, ==, lost);
	for (guint i = 0; i < info->gaps->len; i++)
		late += trc_test_is_late(info, &g_array_index(info->gaps, struct trc_gap, i));
	/* babeltrace2 says for some late streams that events may have been lost in them. */
	g_assert_cmpuint(info->gaps->len, >=, lines);
	g_assert_cmpuint(info->gaps->len, <=, lines + late);
	g_assert_cmpuint(trc_reader_info(r)->stepped_back, ==, 0);
	trc_reader_free(r);
	g_free(out);
	g_free(errors);
}

/* The oldest files are gone: names begin in the middle, and the events lost before are not counted. */
static void test_taken_again(void)
{
	static const struct {
		unsigned each, count;
	} cases[] = { { 1, 8 }, { 1, 5 }, { 1, 1 }, { 2, 3 }, { 3, 4 }, { 3, 5 } };
	char *from = lost_events();

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *to = split(from, cases[i].each, cases[i].count);

		check_counts(to);
		expect_same(to, to);
		trc_test_remove(to);
		g_free(to);
	}
	g_free(from);
}

/* The last file of a stream is cut: the rest is unknown. */
static void test_cut_at_end(void)
{
	char *from = lost_events(), *to = split(from, 1, 0), *path = g_build_filename(to, "k_0_12", NULL);

	g_assert_cmpint(truncate(path, 2000), ==, 0);
	expect_same(to, to);
	trc_test_remove(to);
	g_free(path);
	g_free(to);
	g_free(from);
}

/* The number of events in the file NAME of FOLDER. */
static guint64 events_of(const char *folder, const char *name)
{
	char *alone = g_build_filename(g_get_tmp_dir(), "alone-XXXXXX", NULL), *from, *to;
	struct trc_reader *r;
	guint64 events;

	g_assert_nonnull(g_mkdtemp(alone));
	for (int i = 0; i < 2; i++) {
		from = g_build_filename(folder, i ? name : "metadata", NULL);
		to = g_build_filename(alone, i ? name : "metadata", NULL);
		g_assert_cmpint(symlink(from, to), ==, 0);
		g_free(from);
		g_free(to);
	}
	r = read_all(alone, "ctf");
	events = trc_reader_info(r)->events;
	trc_reader_free(r);
	trc_test_remove(alone);
	g_free(alone);
	return events;
}

/* A file in the middle is cut: its missing part is a gap up to the next file, and everything else is read. */
static void test_cut_between(void)
{
	static const char *const names[] = { "k_0_0", "k_0_5", "k_1_11" };
	char *from = lost_events();

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		char *to = split(from, 1, 0), *path = g_build_filename(to, names[i], NULL);
		guint64 lacking = events_of(to, names[i]);
		const struct trc_info *info;
		struct trc_reader *r;

		g_assert_cmpint(truncate(path, 2000), ==, 0);
		lacking -= events_of(to, names[i]);
		r = read_all(to, "ctf");
		info = trc_reader_info(r);
		g_assert_cmpuint(lacking, >, 0);
		g_assert_cmpuint(info->events, ==, 3071 - lacking); /* babeltrace2 counts 3071 in all */
		g_assert_cmpuint(info->discarded, ==, 9941);
		g_assert_cmpuint(info->discarded_packets, ==, 1);
		g_assert_cmpuint(info->gaps->len, ==, 14);
		trc_reader_free(r);
		trc_test_remove(to);
		g_free(path);
		g_free(to);
	}
	g_free(from);
}

/* More files than a process may open: only one file per stream is open. */
static void test_many(void)
{
	char *from = lost_events(), *to = split(from, 1, 0);
	struct rlimit few, all;
	struct trc_reader *r;

	g_assert_cmpint(getrlimit(RLIMIT_NOFILE, &all), ==, 0);
	few = all;
	few.rlim_cur = 16;
	g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &few), ==, 0);
	r = read_all(to, "ctf");
	g_assert_cmpuint(trc_reader_info(r)->events, ==, 3071); /* as babeltrace2 counts */
	g_assert_cmpuint(trc_reader_info(r)->discarded, ==, 9941);
	trc_reader_free(r);
	g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &all), ==, 0);
	trc_test_remove(to);
	g_free(to);
	g_free(from);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/rotated/whole", test_whole);
	g_test_add_func("/rotated/taken-again", test_taken_again);
	g_test_add_func("/rotated/cut-at-end", test_cut_at_end);
	g_test_add_func("/rotated/cut-between", test_cut_between);
	g_test_add_func("/rotated/many", test_many);
	return g_test_run();
}
