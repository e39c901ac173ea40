/* SPDX-License-Identifier: MIT */
/*
 * How it works: each trace is a job. Several threads take one job after the other, each with its own reader,
 * model and writer. The largest begin, because a large one at the end would leave processors idle.
 */
#include "ingest/ing.h"
#include "ingest/ing_feed.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_memory.h"
#include "base/base_place.h"
#include "base/base_scratch.h"
#include "base/base_search.h"
#include "index/table/reader.h"
#include "trace/core/trc_folders.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#define USER_SPACE "a user-space trace"
/* threads of a build that keep a processor busy: one reads, one runs the model, one writes */
#define THREADS 3
#define WAITING 2 /* more jobs than processors: the end of a small one waits for the disk */

/* ---- paths of indexes ---- */

char *ing_place_folder(const char *index_dir)
{
	const char *env = g_getenv("WAKEPATH_INDEX_DIR");

	if (index_dir)
		return g_strdup(index_dir);
	if (env && *env != '\0')
		return g_strdup(env);
	return g_build_filename(g_get_user_cache_dir(), "wakepath", NULL);
}

char *ing_place_file(const char *folder, char *const *folders)
{
	g_autofree char *root = trc_folders_root(folders), *above = g_path_get_dirname(root),
			*last = g_path_get_basename(root), *before = g_path_get_basename(above),
			*readable = g_strdup_printf("%.40s-%.40s", before, last), /* "pipeline-kernel" */
				*all = g_strjoinv("\n", (char **)folders);

	g_strcanon(readable, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_", '_');
	return g_strdup_printf("%s/%s-%016" G_GINT64_MODIFIER "x.wpi", folder, readable,
		(guint64)XXH3_64bits_withSeed(all, strlen(all), geteuid()));
}

/* True if no part of FOLDER is a link of another user. Such a link could lead the files into any folder of
 * this user. */
static bool no_link_planted(const char *folder, GError **error)
{
	gsize length = 0;
	struct stat st;

	do {
		g_autofree char *part = NULL;

		length += strspn(folder + length, "/");
		length += strcspn(folder + length, "/");
		part = g_strndup(folder, length);
		if (lstat(part, &st) != 0 || !S_ISLNK(st.st_mode) || st.st_uid == 0 || st.st_uid == geteuid())
			continue;
		return base_error_false(error, BASE_ERROR_DATA,
			"the index folder %s is not used: %.*s is a symbolic link of another user; name the folder itself with --index-dir DIR",
			folder, (int)length, folder);
	} while (folder[length] != '\0');
	return true;
}

bool ing_place_make(const char *folder, GError **error)
{
	if (!no_link_planted(folder, error))
		return false;
	if (base_place_make(folder) == 0 && access(folder, W_OK | X_OK) == 0)
		return true;
	return base_error_false(error, BASE_ERROR_IO,
		"cannot write to the index folder %s: %s; name another with --index-dir DIR", folder,
		g_strerror(errno));
}

/* ---- jobs ---- */

struct jobs {
	const struct ing_options *options;
	struct base_progress *progress; /* or NULL */
	char *folder;
	bool helped;          /* there are processors for one more thread per job */
	gint next;            /* atomic: number of the job to begin next */
	GMutex lock;          /* guards all below */
	GArray *jobs;         /* of struct job */
	GError *error;        /* the first failure */
	GError *unreadable;   /* the first failure to read a trace that was left out */
	char *private_folder; /* made when the other one could not be written; otherwise NULL */
};

struct job {
	struct jobs *all;
	struct ing_result *result;
	bool is_named;  /* the trace itself was named, not a folder above it */
	uint64_t bytes; /* in the folders of the trace, as far as known */
	double share;   /* 0..1 */
	uint64_t events;
	GError *first_problem; /* of job_firsts() */
};

static void result_free(gpointer data)
{
	struct ing_result *r = data;

	trc_folders_recording_free(r->recording);
	g_free(r->trace);
	g_free(r->apart);
	g_free(r->index);
	g_free(r->fingerprint);
	g_free(r->left_out);
	g_free(r->unkept);
	g_free(r->reason);
	idx_reader_free(r->reader);
	g_free(r);
}

static void prepare_fail(struct jobs *all, GError *error)
{
	g_mutex_lock(&all->lock);
	if (!all->error)
		all->error = error;
	else
		g_error_free(error);
	g_mutex_unlock(&all->lock);
}

static bool can_be_left_out(const GError *error)
{
	return g_error_matches(error, BASE_ERROR, BASE_ERROR_DATA) ||
		g_error_matches(error, BASE_ERROR, BASE_ERROR_FOREIGN);
}

/* The trace of JOB cannot be read because of ERROR (taken). It is left out if other traces remain and it was
 * not named itself. */
static void fail_reading(struct job *job, GError *error)
{
	struct jobs *all = job->all;

	if (job->is_named || all->jobs->len == 1 || !can_be_left_out(error)) {
		prepare_fail(all, error);
		return;
	}
	job->result->left_out = g_strdup(error->message);
	g_mutex_lock(&all->lock);
	if (!all->unreadable)
		all->unreadable = g_steal_pointer(&error);
	g_mutex_unlock(&all->lock);
	g_clear_error(&error);
}

static bool failed(struct jobs *all)
{
	bool is;

	g_mutex_lock(&all->lock);
	is = all->error;
	g_mutex_unlock(&all->lock);
	return is;
}

static bool on_progress(void *data, double share, uint64_t events)
{
	struct job *job = data;
	struct jobs *all = job->all;
	double shares = 0;
	uint64_t sum = 0;

	g_mutex_lock(&all->lock);
	job->share = share;
	job->events = events;
	for (guint i = 0; i < all->jobs->len; i++) {
		shares += g_array_index(all->jobs, struct job, i).share;
		sum += g_array_index(all->jobs, struct job, i).events;
	}
	if (all->progress)
		base_progress_set(all->progress, shares / all->jobs->len, sum);
	g_mutex_unlock(&all->lock);
	return base_progress_cancelled(all->progress) || failed(all);
}

/* True if a trace of DOMAIN has a program's own events, and there are other traces. */
static bool is_beside(const struct jobs *all, const char *domain)
{
	return all->jobs->len > 1 && g_str_equal(domain, "ust");
}

/* The reason to build the index of RESULT; NULL if it is fresh. The caller frees. */
static char *reason_to_build(const struct jobs *all, struct ing_result *result)
{
	const struct ing_options *options = all->options;
	g_autoptr(GError) error = NULL;
	struct idx_reader *r;
	bool there;
	char *reason;

	if (options->force)
		return g_strdup("asked for");
	there = g_file_test(result->index, G_FILE_TEST_EXISTS); /* before another build may put it there */
	r = idx_reader_open(result->index, result->fingerprint, &error);
	if (r) {
		if (is_beside(all, idx_reader_meta(r)->domain))
			result->left_out = g_strdup(USER_SPACE);
		reason = options->reader && !g_str_equal(idx_reader_meta(r)->reader, options->reader)
			? g_strdup("another reader is asked for")
			: NULL;
		if (options->opens && !result->left_out && !reason)
			result->reader = g_steal_pointer(&r);
		idx_reader_free(r);
		return reason;
	}
	result->replaced = there;
	return g_strdup(error->message);
}

/* Let the index of RESULT be built in the private folder, because of PROBLEM (taken). False with ERROR. */
static bool build_elsewhere(struct jobs *all, struct ing_result *result, GError *problem, GError **error)
{
	GError *again = NULL;

	g_mutex_lock(&all->lock);
	if (!all->private_folder)
		all->private_folder = base_scratch_folder(&again);
	g_mutex_unlock(&all->lock);
	if (again) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_IO,
			"%s; a temporary folder cannot be used either: %s", problem->message, again->message);
		g_error_free(again);
	} else {
		g_free(result->index);
		result->index = ing_place_file(all->private_folder, result->recording->folders);
		result->unkept = g_strdup(problem->message);
	}
	g_error_free(problem);
	return result->unkept;
}

/* Find or make the folder in which the index of RESULT can be built. */
static bool make_place(struct jobs *all, struct ing_result *result, GError **error)
{
	GError *problem = NULL;

	if (ing_place_make(all->folder, &problem))
		return true;
	if (all->options->or_private && !all->options->index_dir &&
		g_error_matches(problem, BASE_ERROR, BASE_ERROR_IO))
		return build_elsewhere(all, result, problem, error);
	g_propagate_error(error, problem);
	return false;
}

/* The work of a thread, while the trace of the job is opened. */
static void *job_firsts(void *data)
{
	struct job *job = data;

	return ing_first_find(job->result->recording, job->all->options->reader, on_progress, job,
		&job->first_problem);
}

static void build_one(struct job *job, struct trc_reader *reader, const GArray *firsts)
{
	struct ing_result *r = job->result;
	GError *error = NULL;

	if (is_beside(job->all, trc_reader_info(reader)->domain)) {
		r->left_out = g_strdup(USER_SPACE);
		return;
	}
	if (!make_place(job->all, r, &error))
		prepare_fail(job->all, error);
	else if (!ing_build(reader, r->recording, r->fingerprint, firsts, job->all->options->reader, r->index,
			 job->all->helped, on_progress, job, &error))
		fail_reading(job, error);
}

static void run_job(struct job *job, struct jobs *all)
{
	struct trc_reader *reader;
	GThread *finder;
	GArray *firsts;
	GError *error = NULL;

	if (failed(all) || base_progress_cancelled(all->progress))
		return;
	job->result->fingerprint = trc_fingerprint(job->result->recording, &error);
	if (!job->result->fingerprint) {
		fail_reading(job, error);
		return;
	}
	job->result->reason = reason_to_build(all, job->result);
	if (all->options->look || !job->result->reason) {
		on_progress(job, 1, 0);
		return;
	}
	finder = base_memory_thread("wakepath-first", job_firsts, job);
	reader = trc_reader_open(job->result->recording, all->options->reader, &error);
	firsts = g_thread_join(finder);
	if (reader && firsts)
		build_one(job, reader, firsts);
	else
		fail_reading(job, error ? error : g_steal_pointer(&job->first_problem));
	g_clear_error(&job->first_problem);
	ing_first_free(firsts);
	trc_reader_free(reader);
}

/* The bytes of the files in FOLDER, only for the order of the jobs. */
static uint64_t bytes_in(const char *folder)
{
	g_autoptr(GPtrArray) names = base_io_names(folder);
	uint64_t bytes = 0;
	struct stat st;

	for (guint i = 0; names && i < names->len; i++) {
		g_autofree char *path = g_build_filename(folder, g_ptr_array_index(names, i), NULL);

		if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
			bytes += (uint64_t)st.st_size;
	}
	return bytes;
}

static int largest_first(const void *a, const void *b)
{
	return BASE_BY((const struct job *)b, (const struct job *)a, bytes);
}

/* The work of a thread: run jobs until none is left. */
static void *run_jobs(void *data)
{
	struct jobs *all = data;

	for (gint i; (i = g_atomic_int_add(&all->next, 1)) < (gint)all->jobs->len;)
		run_job(&g_array_index(all->jobs, struct job, i), all);
	return NULL;
}

/* Run the jobs in this thread and others, as many as can be made. */
static void run_all(struct jobs *all)
{
	unsigned n = all->options->jobs > 0 ? all->options->jobs : g_get_num_processors() + WAITING;
	g_autoptr(GPtrArray) threads = g_ptr_array_new();

	n = MAX(MIN(n, all->jobs->len), 1);
	all->helped = g_get_num_processors() / n >= THREADS;
	g_array_sort(all->jobs, largest_first);
	for (unsigned i = 1; i < n; i++) {
		GThread *thread = g_thread_try_new("wakepath-job", run_jobs, all, NULL);

		if (thread)
			g_ptr_array_add(threads, thread);
	}
	run_jobs(all);
	for (guint i = 0; i < threads->len; i++)
		g_thread_join(g_ptr_array_index(threads, i));
#ifdef __GLIBC__
	malloc_trim(0); /* The explorer runs for long, and needs far less than building did. */
#endif
	if (!all->error && base_progress_cancelled(all->progress))
		g_set_error_literal(&all->error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
}

static void add_trace(GPtrArray *results, const char *folder, const struct trc_recording *recording)
{
	struct ing_result *r = g_new0(struct ing_result, 1);

	r->recording = trc_folders_recording_copy(recording);
	r->trace = trc_folders_root(recording->folders);
	r->apart = g_strdup(recording->apart);
	r->index = ing_place_file(folder, recording->folders);
	g_ptr_array_add(results, r);
}

static bool prepare_add_all(GPtrArray *results, const char *folder, char *const *paths,
	struct base_progress *progress, GError **error)
{
	g_autoptr(GPtrArray) traces = trc_find(paths, progress, error);

	for (guint i = 0; traces && i < traces->len; i++)
		add_trace(results, folder, g_ptr_array_index(traces, i));
	return traces;
}

/* Leave out a user-space trace beside others, and a trace that cannot be read; another trace must remain.
 * UNREADABLE (taken): the failure to read the first of those; NULL: none. */
static bool settle_left_out(GPtrArray *results, GError *unreadable, GError **error)
{
	const struct ing_result *out = NULL;
	guint kept = 0;

	for (guint i = 0; i < results->len; i++) {
		struct ing_result *r = g_ptr_array_index(results, i);

		if (!r->left_out) {
			kept++;
			continue;
		}
		g_clear_pointer(&r->index, g_free);
		out = r;
	}
	if (kept > 0 || !out) {
		g_clear_error(&unreadable);
		return true;
	}
	if (unreadable) {
		g_propagate_error(error, unreadable);
		return false;
	}
	return base_error_false(error, BASE_ERROR_DATA,
		"%s: %s, like all others here: open one of them alone", out->trace, out->left_out);
}

/* Return the set of PATHS without links.  The caller unrefs. */
static GHashTable *real_paths(char *const *paths)
{
	GHashTable *real = g_hash_table_new_full(g_str_hash, g_str_equal, free, NULL);

	for (; *paths; paths++) {
		char *path = realpath(*paths, NULL);

		if (path)
			g_hash_table_add(real, path);
	}
	return real;
}

static bool build_all(struct jobs *all, GPtrArray *results, char *const *paths, GError **error)
{
	g_autoptr(GHashTable) named = real_paths(paths);

	all->jobs = g_array_new(FALSE, TRUE, sizeof(struct job));
	g_array_set_size(all->jobs, results->len);
	for (guint i = 0; i < results->len; i++) {
		struct job *job = &g_array_index(all->jobs, struct job, i);

		job->all = all;
		job->result = g_ptr_array_index(results, i);
		for (char **folder = job->result->recording->folders; *folder; folder++) {
			job->is_named = job->is_named || g_hash_table_contains(named, *folder);
			if (results->len > 1 && !all->options->look)
				job->bytes += bytes_in(*folder);
		}
	}
	g_mutex_init(&all->lock);
	run_all(all);
	g_mutex_clear(&all->lock);
	g_array_unref(all->jobs);
	if (!all->error)
		return settle_left_out(results, g_steal_pointer(&all->unreadable), error);
	g_clear_error(&all->unreadable);
	g_propagate_error(error, all->error);
	return false;
}

GPtrArray *ing_prepare(char *const *paths, const struct ing_options *options, struct base_progress *progress,
	GError **error)
{
	struct jobs all = { .options = options,
		.progress = progress,
		.folder = ing_place_folder(options->index_dir) };
	GPtrArray *results = g_ptr_array_new_with_free_func(result_free);

	if (progress)
		base_progress_set_label(progress, "reading the trace");
	if (!prepare_add_all(results, all.folder, paths, progress, error) ||
		!build_all(&all, results, paths, error))
		g_clear_pointer(&results, g_ptr_array_unref);
	g_free(all.folder);
	g_free(all.private_folder);
	return results;
}
