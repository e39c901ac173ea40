/* SPDX-License-Identifier: MIT */
/* Names in a folder of another user, who puts links, hard links and other folders in the way of root. */
#include "base/base_place.h"

#include "base/base_scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OTHER 65534 /* UID of the other user */

static char *top;          /* root's */
static const char *secret; /* a file of root's; TOP/roots/secret */

/* TOP/NAME, kept until the program ends. */
static const char *at(const char *name)
{
	g_autofree char *path = g_build_filename(top, name, NULL);

	return g_intern_string(path);
}

static void give(const char *path)
{
	g_assert_cmpint(lchown(path, OTHER, OTHER), ==, 0);
}

static void make_folder(const char *path, mode_t mode)
{
	g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
	g_assert_cmpint(g_chmod(path, mode), ==, 0);
}

static void make_link(const char *target, const char *path, bool of_other)
{
	g_assert_cmpint(symlink(target, path), ==, 0);
	if (of_other)
		give(path);
}

static void write_text(const char *path, const char *text)
{
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

/* TOP has "roots" with "secret" and "folder", "bobs" of the other user, and "tmp", which everyone can write
 * to. */
static bool set_up(void)
{
	if (geteuid() != 0) {
		g_test_skip("needs root");
		return false;
	}
	top = g_dir_make_tmp("place-XXXXXX", NULL);
	g_assert_nonnull(top);
	make_folder(at("roots"), 0755);
	make_folder(at("roots/folder"), 0755);
	make_folder(at("bobs"), 0755);
	give(at("bobs"));
	make_folder(at("tmp"), 01777);
	secret = at("roots/secret");
	write_text(secret, "secret");
	return true;
}

/* Nothing of root's changed: "roots" has "secret" and an empty "folder". Removes all. */
static void tear_down(void)
{
	g_autofree char *text = NULL, *command = g_strdup_printf("rm -rf '%s'", top);
	g_autoptr(GDir) roots = g_dir_open(at("roots"), 0, NULL);
	struct stat st;
	unsigned n = 0;

	g_assert_true(g_file_get_contents(secret, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, "secret");
	g_assert_cmpint(stat(secret, &st), ==, 0);
	g_assert_cmpuint(st.st_uid, ==, 0);
	while (g_dir_read_name(roots))
		n++;
	g_assert_cmpuint(n, ==, 2);
	g_assert_cmpint(rmdir(at("roots/folder")), ==, 0);
	g_assert_cmpint(system(command), ==, 0);
	g_clear_pointer(&top, g_free);
}

/* PATH can be opened and is REAL; OURS: no other user can make it lead elsewhere. */
static void assert_opens(const char *path, const char *real, bool ours)
{
	g_autofree char *got = NULL;
	bool got_ours;
	int fd = base_place_open(path, &got, &got_ours);

	if (fd < 0)
		g_test_message("%s: %s", path, g_strerror(errno));

	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpstr(got, ==, real);
	g_assert_cmpint(got_ours, ==, ours);
	close(fd);
}

static void assert_refused(const char *path, int why)
{
	g_autofree char *real = NULL;
	int fd = base_place_open(path, &real, NULL);

	g_assert_cmpint(fd, ==, -1);
	g_assert_cmpint(errno, ==, why);
	g_assert_null(real);
}

static void test_links(void)
{
	if (!set_up())
		return;
	make_link("roots/folder", at("to"), false);
	make_link("../../bobs/../roots/folder", at("roots/folder/on"), false);
	assert_opens(at("to"), at("roots/folder"), true);
	assert_opens(at("to/../secret"), secret, true);
	assert_opens(at("to/on"), at("roots/folder"), false); /* (through a folder of the other) */
	g_assert_cmpint(unlink(at("roots/folder/on")), ==, 0);
	make_link(at("roots"), at("bobs/link"), true);
	assert_refused(at("bobs/link"), ELOOP);
	assert_refused(at("bobs/link/folder"), ELOOP);
	/* The other user may have moved a link of root's there. */
	make_link(at("roots"), at("bobs/of_root"), false);
	assert_refused(at("bobs/of_root"), ELOOP);
	make_link(at("roots"), at("tmp/link"), true);
	assert_refused(at("tmp/link"), ELOOP);
	make_link(at("roots"), at("tmp/of_root"), false);
	assert_opens(at("tmp/of_root"), at("roots"), true);
	make_link("round", at("round"), false);
	assert_refused(at("round"), ELOOP);
	assert_refused(at("nothing"), ENOENT);
	assert_refused("", ENOENT);
	assert_opens("/", "/", true);
	tear_down();
}

static void test_whose(void)
{
	if (!set_up())
		return;
	assert_opens(secret, secret, true);
	assert_opens(at("tmp"), at("tmp"), true);
	assert_opens(at("bobs"), at("bobs"), false);
	make_folder(at("bobs/below"), 0700);
	assert_opens(at("bobs/below"), at("bobs/below"), false);
	write_text(at("tmp/roots"), "");
	assert_opens(at("tmp/roots"), at("tmp/roots"), true);
	write_text(at("tmp/bobs"), "");
	give(at("tmp/bobs"));
	assert_opens(at("tmp/bobs"), at("tmp/bobs"), false);
	g_assert_cmpint(g_chmod(at("tmp"), 0777), ==, 0);
	assert_opens(at("tmp"), at("tmp"), false);
	g_assert_cmpint(g_chmod(at("tmp"), 0770), ==, 0);
	assert_opens(at("tmp"), at("tmp"), false);
	tear_down();
}

/* Files that this process has open are found by the links of /proc. */
static void test_descriptors(void)
{
	g_autofree char *path = NULL;
	int fds[2], fd;

	if (!set_up())
		return;
	fd = open(secret, O_RDONLY | O_CLOEXEC);
	path = g_strdup_printf("/proc/self/fd/%d", fd);
	assert_opens(path, secret, true);
	close(fd);
	g_assert_cmpint(pipe(fds), ==, 0);
	g_free(path);
	path = g_strdup_printf("/proc/self/fd/%d", fds[1]);
	fd = base_place_write(path, O_TRUNC, 0600);
	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(write(fd, "x", 1), ==, 1);
	close(fd);
	close(fds[0]);
	close(fds[1]);
	tear_down();
}

static void assert_written(const char *path, int flags, const char *text)
{
	g_autofree char *got = NULL;
	int fd = base_place_write(path, flags, 0600);

	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(write(fd, "new", 3), ==, 3);
	close(fd);
	g_assert_true(g_file_get_contents(path, &got, NULL, NULL));
	g_assert_cmpstr(got, ==, text);
}

static void assert_not_written(const char *path, int why)
{
	g_assert_cmpint(base_place_write(path, O_TRUNC, 0600), ==, -1);
	g_assert_cmpint(errno, ==, why);
}

static void test_write(void)
{
	if (!set_up())
		return;
	assert_written(at("bobs/new"), O_APPEND, "new");
	assert_written(at("bobs/new"), O_APPEND, "newnew");
	assert_written(at("bobs/new"), O_TRUNC, "new");
	assert_written(at("new"), O_TRUNC, "new");
	assert_written(at("new"), O_APPEND, "newnew");
	make_link(secret, at("bobs/link"), true);
	assert_not_written(at("bobs/link"), ELOOP);
	make_link(at("roots/created"), at("bobs/nowhere"), true);
	assert_not_written(at("bobs/nowhere"), ELOOP);
	g_assert_cmpint(link(secret, at("bobs/second")), ==, 0);
	assert_not_written(at("bobs/second"), EPERM);
	write_text(at("bobs/own"), "");
	give(at("bobs/own"));
	assert_not_written(at("bobs/own"), EPERM);
	g_assert_cmpint(mkfifo(at("bobs/fifo"), 0666), ==, 0);
	assert_not_written(at("bobs/fifo"), ENXIO);
	tear_down();
}

static void test_make(void)
{
	if (!set_up())
		return;
	g_assert_cmpint(base_place_make(at("bobs/a/b")), ==, 0);
	g_assert_cmpint(base_place_make(at("bobs/a/b")), ==, 0);
	assert_opens(at("bobs/a/b"), at("bobs/a/b"), false);
	make_link(at("roots"), at("bobs/link"), true);
	g_assert_cmpint(base_place_make(at("bobs/link/made")), ==, -1);
	g_assert_cmpint(errno, ==, ELOOP);
	g_assert_cmpint(base_place_make(secret), ==, -1);
	g_assert_cmpint(errno, ==, ENOTDIR);
	tear_down();
}

/* The other user makes FOLDER, in which a file is being written, lead to root's. */
static void swap(const char *folder, const char *aside)
{
	g_assert_cmpint(rename(folder, aside), ==, 0);
	make_link(at("roots"), folder, true);
}

static void test_scratch(void)
{
	g_autofree char *one = NULL, *other = NULL, *linked = NULL;
	int fd;

	if (!set_up())
		return;
	make_folder(at("bobs/below"), 0700);
	fd = base_scratch_file(at("bobs/below/secret"), 0600, &one);
	close(fd);
	fd = base_scratch_file(at("bobs/below/x"), 0600, &other);
	swap(at("bobs/below"), at("bobs/aside"));
	g_assert_cmpint(base_scratch_publish(one, at("bobs/below/secret")), ==, 0);
	g_assert_cmpint(access(at("bobs/aside/secret"), F_OK), ==, 0);
	/* A name in root's folder equal to that of the file. */
	write_text(at("roots/x"), "");
	g_assert_cmpint(rename(at("roots/x"), other), ==, 0);
	base_scratch_unlink(other);
	g_assert_cmpint(rename(other, at("roots/x")), ==, 0);
	g_assert_cmpint(unlink(at("roots/x")), ==, 0);
	g_assert_cmpint(base_scratch_link(fd, at("bobs/below/y"), &linked), ==, -1);
	g_assert_cmpint(errno, ==, ELOOP);
	g_assert_cmpint(base_scratch_write(at("bobs/below/secret"), "new", 3), ==, -1);
	close(fd);
	g_assert_cmpint(base_scratch_write(at("bobs/aside/secret"), "new", 3), ==, 0);
	tear_down();
}

/* (Another process: GLib reads TMPDIR once.) */
static void test_folder(void)
{
	if (!set_up())
		return;
	if (g_test_subprocess()) {
		g_autofree char *folder = NULL;

		g_setenv("TMPDIR", at("bobs"), TRUE);
		folder = base_scratch_folder(NULL);
		g_assert_nonnull(folder);
		g_assert_false(g_str_has_prefix(folder, top));
		base_scratch_remove(folder);
		g_assert_cmpint(access(folder, F_OK), ==, -1);
		tear_down();
		return;
	}
	tear_down();
	g_test_trap_subprocess(NULL, 0, 0);
	g_test_trap_assert_passed();
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/place/links", test_links);
	g_test_add_func("/place/whose", test_whose);
	g_test_add_func("/place/descriptors", test_descriptors);
	g_test_add_func("/place/write", test_write);
	g_test_add_func("/place/make", test_make);
	g_test_add_func("/place/scratch", test_scratch);
	g_test_add_func("/place/folder", test_folder);
	return g_test_run();
}
