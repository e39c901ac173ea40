/* SPDX-License-Identifier: MIT */
/* The distribution of a watch, against all numbers sorted; its manifest, also a wrong one. */
#include "watch/watch_manifest.h"

#include "base/base_error.h"
#include "base/base_search.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* ---- distribution ---- */

/* Each number is in the class whose limits contain it, and classes follow each other without a gap. */
static void test_classes(void)
{
	int64_t from, to, end = 0;

	for (unsigned i = 0; i < WATCH_SEEN_CLASSES; i++) {
		struct watch_seen *s = g_new0(struct watch_seen, 1);

		watch_seen_class(i, &from, &to);
		if (to > from) { /* the last ones are beyond what 63 bits hold */
			g_assert_cmpint(from, ==, end);
			g_assert_cmpint(to - from, <=, MAX(from / WATCH_SEEN_PARTS, 1));
			watch_seen_add(s, from, 1);
			watch_seen_add(s, to - 1, 1);
			g_assert_cmpuint(s->classes[i], ==, 2);
			end = to;
		}
		g_free(s);
	}
	g_assert_cmpint(end, ==, INT64_MAX);
}

static int test_order(gconstpointer a, gconstpointer b)
{
	return BASE_ORDER(*(const int64_t *)a, *(const int64_t *)b);
}

static void test_quantiles(void)
{
	static const double shares[] = { 0.01, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1 };
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(int64_t));
	struct watch_seen *s = g_new0(struct watch_seen, 1), *half = g_new0(struct watch_seen, 1);
	GRand *rand = g_rand_new_with_seed(45);

	g_assert_cmpint(watch_seen_quantile(s, 0.5), ==, INT64_MIN);
	for (int i = 0; i < 20000; i++) {
		int64_t n = (int64_t)exp(g_rand_double_range(rand, 0, 30));

		g_array_append_val(all, n);
		watch_seen_add(i % 2 ? s : half, n, 1);
	}
	watch_seen_join(s, half);
	g_assert_cmpuint(s->count, ==, all->len);
	g_array_sort(all, test_order);
	for (gsize i = 0; i < G_N_ELEMENTS(shares); i++) {
		int64_t true_one = g_array_index(all, int64_t, (guint)ceil(shares[i] * all->len) - 1),
			told = watch_seen_quantile(s, shares[i]);

		g_assert_cmpint(told, >=, true_one);
		g_assert_cmpint(told - true_one, <=, true_one / WATCH_SEEN_PARTS);
	}
	g_rand_free(rand);
	g_free(half);
	g_free(s);
}

static void test_text(void)
{
	static const char *const bad[] = { "1", "1:", ":1", "1:2,", "1888:1", "-1:1", "1:-1", "x",
		"1:2;3:4" };
	struct watch_seen *s = g_new0(struct watch_seen, 1), *again = g_new0(struct watch_seen, 1);
	g_autoptr(GString) text = g_string_new(NULL);

	watch_seen_add(s, 7, 3);
	watch_seen_add(s, INT64_MAX, 1);
	watch_seen_add(s, 123456789, UINT64_MAX); /* no sum overflows */
	watch_seen_text(s, text);
	g_assert_true(watch_seen_parse(again, text->str));
	g_assert_cmpmem(again, sizeof *again, s, sizeof *s);
	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
		g_assert_false(watch_seen_parse(again, bad[i]));
	g_free(again);
	g_free(s);
}

/* ---- manifest ---- */

static struct watch_manifest *test_read(const char *lines, GError **error)
{
	g_autofree char *folder = g_dir_make_tmp("watch.XXXXXX", NULL),
			*path = g_build_filename(folder, WATCH_MANIFEST, NULL);
	struct watch_manifest *m;

	g_assert_true(g_file_set_contents(path, lines, -1, NULL));
	m = watch_manifest_read(folder, error);
	g_remove(path);
	g_rmdir(folder);
	return m;
}

#define HEAD "wakepath watch 1\n"
#define HIT(number, file)                                                                            \
	"hit\tn=" number "\twall=5000\ttime=4000\ttrigger=wakeup > 1ms\tvalue=300\tlimit=200\ttid=7" \
	"\tcomm=a\tcpu=1\tcases=2" file "\n"

static void test_manifest(void)
{
	struct watch_manifest *m = test_read(HEAD
		"start\twall=1000\thost=h\tkernel=6.1\n" HIT("1", "\tfile=hit-000001.dat\twhole=1") HIT("2",
			"") HIT("3",
			"\tfile=hit-000003.dat\twhole=0") "gone\tfile=hit-000001.dat\n"
							  "level\twall=2000\tname=paused\n"
							  "level\twall=2500\tname=triggers\n"
							  "a word of a later version\twall=1\n"
							  "seen\ttrigger=wakeup > 1ms\tfrom=1000\tto=4000\tover=6\tlost=1\tclasses=3:4,40:5\n"
							  "end\twall=4000\n"
							  "start\twall=9000\n" /* and the watch is killed */
							  "seen\ttrigger=wakeup > 1ms\tfrom=9000\tto=9600\tover=1\tlost=0\tclasses=3:1\n"
							  "start\twall=20000\n"
							  "hit\tn=4", /* cut short */
		NULL);
	const struct watch_hit *h;

	g_assert_nonnull(m);
	g_assert_cmpuint(m->hits->len, ==, 3);
	g_assert_cmpuint(m->last, ==, 3);
	h = &g_array_index(m->hits, struct watch_hit, 0);
	g_assert_null(h->file);
	g_assert_cmpint(h->value, ==, 300);
	g_assert_cmpint(h->tid, ==, 7);
	g_assert_cmpstr(h->name, ==, "a");
	h = &g_array_index(m->hits, struct watch_hit, 2);
	g_assert_cmpstr(h->file, ==, "hit-000003.dat");
	g_assert_false(h->whole);
	g_assert_cmpuint(m->triggers->len, ==, 1);
	g_assert_cmpstr(watch_manifest_trigger_at(m, 0)->kind, ==, "wakeup");
	g_assert_cmpuint(watch_manifest_trigger_at(m, 0)->seen->count, ==, 10);
	g_assert_cmpuint(watch_manifest_trigger_at(m, 0)->over, ==, 7);
	g_assert_cmpint(m->watched, ==, 1000 + 1500 + 600);
	g_assert_cmpint(m->paused, ==, 500);
	g_assert_cmpuint(m->starts, ==, 3);
	watch_manifest_free(m);
}

/* The wall clock is set forward by a day, and back by a month; durations use the other clock. */
static void test_clock(void)
{
	struct watch_manifest *m = test_read(HEAD
		"start\twall=500000\ttime=0\n"
		"level\twall=86400500000\ttime=100\tname=paused\n"
		"level\twall=1\ttime=150\tname=all\n"
		"seen\ttrigger=wakeup > 1ms\tfrom=1\tto=2\ttime=160\tover=0\tlost=0\tclasses=3:1\n"
		"end\twall=9\ttime=170\n"
		"start\twall=7000\ttime=300\n" /* and the watch is killed */
		"seen\ttrigger=wakeup > 1ms\tfrom=9\tto=9\ttime=307\tover=0\tlost=0\tclasses=3:1\n"
		"start\twall=1\ttime=5\n" /* after a boot */
		"said\twall=99999\ttime=6\ttext=x\n",
		NULL);

	g_assert_nonnull(m);
	g_assert_cmpint(m->watched, ==, 100 + 20 + 7 + 1);
	g_assert_cmpint(m->paused, ==, 50);
	watch_manifest_free(m);
	/* Longer than a number can hold. */
	m = test_read(HEAD "start\twall=1\ttime=0\nend\twall=1\ttime=9223372036854775806\n"
			   "start\twall=1\ttime=0\nend\twall=1\ttime=9223372036854775806\n",
		NULL);
	g_assert_nonnull(m);
	g_assert_cmpint(m->watched, ==, INT64_MAX);
	watch_manifest_free(m);
}

static void expect_bad(const char *lines)
{
	GError *error = NULL;

	g_assert_null(test_read(lines, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_DATA);
	g_assert_null(strchr(error->message, '\n'));
	g_error_free(error);
}

/* File names lead to no other folder, and numbers stay within what sums can hold. */
static void test_hostile(void)
{
	expect_bad("");
	expect_bad("wakepath watch 2\n");
	expect_bad(HEAD HIT("0", ""));
	expect_bad(HEAD HIT("99999999999999999999", ""));
	expect_bad(HEAD HIT("1", "\tfile=../hit-1.dat\twhole=1"));
	expect_bad(HEAD HIT("1", "\tfile=hit-/etc.dat\twhole=1"));
	expect_bad(HEAD HIT("1", "\tfile=hit-1.dat\twhole=2"));
	expect_bad(HEAD "typical\tn=1\twall=1\ttime=1\ttrigger=a\tvalue=1\ttid=1\tcpu=1\n");
	expect_bad(HEAD "seen\ttrigger=a\tfrom=2\tto=1\tover=0\tlost=0\tclasses=\n");
	expect_bad(HEAD "seen\ttrigger=a\tfrom=1\tto=2\tover=0\tlost=0\tclasses=9999:1\n");
	expect_bad(HEAD "start\n");
	g_assert_false(watch_manifest_is_recording("hit-.dat"));
	g_assert_false(watch_manifest_is_recording("hit-00000000000000000001.dat"));
	g_assert_true(watch_manifest_is_recording("hit-0000000000000000001.dat"));
}

/* 256 triggers are read, and no more. */
static void test_triggers(void)
{
	for (int n = 256; n <= 257; n++) {
		g_autoptr(GString) lines = g_string_new(HEAD);
		GError *error = NULL;
		struct watch_manifest *m;

		for (int i = 0; i < n; i++)
			g_string_append_printf(lines,
				"seen\ttrigger=wakeup > %dms\tfrom=1\tto=2\tover=0\tlost=0\tclasses=\n", i);
		m = test_read(lines->str, &error);
		g_assert_true((n > 256) == !m);
		g_clear_error(&error);
		watch_manifest_free(m);
	}
}

/* The written manifest is read back; a name with tabs and ends of lines remains one field. */
static void test_tell(void)
{
	char file[] = "hit-000009.dat";
	const struct watch_hit hit = { .number = 9,
		.wall = 1,
		.time = 2,
		.value = 3,
		.limit = 1,
		.tid = 4,
		.cpu = 5,
		.cases = 6,
		.name = "a\tfile=x\nend",
		.file = file,
		.whole = true };
	g_autoptr(GString) lines = g_string_new(HEAD);
	struct watch_manifest *m;

	watch_manifest_tell(lines, &hit, "irq > 1us");
	m = test_read(lines->str, NULL);
	g_assert_cmpuint(m->hits->len, ==, 1);
	g_assert_cmpstr(g_array_index(m->hits, struct watch_hit, 0).file, ==, file);
	g_assert_cmpuint(g_array_index(m->hits, struct watch_hit, 0).cases, ==, 6);
	watch_manifest_free(m);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/watch/classes", test_classes);
	g_test_add_func("/watch/quantiles", test_quantiles);
	g_test_add_func("/watch/text", test_text);
	g_test_add_func("/watch/manifest", test_manifest);
	g_test_add_func("/watch/clock", test_clock);
	g_test_add_func("/watch/hostile", test_hostile);
	g_test_add_func("/watch/triggers", test_triggers);
	g_test_add_func("/watch/tell", test_tell);
	return g_test_run();
}
