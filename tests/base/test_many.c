/* SPDX-License-Identifier: MIT */
/* Arrays that may become very long, compared with arrays of GLib: short ones, long ones in a file, and those
 * without room for a file. */
#include "base/base_many.h"

#include "base/base_figures.h"
#include "base/base_search.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONG 3000000 /* elements of 16 bytes: 48 MB */

struct element {
	int64_t key;
	uint64_t number;
};

static int by_key(const void *a, const void *b)
{
	const struct element *x = a, *y = b;

	return BASE_BY(x, y, key);
}

static int by_both(const void *a, const void *b)
{
	const struct element *x = a, *y = b;

	return by_key(x, y) ?: BASE_BY(x, y, number);
}

/* Memory of the process not backed by files, in bytes. */
static uint64_t anonymous(void)
{
	g_autofree char *status = NULL;
	const char *line;

	g_assert_true(g_file_get_contents("/proc/self/status", &status, NULL, NULL));
	line = strstr(status, "RssAnon:");
	g_assert_nonnull(line);
	return g_ascii_strtoull(line + strlen("RssAnon:"), NULL, 10) * 1024;
}

/* N elements whose keys are at most SPREAD away from sorted order. */
static struct base_many *fill(guint n, uint64_t spread)
{
	struct base_many *m = base_many_new(sizeof(struct element));

	for (guint i = 0; i < n; i++) {
		struct element e = { (int64_t)(i + base_mix(i) % spread), i };

		base_many_add(m, &e);
	}
	g_assert_cmpuint(m->len, ==, n);
	return m;
}

static void check(guint n, uint64_t spread)
{
	struct base_many *m = fill(n, spread);
	GArray *want = g_array_sized_new(FALSE, FALSE, sizeof(struct element), n);

	for (guint i = 0; i < n; i++)
		g_assert_cmpuint(g_array_index(m, struct element, i).number, ==, i);
	g_array_append_vals(want, m->data, n);
	qsort(want->data, n, sizeof(struct element), by_both);
	base_many_sort(m, by_key);
	g_assert_cmpuint(m->len, ==, n);
	g_assert_cmpint(memcmp(m->data, want->data, n * sizeof(struct element)), ==, 0);
	base_many_sort(m, by_key);
	g_assert_cmpint(memcmp(m->data, want->data, n * sizeof(struct element)), ==, 0);
	g_array_unref(want);
	base_many_free(m);
}

static void test_sort(void)
{
	const uint64_t spreads[] = { 1, 2, 50, 1000000 };

	for (gsize i = 0; i < G_N_ELEMENTS(spreads); i++)
		for (guint n = 1; n < 40; n++)
			check(n, spreads[i]);
	check(20000, 7);
	check(20000, 1000000);
	base_many_free(base_many_new(4));
}

/* Elements added and removed in turns come out sorted. */
static void test_heap(void)
{
	struct base_many *m = base_many_new(sizeof(struct element));
	GArray *want = g_array_new(FALSE, FALSE, sizeof(struct element));

	for (guint i = 0; i < 3000; i++) {
		struct element e = { (int64_t)(base_mix(i) % 100), i };

		base_many_push(m, &e, by_both);
		g_array_append_val(want, e);
		for (guint gone = base_mix(i + 5000) % 3; gone-- > 0 && want->len > 0;) {
			g_array_sort(want, by_both);
			g_assert_cmpint(by_both(m->data, want->data), ==, 0);
			base_many_pop(m, by_both);
			g_array_remove_index(want, 0);
			g_assert_cmpuint(m->len, ==, want->len);
		}
	}
	g_array_unref(want);
	base_many_free(m);
}

static void test_size(void)
{
	struct base_many *m = fill(10, 1);

	base_many_set_size(m, 5);
	base_many_set_size(m, 2000000);
	g_assert_cmpuint(g_array_index(m, struct element, 4).number, ==, 4);
	for (guint i = 5; i < m->len; i++)
		g_assert_true(g_array_index(m, struct element, i).key == 0 &&
			g_array_index(m, struct element, i).number == 0);
	base_many_free(m);
}

static void test_long(void)
{
	G_GNUC_UNUSED uint64_t before = anonymous();
	struct base_many *m = fill(LONG, 3);

#if !defined __SANITIZE_ADDRESS__
	g_assert_cmpuint(anonymous(), <, before + (16 << 20));
#endif
	base_many_sort(m, by_key);
#if !defined __SANITIZE_ADDRESS__
	g_assert_cmpuint(anonymous(), <, before + (16 << 20));
#endif
	for (guint i = 1; i < LONG; i++)
		g_assert_cmpint(g_array_index(m, struct element, i - 1).key, <=,
			g_array_index(m, struct element, i).key);
	base_many_free(m);
}

/* The folder for temporary files is not writable, so everything stays in memory. */
static void test_no_room(void)
{
	if (g_test_subprocess()) {
		uint64_t before = anonymous();
		struct base_many *m;

		g_setenv("TMPDIR", "/proc/self/fdinfo", TRUE);
		m = fill(LONG, 2);
		g_assert_cmpuint(anonymous(), >, before + (40 << 20));
		for (guint i = 0; i < LONG; i++)
			g_assert_cmpuint(g_array_index(m, struct element, i).number, ==, i);
		base_many_free(m);
		return;
	}
	g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
	g_test_trap_assert_passed();
}

/* The disk fills up while the array grows. */
static void test_full(void)
{
	struct base_many *m;

	m = fill(1 << 20, 2); /* 16 MB, in a file */
	g_assert_cmpint(m->fd, >=, 0);
	close(m->fd);
	m->fd = g_open("/dev/null", O_RDWR | O_CLOEXEC); /* a file that cannot get room */
	for (guint i = 1 << 20; i < LONG; i++) {
		struct element e = { i, i };

		base_many_add(m, &e);
	}
	g_assert_cmpint(m->fd, <, 0);
	for (guint i = 0; i < LONG; i++)
		g_assert_cmpuint(g_array_index(m, struct element, i).number, ==, i);
	base_many_free(m);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/many/sort", test_sort);
	g_test_add_func("/many/heap", test_heap);
	g_test_add_func("/many/size", test_size);
	g_test_add_func("/many/long", test_long);
	g_test_add_func("/many/no-room", test_no_room);
	g_test_add_func("/many/full", test_full);
	return g_test_run();
}
