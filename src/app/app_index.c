/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_progress.h"
#include "app/app_session.h"

#include "base/base_text.h"
#include "base/base_time.h"
#include "index/idx_reader.h"
#include "ingest/ing.h"
#include "query/qry.h"

#include <stdio.h>

/* "built in 120 ms, 190.3 KiB, because …" or "fresh".  META NULL: left out.  The caller frees. */
static char *what_happened(const struct ing_result *r, const struct idx_meta *meta, uint64_t size)
{
	char *took, *bytes, *text;

	if (!meta)
		return g_strdup_printf("left out: %s", r->left_out);
	bytes = base_text_bytes(size);
	took = base_time_format_duration((int64_t)meta->built_in_ns, !g_get_charset(NULL));
	if (r->reason)
		text = g_strdup_printf("built %s in %s, %s: %s", r->index, took, bytes, r->reason);
	else
		text = g_strdup_printf("%s is fresh, %s", r->index, bytes);
	g_free(bytes);
	g_free(took);
	return text;
}

static void say_one(const struct ing_result *r, const struct idx_meta *meta, uint64_t bytes)
{
	char *happened = what_happened(r, meta, bytes);
	char *line = g_strdup_printf("%s: %s", r->trace, happened);
	char *clean = base_text_clean(line, -1);

	printf("%s\n", clean);
	g_free(clean);
	g_free(line);
	g_free(happened);
}

static bool say(const GPtrArray *results, GError **error)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free), *warnings = g_ptr_array_new_with_free_func(g_free);
	bool ok = true;

	for (guint i = 0; ok && i < results->len; i++) {
		const struct ing_result *r = g_ptr_array_index(results, i);
		uint64_t bytes = 0;
		struct idx_meta *meta = r->left_out ? NULL : idx_reader_facts(r->index, &bytes, error);

		ok = meta || r->left_out;
		if (ok)
			say_one(r, meta, bytes);
		if (meta)
			qry_host_warnings(warnings, qry_host_name(names, meta), meta);
		idx_meta_free(meta);
	}
	app_session_warn_all(warnings);
	g_ptr_array_unref(warnings);
	g_ptr_array_unref(names);
	return ok;
}

/* The experiment is not opened: the tables of all hosts would be more memory than building them takes. */
static bool run(const struct app_args *args, GError **error)
{
	struct ing_options options = {
		.index_dir = args->index_dir, .force = args->force, .reader = args->reader, .jobs = (unsigned)args->jobs,
	};
	struct base_progress *progress = app_session_progress();
	struct app_progress *shown = app_progress_new(progress, args->quiet);
	GPtrArray *results = ing_prepare(args->traces, &options, progress, error);
	bool ok = results != NULL;

	app_progress_free(shown);
	if (ok && !args->quiet)
		ok = say(results, error);
	if (results)
		g_ptr_array_unref(results);
	return ok;
}

const struct app_command app_index = {
	.name = "index",
	.operands = "TRACE...",
	.summary = "Build the indexes that are missing or stale, so that everything else begins at once.",
	.options = APP_TAKES_BUILD,
	.run = run,
};
