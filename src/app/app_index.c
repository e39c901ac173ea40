/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_follow.h"
#include "app/app_open.h"
#include "app/app_progress.h"
#include "app/app_session.h"

#include "base/base_text.h"
#include "base/base_time.h"
#include "index/idx_reader.h"
#include "query/qry_sync.h"

#include <glib/gstdio.h>
#include <stdio.h>

/* "built in 120 ms, 190.3 KiB, because …" or "fresh".  META NULL: left out.  The caller frees. */
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

static void say_one(const struct ing_result *r, const struct idx_meta *meta, uint64_t bytes)
{
	g_autofree char *happened = what_happened(r, meta, bytes);
	g_autofree char *line = g_strdup_printf("%s: %s", r->trace, happened);
	g_autofree char *clean = base_text_clean(line, -1);

	printf("%s\n", clean);
}

/* Where what several hosts exchanged is kept. */
static void say_exchanged(const struct qry *q)
{
	char *path = qry_sync_path(q), *bytes, *line, *clean;
	GStatBuf st;

	if (g_stat(path, &st) == 0) {
		bytes = base_text_bytes((uint64_t)st.st_size);
		line = g_strdup_printf("packets between %u hosts: %s, %s", qry_host_count(q), path, bytes);
		clean = base_text_clean(line, -1);
		printf("%s\n", clean);
		g_free(clean);
		g_free(line);
		g_free(bytes);
	}
	g_free(path);
}

/* Q: several hosts; NULL: one. */
static bool say(const GPtrArray *results, const struct qry *q, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free),
			     warnings = g_ptr_array_new_with_free_func(g_free);
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
	if (ok && q)
		say_exchanged(q);
	app_session_warn_all(q ? qry_warnings(q) : warnings);
	return ok;
}

static bool are_several(const GPtrArray *results)
{
	guint n = 0;

	for (guint i = 0; i < results->len; i++)
		n += !((const struct ing_result *)g_ptr_array_index(results, i))->left_out;
	return n > 1;
}

/* Several hosts are opened, so that their packets are matched.  One is not: its tables would be more memory
 * than building them takes. */
static bool run(const struct app_args *args, GError **error)
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
		return app_follow_index(args, error);
	shown = app_progress_new(progress, args->quiet);
	results = ing_prepare(args->traces, &options, progress, error);
	q = results && are_several(results) ? app_open_prepared(results, &options, &clocks, progress, error)
					    : NULL;
	ok = results && (q || !are_several(results));
	app_progress_free(shown);
	if (ok && !args->quiet)
		ok = say(results, q, error);
	qry_free(q);
	return ok;
}

const struct app_command app_index = {
	.name = "index",
	.operands = "TRACE...",
	.summary = "Build the indexes that are missing or stale, so that everything else begins at once.",
	.options = APP_TAKES_BUILD | APP_TAKES_FOLLOW,
	.run = run,
};
