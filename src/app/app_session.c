/* SPDX-License-Identifier: MIT */
#include "app/app_session.h"

#include "app/app_open.h"

#include "analysis/kind/advice.h"
#include "analysis/latency/program.h"
#include "base/base_error.h"
#include "base/base_memory.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "query/cases/spans.h"
#include "sql/sql.h"
#include "ui/core/ui_theme.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- progress on the terminal ---- */

#define FIRST_AFTER_US 300000 /* faster tasks show no line */
#define EVERY_US 200000

struct app_progress {
	struct base_progress *shown; /* weak */
	GThread *thread;             /* NULL: not shown */
	GMutex lock;
	GCond changed;
	bool ended; /* under LOCK */
};

static void show_line(struct base_progress *p)
{
	struct base_progress_view view = base_progress_view(p);
	g_autoptr(GString) line = g_string_new(NULL);

	if (view.folders)
		g_string_append_printf(line, "\r\033[Klooking for traces: %" PRIu64 " folders", view.folders);
	else
		g_string_append_printf(line, "\r\033[K%s %.0f %%", view.label ? view.label : "working",
			100 * view.share);
	if (view.events)
		g_string_append_printf(line, "  %.2f million events/s", view.events_per_s / 1e6);
	if (view.seconds_left >= 0) {
		g_autofree char *left = base_time_format_duration((int64_t)(view.seconds_left * 1e9),
			!g_get_charset(NULL));

		g_string_append_printf(line, "  %s left", left);
	}
	fputs(line->str, stderr);
	fflush(stderr);
}

static gpointer progress_show(gpointer data)
{
	struct app_progress *a = data;
	gint64 next = g_get_monotonic_time() + FIRST_AFTER_US;
	bool any = false;

	g_mutex_lock(&a->lock);
	while (!a->ended) {
		if (g_cond_wait_until(&a->changed, &a->lock, next))
			continue;
		show_line(a->shown);
		any = true;
		next = g_get_monotonic_time() + EVERY_US;
	}
	g_mutex_unlock(&a->lock);
	if (any) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
	return NULL;
}

struct app_progress *app_progress_new(struct base_progress *p, bool quiet)
{
	struct app_progress *a = g_new0(struct app_progress, 1);

	a->shown = p;
	g_mutex_init(&a->lock);
	g_cond_init(&a->changed);
	if (!quiet && isatty(STDERR_FILENO))
		a->thread = base_memory_thread("progress", progress_show, a);
	return a;
}

void app_progress_free(struct app_progress *a)
{
	g_mutex_lock(&a->lock);
	a->ended = true;
	g_cond_signal(&a->changed);
	g_mutex_unlock(&a->lock);
	if (a->thread)
		g_thread_join(a->thread);
	g_mutex_clear(&a->lock);
	g_cond_clear(&a->changed);
	g_free(a);
}

/* ---- a session ---- */

struct base_progress *app_session_progress(void)
{
	static struct base_progress progress;

	if (!progress.started)
		base_progress_init(&progress);
	return &progress;
}

static void session_say(const char *warning)
{
	g_autofree char *clean = base_text_clean(warning, -1);

	fprintf(stderr, "wakepath: warning: %s\n", clean);
}

void app_session_warn_all(const GPtrArray *warnings)
{
	for (guint i = 0; i < warnings->len; i++)
		session_say(g_ptr_array_index(warnings, i));
}

static guint told; /* number of warnings about the whole experiment printed so far */

/* Print the warnings about opening Q, once; app_session_warn() prints the warnings of its hosts. */
static void warn_of_opening(const struct qry *q)
{
	static bool said;

	if (!said) {
		app_session_warn_all(qry_notes(q));
		app_session_warn_all(qry_warnings_overall(q));
	}
	told = MAX(told, qry_warnings_overall(q)->len);
	said = true;
}

void app_session_warn(const struct qry *q)
{
	static guint said; /* number of warnings of Q printed so far */
	const GPtrArray *all = qry_warnings(q), *overall = qry_warnings_overall(q);

	for (; said < all->len; said++)
		if (!g_ptr_array_find_with_equal_func((GPtrArray *)(uintptr_t)overall,
			    g_ptr_array_index(all, said), g_str_equal, NULL))
			session_say(g_ptr_array_index(all, said));
	for (; told < overall->len; told++) /* new ones */
		session_say(g_ptr_array_index(overall, told));
}

static struct qry *open_shown(const struct app_session *s, bool force, GError **error)
{
	const struct app_args *args = s->args;
	struct ing_options options = { .index_dir = args->index_dir,
		.force = force,
		.jobs = (unsigned)args->jobs,
		.or_private = true };
	struct app_clocks clocks = { .sync = args->sync, .without_tracer = args->match_without_tracer };
	struct app_progress *shown = app_progress_new(s->progress, args->quiet);
	struct qry *q = app_open(args->traces, &options, &clocks, s->progress, error);

	app_progress_free(shown);
	if (q)
		warn_of_opening(q);
	return q;
}

struct qry *app_session_open(const struct app_session *s, GError **error)
{
	return open_shown(s, s->args->force, error);
}

struct sql *app_session_sql(const struct app_session *s, GError **error)
{
	struct sql *sql = sql_open(s->q, s->progress, error);

	if (sql)
		sql_set_rules(sql, s->args->measured);
	return sql;
}

bool app_session_not_cancelled(const struct app_session *s, GError **error)
{
	if (!base_progress_cancelled(s->progress))
		return true;
	return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
}

/* The part of the index, or of the files beside it, that cannot be read. */
enum damaged { DAMAGED_NOTHING, DAMAGED_BESIDE, DAMAGED_INDEX };

/* Open the traces and run ANSWER once.  S->options.file takes the parts of the answer that need not stay in
 * memory.  *DAMAGED: the file with an unreadable block, which makes the answer useless. */
static bool session_ask(struct app_session *s, app_session_answer *answer, GString *out, bool force,
	enum damaged *damaged, GError **error)
{
	bool ok;

	if (s->options.file)
		exp_file_free(s->options.file);
	s->options.file = exp_file_new(s->args->output);
	g_string_truncate(out, 0);
	*damaged = DAMAGED_NOTHING;
	s->q = open_shown(s, force, error);
	if (!s->q)
		return false;
	ok = app_open_symbols(s->q, s->args, s->progress, error) && answer(s, out, error) &&
		app_session_not_cancelled(s, error);
	if (qry_damage(s->q)) {
		*damaged = g_error_matches(qry_damage(s->q), BASE_ERROR, BASE_ERROR_IO) ? DAMAGED_NOTHING
			: qry_index_damage(s->q)                                        ? DAMAGED_INDEX
											: DAMAGED_BESIDE;
		g_clear_error(error);
		g_propagate_error(error, g_error_copy(qry_damage(s->q)));
		ok = false;
	}
	qry_free(s->q);
	return ok;
}

static struct exp_options options_of(const struct app_args *a)
{
	return (struct exp_options){ .format = a->as.format,
		.row = MDL_NONE,
		.top = a->top ? (unsigned)a->top : UINT_MAX,
		.n_columns = (uint32_t)a->columns,
		.hide_tracer = a->hide_tracer,
		.histogram = a->histogram,
		.command = a->command,
		.colour = ui_theme_on_paper,
		.progress = app_session_progress() };
}

/* Write the answer OUT to its destination.  Binary output to a terminal is refused. */
static bool session_finish(const struct app_session *s, const GString *out, GError **error)
{
	if (!s->args->output && isatty(STDOUT_FILENO) && memchr(out->str, '\0', out->len))
		return base_error_false(error, BASE_ERROR_USAGE,
			"%s is not for a terminal: type -o FILE to write it to a file", s->args->as.name);
	return exp_file_finish(s->options.file, out, true, error);
}

bool app_session_run(const struct app_args *args, app_session_answer *answer, GError **error)
{
	struct app_session s = { .args = args,
		.progress = app_session_progress(),
		.options = options_of(args) };
	g_autoptr(GString) out = g_string_new(NULL);
	GError *problem = NULL, *unwritten = NULL;
	enum damaged damaged;
	bool ok = session_ask(&s, answer, out, args->force, &damaged, &problem);

	if (damaged) {
		/* The damaged file is only a cache: rebuild it, and ask again. */
		g_clear_error(&problem);
		s.again = true;
		ok = session_ask(&s, answer, out, args->force || damaged == DAMAGED_INDEX, &damaged,
			&problem);
	}
	if (out->len && !damaged && !g_error_matches(problem, BASE_ERROR, BASE_ERROR_CANCELLED) &&
		!session_finish(&s, out, &unwritten)) {
		g_clear_error(&problem);
		problem = unwritten;
		ok = false;
	}
	exp_file_free(s.options.file);
	if (!ok)
		g_propagate_error(error, problem);
	return ok;
}

bool app_session_write(const struct app_session *s, const void *result, GString *out, GError **error)
{
	return s->args->as.write(out, s->q, result, &s->options, error);
}

bool app_session_needs_thread(const struct app_args *args, GError **error)
{
	if (args->thread)
		return true;
	return base_error_false(error, BASE_ERROR_USAGE,
		"no thread is named: type --thread TID or --thread NAME; \"wakepath threads\" lists them");
}

bool app_session_needs_switches(const struct app_session *s, uint32_t row, GError **error)
{
	uint32_t host = row == MDL_NONE ? 0 : qry_row(s->q, row)->host,
		 last = row == MDL_NONE ? qry_host_count(s->q) - 1 : host;
	const char *command = NULL;

	for (uint32_t i = host; i <= last; i++) {
		command = ana_advice_switches(s->q, i);
		if (!command)
			return true;
	}
	return base_error_false(error, BASE_ERROR_NO_ANSWER,
		"%s: no sched_switch was recorded, so it is unknown when threads ran or waited; record it with: %s",
		qry_host(s->q, host)->name, command);
}

bool app_session_thread(const struct app_session *s, uint32_t *row, GError **error)
{
	return app_session_needs_switches(s, MDL_NONE, error) &&
		qry_find_thread(s->q, s->args->thread, row, error) &&
		app_session_needs_switches(s, *row, error);
}

bool app_session_vcpu(const struct app_session *s, uint32_t *row, GError **error)
{
	const char *spec = s->args->vcpu;
	uint32_t thread;

	if (!qry_find_thread(s->q, spec, &thread, error))
		return false;
	*row = qry_vcpu_row(s->q, thread);
	if (*row == MDL_NONE)
		g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER,
			"\"%s\" runs no virtual CPU: it has no kvm_entry in the trace", spec);
	return *row != MDL_NONE;
}

/* Like base_time_parse(), and also "span:NAME=KEY": the begin of that span, or its end if IS_END. */
static bool session_time(const struct app_session *s, const char *text, uint32_t row, bool is_end,
	int64_t *time, GError **error)
{
	int64_t begin, end;

	qry_span(s->q, &begin, &end);
	return g_str_has_prefix(text, ANA_PROGRAM_PREFIX)
		? ana_program_time(s->q, text, row, is_end ? &begin : time, is_end ? time : &end, s->progress,
			  error)
		: base_time_parse(text, begin, end, time, error);
}

/* True if TEXT is NULL (not typed), a span, or a time within the recording, which sets *TIME. */
static bool is_inside(const struct app_session *s, const char *text, int64_t *time, GError **error)
{
	int64_t begin, end;

	qry_span(s->q, &begin, &end);
	return !text || g_str_has_prefix(text, ANA_PROGRAM_PREFIX) ||
		base_time_parse_inside(text, begin, end, time, error);
}

bool app_session_window(const struct app_session *s, uint32_t row, int64_t *from, int64_t *to, GError **error)
{
	const struct qry_row *r = row == MDL_NONE ? NULL : qry_row(s->q, row);
	g_autofree char *label = NULL, *first = NULL, *last = NULL;
	int64_t begin, end;

	qry_span(s->q, &begin, &end);
	*from = r ? r->first : begin;
	*to = r ? r->last : end;
	/* The whole life is a valid window even if it is a single instant. */
	if (!s->args->from && !s->args->to)
		return true;
	if ((s->args->from && !session_time(s, s->args->from, row, false, from, error)) ||
		(s->args->to && !session_time(s, s->args->to, row, true, to, error)))
		return false;
	if (s->args->from && s->args->to && *from >= *to)
		return base_error_false(error, BASE_ERROR_USAGE,
			"the window is empty: --from must be before --to");
	if (!is_inside(s, s->args->from, from, error) || !is_inside(s, s->args->to, to, error))
		return false;
	if (!r || (*from < *to && r->last > *from && r->first < *to))
		return true;
	label = qry_row_label(s->q, row);
	first = base_time_format_full(r->first);
	last = base_time_format_full(r->last);
	return base_error_false(error, BASE_ERROR_NO_ANSWER,
		"%s does not exist in that window; it exists from %s to %s: choose --from and --to within that",
		label, first, last);
}

bool app_session_instants(const struct app_session *s, uint32_t row, int64_t *from, int64_t *to,
	GError **error)
{
	if (!app_session_window(s, row, from, to, error))
		return false;
	if (!s->args->to && *to < INT64_MAX)
		++*to;
	return true;
}
