/* SPDX-License-Identifier: MIT */
/* "wakepath watch": a recorder that never stops, and the report of its recordings. */
#include "app/app_args.h"
#include "app/app_session.h"

#include "base/base_error.h"
#include "base/base_stop.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "model/event/wanted.h"
#include "record/rec.h"
#include "record/rec_keep.h"
#include "record/rec_overhead.h"
#include "record/rec_service.h"
#include "record/rec_watch.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "wakepath-watch"
#define LOG "watch.log"
#define KEEP 20
#define KEEP_MAX 10000
#define EVERY INT64_C(1000000000)
#define DISK (UINT64_C(1) << 30)

/* ---- what was typed ---- */

static bool watch_wrong(const char *option, const char *text, const char *what, GError **error)
{
	return base_error_false(error, BASE_ERROR_USAGE, "%s \"%s\" is not known: type %s", option, text,
		what);
}

/* Parse --keep, a number of recordings. */
static bool read_keep(const char *text, unsigned *keep, GError **error)
{
	char *end;
	guint64 n = g_ascii_strtoull(text, &end, 10);

	*keep = (unsigned)n;
	return (g_ascii_isdigit(*text) && !*end && n >= 1 && n <= KEEP_MAX) ||
		watch_wrong("--keep", text, "a number from 1 to " G_STRINGIFY(KEEP_MAX), error);
}

/* Parse --cpu: "1%" is 0.01. */
static bool read_cpu(const char *text, double *share, GError **error)
{
	char *end = NULL;
	double n = g_ascii_isdigit(*text) || *text == '.' ? g_ascii_strtod(text, &end) : -1;

	*share = n / 100;
	return (end && n > 0 && n <= 100 && (!*end || g_str_equal(end, "%"))) ||
		watch_wrong("--cpu", text, "a percentage of all CPUs, such as 1%", error);
}

/* Append the parsed TEXTS to UNTILS (of struct rec_until).  MAY_LACK: none is fine. */
static bool read_untils(char *const *texts, bool may_lack, GArray *untils, GError **error)
{
	for (char *const *text = texts; text && *text; text++) {
		struct rec_until until;

		if (!rec_until_parse(*text, &until, error))
			return false;
		if (g_str_equal(until.kind, REC_UNTIL_COMMAND))
			return base_error_false(error, BASE_ERROR_USAGE,
				"watch runs no command: \"%s\" is for \"wakepath record\"", *text);
		for (char *const *other = texts; other < text; other++)
			if (g_str_equal(*other, *text))
				return base_error_false(error, BASE_ERROR_USAGE,
					"--until '%s' is typed twice", *text);
		g_array_append_val(untils, until);
	}
	return untils->len > 0 || may_lack ||
		base_error_false(error, BASE_ERROR_USAGE,
			"no latency is named: type --until 'KIND > D', such as --until 'wakeup > 5ms'");
}

/* Set W from ARGS.  UNTILS (of struct rec_until) gets its triggers, and must live as long as W. */
static bool watch_read(const struct app_args *args, struct rec_watch_wish *w, GArray *untils, GError **error)
{
	static char wakeup[] = "wakeup > 1000s", *const usual[] = { wakeup, NULL };
	const unsigned of_perf = MDL_ASKS_COUNTERS | MDL_ASKS_ON_CPU;
	const char *question = args->question ? args->question : "all";

	*w = (struct rec_watch_wish){ .texts = args->untils,
		.folder = args->output ? args->output : FOLDER,
		.keep = KEEP,
		.every = EVERY,
		.disk = DISK,
		.questions = mdl_wanted_question(question, of_perf) };
	if (!w->questions) {
		g_autofree char *names = mdl_wanted_names(of_perf);

		return watch_wrong("--for-question", question, names, error);
	}
	if (!read_untils(args->untils, args->overhead, untils, error) ||
		(args->keep && !read_keep(args->keep, &w->keep, error)) ||
		(args->every && !base_time_parse_duration(args->every, &w->every, error)) ||
		(args->record_for && !base_time_parse_duration(args->record_for, &w->duration, error)) ||
		(args->cpu_share && !read_cpu(args->cpu_share, &w->cpu, error)) ||
		(args->disk && !rec_plan_size(args->disk, &w->disk, error)) ||
		(args->flight && !rec_plan_size(args->flight, &w->ring, error)))
		return false;
	if (untils->len == 0) { /* wake-ups: wanted most often, and the most expensive */
		w->texts = usual;
		if (!read_untils(usual, false, untils, error))
			return false;
	}
	w->untils = (const struct rec_until *)(void *)untils->data;
	w->n = untils->len;
	return true;
}

/* ---- watching ---- */

static void watch_told(G_GNUC_UNUSED void *context, const char *text)
{
	g_autofree char *status = g_strdup_printf("STATUS=%s", text);

	rec_service_tell(status);
	fprintf(stderr, "wakepath: %s\n", text);
}

static void watch_ready(void *context, const struct rec_budget *budget)
{
	const struct rec_watch_wish *w = context;
	g_autofree char *folder = base_text_clean(w->folder, -1);

	(void)budget;
	rec_service_tell("READY=1\nSTATUS=watching");
	if (w->quiet)
		return;
	fprintf(stderr, "wakepath: watching for %u kind%s of latencies, kept in %s%s\n", w->n,
		base_text_s(w->n), folder, w->duration || !isatty(STDERR_FILENO) ? "" : "; Ctrl-C ends it");
}

static void tell_result(const struct rec_watch_wish *w, const struct rec_watch_result *r)
{
	g_autofree char *folder = base_text_clean(w->folder, -1), *quoted = g_shell_quote(w->folder);

	fprintf(stderr,
		"wakepath: %s: %" PRIu64 " hit%s, %" PRIu64 " recorded, of %" PRIu64
		" latencies in %.1f s; it took %.2f s of CPU time\n",
		folder, r->hits, base_text_s(r->hits), r->kept, r->cases, r->seconds, r->cpu);
	fprintf(stderr, "wakepath: type \"wakepath watch --report %s\" to see them\n", quoted);
}

/* --daemon: watch in a process that continues after this one has ended. */
static bool go_on(const struct app_args *args, const struct rec_watch_wish *w, GError **error)
{
	g_autofree char *log = g_build_filename(w->folder, LOG, NULL), *shown = base_text_clean(log, -1);
	const char *problem = rec_watch_problem();
	int pid = -1;

	if (problem)
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_IO, problem);
	else if (rec_keep_make(w->folder, error))
		pid = rec_service_start(args->command, "--daemon", log, error);
	if (pid > 0 && !w->quiet)
		fprintf(stderr,
			"wakepath: watching as process %d, which \"kill %d\" ends; its messages are in %s\n",
			pid, pid, shown);
	return pid > 0;
}

/* ---- overhead of a watch ---- */

static void show_run(unsigned run)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[Krun %u of %u", run, 2 * REC_OVERHEAD_RUNS);
}

static void tell_runs(const char *name, const struct rec_overhead_runs *r)
{
	g_autofree char *mean = base_time_format_duration((int64_t)(r->mean * 1e9), true),
			*deviation = base_time_format_duration((int64_t)(r->deviation * 1e9), true);

	printf("%-8s %d runs: mean %s, standard deviation %s\n", name, REC_OVERHEAD_RUNS, mean, deviation);
}

static bool overhead(const struct app_args *args, const struct rec_watch_wish *w, GError **error)
{
	struct rec_overhead o;
	g_autofree char *more = NULL, *event = NULL;
	bool ok = rec_overhead_measure(w, args->traces && args->traces[0] ? args->traces : NULL, show_run, &o,
		error);

	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K");
	if (!ok)
		return false;
	more = base_time_format_duration((int64_t)(fabs(o.difference) * 1e9), true);
	event = base_time_format_duration((int64_t)(o.event_cost * 1e9), true);
	tell_runs("without", &o.without);
	tell_runs("with", &o.with);
	if (fabs(o.difference) <= o.within)
		printf("no difference is proved: %.2f %% +/- %.2f %% (95 %% confidence, Student's t)\n",
			100 * o.difference / o.without.mean, 100 * o.within / o.without.mean);
	else
		printf("with the watch it takes %s %s: %.2f %% +/- %.2f %% (95 %% confidence, Student's t)\n",
			more, o.difference > 0 ? "longer" : "less", 100 * o.difference / o.without.mean,
			100 * o.within / o.without.mean);
	printf("%.0f events/s were recorded, of which one takes %s; wakepath itself took %.2f %% of a CPU\n",
		o.events, event, 100 * o.cpu);
	return true;
}

/* ---- the report ---- */

static bool report_answer(struct app_session *s, GString *out, GError **error)
{
	struct ana_watched *w = ana_watched_new(s->q, s->args->report, error);
	guint n = w ? w->triggers->len : 0;
	struct ana_compare **compares = g_new0(struct ana_compare *, n + 1);
	char **why_not = g_new0(char *, n + 1);
	const struct exp_watch_of of = { w, compares, why_not };
	bool ok = w;

	for (guint i = 0; w && i < w->hits->len; i++)
		ana_watched_explain(s->q, &g_array_index(w->hits, struct ana_watched_hit, i), s->progress);
	for (guint i = 0; ok && i < n; i++) {
		g_autoptr(GError) problem = NULL;

		compares[i] = ana_watched_compare(s->q, w, i, s->progress, &problem);
		if (!compares[i])
			why_not[i] = g_strdup(problem->message);
		ok = app_session_not_cancelled(s, error);
	}
	ok = ok && app_session_write(s, &of, out, error);
	for (guint i = 0; i < n; i++) {
		ana_compare_free(compares[i]);
		g_free(why_not[i]);
	}
	g_free(compares);
	g_free(why_not);
	ana_watched_free(w);
	return ok;
}

/* True if FOLDER has a recording of a hit.  Otherwise false with an error that counts the latencies. */
static bool has_recordings(const char *folder, GError **error)
{
	struct watch_manifest *m = watch_manifest_read(folder, error);
	uint64_t count = 0, over = 0;
	bool any = false;

	for (guint i = 0; m && i < m->hits->len && !any; i++)
		any = g_array_index(m->hits, struct watch_hit, i).file;
	for (guint i = 0; m && i < m->triggers->len; i++) {
		count += watch_manifest_trigger_at(m, i)->seen->count;
		over += watch_manifest_trigger_at(m, i)->over;
	}
	if (m && !any)
		g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER,
			"%s has no recording of a hit: of the %" PRIu64 " latencies measured so far, %" PRIu64
			" were over their limit",
			folder, count, over);
	watch_manifest_free(m);
	return any;
}

/* ---- the command ---- */

static bool watch_check(const struct app_args *args, GError **error)
{
	const char *first = args->traces ? args->traces[0] : NULL;

	/* (The folder of --report is the one trace, if no operand was typed.) */
	if (args->report && (args->untils || !first || strcmp(first, args->report) != 0 || args->traces[1]))
		return base_error_false(error, BASE_ERROR_USAGE,
			"--report takes one folder, and no --until: type \"wakepath watch --report DIR\"");
	if (args->format_name && !args->report)
		return base_error_false(error, BASE_ERROR_USAGE, "--format is for --report");
	if (first && !args->report && !args->overhead)
		return base_error_false(error, BASE_ERROR_USAGE,
			"watch takes no operands, except a command after --overhead --: \"%s\"", first);
	return true;
}

static bool watch_run(const struct app_args *args, GError **error)
{
	g_autoptr(GArray) untils = g_array_new(FALSE, FALSE, sizeof(struct rec_until));
	struct rec_watch_wish wish;
	struct rec_watch_result result;

	if (args->report)
		return has_recordings(args->report, error) && app_session_run(args, report_answer, error);
	if (!watch_read(args, &wish, untils, error))
		return false;
	wish.context = &wish;
	wish.say = watch_told;
	wish.ready = watch_ready;
	wish.quiet = args->quiet;
	base_stop_hold();
	if (args->overhead)
		return overhead(args, &wish, error);
	if (args->daemon)
		return go_on(args, &wish, error);
	if (!rec_watch_run(&wish, &result, error))
		return false;
	rec_service_tell("STOPPING=1");
	if (!args->quiet)
		tell_result(&wish, &result);
	if (result.signal == SIGTERM || result.signal == SIGHUP)
		return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted; what was kept is in %s",
			wish.folder);
	base_stop_resume();
	return true;
}

const struct app_command app_watch = {
	.name = "watch",
	.operands = "--until 'KIND > D'... | --report DIR | --overhead [-- COMMAND...]",
	.summary = "Watch this machine for long latencies, all the time, and keep a recording of each.",
	.examples =
		"  sudo wakepath watch --until 'wakeup > 5ms' --until 'block-device > 50ms' -o /var/lib/wakepath\n"
		"  sudo wakepath watch --until 'wakeup > 3 x p99' --for 24h --cpu 1% --disk 1G\n"
		"  wakepath watch --report /var/lib/wakepath\n",
	.options = APP_TAKES_WATCH,
	.check = watch_check,
	.run = watch_run,
};
