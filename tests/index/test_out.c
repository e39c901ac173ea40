/* SPDX-License-Identifier: MIT */
/* Publishing a file: it appears whole or not at all, no other file changes, and nothing is left behind. */
#include "base/base_error.h"
#include "index/file/out.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char header[128] = "HEADER";

static char *folder, *target;

static void put(const char *path, const char *text)
{
	GError *error = NULL;

	g_file_set_contents(path, text, -1, &error);
	g_assert_no_error(error);
}

static char *in_folder(const char *name)
{
	return g_build_filename(folder, name, NULL);
}

static void setup(void)
{
	folder = g_build_filename(g_get_tmp_dir(), "out-XXXXXX", NULL);
	g_assert_nonnull(g_mkdtemp(folder));
	target = in_folder("trace.wpi");
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in the folder, sorted, separated by spaces. */
static char *listing(void)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	const char *name;
	char *text;

	while ((name = g_dir_read_name(dir)))
		g_ptr_array_add(names, g_strdup(name));
	g_dir_close(dir);
	g_ptr_array_sort(names, by_name);
	g_ptr_array_add(names, NULL);
	text = g_strjoinv(" ", (char **)names->pdata);
	g_ptr_array_unref(names);
	return text;
}

static void expect_listing(const char *expected)
{
	char *text = listing();

	g_assert_cmpstr(text, ==, expected);
	g_free(text);
}

static void expect_bytes(const char *path, const char *expected)
{
	char *text;
	gsize size;

	g_assert_true(g_file_get_contents(path, &text, &size, NULL));
	g_assert_cmpmem(text, size, expected, strlen(expected));
	g_free(text);
}

/* Remove the folder and everything in it. */
static void teardown(void)
{
	char *text = listing(), **names = g_strsplit(text, " ", -1);

	for (char **n = names; *n; n++) {
		char *path = in_folder(*n);

		g_remove(path);
		g_free(path);
	}
	g_rmdir(folder);
	g_strfreev(names);
	g_free(text);
	g_clear_pointer(&folder, g_free);
	g_clear_pointer(&target, g_free);
}

static struct idx_out *begin(void)
{
	GError *error = NULL;
	struct idx_out *o = idx_out_new(target, &error);

	g_assert_no_error(error);
	return o;
}

static void publish(struct idx_out *o)
{
	GError *error = NULL;

	g_assert_true(idx_out_publish(o, header, sizeof header, &error));
	g_assert_no_error(error);
	idx_out_free(o);
}

/* The file has the bytes appended, behind the header, also across the end of the buffer. */
static void test_publish(void)
{
	struct idx_out *o;
	char *bytes = g_malloc(700000), *read;
	gsize size;
	struct stat st;
	mode_t before;

	setup();
	before = umask(0);
	o = begin();
	for (unsigned i = 0; i < 700000; i++)
		bytes[i] = (char)(i * 7 + i / 251);
	g_assert_cmpuint(idx_out_append(o, bytes, 5), ==, 128);
	g_assert_cmpuint(idx_out_append(o, bytes + 5, 699995), ==, 133);
	g_assert_cmpuint(idx_out_size(o), ==, 700128);
	g_assert_no_error(idx_out_error(o));
	g_assert_false(g_file_test(target, G_FILE_TEST_EXISTS));
	publish(o);
	umask(before);
	expect_listing("trace.wpi");
	g_assert_cmpint(g_stat(target, &st), ==, 0);
	g_assert_cmpuint(st.st_mode & 07777, ==, 0600);
	g_assert_true(g_file_get_contents(target, &read, &size, NULL));
	g_assert_cmpuint(size, ==, 700128);
	g_assert_cmpmem(read, 128, header, 128);
	g_assert_cmpmem(read + 128, 700000, bytes, 700000);
	g_free(read);
	g_free(bytes);
	teardown();
}

/* After giving up, the previous file stays and nothing else. */
static void test_given_up(void)
{
	struct idx_out *o;

	setup();
	put(target, "the old one");
	o = begin();
	idx_out_append(o, header, sizeof header);
	idx_out_free(o);
	expect_listing("trace.wpi");
	expect_bytes(target, "the old one");
	teardown();
}

/* Files of builds that died are removed. Files of live builds and files that are not of this index stay. */
static void test_leftovers(void)
{
	static const char *const others[] = { ".trace.wpi.abcde", ".trace.wpi.abcdefg", ".other.wpi.abcdef",
		"trace.wpi.abcdef", ".trace.wpi" };
	char *dead, *live, *planted, *victim;
	int fd;

	setup();
	dead = in_folder(".trace.wpi.DEAD00");
	live = in_folder(".trace.wpi.LIVE00");
	planted = in_folder(".trace.wpi.LINK00");
	victim = in_folder("victim");
	put(dead, "x");
	put(live, "x");
	put(victim, "mine");
	g_assert_cmpint(symlink("victim", planted), ==, 0);
	for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
		char *path = in_folder(others[i]);

		put(path, "x");
		g_free(path);
	}
	fd = g_open(live, O_RDWR);
	g_assert_cmpint(flock(fd, LOCK_EX), ==, 0);
	publish(begin());
	expect_listing(
		".other.wpi.abcdef .trace.wpi .trace.wpi.LINK00 .trace.wpi.LIVE00 .trace.wpi.abcde .trace.wpi.abcdefg trace.wpi trace.wpi.abcdef victim");
	expect_bytes(victim, "mine");
	close(fd);
	publish(begin());
	g_assert_false(g_file_test(live, G_FILE_TEST_EXISTS));
	g_free(dead);
	g_free(live);
	g_free(planted);
	g_free(victim);
	teardown();
}

/* Another user's file with a name like that of a leftover stays: it is not ours to remove. */
static void test_others_leftover(void)
{
	char *other;

	if (geteuid() != 0) {
		g_test_skip("files of another user are root's to make");
		return;
	}
	setup();
	other = in_folder(".trace.wpi.OTHER0");
	put(other, "x");
	g_assert_cmpint(chown(other, 65534, 65534), ==, 0);
	publish(begin());
	expect_listing(".trace.wpi.OTHER0 trace.wpi");
	g_free(other);
	teardown();
}

/* Two builds at once in one process: each has its own file, and the later one wins. */
static void test_two(void)
{
	struct idx_out *a, *b;
	struct stat st;

	setup();
	a = begin();
	b = begin();
	idx_out_append(a, "first", 5);
	idx_out_append(b, "second", 6);
	publish(a);
	g_assert_true(g_file_test(target, G_FILE_TEST_EXISTS));
	publish(b);
	expect_listing("trace.wpi");
	g_assert_cmpint(g_stat(target, &st), ==, 0);
	g_assert_cmpint(st.st_size, ==, 128 + 6);
	teardown();
}

/* A link in place of the index is replaced, not followed. */
static void test_link(void)
{
	char *victim;
	struct stat st;

	setup();
	victim = in_folder("victim");
	put(victim, "mine");
	g_assert_cmpint(symlink(victim, target), ==, 0);
	publish(begin());
	expect_bytes(victim, "mine");
	g_assert_cmpint(g_lstat(target, &st), ==, 0);
	g_assert_true(S_ISREG(st.st_mode));
	g_free(victim);
	teardown();
}

static void expect_io(const GError *error, const char *path, const char *reason)
{
	g_assert_error(error, BASE_ERROR, BASE_ERROR_IO);
	g_assert_nonnull(strstr(error->message, path));
	g_assert_nonnull(strstr(error->message, reason));
	g_assert_null(strchr(error->message, '\n'));
}

static void test_no_folder(void)
{
	GError *error = NULL;

	setup();
	g_free(target);
	target = in_folder("nowhere/trace.wpi");
	g_assert_null(idx_out_new(target, &error));
	expect_io(error, target, "No such file or directory");
	g_error_free(error);
	teardown();
}

/* A folder has the name of the index: renaming fails, and nothing is left. */
static void test_rename_fails(void)
{
	GError *error = NULL;
	struct idx_out *o;

	setup();
	g_mkdir(target, 0700);
	o = begin();
	g_assert_false(idx_out_publish(o, header, sizeof header, &error));
	expect_io(error, target, "Is a directory");
	expect_listing("trace.wpi");
	g_error_free(error);
	idx_out_free(o);
	teardown();
}

/* Write SIZE bytes with a limit of LIMIT bytes per file; returns the exit status of a child. */
static void fill_up(size_t size, rlim_t limit)
{
	struct rlimit few = { limit, limit };
	char *bytes = g_malloc0(size);
	GError *error = NULL;
	struct idx_out *o = begin();

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &few);
	idx_out_append(o, bytes, size);
	g_assert_false(idx_out_publish(o, header, sizeof header, &error));
	g_assert_nonnull(idx_out_error(o));
	expect_io(error, target, g_strerror(EFBIG));
	idx_out_free(o);
	_exit(0);
}

/* The limit is reached while appending, or at the end. */
static void test_full(void)
{
	static const size_t sizes[] = { 900, 100000, 300000, 5000000 };

	setup();
	put(target, "the old one");
	for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
		pid_t pid = fork();
		int status;

		if (pid == 0)
			fill_up(sizes[i], sizes[i] - 200);
		g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
		g_assert_cmpint(status, ==, 0);
		expect_listing("trace.wpi");
		expect_bytes(target, "the old one");
	}
	teardown();
}

/* Many builds begin at once and could take each other's new files for leftovers: all succeed. */
static void test_race(void)
{
	pid_t pids[8];

	setup();
	for (size_t i = 0; i < G_N_ELEMENTS(pids); i++) {
		pids[i] = fork();
		if (pids[i] != 0)
			continue;
		for (unsigned n = 0; n < 100; n++)
			publish(begin());
		_exit(0);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(pids); i++) {
		int status;

		g_assert_cmpint(waitpid(pids[i], &status, 0), ==, pids[i]);
		g_assert_cmpint(status, ==, 0);
	}
	expect_listing("trace.wpi");
	teardown();
}

static gint sync_fails;

/* Replaces the library's function: a disk that loses the data. */
int fdatasync(int fd)
{
	if (!g_atomic_int_get(&sync_fails))
		return (int)syscall(SYS_fdatasync, fd);
	errno = EIO;
	return -1;
}

/* A write error while appending must be kept: fsync() at the end does not report it again. */
static void test_sync_fails(void)
{
	static uint8_t zeros[1 << 20];
	GError *error = NULL;
	struct idx_out *o;

	setup();
	put(target, "the old one");
	o = begin();
	g_atomic_int_set(&sync_fails, 1);
	for (int i = 0; i < 24; i++)
		idx_out_append(o, zeros, sizeof zeros);
	g_assert_false(idx_out_publish(o, header, sizeof header, &error));
	g_atomic_int_set(&sync_fails, 0);
	g_assert_error(error, BASE_ERROR, BASE_ERROR_IO);
	g_assert_nonnull(strstr(error->message, g_strerror(EIO)));
	g_error_free(error);
	idx_out_free(o);
	expect_listing("trace.wpi");
	expect_bytes(target, "the old one");
	teardown();
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/out/publish", test_publish);
	g_test_add_func("/out/given-up", test_given_up);
	g_test_add_func("/out/leftovers", test_leftovers);
	g_test_add_func("/out/others-leftover", test_others_leftover);
	g_test_add_func("/out/two", test_two);
	g_test_add_func("/out/link", test_link);
	g_test_add_func("/out/no-folder", test_no_folder);
	g_test_add_func("/out/rename-fails", test_rename_fails);
	g_test_add_func("/out/full", test_full);
	g_test_add_func("/out/sync-fails", test_sync_fails);
	g_test_add_func("/out/race", test_race);
	return g_test_run();
}
