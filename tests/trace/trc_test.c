/* SPDX-License-Identifier: MIT */
#include "trc_test.h"

#include <glib/gstdio.h>
#include <stdlib.h>

char *trc_test_run(const char *const *argv, char **errors)
{
	char *output = NULL, *stderr_text = NULL;
	GError *error = NULL;

	g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output, &stderr_text, NULL, &error);
	g_assert_no_error(error);
	if (errors)
		*errors = stderr_text;
	else
		g_free(stderr_text);
	return output;
}

unsigned trc_test_each_below(const char *path, trc_test_sample_func func, gpointer data)
{
	char *metadata = g_build_filename(path, "metadata", NULL);
	GDir *dir = g_dir_open(path, 0, NULL);
	const char *name;
	gboolean is_trace = g_file_test(metadata, G_FILE_TEST_IS_REGULAR);
	unsigned n = is_trace;

	if (is_trace) {
		g_test_message("%s", path);
		func(path, data);
	}
	while (!is_trace && dir && (name = g_dir_read_name(dir))) {
		char *below = g_build_filename(path, name, NULL);

		if (g_file_test(below, G_FILE_TEST_IS_DIR))
			n += trc_test_each_below(below, func, data);
		g_free(below);
	}
	if (dir)
		g_dir_close(dir);
	g_free(metadata);
	return n;
}

unsigned trc_test_each_sample(trc_test_sample_func func, gpointer data)
{
	const char *samples = g_getenv("SAMPLES"), *shared = g_getenv("SHARED_TRACES");
	unsigned n = trc_test_each_below(samples ? samples : "sample-traces", func, data);

	if (shared && g_file_test(shared, G_FILE_TEST_IS_DIR))
		n += trc_test_each_below(shared, func, data);
	return n;
}

void trc_test_remove(const char *folder)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		char *path = g_build_filename(folder, name, NULL);

		if (g_file_test(path, G_FILE_TEST_IS_DIR) && !g_file_test(path, G_FILE_TEST_IS_SYMLINK))
			trc_test_remove(path);
		else
			g_remove(path);
		g_free(path);
	}
	if (dir)
		g_dir_close(dir);
	g_rmdir(folder);
}
