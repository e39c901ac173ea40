/* SPDX-License-Identifier: MIT */
/* `wakepath index`: builds the indexes of traces, or follows a trace, without answering a question. */
#include "app/app_args.h"
#include "app/app_follower.h"
#include "app/app_open.h"
#include "app/app_session.h"
#include "app/app_summary.h"

#include "base/base_error.h"
#include "base/base_stop.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "index/table/reader.h"
#include "query/clock/sync.h"

#include <glib/gstdio.h>
#include <stdio.h>

/* Print a line on standard output, without control characters. */
G_GNUC_PRINTF(1, 2)
static void index_say(const char *format, ...)
{
	g_autofree char *line = NULL, *clean = NULL;
	va_list args;

	va_start(args, format);
	line = g_strdup_vprintf(format, args);
	va_end(args);
	clean = base_text_clean(line, -1);
	printf("%s\n", clean);
	fflush(stdout);
}

/* Return "built PATH in 120 ms, 190.3 KiB: REASON", "PATH is fresh, 190.3 KiB" or, if META is NULL, "left
 * out: REASON".  The caller frees. */
static char *what_happened(const struct ing_result *r, const struct idx_meta *meta, uint64_t size)
{
	g_autofree char *took = NULL, *bytes = NULL;

	if (!meta)
		return g_strdup_printf("left out: %s", r->left_out);
	bytes = base_text_bytes(size);
	took = base_time_format_duration((int64_t)meta->built_in_ns, !g_get_charset(NULL));
	if (r->reason)
		return g_strdup_printf("built %s in %s, %s: %s", r->index, took, bytes, r->reason);
	return g_strdup_printf("%s is fresh, %s", r->index, bytes);
}

/* Print the file that has the packets between the hosts, if there is one. */
static void say_exchanged(const struct qry *q)
{
	g_autofree char *path = qry_sync_path(q), *bytes = NULL;
	GStatBuf st;

	if (g_stat(path, &st) != 0)
		return;
	bytes = base_text_bytes((uint64_t)st.st_size);
	index_say("packets between %u hosts: %s, %s", qry_host_count(q), path, bytes);
}

/* Print a line for each of RESULTS, then the warnings.  Q: the experiment; NULL for a single host. */
static bool say_all(const GPtrArray *results, const struct qry *q, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free),
			     warnings = g_ptr_array_new_with_free_func(g_free);
	bool ok = true;

	for (guint i = 0; ok && i < results->len; i++) {
		const struct ing_result *r = g_ptr_array_index(results, i);
		uint64_t bytes = 0;
		struct idx_meta *meta = r->left_out ? NULL : idx_reader_facts(r->index, &bytes, error);
		g_autofree char *happened = NULL;

		ok = meta || r->left_out;
		if (ok) {
			happened = what_happened(r, meta, bytes);
			index_say("%s: %s", r->trace, happened);
		}
		if (meta)
			qry_host_warnings(warnings, qry_host_name(names, meta), meta);
		idx_meta_free(meta);
	}
	if (ok && q)
		say_exchanged(q);
	app_session_warn_all(q ? qry_warnings(q) : warnings);
	return ok;
}

/* ---- while it is recorded ---- */

/* Follow to the end, and print a line for each index that can be opened. */
static bool index_follow(struct app_tail *t, const struct app_args *args, int64_t idle, GError **error)
{
	unsigned said = 0;

	while (!base_stop_signal()) {
		gint64 began = g_get_monotonic_time();
		struct ing_follow_view view;

		if (!app_tail_step(t, error))
			return false;
		view = ing_follow_view(t->follow);
		if (view.times != said && !args->quiet) {
			g_autofree char *length = base_time_format_duration(view.to - view.from,
						!g_get_charset(NULL)),
					*what = app_tail_text(t);

			index_say("%s: %s, %" G_GUINT64_FORMAT " event%s; %s", args->traces[0], length,
				view.events, base_text_s(view.events), what);
		}
		said = view.times;
		if (app_tail_ended(t) || (idle > 0 && view.idle >= idle))
			break;
		app_tail_rest(t, g_get_monotonic_time() - began);
	}
	return true;
}

static bool index_end(struct app_tail *t, const struct app_args *args, GError **error)
{
	g_autofree char *index = NULL, *fingerprint = NULL;
	bool ok = ing_follow_close(t->follow, &index, &fingerprint, error);

	if (app_tail_kept(t) && !args->quiet)
		index_say("%s: %s", args->traces[0],
			app_tail_ended(t) ? app_tail_ended(t) : app_tail_kept(t));
	if (ok && !args->quiet)
		index_say("%s: ended, %s", args->traces[0], index);
	return ok;
}

/* --follow: follow until a signal comes, nothing was written for --idle, or a live session has ended. */
static bool follow_index(const struct app_args *args, GError **error)
{
	struct app_tail *t;
	int64_t idle = 0;
	bool ok;

	if (args->idle && !base_time_parse_duration(args->idle, &idle, error))
		return false;
	t = app_tail_new(args, false, error);
	if (!t)
		return false;
	base_stop_finish(); /* a signal to stop finishes the index */
	ok = index_follow(t, args, idle, error) && index_end(t, args, error);
	app_tail_free(t);
	return ok;
}

/* ---- summaries ---- */

static guint count_hosts(const GPtrArray *results)
{
	guint n = 0;

	for (guint i = 0; i < results->len; i++)
		n += !((const struct ing_result *)g_ptr_array_index(results, i))->left_out;
	return n;
}

static bool index_sum_up(const struct app_args *args, const GPtrArray *results, GError **error)
{
	const struct app_summary of = { .as = args->summary_as, .host = args->host, .force = args->force };

	if (args->summary_as && count_hosts(results) != 1)
		return base_error_false(error, BASE_ERROR_USAGE,
			"--summary-as takes one host, and there are %u: leave it out, or name one trace",
			count_hosts(results));
	for (guint i = 0; i < results->len; i++) {
		const struct ing_result *r = g_ptr_array_index(results, i);
		struct app_progress *shown = app_progress_new(app_session_progress(), args->quiet);
		g_autofree char *path = NULL;
		bool made = false,
		     fine = r->left_out ||
			app_summary_make(r, &of, &path, &made, app_session_progress(), error);

		app_progress_free(shown);
		if (!fine) {
			g_prefix_error(error, "%s: ", r->trace);
			return false;
		}
		if (path && !args->quiet)
			index_say("%s: summary %s %s", r->trace, path, made ? "made" : "is fresh");
	}
	return true;
}

static bool index_check(const struct app_args *args, GError **error)
{
	if (args->host && !args->summary_as)
		return base_error_false(error, BASE_ERROR_USAGE, "--host is for --summary-as");
	if (args->follow && (args->summary || args->summary_as))
		return base_error_false(error, BASE_ERROR_USAGE,
			"--follow makes no summary: type \"wakepath index --summary\" when the recording has ended");
	return true;
}

/* ---- the command ---- */

/* Several hosts are opened, to match their packets.  A single host is not: its tables need more memory than
 * building the index. */
static bool index_run(const struct app_args *args, GError **error)
{
	struct ing_options options = { .index_dir = args->index_dir,
		.force = args->force,
		.reader = args->reader,
		.jobs = (unsigned)args->jobs };
	struct base_progress *progress = app_session_progress();
	struct app_progress *shown;
	g_autoptr(GPtrArray) results = NULL;
	struct app_clocks clocks = { 0 };
	struct qry *q;
	bool ok;

	if (args->follow)
		return follow_index(args, error);
	shown = app_progress_new(progress, args->quiet);
	results = ing_prepare(args->traces, &options, progress, error);
	q = results && count_hosts(results) > 1
		? app_open_prepared(results, &options, &clocks, progress, error)
		: NULL;
	ok = results && (q || count_hosts(results) <= 1);
	app_progress_free(shown);
	if (ok && !args->quiet)
		ok = say_all(results, q, error);
	qry_free(q);
	return ok && (!(args->summary || args->summary_as) || index_sum_up(args, results, error));
}

const struct app_command app_index = {
	.name = "index",
	.operands = "TRACE...",
	.summary = "Build the indexes that are missing or stale, so that everything else starts at once.",
	.examples = "  wakepath index sample-traces/pipeline\n"
		    "  wakepath index --force --jobs 2 sample-traces/rpc-chain\n",
	.options = APP_TAKES_BUILD | APP_TAKES_FOLLOW,
	.check = index_check,
	.run = index_run,
};
