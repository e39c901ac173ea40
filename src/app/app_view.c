/* SPDX-License-Identifier: MIT */
#include "app/app_args.h"
#include "app/app_follower.h"
#include "app/app_open.h"
#include "app/app_session.h"

#include "analysis/latency/rules.h"
#include "analysis/overview/overview.h"
#include "base/base_error.h"
#include "query/clock/clock.h"
#include "query/clock/sync.h"
#include "ui/core/ui.h"
#include "ui/core/ui_config.h"
#include "ui/core/ui_line.h"
#include "ui/pane/pane.h"
#include "watch/watch_manifest.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <unistd.h>

/* ---- without a terminal: in a pipe, on a build machine ---- */

#define SEGMENTS 60 /* of the path; "wakepath path" prints all */

bool app_view_has_terminal(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

/* Append the critical path of thread ROW during its longest wait for another thread, and how that wait ended;
 * without such a wait, the critical path of its life. */
static bool put_thread(struct app_session *s, uint32_t row, GString *out, GError **error)
{
	const struct qry_row *r = qry_row(s->q, row);
	struct mdl_wakeup wakeup = { .since = r->first, .time = r->last };
	bool waited = ana_story_wait(s->q, row, &wakeup);
	struct ana_path *path = ana_path_new(s->q, row, wakeup.since, wakeup.time, s->progress, error);
	struct ana_why *why;
	bool fine;

	if (!path)
		return false;
	g_string_append_printf(out, "\nCritical path%s:\n",
		waited ? ", during the longest wait for another thread" : "");
	fine = exp_path_text(out, s->q, path, SEGMENTS, &s->options, error);
	ana_path_free(path);
	if (!fine || !waited)
		return fine && app_session_not_cancelled(s, error);
	why = ana_why_new(s->q, row, &wakeup);
	g_string_append(out, "\nEnd of that wait:\n");
	exp_why(out, s->q, why);
	ana_why_free(why);
	return app_session_not_cancelled(s, error);
}

static bool story_answer(struct app_session *s, GString *out, GError **error)
{
	uint32_t row = ana_story_thread(s->q);

	if (s->args->thread && !app_session_thread(s, &row, error))
		return false;
	if (!app_info_answer(s, out, error))
		return false;
	if (row != MDL_NONE && !put_thread(s, row, out, error))
		return false;
	g_string_append(out,
		"\nThe explorer needs a terminal: type \"wakepath TRACE\" in one.  \"wakepath --help\" lists the other commands.\n");
	return true;
}

/*
 * Print an overview of the traces, the critical path of one thread during its longest wait for another
 * thread, and how that wait ended.  The thread is that of --thread, or else that of ana_story_thread().
 * Commands do not run and the configuration has no effect, but the files of both are read, to report errors
 * in them.
 */
static bool story(const struct app_args *args, GError **error)
{
	struct app_args own = *args;
	g_autoptr(GPtrArray) lines = ui_lines_new();
	struct ui_config *config = args->config ? ui_config_new(args->config, pane_all, error) : NULL;
	bool good = !args->config || config;

	ui_config_free(config);
	if (!good || (args->commands && !ui_lines_read(lines, args->commands, error)))
		return false;
	exp_output_at("info", 0, &own.as);
	return app_session_run(&own, story_answer, error);
}

/* ---- the explorer ---- */

/* Data of the explorer's opening thread, and the objects that explore() frees. */
struct opening {
	const struct app_args *args;   /* weak */
	struct app_follower *follower; /* owned; NULL: nothing is followed, or not any more */
	GPtrArray *looked;             /* owned; for app_open_looked(); or NULL */
	bool makes;                    /* FOLLOWER makes the index of a complete trace */
	bool overview;                 /* choose where to begin, at the first opening and that of the whole */
	struct qry *q;                 /* owned */
	char *kept;               /* owned: the file that stores the view; NULL: the view is not stored */
	char *next;               /* owned: the recording to open after this one; NULL: none */
	struct qry *before;       /* owned: Q with the previous clocks, until view_settle(); else NULL */
	bool is_hit;              /* a watch kept the trace, for a latency … */
	int64_t hit_from, hit_to; /* … from … to …, ns of the recording's clock, … */
	int hit_tid;              /* … of this thread; 0: of none */
};

static bool open_first(struct opening *o, const struct app_clocks *clocks, struct base_progress *progress,
	GError **error)
{
	struct ing_options options = { .index_dir = o->args->index_dir,
		.jobs = (unsigned)o->args->jobs,
		.or_private = true };

	if (o->follower)
		o->q = app_follower_first(o->follower, progress, o->makes ? NULL : error);
	if (o->makes && !o->q) { /* the index is complete, or cannot be shown before that */
		app_follower_free(o->follower);
		o->follower = NULL;
	}
	if (!o->q && (!o->follower || o->makes))
		o->q = app_open_looked(g_steal_pointer(&o->looked), o->args->traces, &options, clocks,
			progress, error);
	return o->q && app_open_symbols(o->q, o->args, progress, error);
}

/* Open another recording to compare with. */
static struct qry *open_other(void *context, const char *path, struct base_progress *progress, GError **error)
{
	const struct opening *o = context;
	struct ing_options options = { .index_dir = o->args->index_dir,
		.jobs = (unsigned)o->args->jobs,
		.or_private = true };
	struct app_clocks clocks = { .sync = NULL };
	char *const paths[] = { (char *)(uintptr_t)path, NULL };

	return app_open(paths, &options, &clocks, progress, error);
}

/* Open the indexes again with other CLOCKS; O->before keeps the present ones. */
static bool open_again(struct opening *o, const struct app_clocks *clocks, struct base_progress *progress,
	GError **error)
{
	struct qry *q = qry_open_again(o->q, error);

	if (q && !app_clocks_set(q, clocks, false, progress, error))
		g_clear_pointer(&q, qry_free);
	if (!q)
		return false;
	o->before = o->q;
	o->q = q;
	return true;
}

/* Begin at the longest wait of the thread to show first; without a wait, at the begin of that thread. */
static void find_begin(struct qry *q, struct ui_opened *opened)
{
	struct mdl_wakeup wakeup;

	opened->row = ana_story_thread(q);
	opened->begins = opened->row != MDL_NONE;
	if (!opened->begins)
		return;
	opened->time = qry_row(q, opened->row)->first;
	if (ana_story_wait(q, opened->row, &wakeup))
		opened->time = wakeup.since;
}

/* Begin at the begin of the hit, on its thread if the recording has it. */
static void begin_at_hit(const struct opening *o, struct ui_opened *opened)
{
	g_autofree char *spec = g_strdup_printf("%d@%" G_GINT64_FORMAT, o->hit_tid, (gint64)o->hit_to);

	opened->begins = true;
	opened->time = o->hit_from;
	if (o->hit_tid <= 0 || !qry_find_thread(o->q, spec, &opened->row, NULL))
		opened->row = MDL_NONE;
}

/*
 * Return the file that stores the view of Q; the caller frees.  NULL with --fresh, a script or a followed
 * trace, or if the folder cannot be written.
 */
static char *kept_path(const struct app_args *args, const struct qry *q)
{
	g_autofree char *beside = NULL, *folder = NULL;

	if (args->fresh || args->script || args->follow)
		return NULL;
	beside = qry_beside_path(q);
	folder = g_path_get_dirname(beside);
	return g_access(folder, W_OK) == 0 ? g_strconcat(beside, ".view", NULL) : NULL;
}

static bool open_experiment(void *context, const char *sync, struct base_progress *progress,
	struct ui_opened *opened, GError **error)
{
	struct opening *o = context;
	struct app_clocks clocks = { .sync = sync };

	if (o->q ? !open_again(o, &clocks, progress, error) : !open_first(o, &clocks, progress, error))
		return false;
	opened->note = !o->before && qry_notes(o->q)->len ? g_ptr_array_index(qry_notes(o->q), 0) : NULL;
	opened->q = o->q;
	if (!o->kept)
		o->kept = kept_path(o->args, o->q);
	opened->kept = o->kept;
	qry_span(o->q, &opened->from, &opened->to);
	/* A cut has events before its window, but only so that states are known. */
	if (qry_host_count(o->q) == 1 && qry_host(o->q, 0)->meta->cut_whole > opened->from)
		opened->from = qry_host(o->q, 0)->meta->cut_whole;
	opened->n_rows = qry_row_count(o->q);
	if (o->overview)
		find_begin(o->q, opened);
	else if (o->is_hit && !o->before)
		begin_at_hit(o, opened);
	o->overview = o->overview && o->follower;
	return true;
}

static int64_t carry(void *context, uint32_t row, int64_t time)
{
	const struct opening *o = context;
	uint32_t host = row == MDL_NONE ? 0 : qry_row(o->before, row)->host;

	return qry_shown_time(o->q, host, qry_host_time(o->before, host, time));
}

static uint32_t carry_row(void *context, uint32_t row)
{
	const struct opening *o = context;

	return qry_row_again(o->q, o->before, row);
}

static void view_settle(void *context, bool taken)
{
	struct opening *o = context;

	if (!o->before)
		return;
	qry_free(taken ? o->before : o->q);
	if (!taken)
		o->q = o->before;
	o->before = NULL;
}

/* Open the index, now complete, as if it had existed before.  NULL with *NOTE: the present view stays. */
static struct qry *open_whole(struct opening *o, const char **note)
{
	struct ing_options options = { .index_dir = o->args->index_dir };
	struct app_clocks clocks = { .sync = NULL };
	struct base_progress progress;
	struct qry *q;

	base_progress_init(&progress);
	app_follower_free(o->follower);
	o->follower = NULL;
	q = app_open(o->args->traces, &options, &clocks, &progress, NULL);
	*note = q ? NULL : "the index is complete, but cannot be opened: open the trace again";
	return q;
}

static enum ui_followed view_follow(void *context, bool take, struct ui_opened *opened, const char **text,
	const char **note)
{
	struct opening *o = context;
	bool more = o->follower && app_follower_look(o->follower, text, note);
	bool whole = o->follower && app_follower_is_whole(o->follower);
	struct qry *q = whole  ? open_whole(o, note)
		: more && take ? app_follower_open(o->follower, NULL)
			       : NULL;

	if (!o->follower)
		*text = NULL;
	if (!o->follower && !q)
		return UI_FOLLOWED_OVER;
	if (!q || !app_open_symbols(q, o->args, NULL, NULL)) {
		if (q && whole)
			*note = "the index is complete, but the symbols cannot be read: open the trace again";
		qry_free(q);
		return more ? UI_FOLLOWED_MORE : UI_FOLLOWED_NOTHING;
	}
	o->before = o->q;
	o->q = q;
	*opened = (struct ui_opened){ .q = q, .n_rows = qry_row_count(q) };
	qry_span(q, &opened->from, &opened->to);
	if (whole && o->overview)
		find_begin(q, opened);
	return UI_FOLLOWED_OPENED;
}

static void open_next(void *context, const char *path)
{
	struct opening *o = context;

	g_free(o->next);
	o->next = g_strdup(path);
}

static void append_option(GString *out, const char *name, const char *value)
{
	g_autofree char *quoted = value ? g_shell_quote(value) : NULL;

	if (quoted)
		g_string_append_printf(out, " %s%s%s", name, *name ? " " : "", quoted);
}

/* Return "wakepath 'TRACE'" with the options that affect the view; the caller frees. */
static char *program_of(const struct app_args *args)
{
	GString *out = g_string_new("wakepath");

	for (char **trace = args->traces; trace && *trace; trace++)
		append_option(out, "", *trace);
	append_option(out, "--index-dir", args->index_dir);
	append_option(out, "--rules", args->rules);
	append_option(out, "--spans", args->spans);
	append_option(out, "--kallsyms", args->kallsyms);
	append_option(out, "--symfs", args->symfs);
	if (args->show_tracer)
		g_string_append(out, " --show-tracer");
	return g_string_free(out, FALSE);
}

static bool explore(const struct app_args *args, GError **error);

/* Explore TRACE instead of the traces of ARGS, without their options for a place.  False with an error. */
static bool explore_next(const struct app_args *args, char *trace, GError **error)
{
	struct app_args next = *args;
	char *traces[] = { trace, NULL };

	next.traces = traces;
	next.goto_text = next.thread = next.from = next.to = next.view = next.commands = next.script =
		next.sync = NULL;
	next.follow = false;
	return app_confine(&next, error) && explore(&next, error);
}

/* If a watch kept the only trace of ARGS, and no place was typed, set the hit in O. */
static void look_for_hit(const struct app_args *args, struct opening *o)
{
	const struct watch_hit *hit = NULL;
	struct watch_manifest *m = !args->traces[1] && !args->goto_text && !args->thread && !args->from &&
			!args->to && !args->view && !args->follow
		? watch_manifest_of(args->traces[0], &hit)
		: NULL;

	if (!m)
		return;
	o->is_hit = true;
	o->hit_from = hit->time - hit->value;
	o->hit_to = hit->time;
	o->hit_tid = hit->tid;
	watch_manifest_free(m);
}

static bool explore(const struct app_args *args, GError **error)
{
	g_autofree char *program = program_of(args);
	struct opening opening = { .args = args };
	bool overview;

	struct ui_options options = {
		.goto_text = args->goto_text,
		.thread = args->thread,
		.from_text = args->from,
		.to_text = args->to,
		.program = program,
		.copy = args->copy,
		.theme = args->theme,
		.config = args->config,
		.commands = args->commands,
		.view = args->view,
		.script = args->script,
		.ascii = args->ascii,
		.show_tracer = args->show_tracer,
		.tracer_typed = args->show_tracer || args->hide_tracer,
		.panes = pane_all,
		.sync = args->sync,
		.rules = args->measured,
		.open = open_experiment,
		.carry = carry,
		.carry_row = carry_row,
		.settle = view_settle,
		.damage = qry_index_damage,
		.open_other = open_other,
		.open_next = open_next,
		.context = &opening,
	};
	int status;

	look_for_hit(args, &opening);
	/* No overview if a place or keys were typed, for a hit, or for a followed trace. */
	overview = !args->script && !args->view && !args->goto_text && !args->thread && !args->from &&
		!args->to && !args->follow && !opening.is_hit;
	options.overview = opening.overview = overview;
	/* Show the index while it is made, unless commands or --sync may need all of it. */
	if (args->follow)
		opening.follower = app_follower_new(args, false, error);
	else if (overview && !args->commands && !args->sync)
		opening.follower = app_makers_begin(args, &opening.looked);
	opening.makes = opening.follower && !args->follow;
	if (opening.follower)
		options.follow = view_follow;
	options.makes = opening.makes;
	status = !args->follow || opening.follower ? ui_run(&options, error) : 1;
	qry_free(opening.q);
	if (opening.looked)
		g_ptr_array_unref(opening.looked);
	g_free(opening.kept);
	app_follower_free(opening.follower);
	if (status == 0 && opening.next && args->script)
		printf("%s\n", opening.next); /* a script ends here: print where it went */
	else if (status == 0 && opening.next && !explore_next(args, opening.next, error))
		status = 1;
	g_free(opening.next);
	return status == 0;
}

static bool print_config(const struct app_args *args, GError **error)
{
	struct ui_config *config = ui_config_new(args->config, pane_all, error);
	g_autofree char *text = config ? ui_config_text(config) : NULL;

	ui_config_free(config);
	if (text)
		fputs(text, stdout);
	return text;
}

static bool view_run(const struct app_args *args, GError **error)
{
	if (args->print_config)
		return print_config(args, error);
	if (args->script || app_view_has_terminal())
		return explore(args, error);
	if (args->follow)
		return base_error_false(error, BASE_ERROR_USAGE,
			"--follow needs a terminal: without one, \"wakepath index --follow\" builds the index");
	return story(args, error);
}

const struct app_command app_view = {
	.name = "view",
	.operands = "TRACE...",
	.summary = "Open the explorer: every thread over time, and what it waited for.",
	.examples = "  wakepath sample-traces/pipeline\n"
		    "  wakepath sample-traces/rpc-chain --thread client/wk-client\n"
		    "  wakepath net://relay/host/web1/session\n",
	.options = APP_TAKES_VIEW | APP_TAKES_FOLLOW | APP_TAKES_KALLSYMS | APP_TAKES_SYMFS |
		APP_TAKES_TRACER | APP_TAKES_THREAD | APP_TAKES_WINDOW,
	.run = view_run,
};
