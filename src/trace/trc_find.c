/* SPDX-License-Identifier: MIT */
#include "base/base_error.h"
#include "base/base_text.h"
#include "trace/trc_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEPTH_MAX 32	/* folders within folders; a trace lies at most a few deep */

static int compare_paths(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* True when DIRECTORY holds a file "metadata" (which may be a link to one). */
static gboolean is_trace(const char *directory)
{
	char *path = g_build_filename(directory, "metadata", NULL);
	gboolean is = g_file_test(path, G_FILE_TEST_IS_REGULAR);

	g_free(path);
	return is;
}

static void walk(GPtrArray *found, const char *directory, int depth);

/* Go into NAME when it is a folder and no link. */
static void walk_into(GPtrArray *found, const char *directory, const char *name, int depth)
{
	char *path = g_build_filename(directory, name, NULL);
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
		walk(found, path, depth);
	g_free(path);
}

/* A folder within that cannot be read is passed over: it is not known to hold a trace. */
static void walk(GPtrArray *found, const char *directory, int depth)
{
	const char *name;
	GDir *dir;

	if (is_trace(directory)) {
		g_ptr_array_add(found, g_strdup(directory));
		return;
	}
	dir = depth < DEPTH_MAX ? g_dir_open(directory, 0, NULL) : NULL;
	if (!dir)
		return;
	while ((name = g_dir_read_name(dir)))
		walk_into(found, directory, name, depth + 1);
	g_dir_close(dir);
}

/* Why nothing was found at the canonical PATH. */
static void set_nothing_found(const char *path, GError **error)
{
	char *shown = base_text_clean(path, -1);
	GDir *dir;

	errno = 0;
	dir = g_dir_open(path, 0, NULL);
	if (dir)
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "no trace in %s: no file \"metadata\" there or in a "
			    "folder below; give the folder that a tracer wrote", shown);
	else if (errno == ENOTDIR)
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "%s is a file: give the folder of a trace", shown);
	else
		base_error_set_errno(error, errno, "cannot read the folder", path);
	if (dir)
		g_dir_close(dir);
	g_free(shown);
}

GPtrArray *trc_find(const char *path, GError **error)
{
	char *canonical = realpath(path, NULL);
	GPtrArray *found;

	if (!canonical) {
		base_error_set_errno(error, errno, "cannot open", path);
		return NULL;
	}
	found = g_ptr_array_new_with_free_func(g_free);
	walk(found, canonical, 0);
	if (!found->len) {
		set_nothing_found(canonical, error);
		g_clear_pointer(&found, g_ptr_array_unref);
	} else {
		g_ptr_array_sort(found, compare_paths);
	}
	free(canonical);
	return found;
}
