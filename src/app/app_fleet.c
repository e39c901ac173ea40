/* SPDX-License-Identifier: MIT */
/* `wakepath fleet`: many hosts, from their summaries. */
#include "app/app_args.h"
#include "app/app_session.h"
#include "app/app_fleet.h"
#include "app/app_open.h"
#include "app/app_summary.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "fleet/flt_fleet.h"

#include <stdio.h>
#include <string.h>

static const char *const words[EXP_FLEET_N] = { [EXP_FLEET_HOSTS] = "hosts",
	[EXP_FLEET_LATENCY] = "latency",
	[EXP_FLEET_CAUSES] = "causes",
	[EXP_FLEET_COMPARE] = "compare" };

/* Set *WHAT from the second operand; hosts without one. */
static bool read_what(const struct app_args *args, enum exp_fleet_what *what, GError **error)
{
	guint n = args->traces ? g_strv_length(args->traces) : 0;

	*what = EXP_FLEET_HOSTS;
	if (n == 1)
		return true;
	for (unsigned i = 0; n == 2 && i < EXP_FLEET_N; i++) {
		*what = i;
		if (g_str_equal(args->traces[1], words[i]))
			return true;
	}
	return base_error_false(error, BASE_ERROR_USAGE,
		"\"%s\" is not known: type fleet DIR or fleet LIST, then hosts (default), latency, causes or compare",
		args->traces[n - 1]);
}

/* ---- hosts named by their traces: their summaries are made first ---- */

/* Append to TO a source for each trace of SOURCE, a trace or a folder of traces, and make their summaries.
 * Failures are the REASON of a source; false only if cancelled. */
static bool sum_up(GPtrArray *to, const struct flt_source *source, const struct app_args *args,
	GError **error)
{
	char *paths[] = { source->path, NULL };
	const struct ing_options options = { .index_dir = args->index_dir,
		.jobs = (unsigned)args->jobs,
		.force = args->force };
	const struct app_summary of = { .force = args->force };
	struct base_progress *progress = app_session_progress();
	g_autoptr(GError) why = NULL;
	g_autoptr(GPtrArray) results = ing_prepare(paths, &options, progress, &why);

	for (guint i = 0; results && i < results->len; i++) {
		const struct ing_result *r = g_ptr_array_index(results, i);
		struct flt_source *one = flt_source_at(source, r->trace);
		g_autofree char *path = NULL;
		bool made;

		g_ptr_array_add(to, one);
		if (r->left_out)
			one->reason = g_strdup(r->left_out);
		else if (app_summary_make(r, &of, &path, &made, progress, &why))
			one->path = (g_free(one->path), g_steal_pointer(&path));
		else if (!g_error_matches(why, BASE_ERROR, BASE_ERROR_CANCELLED))
			one->reason = g_strdup(why->message);
		if (g_error_matches(why, BASE_ERROR, BASE_ERROR_CANCELLED))
			break;
		g_clear_error(&why);
	}
	if (g_error_matches(why, BASE_ERROR, BASE_ERROR_CANCELLED)) {
		g_propagate_error(error, g_steal_pointer(&why));
		return false;
	}
	if (!results) {
		struct flt_source *one = flt_source_at(source, source->path);

		one->reason = g_strdup(why->message);
		g_ptr_array_add(to, one);
	}
	return true;
}

/* Return the sources of TOLD (of struct flt_source, as typed), each with its summary.  The caller unrefs.
 * NULL with an error. */
static GPtrArray *find_sources(const struct app_args *args, const GPtrArray *told, GError **error)
{
	GPtrArray *all = g_ptr_array_new_with_free_func(flt_source_free);

	for (guint i = 0; all && i < told->len; i++) {
		const struct flt_source *source = g_ptr_array_index(told, i);

		if (flt_sources_is_summary(source->path))
			g_ptr_array_add(all, flt_source_at(source, source->path));
		else if (!sum_up(all, source, args, error))
			g_clear_pointer(&all, g_ptr_array_unref);
	}
	return all;
}

static void say_left(const struct flt_fleet *f)
{
	g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < f->left->len; i++) {
		const struct flt_source *left = g_ptr_array_index(f->left, i);

		g_ptr_array_add(warnings,
			g_strdup_printf("%s is left out: %s", left->host ? left->host : left->path,
				left->reason));
	}
	app_session_warn_all(warnings);
}

/* ---- the command ---- */

static bool fleet_write(const struct app_args *args, const struct exp_fleet_of *of, GError **error)
{
	struct exp_options options = { .format = args->as.format,
		.row = MDL_NONE,
		.top = (unsigned)args->top,
		.command = args->command,
		.progress = app_session_progress(),
		.file = exp_file_new(args->output) };
	g_autoptr(GString) out = g_string_new(NULL);
	bool fine = args->as.write(out, NULL, of, &options, error) &&
		exp_file_finish(options.file, out, true, error);

	exp_file_free(options.file);
	return fine;
}

bool app_fleet_confine(const struct app_args *args, const GPtrArray *sources, GError **error)
{
	struct app_args all = *args;
	g_autoptr(GPtrArray) paths = g_ptr_array_new();

	for (guint i = 0; i < sources->len; i++)
		g_ptr_array_add(paths, ((struct flt_source *)g_ptr_array_index(sources, i))->path);
	g_ptr_array_add(paths, NULL);
	all.traces = (char **)paths->pdata;
	return app_confine(&all, error);
}

static bool fleet_run(const struct app_args *args, GError **error)
{
	struct exp_fleet_of of = { .kind = args->kind };
	struct app_progress *shown;
	g_autoptr(GPtrArray) told = NULL, sources = NULL;
	struct flt_fleet *f = NULL;
	bool fine;

	if (g_str_equal(args->traces[0], "submit"))
		return app_fleet_submit(args, error);
	told = read_what(args, &of.what, error) ? flt_sources_read(args->traces[0], error) : NULL;
	if (!told || !app_fleet_confine(args, told, error))
		return false;
	if (told->len == 0)
		g_ptr_array_add(told, flt_source_new(NULL, args->traces[0]));
	shown = app_progress_new(app_session_progress(), args->quiet);
	sources = find_sources(args, told, error);
	if (sources)
		f = flt_fleet_new(sources, args->kind, app_session_progress(), error);
	app_progress_free(shown);
	if (!f)
		return false;
	say_left(f);
	of.fleet = f;
	fine = of.what != EXP_FLEET_COMPARE || f->standing > 0 ||
		base_error_false(error, BASE_ERROR_NO_ANSWER,
			"no host stands out, so there is nothing to compare");
	fine = fine && fleet_write(args, &of, error);
	flt_fleet_free(f);
	return fine;
}

const struct app_command app_fleet = {
	.name = "fleet",
	.operands = "DIR|LIST [hosts|latency|causes|compare] | submit --slurm|--parallel LIST",
	.summary = "Find the hosts of a fleet that stand out, and by what, from their summaries.",
	.examples = "  wakepath fleet sample-traces latency\n"
		    "  wakepath fleet sample-traces causes --top 5\n",
	.options = APP_TAKES_FLEET | APP_TAKES_OUTPUT,
	.run = fleet_run,
};
