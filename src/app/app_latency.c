/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_progress.h"
#include "app/app_session.h"

#include "base/base_error.h"
#include "base/base_time.h"

/* --kind names one of the kinds there are. */
static bool check_kind(const char *kind, GError **error)
{
	char *kinds;

	if (kind && g_strv_contains(ana_latency_kinds(), kind))
		return true;
	kinds = g_strjoinv(", ", (char **)ana_latency_kinds());
	g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "%s: type --kind and one of: %s",
		kind ? "there is no such kind of latency" : "latency of what?", kinds);
	g_free(kinds);
	return false;
}

/* 0 when no threshold was typed. */
static bool read_threshold(const struct app_args *args, int64_t *threshold, GError **error)
{
	*threshold = 0;
	return !args->threshold || base_time_parse_duration(args->threshold, threshold, error);
}

static bool read_options(const struct app_session *s, struct ana_latency_options *o, GError **error)
{
	*o = (struct ana_latency_options){ .kind = s->args->kind,
		.row = MDL_NONE,
		.linear = s->args->linear,
		.hide_tracer = s->args->hide_tracer,
		.top = (uint32_t)s->args->top };
	return ana_latency_by_parse(s->args->by, &o->by, error) &&
		(s->args->thread ? app_session_thread(s, &o->row, error)
				 : app_session_needs_switches(s, MDL_NONE, error)) &&
		read_threshold(s->args, &o->threshold, error) &&
		app_session_instants(s, o->row, &o->from, &o->to, error);
}

/* With --fail-over: whether any case reaches the threshold. */
static bool reached(const struct ana_latency *l, const struct ana_latency_options *o, GError **error)
{
	char *limit;

	if (l->all.count && l->all.max >= o->threshold)
		return true;
	limit = base_time_format_duration(o->threshold, true);
	g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER, "no %s latency reaches %s", l->kind, limit);
	g_free(limit);
	return false;
}

/* How long it is that O asks for. */
static int64_t length_of(const struct qry *q, const struct ana_latency_options *o)
{
	int64_t from, to;

	qry_span(q, &from, &to);
	return (o->to == BASE_TIME_NONE ? to : MIN(o->to, to)) -
		(o->from == BASE_TIME_NONE ? from : MAX(o->from, from));
}

/* NOW, of O, against what OTHER asks for. */
static bool put_against(struct app_session *s, struct app_session *other, const struct ana_latency *now,
	const struct ana_latency_options *o, GString *out, GError **error)
{
	struct ana_latency_options options;
	struct ana_latency *before = NULL;
	struct ana_against *against;
	bool ok = read_options(other, &options, error);

	options.values = true;
	if (ok)
		before = ana_latency_new(other->q, &options, s->progress, error);
	if (!before)
		return false;
	against = ana_against_new(before, length_of(other->q, &options), now, length_of(s->q, o));
	ok = app_session_write(s, against, out, error);
	ana_against_free(against);
	ana_latency_free(before);
	return ok;
}

/* The same, with what --against and its window name. */
static bool compare(struct app_session *s, const struct ana_latency *now, const struct ana_latency_options *o,
	GString *out, GError **error)
{
	struct app_args args = *s->args;
	struct app_session other = *s;
	bool ok;

	args.traces = args.against ? args.against : args.traces;
	args.from = args.against_from;
	args.to = args.against_to;
	other.args = &args;
	other.q = app_session_open(&other, error);
	if (!other.q)
		return false;
	ok = put_against(s, &other, now, o, out, error);
	qry_free(other.q);
	return ok;
}

static bool answer(struct app_session *s, GString *out, GError **error)
{
	struct ana_latency_options options;
	struct app_progress *shown;
	struct ana_latency *l;
	bool against = s->args->against || s->args->against_from || s->args->against_to, ok;

	if (!read_options(s, &options, error))
		return false;
	options.values = against;
	shown = app_progress_new(s->progress, s->args->quiet);
	l = ana_latency_new(s->q, &options, s->progress, error);
	app_progress_free(shown);
	if (!l)
		return false;
	app_session_warn(s->q);
	s->options.histogram |= options.linear;
	ok = (against ? compare(s, l, &options, out, error) : app_session_write(s, l, out, error)) &&
		(!s->args->fail_over || reached(l, &options, error));
	ana_latency_free(l);
	return ok;
}

static bool run(const struct app_args *args, GError **error)
{
	int64_t threshold;
	enum ana_latency_by by;

	return check_kind(args->kind, error) && ana_latency_by_parse(args->by, &by, error) &&
		read_threshold(args, &threshold, error) && app_session_run(args, answer, error);
}

const struct app_command app_latency = {
	.name = "latency",
	.operands = "TRACE... --kind KIND",
	.summary = "Latencies: statistics, distribution, and the worst cases with their causes.",
	.options = APP_TAKES_LATENCY | APP_TAKES_TRACER | APP_TAKES_TOP | APP_TAKES_THREAD |
		APP_TAKES_WINDOW | APP_TAKES_OUTPUT,
	.run = run,
};
