/* SPDX-License-Identifier: MIT */
/* Writing an output file: it is replaced as a whole or not at all, and other users cannot redirect it. */
#include "export/exp.h"

#include "base/base_error.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static char *folder; /* of the current test */

static void set_up(void)
{
	folder = g_dir_make_tmp("exp-XXXXXX", NULL);
	g_assert_nonnull(folder);
}

static guint count_files(void)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	guint n = 0;

	while (g_dir_read_name(dir))
		n++;
	g_dir_close(dir);
	return n;
}

static void tear_down(void)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while ((name = g_dir_read_name(dir))) {
		char *path = g_build_filename(folder, name, NULL);

		g_remove(path);
		g_free(path);
	}
	g_dir_close(dir);
	g_rmdir(folder);
	g_free(folder);
}

/* Write TEXT to NAME in the folder. */
static void write_good(const char *name, const char *text)
{
	char *path = g_build_filename(folder, name, NULL);
	GString *s = g_string_new(text);
	GError *error = NULL;

	exp_write_file(path, s, true, &error);
	g_assert_no_error(error);
	g_string_free(s, TRUE);
	g_free(path);
}

static void assert_holds(const char *name, const char *text)
{
	char *path = g_build_filename(folder, name, NULL), *found = NULL;

	g_assert_true(g_file_get_contents(path, &found, NULL, NULL));
	g_assert_cmpstr(found, ==, text);
	g_free(found);
	g_free(path);
}

/* Writing to PATH fails, and the message names it. */
static void write_bad(const char *path, const GString *text)
{
	GError *error = NULL;

	g_assert_false(exp_write_file(path, text, true, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_IO);
	g_assert_nonnull(strstr(error->message, path));
	g_error_free(error);
}

static void test_replace(void)
{
	char *path;
	struct stat st;

	set_up();
	path = g_build_filename(folder, "out.json", NULL);
	write_good("out.json", "old and longer");
	g_chmod(path, 0640);
	write_good("out.json", "new");
	assert_holds("out.json", "new");
	g_assert_cmpint(stat(path, &st), ==, 0);
	g_assert_cmpint(st.st_mode & 0777, ==, 0640);
	g_assert_cmpuint(count_files(), ==, 1);
	g_free(path);
	tear_down();
}

static void test_link(void)
{
	char *link_path;
	struct stat st;

	set_up();
	link_path = g_build_filename(folder, "link", NULL);
	write_good("target", "old");
	g_assert_cmpint(symlink("target", link_path), ==, 0);
	write_good("link", "new");
	assert_holds("target", "new");
	g_assert_cmpint(lstat(link_path, &st), ==, 0);
	g_assert_true(S_ISLNK(st.st_mode));
	g_assert_cmpuint(count_files(), ==, 2);
	g_free(link_path);
	tear_down();
}

static void test_bad_places(void)
{
	GString *text = g_string_new("x");
	char *missing;

	set_up();
	missing = g_build_filename(folder, "no", "such", "folder", NULL);
	write_bad(missing, text);
	write_bad(folder, text);
	write_bad("/dev/full", text);
	g_assert_cmpuint(count_files(), ==, 0);
	g_assert_true(exp_write_file("/dev/null", text, true, NULL));
	g_free(missing);
	g_string_free(text, TRUE);
	tear_down();
}

/* Root writes into a folder of another user, who replaces the FIFO found there with a link. */
static void test_others(void)
{
	GString *text = g_string_new("x");
	char *bobs, *fifo, *own;
	struct exp_file *f;
	struct stat st;

	set_up();
	bobs = g_build_filename(folder, "bobs", NULL);
	fifo = g_build_filename(bobs, "fifo", NULL);
	own = g_build_filename(folder, "own", NULL);
	if (geteuid() != 0) {
		g_test_skip("needs root");
	} else {
		write_good("own", "old");
		g_assert_cmpint(g_mkdir(bobs, 0755), ==, 0);
		g_assert_cmpint(chown(bobs, 65534, 65534), ==, 0);
		g_assert_cmpint(mkfifo(fifo, 0666), ==, 0);
		f = exp_file_new(fifo);
		g_unlink(fifo);
		g_assert_cmpint(symlink(own, fifo), ==, 0);
		g_assert_false(exp_file_finish(f, text, false, NULL)); /* nothing reads the FIFO */
		exp_file_free(f);
		assert_holds("own", "old");
		write_bad(fifo, text);
		assert_holds("own", "old");
		g_unlink(fifo);
		/* A new file with root's text is not world-readable just because the old one was. */
		write_good("bobs/out", "old");
		g_free(fifo);
		fifo = g_build_filename(bobs, "out", NULL);
		g_assert_cmpint(chown(fifo, 65534, 65534), ==, 0);
		g_assert_cmpint(g_chmod(fifo, 06777), ==, 0);
		write_good("bobs/out", "new");
		g_assert_cmpint(stat(fifo, &st), ==, 0);
		g_assert_cmpuint(st.st_uid, ==, 0);
		g_assert_cmpint(st.st_mode & (S_ISUID | S_ISGID | S_IWOTH), ==, 0);
		g_unlink(fifo);
	}
	g_free(own);
	g_free(fifo);
	g_free(bobs);
	g_string_free(text, TRUE);
	tear_down();
}

/* On a disk that fills up: the old file stays, nothing is left behind. */
static void test_full_disk(void)
{
	GString *text = g_string_new(NULL);
	char *path;

	set_up();
	if (mount("none", folder, "tmpfs", 0, "size=64k")) {
		g_test_skip("needs the right to mount a tmpfs");
		tear_down();
		g_string_free(text, TRUE);
		return;
	}
	path = g_build_filename(folder, "out", NULL);
	write_good("out", "old");
	for (int i = 0; i < 20000; i++)
		g_string_append(text, "0123456789");
	write_bad(path, text);
	assert_holds("out", "old");
	g_assert_cmpuint(count_files(), ==, 1);
	g_assert_cmpint(umount(folder), ==, 0);
	g_free(path);
	g_string_free(text, TRUE);
	tear_down();
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/export/file/replace", test_replace);
	g_test_add_func("/export/file/link", test_link);
	g_test_add_func("/export/file/bad-places", test_bad_places);
	g_test_add_func("/export/file/others", test_others);
	g_test_add_func("/export/file/full-disk", test_full_disk);
	return g_test_run();
}
