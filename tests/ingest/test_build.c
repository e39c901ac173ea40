/* SPDX-License-Identifier: MIT */
/* Building indexes of real traces: interrupted, killed, without room or right. */
#include "base/base_error.h"
#include "index/file/format.h"
#include "index/spans/spans.h"
#include "index/table/reader.h"
#include "index/verify/verify.h"
#include "ingest/ing.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CANNOT 77 /* exit status of a child that could not set up its test */

static char *trace_named(const char *name)
{
	return g_build_filename(g_getenv("SAMPLES"), name, NULL);
}

static char *new_folder(void)
{
	char *folder = g_build_filename(g_get_tmp_dir(), "build-XXXXXX", NULL);

	g_assert_nonnull(g_mkdtemp(folder));
	return folder;
}

static GPtrArray *prepare(const char *trace, const char *folder, bool force, struct base_progress *progress,
	GError **error)
{
	return ing_prepare((char *[]){ (char *)(uintptr_t)trace, NULL },
		&(struct ing_options){ .index_dir = folder, .force = force, .jobs = 2 }, progress, error);
}

static GPtrArray *must_prepare(const char *trace, const char *folder, bool force)
{
	GError *error = NULL;
	GPtrArray *results = prepare(trace, folder, force, NULL, &error);

	g_assert_no_error(error);
	return results;
}

static const struct ing_result *result_at(const GPtrArray *results, guint i)
{
	g_assert_cmpuint(i, <, results->len);
	return g_ptr_array_index(results, i);
}

static void on_finding(void *data, const char *finding)
{
	(void)data;
	g_error("%s", finding);
}

/* The number of indexes in FOLDER. Each must be whole, and so must each file of spans and belong to the index
 * beside it. LEFTOVERS: other files may lie beside them. */
static unsigned count_indexes(const char *folder, bool leftovers)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	unsigned n = 0;
	const char *name;

	while ((name = g_dir_read_name(dir))) {
		char *path = g_build_filename(folder, name, NULL);
		struct idx_verify_totals totals;

		if (g_str_has_suffix(name, ".wpi")) {
			g_assert_true(idx_verify(path, NULL, on_finding, NULL, &totals));
			n++;
		} else if (g_str_has_suffix(name, ".wps") && *name != '.') {
			g_autofree char *stem = g_strndup(path, strlen(path) - strlen(".wps")),
					*index = g_strconcat(stem, ".wpi", NULL);
			struct idx_reader *of = idx_reader_open(index, NULL, NULL);

			g_assert_true(idx_spans_verify(path, of, on_finding, NULL, &totals));
			idx_reader_free(of);
		} else {
			g_assert_true(leftovers);
		}
		g_free(path);
	}
	g_dir_close(dir);
	return n;
}

static void test_fresh(void)
{
	char *trace = trace_named("pulse"), *above = new_folder(),
	     *folder = g_build_filename(above, "deep/er", NULL);
	GPtrArray *results = must_prepare(trace, folder, FALSE);
	const struct ing_result *r = result_at(results, 0);
	struct stat before, after;

	g_assert_cmpuint(results->len, ==, 1);
	g_assert_cmpstr(r->reason, ==, "no index yet");
	g_assert_null(r->left_out);
	g_assert_cmpuint(strlen(r->fingerprint), ==, 32);
	g_assert_cmpint(g_stat(r->index, &before), ==, 0);
	g_assert_cmpuint(before.st_mode & 07777, ==, 0600);
	g_assert_cmpint(g_stat(folder, &after), ==, 0);
	g_assert_cmpuint(after.st_mode & 07777, ==, 0700);
	g_ptr_array_unref(results);

	results = must_prepare(trace, folder, FALSE);
	g_assert_null(result_at(results, 0)->reason);
	g_assert_cmpint(g_stat(result_at(results, 0)->index, &after), ==, 0);
	g_assert_cmpuint(before.st_ino, ==, after.st_ino);
	g_ptr_array_unref(results);

	results = must_prepare(trace, folder, TRUE);
	g_assert_cmpstr(result_at(results, 0)->reason, ==, "asked for");
	g_assert_cmpuint(count_indexes(folder, false), ==, 1);
	g_ptr_array_unref(results);
	g_free(trace);
	g_free(above);
	g_free(folder);
}

/* Change the byte at OFFSET of the index in RESULTS. */
static void damage(const GPtrArray *results, long offset)
{
	FILE *f = g_fopen(result_at(results, 0)->index, "r+b");
	int byte;

	g_assert_cmpint(fseek(f, offset, SEEK_SET), ==, 0);
	byte = fgetc(f);
	fseek(f, offset, SEEK_SET);
	fputc(byte ^ 1, f);
	fclose(f);
}

/* A bad index is named and built anew. */
static void test_rebuilt(void)
{
	static const struct {
		long offset;
		const char *reason;
	} cases[] = {
		{ 0, "not a wakepath index" },
		{ 8, "format version " },
		{ 50, "checksum of the header" },
	};
	char *trace = trace_named("pulse"), *folder = new_folder();
	GPtrArray *results = must_prepare(trace, folder, FALSE);

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		damage(results, cases[i].offset);
		g_ptr_array_unref(results);
		results = must_prepare(trace, folder, FALSE);
		g_assert_nonnull(strstr(result_at(results, 0)->reason, cases[i].reason));
		g_assert_cmpuint(count_indexes(folder, false), ==, 1);
	}
	g_assert_cmpint(truncate(result_at(results, 0)->index, 3000), ==, 0);
	g_ptr_array_unref(results);
	results = must_prepare(trace, folder, FALSE);
	g_assert_nonnull(strstr(result_at(results, 0)->reason, "3000 bytes long"));
	g_assert_cmpuint(count_indexes(folder, false), ==, 1);
	g_ptr_array_unref(results);
	g_free(trace);
	g_free(folder);
}

/* A link in the place of the index is read but never written through. */
static void test_planted_link(void)
{
	char *trace = trace_named("pulse"), *folder = new_folder(),
	     *victim = g_build_filename(folder, "victim", NULL), *text;
	GPtrArray *results = must_prepare(trace, folder, FALSE);
	const char *index = result_at(results, 0)->index;
	struct stat st;

	g_assert_true(g_file_set_contents(victim, "mine", 4, NULL));
	g_assert_cmpint(g_unlink(index), ==, 0);
	g_assert_cmpint(symlink(victim, index), ==, 0);
	g_ptr_array_unref(results);
	results = must_prepare(trace, folder, FALSE);
	g_assert_cmpint(g_lstat(result_at(results, 0)->index, &st), ==, 0);
	g_assert_true(S_ISREG(st.st_mode));
	g_assert_true(g_file_get_contents(victim, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, "mine");
	g_ptr_array_unref(results);
	g_free(text);
	g_free(victim);
	g_free(trace);
	g_free(folder);
}

/* ---- interrupted ---- */

struct canceller {
	struct base_progress progress;
	uint64_t at; /* after this many events */
	gint done;
};

static gpointer cancel_later(gpointer data)
{
	struct canceller *c = data;

	while (!g_atomic_int_get(&c->done) && base_progress_view(&c->progress).events < c->at)
		g_usleep(50);
	base_progress_cancel(&c->progress);
	return NULL;
}

/* Cancelled before the build begins, and while three hosts are built: the old indexes stay, and nothing
 * else. */
static void test_cancelled(void)
{
	static const uint64_t places[] = { 0, 1, 20000, 60000 };
	char *trace = trace_named("rpc-chain"), *folder = new_folder();

	g_ptr_array_unref(must_prepare(trace, folder, FALSE));
	for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
		struct canceller c = { .at = places[i] };
		GError *error = NULL;
		GThread *thread;
		GPtrArray *results;

		base_progress_init(&c.progress);
		if (places[i] == 0)
			base_progress_cancel(&c.progress);
		thread = g_thread_new("cancel", cancel_later, &c);
		results = prepare(trace, folder, TRUE, &c.progress, &error);
		g_atomic_int_set(&c.done, 1);
		g_thread_join(thread);
		if (!results)
			g_assert_error(error, BASE_ERROR, BASE_ERROR_CANCELLED);
		else
			g_assert_cmpuint(places[i], >, 20000); /* it may have finished before */
		g_clear_pointer(&results, g_ptr_array_unref);
		g_clear_error(&error);
		g_assert_cmpuint(count_indexes(folder, false), ==, 3);
	}
	g_free(trace);
	g_free(folder);
}

/* Run this program again as child WHAT, see main(): a forked child would lack the threads of the pool. */
static pid_t start_child(const char *what, const char *trace, const char *folder)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	execl("/proc/self/exe", "ingest/test_build", what, trace, folder, NULL);
	_exit(CANNOT);
}

static void build(const char *trace, const char *folder)
{
	g_ptr_array_unref(must_prepare(trace, folder, TRUE));
}

static int wait_for(pid_t pid)
{
	int status;

	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	return status;
}

/* Files of others, some with names like ours: no build may touch them. */
static const char *const bystanders[] = { "notes.txt", ".rpc-chain-client.wpi.ABCDEF", ".x.wpi.ABCDEF",
	"rpc-chain-client.wpi.bak", ".wakepath-00000000.tmp" };

static void put_bystanders(const char *folder)
{
	for (size_t i = 0; i < G_N_ELEMENTS(bystanders); i++) {
		char *path = g_build_filename(folder, bystanders[i], NULL);

		g_assert_true(g_file_set_contents(path, bystanders[i], -1, NULL));
		g_free(path);
	}
}

static void check_bystanders(const char *folder)
{
	for (size_t i = 0; i < G_N_ELEMENTS(bystanders); i++) {
		char *path = g_build_filename(folder, bystanders[i], NULL), *text;

		g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
		g_assert_cmpstr(text, ==, bystanders[i]);
		g_free(text);
		g_free(path);
	}
}

static unsigned count_files(const char *folder)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	unsigned n = 0;

	while (g_dir_read_name(dir))
		n++;
	g_dir_close(dir);
	return n;
}

static void remove_indexes(const GPtrArray *results)
{
	for (guint i = 0; i < results->len; i++)
		g_unlink(result_at(results, i)->index);
}

/* The next build works, and removes the files left by killed ones. */
static void check_goes_on(const char *trace, const char *folder)
{
	g_ptr_array_unref(must_prepare(trace, folder, TRUE));
	g_assert_cmpuint(count_indexes(folder, true), ==, 3);
	g_assert_cmpuint(count_files(folder), ==, 3 + 3 + G_N_ELEMENTS(bystanders));
	check_bystanders(folder);
}

/* Build, and kill that after DELAY µs; true when it was killed. */
static bool build_and_kill(const char *trace, const char *folder, gulong delay)
{
	pid_t pid = start_child("build", trace, folder);

	g_usleep(delay);
	kill(pid, SIGKILL);
	return WIFSIGNALED(wait_for(pid));
}

/*
 * Killed at random instants: a file named as an index or as its spans is always whole, the previous one or a
 * new one, and at most one leftover file of each stays.
 */
static void test_killed(void)
{
	char *trace = trace_named("rpc-chain"), *folder = new_folder();
	guint32 seed = g_getenv("SEED") ? (guint32)g_ascii_strtoull(g_getenv("SEED"), NULL, 10)
					: g_random_int();
	GRand *rand = g_rand_new_with_seed(seed);
	gint64 began = g_get_monotonic_time();
	GPtrArray *results;
	unsigned killed = 0, rounds = 0;
	gint whole;

	g_test_message("SEED=%u", seed);
	g_assert_cmpint(wait_for(start_child("build", trace, folder)), ==, 0);
	whole = (gint)(g_get_monotonic_time() - began);
	results = must_prepare(trace, folder, FALSE);
	put_bystanders(folder);
	while (killed < 100 && rounds < 1000) {
		unsigned before;

		if (rounds % 2 == 0)
			remove_indexes(results);
		before = count_indexes(folder, true);
		killed += build_and_kill(trace, folder, (gulong)g_rand_int_range(rand, 0, whole));
		g_assert_cmpuint(count_indexes(folder, true), >=, before);
		g_assert_cmpuint(count_files(folder), <=, 6 + 6 + G_N_ELEMENTS(bystanders));
		check_bystanders(folder);
		if (rounds++ % 10 == 0)
			check_goes_on(trace, folder);
	}
	g_assert_cmpuint(killed, ==, 100);
	check_goes_on(trace, folder);
	g_ptr_array_unref(results);
	g_rand_free(rand);
	g_free(trace);
	g_free(folder);
}

/* ---- without room or right ---- */

static void expect_failure(const char *trace, const char *folder, const char *what, const char *remedy)
{
	GError *error = NULL;

	g_assert_null(prepare(trace, folder, TRUE, NULL, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_IO);
	if (!strstr(error->message, folder) || !strstr(error->message, what) ||
		!strstr(error->message, remedy))
		g_error("not named: %s", error->message);
	g_assert_null(strchr(error->message, '\n'));
	g_error_free(error);
}

static void expect_empty(const char *folder)
{
	GDir *dir = g_dir_open(folder, 0, NULL);

	g_assert_null(g_dir_read_name(dir));
	g_dir_close(dir);
}

/* A disk of 64 KiB, for this process alone. */
static void build_on_small_disk(const char *trace, const char *folder)
{
	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		mount("none", folder, "tmpfs", 0, "size=64k,mode=0700") != 0)
		_exit(CANNOT);
	expect_failure(trace, folder, g_strerror(ENOSPC), "free some space");
	expect_empty(folder);
}

static void build_within_limit(const char *trace, const char *folder)
{
	struct rlimit few = { 65536, 65536 };

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &few);
	expect_failure(trace, folder, g_strerror(EFBIG), "cannot write the index");
	expect_empty(folder);
}

/* A disk with room for the index but not for its spans. */
static void build_without_spans(const char *trace, const char *folder)
{
	g_autofree char *elsewhere = new_folder(), *options = NULL;
	g_autoptr(GPtrArray) results = must_prepare(trace, elsewhere, FALSE);
	const char *index = result_at(results, 0)->index;
	g_autofree char *spans = idx_spans_path(index), *name = g_path_get_basename(index),
			*here = g_build_filename(folder, name, NULL);
	GStatBuf size, more;

	g_assert_cmpint(g_stat(index, &size), ==, 0);
	g_assert_cmpint(g_stat(spans, &more), ==, 0);
	g_assert_cmpint(more.st_size, >, 4 * 4096);
	options = g_strdup_printf("size=%" G_GUINT64_FORMAT ",mode=0700", (guint64)size.st_size + 2 * 4096);
	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		mount("none", folder, "tmpfs", 0, options) != 0)
		_exit(CANNOT);
	g_ptr_array_unref(must_prepare(trace, folder, FALSE));
	g_assert_true(g_file_test(here, G_FILE_TEST_EXISTS));
	g_assert_cmpuint(count_files(folder), ==, 1);
	g_assert_cmpuint(count_indexes(folder, false), ==, 1);
}

static void test_full_disk(void)
{
	char *trace = trace_named("lockfight"), *folder = new_folder();
	int status = wait_for(start_child("small-disk", trace, folder));

	if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT)
		g_test_message("no right to mount: only the size of files is limited");
	else
		g_assert_cmpint(status, ==, 0);
	g_assert_cmpint(wait_for(start_child("limit", trace, folder)), ==, 0);
	status = wait_for(start_child("no-spans", trace, folder));
	g_assert_true(status == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT));
	g_free(trace);
	g_free(folder);
}

/* As a user without write permission there; root would have it. */
static void build_as_nobody(const char *trace, const char *folder)
{
	if ((geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) || access(trace, R_OK | X_OK) != 0)
		_exit(CANNOT);
	expect_failure(trace, folder, g_strerror(EACCES), "--index-dir");
}

static void test_no_right(void)
{
	char *trace = trace_named("pulse"), *folder = new_folder(),
	     *file = g_build_filename(folder, "file", NULL);
	char *below = g_build_filename(file, "below", NULL),
	     *locked = g_build_filename(folder, "locked", NULL);
	int status;

	g_assert_true(g_file_set_contents(file, "x", 1, NULL));
	expect_failure(trace, below, g_strerror(ENOTDIR), "--index-dir");
	g_assert_cmpint(g_mkdir(locked, 0500), ==, 0);
	status = wait_for(start_child("nobody", trace, locked));
	if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT)
		g_test_message("the trace cannot be read by another user here");
	else
		g_assert_cmpint(status, ==, 0);
	g_free(trace);
	g_free(folder);
	g_free(file);
	g_free(below);
	g_free(locked);
}

/* ---- places of indexes ---- */

static void expect_folder(const char *index_dir, const char *expected)
{
	char *folder = ing_place_folder(index_dir);

	g_assert_cmpstr(folder, ==, expected);
	g_free(folder);
}

static void test_place(void)
{
	char *cache = g_build_filename(g_get_user_cache_dir(), "wakepath", NULL);
	char *a = ing_place_file("/x", (char *[]){ (char *)"/traces/one/kernel", NULL }),
	     *b = ing_place_file("/x", (char *[]){ (char *)"/other/one/kernel", NULL });

	expect_folder(NULL, cache);
	expect_folder("/given", "/given");
	g_setenv("WAKEPATH_INDEX_DIR", "/from/env", TRUE);
	expect_folder(NULL, "/from/env");
	expect_folder("/given", "/given");
	g_setenv("WAKEPATH_INDEX_DIR", "", TRUE);
	expect_folder(NULL, cache);
	g_unsetenv("WAKEPATH_INDEX_DIR");
	g_assert_true(g_str_has_prefix(a, "/x/one-kernel-"));
	g_assert_cmpstr(a, !=, b);
	g_free(a);
	g_free(b);
	a = ing_place_file("/x", (char *[]){ (char *)"/tr aces/\033[31m/..ü", NULL });
	for (const char *p = a + 3; *p != '\0'; p++)
		g_assert_true(g_ascii_isalnum(*p) || strchr("-_.", *p));
	g_free(a);
	g_free(cache);
}

static const struct {
	const char *name;
	void (*run)(const char *trace, const char *folder);
} children[] = {
	{ "build", build },
	{ "small-disk", build_on_small_disk },
	{ "limit", build_within_limit },
	{ "no-spans", build_without_spans },
	{ "nobody", build_as_nobody },
};

/* As a child: test_build NAME TRACE FOLDER. */
int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 4 && i < G_N_ELEMENTS(children); i++) {
		if (!g_str_equal(argv[1], children[i].name))
			continue;
		children[i].run(argv[2], argv[3]);
		return 0;
	}
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/build/place", test_place);
	g_test_add_func("/build/fresh", test_fresh);
	g_test_add_func("/build/rebuilt", test_rebuilt);
	g_test_add_func("/build/planted-link", test_planted_link);
	g_test_add_func("/build/cancelled", test_cancelled);
	g_test_add_func("/build/killed", test_killed);
	g_test_add_func("/build/full-disk", test_full_disk);
	g_test_add_func("/build/no-right", test_no_right);
	return g_test_run();
}
