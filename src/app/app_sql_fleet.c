/* SPDX-License-Identifier: MIT */
/*
 * `wakepath sql --fleet`: one query for many hosts.
 *
 * Workers, one for each processor, share the hosts.  A worker opens the traces of its hosts one after the
 * other, answers the host's part of the query (sql/sql_merge.h) and appends it to the worker's own file.  A
 * worker is a process, because SQLite's memory limit is per process, and a trace that crashes its reader ends
 * nothing else.
 */
#include "app/app_sql_fleet.h"

#include "app/app_fleet.h"
#include "app/app_open.h"
#include "app/app_session.h"
#include "base/base_error.h"
#include "base/base_file.h"
#include "base/base_io.h"
#include "base/base_scratch.h"
#include "base/base_stop.h"
#include "fleet/flt_fleet.h"
#include "query/symbols/symbols.h"
#include "sql/sql_merge.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The head of a host's answer in the file of a worker; SIZE bytes follow. */
struct head {
	uint32_t host; /* number in the list */
	/* 0: the bytes are an answer; else they are an error's message, and this is its code + 1 */
	uint32_t failed;
	uint64_t size;
};

struct fleet {
	const struct app_args *args; /* weak */
	const GPtrArray *sources;    /* of struct flt_source; weak */
	struct sql_merge *merge;     /* weak */
	guint workers;
	unsigned answered; /* hosts with an answer */
	GPtrArray *left;   /* of char *: warnings about hosts left out */
	GError *wrong;     /* first error that a host found in the query; NULL: none */
};

struct worker {
	pid_t pid;
	int file;
};

/* ---- a worker ---- */

/* Open the trace SOURCE, or the trace of the summary SOURCE, and give its host the name in the list. */
static struct qry *open_host(const struct fleet *f, const struct flt_source *source, GError **error)
{
	const bool is_summary = flt_sources_is_summary(source->path);
	struct flt_summary *s = is_summary ? flt_summary_read(source->path, NULL, 0, error) : NULL;
	char *paths[] = { s ? s->trace : source->path, NULL };
	const struct ing_options options = { .index_dir = f->args->index_dir, .jobs = 1, .or_private = true };
	const struct app_clocks clocks = { .sync = f->args->sync };
	struct qry *q = NULL;

	if (s || !is_summary)
		q = app_open(paths, &options, &clocks, app_session_progress(), error);
	if (q && source->host && qry_host_count(q) == 1)
		qry_set_host_name(q, 0, source->host);
	flt_summary_free(s);
	return q;
}

static bool answer_host(const struct fleet *f, const struct flt_source *source, GByteArray *bytes,
	GError **error)
{
	struct qry *q = open_host(f, source, error);
	struct app_session s = { .args = f->args, .progress = app_session_progress(), .q = q };
	struct sql *sql = q && app_open_symbols(q, f->args, s.progress, error) ? app_session_sql(&s, error)
									       : NULL;
	int64_t from, to;
	bool fine = false;

	if (sql && app_session_instants(&s, MDL_NONE, &from, &to, error)) {
		sql_set(sql, "from", from);
		sql_set(sql, "to", to);
		fine = sql_merge_part(f->merge, sql, bytes, error);
	}
	if (fine && qry_damage(q)) {
		g_propagate_error(error, g_error_copy(qry_damage(q)));
		fine = false;
	}
	sql_free(sql);
	qry_free(q);
	return fine;
}

/* Append an answer to FILE; *AT is its size, bytes. */
static bool put_answer(int file, uint64_t *at, struct head head, const void *bytes)
{
	bool fine = base_io_write(file, &head, sizeof head, *at) &&
		base_io_write(file, bytes, head.size, *at + sizeof head);

	*at += sizeof head + head.size;
	return fine;
}

/* Write to FILE the answers of the hosts FIRST, FIRST + the number of workers, … */
static void work(const struct fleet *f, guint first, int file)
{
	bool fine = true;
	uint64_t at = 0;

	for (guint host = first; fine && host < f->sources->len && !base_stop_signal(); host += f->workers) {
		g_autoptr(GByteArray) bytes = g_byte_array_new();
		g_autoptr(GError) why = NULL;

		if (answer_host(f, g_ptr_array_index(f->sources, host), bytes, &why))
			fine = put_answer(file, &at, (struct head){ host, 0, bytes->len }, bytes->data);
		else
			fine = put_answer(file, &at,
				(struct head){ host, (uint32_t)why->code + 1, strlen(why->message) },
				why->message);
	}
}

/* ---- the process that merges the answers ---- */

static bool begin_worker(const struct fleet *f, guint number, struct worker *w, GError **error)
{
	pid_t self = getpid();
	g_autofree char *prefix = g_build_filename(g_get_tmp_dir(), "wakepath-sql-", NULL), *path = NULL;

	w->pid = -1;
	w->file = base_scratch_file(prefix, 0600, &path);
	if (w->file < 0)
		return base_error_false_errno(error, errno, "cannot create", path);
	base_scratch_unlink(path);
	w->pid = fork();
	if (w->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() == self)
			work(f, number, w->file);
		_exit(0);
	}
	return w->pid > 0 || base_error_false_errno(error, errno, "cannot start", "a process");
}

/* Add a warning that the host of SOURCE is left out, with the first line of WHY. */
static void leave_out(struct fleet *f, const struct flt_source *source, const char *why)
{
	g_ptr_array_add(f->left,
		g_strdup_printf("%s is left out: %.*s", source->host ? source->host : source->path,
			(int)strcspn(why, "\n"), why));
}

/* Merge the answer of HEAD's host, or leave the host out.  False with an error. */
static bool add_answer(struct fleet *f, const struct head *head, const char *bytes, GError **error)
{
	g_autofree char *why = head->failed ? g_strndup(bytes, head->size) : NULL;

	f->answered += !head->failed;
	if (!head->failed)
		return sql_merge_add(f->merge, (const uint8_t *)bytes, head->size, error);
	if (head->failed == BASE_ERROR_USAGE + 1 && !f->wrong)
		f->wrong = g_error_new_literal(BASE_ERROR, BASE_ERROR_USAGE, why);
	leave_out(f, g_ptr_array_index(f->sources, head->host), why);
	return true;
}

static bool read_answers(struct fleet *f, const char *all, size_t size, bool *told, GError **error)
{
	bool fine = true;
	struct head head;

	for (size_t at = 0; fine && size - at >= sizeof head; at += head.size) {
		memcpy(&head, all + at, sizeof head);
		at += sizeof head;
		if (head.host >= f->sources->len || head.size > size - at)
			break; /* the worker could not write it all */
		told[head.host] = true;
		fine = add_answer(f, &head, all + at, error);
	}
	return fine;
}

static bool read_worker(struct fleet *f, const struct worker *w, bool *told, GError **error)
{
	struct stat st;
	size_t size = fstat(w->file, &st) == 0 ? (size_t)st.st_size : 0;
	char *all = g_malloc(size + 1);
	bool fine = base_io_read(w->file, all, size, 0) == (ssize_t)size ||
		base_error_false_errno(error, errno, "cannot read", "the answers of a process");

	fine = fine && read_answers(f, all, size, told, error);
	g_free(all);
	return fine;
}

/* Wait for all N WORKERS, and merge their answers.  TOLD: for each host, set if a worker answered for it;
 * initially false. */
static bool read_all(struct fleet *f, struct worker *workers, unsigned n, bool *told, GError **error)
{
	bool fine = true;

	for (unsigned i = 0; i < n; i++) {
		while (waitpid(workers[i].pid, NULL, 0) < 0 && errno == EINTR)
			if (base_stop_signal())
				kill(workers[i].pid, SIGTERM);
		fine = fine && read_worker(f, &workers[i], told, error);
	}
	if (base_stop_signal() && fine)
		return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
	for (guint i = 0; fine && i < f->sources->len; i++)
		if (!told[i])
			leave_out(f, g_ptr_array_index(f->sources, i),
				"the process that read it ended early");
	if (fine && f->answered == 0 && f->wrong) { /* the query is wrong, not the hosts */
		g_propagate_error(error, g_steal_pointer(&f->wrong));
		return false;
	}
	app_session_warn_all(f->left);
	return fine;
}

static bool write_whole(const struct fleet *f, GError **error)
{
	struct exp_sql_of of = { 0 };
	struct exp_options options = { .format = f->args->as.format,
		.row = MDL_NONE,
		.command = f->args->command,
		.progress = app_session_progress(),
		.file = exp_file_new(f->args->output) };
	g_autoptr(GString) out = g_string_new(NULL);
	bool fine = sql_merge_whole(f->merge, &of.sql, &of.text, error) &&
		f->args->as.write(out, NULL, &of, &options, error) &&
		exp_file_finish(options.file, out, true, error);

	exp_file_free(options.file);
	return fine;
}

static bool run_all(struct fleet *f, GError **error)
{
	unsigned n = MIN(f->args->jobs > 0 ? (unsigned)f->args->jobs : g_get_num_processors(),
			 f->sources->len),
		 begun = 0;
	struct worker *workers;
	bool fine = true, *told;

	f->workers = n;
	workers = g_new0(struct worker, n);
	told = g_new0(bool, f->sources->len);
	for (; fine && begun < n; begun += fine)
		fine = begin_worker(f, begun, &workers[begun], error);
	f->left = g_ptr_array_new_with_free_func(g_free);
	fine = read_all(f, workers, begun, told, fine ? error : NULL) && fine;
	g_ptr_array_unref(f->left);
	g_clear_error(&f->wrong);
	for (unsigned i = 0; i < n; i++)
		if (workers[i].file > 0)
			close(workers[i].file);
	g_free(workers);
	g_free(told);
	return fine && write_whole(f, error);
}

bool app_sql_fleet(const struct app_args *args, const char *query, GError **error)
{
	g_autoptr(GPtrArray) sources = flt_sources_read(args->fleet, error);
	struct fleet f = { .args = args, .sources = sources };
	bool fine = false;

	if (sources && sources->len == 0)
		g_ptr_array_add(sources, flt_source_new(NULL, args->fleet));
	if (sources && app_fleet_confine(args, sources, error))
		f.merge = sql_merge_new(query, error);
	if (f.merge)
		fine = run_all(&f, error);
	sql_merge_free(f.merge);
	return fine;
}
