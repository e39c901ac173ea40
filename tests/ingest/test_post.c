/* SPDX-License-Identifier: MIT */
/* An index and its file of spans are equal whether a thread of its own writes them or not. */
#include "ingest/ing.h"

#include "index/file/format.h"
#include "index/spans/spans.h"

#include <glib/gstdio.h>
#include <string.h>

static guint processors;

/* Replaces the library's function. */
guint g_get_num_processors(void);
guint g_get_num_processors(void)
{
	return processors;
}

/* The bytes of INDEX from behind its header to before META, which holds the duration of the build. Removes
 * INDEX. */
static GBytes *take(const char *index)
{
	GError *error = NULL;
	g_autofree char *bytes = NULL;
	gsize length;
	uint64_t toc, meta;

	g_file_get_contents(index, &bytes, &length, &error);
	g_assert_no_error(error);
	g_assert_cmpint(g_unlink(index), ==, 0);
	memcpy(&toc, bytes + 24, sizeof toc);
	while (memcmp(bytes + toc, "META", 4) != 0)
		toc += IDX_TOC_ENTRY;
	memcpy(&meta, bytes + toc + 8, sizeof meta);
	g_assert_cmpuint(meta, >, IDX_HEADER_SIZE);
	g_assert_cmpuint(meta, <, length);
	return g_bytes_new(bytes + IDX_HEADER_SIZE, meta - IDX_HEADER_SIZE);
}

/* Of struct GBytes: the indexes of TRACE and their files of spans, built with N processors. */
static GPtrArray *build(const char *trace, guint n)
{
	g_autofree char *folder = g_build_filename(g_get_tmp_dir(), "post-XXXXXX", NULL);
	GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref), *results;
	GError *error = NULL;

	g_assert_nonnull(g_mkdtemp(folder));
	processors = n;
	results = ing_prepare((char *[]){ (char *)(uintptr_t)trace, NULL },
		&(struct ing_options){ .index_dir = folder, .jobs = 1 }, NULL, &error);
	g_assert_no_error(error);
	for (guint i = 0; i < results->len; i++) {
		const char *index = ((const struct ing_result *)g_ptr_array_index(results, i))->index;
		g_autofree char *spans = idx_spans_path(index);
		char *bytes;
		gsize size;

		g_ptr_array_add(all, take(index));
		g_assert_true(g_file_get_contents(spans, &bytes, &size, NULL));
		g_ptr_array_add(all, g_bytes_new_take(bytes, size));
		g_assert_cmpint(g_unlink(spans), ==, 0);
	}
	g_ptr_array_unref(results);
	g_assert_cmpint(g_rmdir(folder), ==, 0);
	return all;
}

/* With packets, disks, timers, system calls, virtual CPUs and priorities. */
static void test_same(void)
{
	static const char *const traces[] = { "ioburst-ipi", "rpc-chain", "preempt", "vm-preempt" };

	for (guint t = 0; t < G_N_ELEMENTS(traces); t++) {
		g_autofree char *trace = g_build_filename(g_getenv("SAMPLES"), traces[t], NULL);
		g_autoptr(GPtrArray) two = build(trace, 2), four = build(trace, 4);

		g_assert_cmpuint(two->len, ==, four->len);
		g_assert_cmpuint(two->len, >, 0);
		for (guint i = 0; i < two->len; i++)
			g_assert_true(g_bytes_equal(two->pdata[i], four->pdata[i]));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/post/same", test_same);
	return g_test_run();
}
