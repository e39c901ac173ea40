/* SPDX-License-Identifier: MIT */
/* Finding trace folders, and detecting that one has changed. */
#include "base/base_error.h"
#include "trace/core/trc_folders.h"
#include "trace/trc_reader.h"
#include "trace/trc_test_open.h"
#include "trc_test.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include <utime.h>

/* Make FOLDER below ROOT, with a file NAME of TEXT in it when NAME is not NULL. */
static void make(const char *root, const char *folder, const char *name, const char *text)
{
	char *path = g_build_filename(root, folder, NULL), *file = g_build_filename(path, name, NULL);

	g_assert_cmpint(g_mkdir_with_parents(path, 0700), ==, 0);
	if (name)
		g_assert_true(g_file_set_contents(file, text, -1, NULL));
	g_free(file);
	g_free(path);
}

static char *make_root(void)
{
	GError *error = NULL;
	char *made = g_dir_make_tmp("find-XXXXXX", &error), *root;

	g_assert_no_error(error);
	root = realpath(made, NULL);
	g_free(made);
	return root;
}

static void assert_found(const char *root, const char *expected)
{
	GError *error = NULL;
	GPtrArray *found = trc_find((char *[]){ (char *)root, NULL }, NULL, &error);
	GString *text = g_string_new(NULL);
	guint i;

	g_assert_no_error(error);
	for (i = 0; i < found->len; i++)
		g_string_append_printf(text, "%s ",
			((struct trc_recording *)g_ptr_array_index(found, i))->folders[0] + strlen(root));
	g_assert_cmpstr(text->str, ==, expected);
	g_string_free(text, TRUE);
	g_ptr_array_unref(found);
}

static void assert_error(const char *path, int code, const char *words)
{
	GError *error = NULL;

	g_assert_null(trc_find((char *[]){ (char *)path, NULL }, NULL, &error));
	g_assert_error(error, BASE_ERROR, code);
	if (!strstr(error->message, words) || strchr(error->message, '\n'))
		g_error("\"%s\" does not say \"%s\" in one line", error->message, words);
	g_error_free(error);
}

static void test_find(void)
{
	char *root = make_root(), *link = g_build_filename(root, "link", NULL), *path;

	make(root, "b/kernel", "metadata", "x");
	make(root, "a/x/y", "metadata", "x");
	make(root, "a/x/y/index", "metadata", "x");
	make(root, "c", "data", "x");
	g_assert_cmpint(symlink("/", link), ==, 0);
	assert_found(root, "/a/x/y /b/kernel ");
	path = g_build_filename(root, "b", "kernel", NULL);
	assert_found(path, " ");
	g_free(path);
	path = g_build_filename(root, "c", NULL);
	assert_error(path, BASE_ERROR_DATA, "no trace in");
	g_free(path);
	path = g_build_filename(root, "c", "data", NULL);
	assert_error(path, BASE_ERROR_DATA, "is text");
	g_free(path);
	path = g_build_filename(root, "not\x1b[31m", NULL);
	assert_error(path, BASE_ERROR_IO, "No such file");
	g_free(path);
	g_free(link);
	trc_test_remove(root);
	free(root);
}

/* A folder with 1000 names, searched 100 times, reaches the limit of names. One name more is too much. */
static void test_bound(void)
{
	char *root = make_root(), *paths[101];
	GError *error = NULL;
	GPtrArray *found;

	make(root, "b", "metadata", "x");
	make(root, "a", NULL, NULL);
	for (int i = 2; i < 1000; i++) {
		g_autofree char *file = g_strdup_printf("%s/a/%d", root, i);

		g_assert_true(g_file_set_contents(file, "", 0, NULL));
	}
	for (int i = 0; i < 100; i++)
		paths[i] = root;
	paths[100] = NULL;
	found = trc_find(paths, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(found->len, ==, 1);
	g_ptr_array_unref(found);
	make(root, "a", "b", "");
	g_assert_null(trc_find(paths, NULL, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_DATA);
	g_assert_nonnull(strstr(error->message, "looked for traces in 300 folders"));
	g_assert_nonnull(strstr(error->message, "more than 100000 files and folders"));
	g_error_free(error);
	trc_test_remove(root);
	free(root);
}

static char *fingerprint(const char *folder)
{
	GError *error = NULL;
	char *text = trc_test_fingerprint(folder, &error);

	g_assert_no_error(error);
	g_assert_cmpuint(strlen(text), ==, 32);
	g_assert_cmpuint(strspn(text, "0123456789abcdef"), ==, 32);
	return text;
}

/* The fingerprint of FOLDER equals (SAME) or differs from *BEFORE, which is then replaced by it. */
static void expect(const char *folder, char **before, bool same)
{
	char *now = fingerprint(folder);

	g_assert_cmpint(!strcmp(now, *before), ==, same);
	g_free(*before);
	*before = now;
}

static void test_fingerprint(void)
{
	struct utimbuf times = { 1000000000, 1000000000 };
	char *root = make_root(), *file = g_build_filename(root, "k_0", NULL), *print;
	GError *error = NULL;

	g_assert_null(trc_test_fingerprint(root, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_IO);
	g_assert_nonnull(strstr(error->message, "metadata"));
	g_clear_error(&error);
	make(root, ".", "metadata", "abc");
	make(root, ".", "k_0", "data");
	g_assert_cmpint(utime(file, &times), ==, 0);
	print = fingerprint(root);
	expect(root, &print, TRUE);
	make(root, "index", "k_0.idx", "what the tracer keeps there does not count");
	expect(root, &print, TRUE);
	times.modtime++;
	g_assert_cmpint(utime(file, &times), ==, 0);
	expect(root, &print, FALSE);
	make(root, ".", "k_0", "data and more");
	g_assert_cmpint(utime(file, &times), ==, 0);
	expect(root, &print, FALSE);
	make(root, ".", "k_0", "more and data"); /* rewritten within the same second, with the same size,
	                                          * mtime set back */
	g_assert_cmpint(utime(file, &times), ==, 0);
	expect(root, &print, FALSE);
	make(root, ".", "k_1", "");
	expect(root, &print, FALSE);
	make(root, ".", "metadata", "abd");
	expect(root, &print, FALSE);
	g_free(print);
	g_free(file);
	trc_test_remove(root);
	free(root);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/find/folders", test_find);
	g_test_add_func("/find/bound", test_bound);
	g_test_add_func("/find/fingerprint", test_fingerprint);
	return g_test_run();
}
