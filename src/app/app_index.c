/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_open.h"
#include "app/app_progress.h"
#include "app/app_session.h"

#include "base/base_text.h"
#include "base/base_time.h"

#include <stdio.h>

/* "built in 120 ms, 190.3 KiB, because …" or "fresh".  The caller frees. */
static char *what_happened(const struct ing_result *r, const struct qry_host *host)
{
	char *took, *bytes, *text;

	if (r->left_out)
		return g_strdup_printf("left out: %s", r->left_out);
	bytes = base_text_bytes(host->index_bytes);
	took = base_time_format_duration((int64_t)host->meta->built_in_ns, !g_get_charset(NULL));
	if (r->reason)
		text = g_strdup_printf("built %s in %s, %s: %s", host->index_path, took, bytes, r->reason);
	else
		text = g_strdup_printf("%s is fresh, %s", host->index_path, bytes);
	g_free(bytes);
	g_free(took);
	return text;
}

static void say(const GPtrArray *results, const struct qry *q)
{
	uint32_t host = 0;

	for (guint i = 0; i < results->len; i++) {
		const struct ing_result *r = g_ptr_array_index(results, i);
		char *happened = what_happened(r, r->left_out ? NULL : qry_host(q, host++));
		char *line = g_strdup_printf("%s: %s", r->trace, happened);
		char *clean = base_text_clean(line, -1);

		printf("%s\n", clean);
		g_free(clean);
		g_free(line);
		g_free(happened);
	}
	app_session_warn(q);
}

static bool run(const struct app_args *args, GError **error)
{
	struct ing_options options = {
		.index_dir = args->index_dir, .force = args->force, .reader = args->reader, .jobs = (unsigned)args->jobs,
	};
	struct base_progress *progress = app_session_progress();
	struct app_progress *shown = app_progress_new(progress, args->quiet);
	GPtrArray *results;
	struct qry *q = app_open(args->traces, &options, progress, &results, error);

	app_progress_free(shown);
	if (!q)
		return false;
	if (!args->quiet)
		say(results, q);
	qry_free(q);
	g_ptr_array_unref(results);
	return true;
}

const struct app_command app_index = {
	.name = "index",
	.operands = "TRACE...",
	.summary = "Build the indexes that are missing or stale, so that everything else begins at once.",
	.options = APP_TAKES_BUILD,
	.run = run,
};
