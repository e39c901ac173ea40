/* SPDX-License-Identifier: MIT */
#include "app/app_args.h"
#include "app/app_session.h"

#include "analysis/kind/advice.h"
#include "analysis/latency/latency.h"
#include "base/base_error.h"
#include "base/base_stop.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "model/event/wanted.h"
#include "record/rec.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* ---- what was typed ---- */

static bool read_wish(const struct app_args *args, struct rec_wish *w, GError **error)
{
	*w = (struct rec_wish){ .output = args->output,
		.with = args->with,
		.question = args->question ? args->question : "all",
		.command = args->traces && args->traces[0] ? args->traces : NULL,
		.replace = args->force,
		.counters = args->counters,
		.stacks = args->stacks,
		.probes = args->probes,
		.usdts = args->usdts };
	w->questions = mdl_wanted_question(w->question, 0);
	if (!w->questions) {
		g_autofree char *names = mdl_wanted_names(0);

		return base_error_false(error, BASE_ERROR_USAGE,
			"there is no question \"%s\": type --for-question %s", w->question, names);
	}
	w->stacks |= (w->questions & MDL_ASKS_ON_CPU) != 0;
	if (w->questions & MDL_ASKS_COUNTERS && !w->counters)
		w->counters = "cycles,instructions";
	if ((args->record_for && !base_time_parse_duration(args->record_for, &w->duration, error)) ||
		(args->flight && !rec_plan_size(args->flight, &w->flight, error)) ||
		(args->until && !rec_until_parse(args->until, &w->until, error)))
		return false;
	if (!g_strcmp0(w->until.kind, REC_UNTIL_COMMAND) && !w->command)
		return base_error_false(error, BASE_ERROR_USAGE,
			"--until 'command > D' needs a command: type it after --");
	if (w->until.times > 0)
		return base_error_false(error, BASE_ERROR_USAGE,
			"record ends at a fixed limit, such as 'wakeup > 5ms'; \"%s\" is for \"wakepath watch\"",
			args->until);
	return true;
}

/* ---- leftovers of killed recordings ---- */

static bool is_yes(const char *question)
{
	char answer[16];

	fprintf(stderr, "%s [y/N] ", question);
	fflush(stderr);
	return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

/* List the leftovers of killed recordings by T; remove them if ASKED, or if the user at a terminal agrees. */
static bool clean_one(const struct rec_tracer *t, bool asked, GError **error)
{
	g_autoptr(GPtrArray) left = t->left();
	bool ask = !asked && isatty(STDIN_FILENO) && isatty(STDERR_FILENO), ok = true;

	for (guint i = 0; i < left->len; i++) {
		g_autofree char *name = base_text_clean(left->pdata[i], -1);

		fprintf(stderr, "wakepath: a recording that was killed left %s%s%s%s\n", t->left_is[0], name,
			t->left_is[1], asked || ask ? "" : ": type \"wakepath record --clean\" to remove it");
	}
	if (left->len > 0 && (asked || (ask && is_yes("wakepath: remove it?")))) {
		ok = t->clean(error);
		if (ok)
			fprintf(stderr, "wakepath: removed\n");
	}
	return ok;
}

static bool clean(bool asked, GError **error)
{
	bool ok = true;

	for (const struct rec_tracer *const *t = rec_plan_tracers; *t; t++)
		if ((*t)->left && !clean_one(*t, asked, ok ? error : NULL))
			ok = false;
	return ok;
}

/* ---- words ---- */

static void tell_begin(const struct rec_plan *p)
{
	g_autofree char *cost = rec_plan_cost(p);
	const struct rec_wish *w = p->wish;

	fprintf(stderr,
		"wakepath: recording with %s for \"%s\", clock mono, %.3g MiB for each of %u CPUs: %s%s\n",
		p->tracer->name, w->question, (double)p->buffer / 1048576, p->cpus, cost,
		w->command || w->duration ? "" : "; Ctrl-C ends it");
	if (p->note)
		fprintf(stderr, "wakepath: %s\n", p->note);
}

/* The line on the terminal. */
struct line {
	bool shown;
	uint64_t events; /* in the last line */
	double seconds;
};

static void record_show(void *context, const struct rec_result *r)
{
	struct line *l = context;
	double passed = r->seconds - l->seconds;

	if (!l->shown)
		return;
	fprintf(stderr, "\r\033[Krecording  %.1f s", r->seconds);
	if (r->state.has_count && passed > 0)
		fprintf(stderr, "  %.0f events/s  buffers %.0f %% full  %" G_GUINT64_FORMAT " lost",
			(double)(r->state.events - MIN(l->events, r->state.events)) / passed,
			r->state.fill * 100, r->state.lost);
	fflush(stderr);
	l->events = r->state.events;
	l->seconds = r->seconds;
}

static void tell_end(const struct rec_plan *p, const struct rec_result *r)
{
	g_autofree char *shown = base_text_clean(p->output, -1);

	if (r->has_status) {
		g_autofree char *words = rec_command_words(r->status);

		fprintf(stderr, "wakepath: %s %s\n", p->wish->command[0], words);
	} else if (r->command_goes_on)
		fprintf(stderr, "wakepath: %s goes on, as process %d\n", p->wish->command[0], r->pid);
	if (r->latency > 0) {
		g_autofree char *took = base_time_format_duration(r->latency, true);

		fprintf(stderr, "wakepath: %s took %s\n", p->wish->until.kind, took);
	}
	fprintf(stderr, "wakepath: %s: ", shown);
	if (r->state.has_count)
		fprintf(stderr, "%" G_GUINT64_FORMAT " events, %" G_GUINT64_FORMAT " lost, ", r->state.events,
			r->state.lost);
	fprintf(stderr, "%.1f s\n", r->seconds);
}

/* ---- opening the recording ---- */

/* Set *WORST to the longest latency of KIND of thread ROW (MDL_NONE: any).  False if there is none. */
static bool find_worst(struct qry *q, const char *kind, uint32_t row, struct base_progress *progress,
	struct ana_latency_case *worst)
{
	struct ana_latency_options options = { .kind = kind,
		.row = row,
		.hide_tracer = true,
		.from = BASE_TIME_NONE,
		.to = BASE_TIME_NONE,
		.top = 1 };
	struct ana_latency *l = ana_latency_new(q, &options, progress, NULL);
	bool found = l && l->worst->len > 0;

	if (found)
		*worst = g_array_index(l->worst, struct ana_latency_case, 0);
	ana_latency_free(l);
	return found;
}

/* Set *WORST to the longest latency of KIND or, without one, of "wakeup".  In each kind thread ROW (MDL_NONE:
 * any) comes first, then any thread.  False if there is none. */
static bool find_place(struct qry *q, const char *kind, uint32_t row, struct base_progress *progress,
	struct ana_latency_case *worst)
{
	const char *const kinds[] = { kind, "wakeup" };

	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
		if ((row != MDL_NONE && find_worst(q, kinds[i], row, progress, worst)) ||
			find_worst(q, kinds[i], MDL_NONE, progress, worst))
			return true;
	return false;
}

/* Set *WHEN and *WHO to the place for the cursor, in the syntax of --goto and --thread; unchanged if there is
 * none.  The caller frees them. */
static void record_place(struct qry *q, const char *kind, int pid, struct base_progress *progress,
	char **when, char **who)
{
	struct ana_latency_case worst = { .start = BASE_TIME_NONE, .row = MDL_NONE };
	g_autofree char *spec = g_strdup_printf("%d", pid);
	const struct qry_row *r;

	if (pid > 0 && !qry_find_thread(q, spec, &worst.row, NULL))
		worst.row = MDL_NONE;
	if (find_place(q, kind, worst.row, progress, &worst))
		*when = g_strdup_printf("%" G_GINT64_FORMAT, (gint64)worst.start);
	r = worst.row == MDL_NONE ? NULL : qry_row(q, worst.row);
	if (r && r->type == MDL_ROW_THREAD)
		*who = g_strdup_printf("%d@%" G_GINT64_FORMAT, (int)r->nr,
			(gint64)(worst.start == BASE_TIME_NONE ? r->last : worst.start));
}

/* Print what the recording Q in PATH lacks, with the texts of the explorer. */
static void tell_lacks(const struct qry *q, const char *path)
{
	g_autoptr(GPtrArray) lacks = ana_advice_lacks(q, true);
	g_autofree char *shown = base_text_clean(path, -1);

	for (guint i = 0; i < lacks->len; i++)
		fprintf(stderr, "wakepath: %s: %s\n", shown, (const char *)g_ptr_array_index(lacks, i));
}

/*
 * Unless --quiet, print what the recording PATH lacks.  If OPENS, run the explorer with ARGS and the cursor
 * on the longest latency of KIND, or of wake-ups if KIND has none.  PID: look at this recorded program first;
 * 0: all threads.
 */
static bool read_recorded(const struct app_args *args, bool opens, const char *path, const char *kind,
	int pid, GError **error)
{
	char *traces[] = { (char *)(uintptr_t)path, NULL };
	struct app_args own = *args;
	struct app_session s = { .args = &own, .progress = app_session_progress() };
	g_autofree char *when = NULL, *who = NULL;
	g_autoptr(GError) problem = NULL;

	own.traces = traces;
	own.output = NULL;
	s.q = app_session_open(&s, opens ? error : &problem);
	if (!s.q && !opens) { /* the recording exists, even if it cannot be opened here */
		fprintf(stderr, "wakepath: warning: %s\n", problem->message);
		return true;
	}
	if (!s.q)
		return false;
	if (!args->quiet)
		tell_lacks(s.q, path);
	if (!opens) {
		qry_free(s.q);
		return true;
	}
	record_place(s.q, kind, pid, s.progress, &when, &who);
	qry_free(s.q);
	own.goto_text = args->goto_text ? args->goto_text : when;
	own.thread = who;
	return app_view.run(&own, error);
}

/* ---- the recording ---- */

/* False with an error if the recording ended badly although the output exists. */
static bool judge(const struct rec_plan *p, struct rec_result *r, GError **error)
{
	const struct rec_until *until = &p->wish->until;

	if (r->cut_short) {
		g_propagate_prefixed_error(error, g_steal_pointer(&r->cut_short),
			"the recording ended early and is kept: ");
		return false;
	}
	if (r->signal == SIGTERM || r->signal == SIGHUP)
		return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted; the recording is in %s",
			p->output);
	if (!until->kind || r->latency > 0 || r->signal)
		return true;
	return base_error_false(error, BASE_ERROR_NO_ANSWER,
		"no %s took longer than the limit; the recording is in %s", until->kind, p->output);
}

/* Return the kind of latency whose longest case answers the question of W. */
static const char *kind_of(const struct rec_wish *w)
{
	static const char *const kinds[][2] = { { "disk", "block" }, { "net", "network" },
		{ "locks", "futex" }, { "spans", "span" } };

	if (w->until.kind && !g_str_equal(w->until.kind, REC_UNTIL_COMMAND))
		return w->until.kind;
	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (g_str_equal(kinds[i][0], w->question))
			return kinds[i][1];
	return "wakeup";
}

static bool record(const struct app_args *args, const struct rec_plan *p, GError **error)
{
	struct line line = { .shown = !args->quiet && isatty(STDERR_FILENO) };
	struct rec_result result;
	bool ok, opens;

	ok = rec_run(p, record_show, &line, &result, error);
	if (line.shown)
		fprintf(stderr, "\r\033[K");
	if (ok && !args->quiet)
		tell_end(p, &result);
	ok = ok && judge(p, &result, error);
	g_clear_error(&result.cut_short);
	if (!ok)
		return false;
	base_stop_resume();
	opens = !args->no_open && (args->script || app_view_has_terminal());
	return (!opens && args->quiet) ||
		read_recorded(args, opens, p->output, kind_of(p->wish), result.pid, error);
}

static bool record_run(const struct app_args *args, GError **error)
{
	struct rec_wish wish;
	struct rec_plan *plan;
	bool ok = true;

	if (args->clean)
		return clean(true, error);
	plan = read_wish(args, &wish, error) ? rec_plan_new(&wish, args->dry_run, error) : NULL;
	if (!plan)
		return false;
	if (args->dry_run) {
		g_autoptr(GString) lines = g_string_new(NULL);

		rec_plan_tell(plan, lines);
		if (plan->note && !args->quiet)
			fprintf(stderr, "wakepath: %s\n", plan->note);
		fputs(lines->str, stdout);
	} else {
		ok = clean(false, error);
		base_stop_hold();
		if (ok && !args->quiet)
			tell_begin(plan);
		if (ok && base_stop_signal())
			ok = base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
		ok = ok && record(args, plan, error);
	}
	rec_plan_free(plan);
	return ok;
}

const struct app_command app_record = {
	.name = "record",
	.operands = "[-- COMMAND...]",
	.summary = "Record this machine with an available tracer, then open the recording.",
	.examples = "  sudo wakepath record -- ./slow-program\n"
		    "  sudo wakepath record --for 10s --for-question disk\n"
		    "  sudo wakepath record --flight 64M --until 'wakeup > 5ms'\n",
	.options = APP_TAKES_RECORD | APP_TAKES_VIEW,
	.run = record_run,
};
