/* SPDX-License-Identifier: MIT */
/* Parts of the watch that need no tracefs: which recordings are removed for others, which hits are saved,
 * and which events are recorded within a budget. */
#include "record/rec_cases.h"

#include <glib/gstdio.h>
#include <string.h>

#define DISK 100
#define MANY 1000 /* hits kept of each trigger, unless the test is about that number */

/* ---- a folder ---- */

static struct rec_keep *test_keep(char *folder, unsigned keep)
{
	struct rec_keep *k;

	g_assert_nonnull(g_mkdtemp(folder));
	k = rec_keep_new(folder, keep, DISK, NULL);
	g_assert_nonnull(k);
	return k;
}

static void test_remove(struct rec_keep *k, const char *folder)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	rec_keep_free(k);
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);

		g_remove(path);
	}
	g_dir_close(dir);
	g_rmdir(folder);
}

/* A hit of TRIGGER with a recording of SIZE bytes; TYPICAL: a case beside the hit NUMBER. */
static void test_put(struct rec_keep *k, const char *trigger, uint64_t number, int64_t value, gsize size,
	bool typical)
{
	struct watch_hit h = { .number = number,
		.typical = typical,
		.value = value,
		.limit = typical ? 0 : 1,
		.cases = 1,
		.name = "" };
	g_autofree char *path = rec_keep_path(k, number, typical), *bytes = g_strnfill(size, 'x');

	h.trigger = watch_manifest_trigger(rec_keep_manifest(k), trigger);
	h.file = g_path_get_basename(path);
	g_assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
	g_assert_true(rec_keep_hit(k, &h, NULL));
	rec_keep_prune(k);
}

/* The existing files, as "hit-1 typical-1 hit-2 …". */
static char *test_files(const struct rec_keep *k)
{
	GString *all = g_string_new(NULL);

	for (uint64_t n = 1; n < 10; n++)
		for (unsigned typical = 0; typical < 2; typical++) {
			g_autofree char *path = rec_keep_path(k, n, typical);

			if (g_file_test(path, G_FILE_TEST_EXISTS))
				g_string_append_printf(all, "%s%s-%d", all->len ? " " : "",
					typical ? "typical" : "hit", (int)n);
		}
	return g_string_free(all, FALSE);
}

static void expect_files(const struct rec_keep *k, const char *files)
{
	g_autofree char *are = test_files(k);

	g_assert_cmpstr(are, ==, files);
}

/* The trigger with the most recordings loses its smallest ones, and their typical cases; if these would
 * not suffice, none is removed. */
static void test_room(void)
{
	char folder[] = "keep.XXXXXX";
	struct rec_keep *k = test_keep(folder, MANY);

	test_put(k, "a", 1, 100, 20, false);
	test_put(k, "a", 2, 200, 20, false);
	test_put(k, "b", 3, 10, 10, false);
	test_put(k, "b", 3, 1, 10, true);
	test_put(k, "b", 4, 20, 20, false);
	test_put(k, "b", 5, 30, 20, false);
	expect_files(k, "hit-1 hit-2 hit-3 typical-3 hit-4 hit-5");
	g_assert_false(rec_keep_room(k, DISK + 1, 1, 40));
	g_assert_false(rec_keep_room(k, 1, 1, 0));
	g_assert_false(rec_keep_room(k, 1, 1, 10));  /* no worse than the smallest */
	g_assert_false(rec_keep_room(k, 40, 0, 50)); /* b loses one; then a would lose a worse one */
	expect_files(k, "hit-1 hit-2 hit-3 typical-3 hit-4 hit-5");
	g_assert_true(rec_keep_room(k, 20, 0, 50));
	expect_files(k, "hit-1 hit-2 hit-4 hit-5");
	g_assert_true(rec_keep_room(k, 20, 0, 50)); /* there is room */
	g_assert_true(rec_keep_room(k, 60, 0, 300));
	expect_files(k, "hit-2 hit-5");
	test_remove(k, folder);
}

/* ---- hits ---- */

static char words_a[] = "wakeup > 100ns",
	    words_b[] = "preempted > 100ns", *const words[] = { words_a, words_b };
static const struct rec_until untils[] = { { .kind = "wakeup", .limit = 100 },
	{ .kind = "preempted", .limit = 100 } };

static struct rec_case test_case(unsigned of, int64_t latency, int64_t end)
{
	return (struct rec_case){ .of = of, .latency = latency, .end = end, .cpu = 1 };
}

/* If hits of two triggers share a recording, it belongs to the one that is worth a place in the folder, even
 * if another one occurred first. */
static void test_wanted(void)
{
	char folder[] = "keep.XXXXXX";
	struct rec_keep *k = test_keep(folder, 1);
	const struct rec_watch_wish wish = { .untils = untils, .texts = words, .n = 2 };
	struct rec_case first = test_case(0, 500, 1000), second = test_case(1, 400, 1001),
			third = test_case(1, 50, 1002);
	g_autoptr(GArray) hits = g_array_new(FALSE, FALSE, sizeof(struct watch_hit));
	const struct watch_hit *h;
	struct rec_cases *c;

	test_put(k, words_a, 1, 1000, 10, false);
	c = rec_cases_new(&wish, NULL, k);
	g_assert_cmpuint(rec_cases_take(c, hits), ==, 0);
	g_assert_cmpuint(hits->len, ==, 0);
	rec_cases_add(c, &first, NULL, 0);
	rec_cases_add(c, &second, NULL, 0);
	rec_cases_add(c, &third, NULL, 0);
	g_assert_cmpuint(rec_cases_count(c), ==, 3);
	g_assert_true(rec_cases_has_hits(c));
	g_assert_cmpuint(rec_cases_take(c, hits), ==, 1);
	g_assert_false(rec_cases_has_hits(c));
	g_assert_cmpuint(hits->len, ==, 2);
	h = &g_array_index(hits, struct watch_hit, 0);
	g_assert_cmpint(h->value, ==, 400);
	g_assert_cmpuint(h->trigger, ==, watch_manifest_trigger(rec_keep_manifest(k), words_b));
	g_assert_cmpuint(h->number, ==, 3);
	g_assert_cmpint(h[1].value, ==, 500);
	g_assert_cmpuint(h[1].number, ==, 2);
	rec_cases_free(c);
	test_remove(k, folder);
}

/* A longer case that ended before the ring stopped is the hit of the recording; one that ended later is a
 * hit of its own, unless it comes too soon after the previous one. */
static void test_meanwhile(void)
{
	char folder[] = "keep.XXXXXX";
	struct rec_keep *k = test_keep(folder, MANY);
	struct rec_watch_wish wish = { .untils = untils, .texts = words, .n = 2 };
	struct rec_case first = test_case(0, 500, 1000), longer = test_case(0, 600, 1999),
			shorter = test_case(0, 110, 1998), later = test_case(0, 700, 2000);
	g_autoptr(GArray) hits = g_array_new(FALSE, FALSE, sizeof(struct watch_hit)),
			  more = g_array_new(FALSE, FALSE, sizeof(struct watch_hit));
	struct rec_cases *c = rec_cases_new(&wish, NULL, k);
	const struct watch_hit *h;

	rec_cases_add(c, &first, NULL, 0);
	g_assert_cmpuint(rec_cases_take(c, hits), ==, 1);
	rec_cases_add(c, &longer, hits, 2);
	rec_cases_add(c, &shorter, hits, 2);
	g_assert_false(rec_cases_has_hits(c));
	h = &g_array_index(hits, struct watch_hit, 0);
	g_assert_cmpint(h->value, ==, 600);
	g_assert_cmpint(h->time, ==, 1999);
	g_assert_cmpuint(h->cases, ==, 3);
	rec_cases_add(c, &later, hits, 2);
	g_assert_true(rec_cases_has_hits(c));
	wish.every = INT64_C(3600000000000);
	g_assert_cmpuint(rec_cases_take(c, more), ==, 0);
	g_assert_cmpuint(more->len, ==, 0);
	g_assert_false(rec_cases_has_hits(c));
	wish.every = 0;
	rec_cases_add(c, &later, NULL, 0);
	g_assert_cmpuint(rec_cases_take(c, more), ==, 1);
	g_assert_cmpint(g_array_index(more, struct watch_hit, 0).value, ==, 700);
	rec_cases_free(c);
	test_remove(k, folder);
}

/* ---- a budget ---- */

/* Five seconds pass in which EVENTS were recorded; true if the level changes. */
static bool test_pass(struct rec_budget *b, uint64_t events)
{
	b->looked = g_get_monotonic_time() - 5000000;
	b->cpu = rec_budget_cpu();
	return rec_budget_look(b, b->events + events);
}

/* A limit of 1 % of ten CPUs: half a second in five.  An event costs one microsecond here. */
static void test_budget(void)
{
	struct rec_budget b = { .limit = 0.01, .cpus = 10, .event_cost = 1e-6, .patience = 6 };
	double pause;

	g_assert_false(test_pass(&b, 400000));
	g_assert_true(test_pass(&b, 600000));
	g_assert_cmpint(b.level, ==, REC_LEVEL_CPU);
	g_assert_true(test_pass(&b, 600000));
	g_assert_cmpint(b.level, ==, REC_LEVEL_TRIGGERS);
	/* Ten times too much: a pause nine times as long brings the mean down to the limit. */
	g_assert_true(test_pass(&b, 5000000));
	g_assert_cmpint(b.level, ==, REC_LEVEL_PAUSED);
	pause = (double)(b.until - g_get_monotonic_time()) / 1e6;
	g_assert_cmpfloat(pause, >, 44);
	g_assert_cmpfloat(pause, <, 46);
	g_assert_false(test_pass(&b, 0));
	b.until = 0;
	g_assert_true(test_pass(&b, 0));
	g_assert_cmpint(b.level, ==, REC_LEVEL_TRIGGERS);
	/* After three failures the level rises only after a calm time eight times as long as at first. */
	for (int i = 0; i < 47; i++)
		g_assert_false(test_pass(&b, 1000));
	g_assert_true(test_pass(&b, 1000));
	g_assert_cmpint(b.level, ==, REC_LEVEL_CPU);
	g_assert_false(test_pass(&b, 200000)); /* neither too much nor calm */
	b.limit = 0;
	g_assert_true(test_pass(&b, 9000000));
	g_assert_cmpint(b.level, ==, REC_LEVEL_ALL);
}

/* Before the interval is over it does not measure. */
static void test_early(void)
{
	struct rec_budget b = { .limit = 0.01, .cpus = 1, .event_cost = 1, .patience = 6 };

	b.looked = g_get_monotonic_time();
	g_assert_false(rec_budget_look(&b, 1000000));
	g_assert_cmpint(b.level, ==, REC_LEVEL_ALL);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_assert_cmpint(g_chdir(g_get_tmp_dir()), ==, 0);
	g_test_add_func("/watch/room", test_room);
	g_test_add_func("/watch/wanted", test_wanted);
	g_test_add_func("/watch/meanwhile", test_meanwhile);
	g_test_add_func("/watch/budget", test_budget);
	g_test_add_func("/watch/early", test_early);
	return g_test_run();
}
