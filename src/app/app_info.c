/* SPDX-License-Identifier: MIT */
/* Commands about traces as a whole: info, sync, events. */
#include "app/app_args.h"
#include "app/app_session.h"

#include "base/base_time.h"
#include "query/bookmarks.h"
#include "query/clock/clock.h"
#include "query/events/lines.h"

#define LINES 5 /* of each part of the overview */

bool app_info_answer(struct app_session *s, GString *out, GError **error)
{
	struct qry_tracer_flows *flows = qry_tracer_flows_new(s->q, s->progress);
	struct ana_cost *costs = g_new(struct ana_cost, qry_host_count(s->q));
	struct ana_overview *top = NULL;
	g_autoptr(GArray) bookmarks = NULL, answers = NULL;
	bool whole;

	for (uint32_t i = 0; i < qry_host_count(s->q); i++)
		ana_cost_of(s->q, i, flows, s->progress, &costs[i]);
	whole = app_session_not_cancelled(s, error);
	if (whole)
		answers = ana_overview_find(s->q, ANA_OVERVIEW_ANSWER, LINES, !s->args->show_tracer,
			s->progress, error);
	whole = whole && answers;
	if (whole && s->args->overview)
		top = ana_overview_new(s->q, LINES, !s->args->show_tracer, s->progress, error);
	whole = whole && (top || !s->args->overview);
	if (whole && s->args->bookmarks)
		bookmarks = qry_bookmarks_read(s->q, error);
	whole = whole && (bookmarks || !s->args->bookmarks) &&
		app_session_write(s, &(struct exp_info_of){ costs, answers, top, bookmarks }, out, error);
	ana_overview_free(top);
	g_free(costs);
	qry_tracer_flows_free(flows);
	return whole;
}

const struct app_command app_info = {
	.name = "info",
	.operands = "TRACE...",
	.summary =
		"Print what the traces contain: hosts, span, events, what is missing and how to record it.",
	.examples = "  wakepath info sample-traces/rpc-chain\n"
		    "  wakepath info sample-traces/preempt --top\n",
	.options = APP_TAKES_OVERVIEW | APP_TAKES_TRACER | APP_TAKES_OUTPUT,
	.answer = app_info_answer,
};

static bool sync_answer(struct app_session *s, GString *out, GError **error)
{
	const struct sync_hosts *clocks = qry_clocks(s->q);
	struct sync_hosts *alone = clocks ? NULL : qry_sync_match(s->q, NULL, s->progress, NULL, NULL);
	bool whole = app_session_not_cancelled(s, error);

	app_session_warn(s->q);
	whole = whole && app_session_write(s, clocks ? clocks : alone, out, error);
	sync_hosts_unref(alone);
	return whole;
}

/* List the packets of the window, or sums over its columns. */
static bool answer_residuals(struct app_session *s, GString *out, GError **error)
{
	if (!app_session_instants(s, MDL_NONE, &s->options.from, &s->options.to, error))
		return false;
	app_session_warn(s->q);
	return app_session_write(s, NULL, out, error);
}

static bool sync_run(const struct app_args *args, GError **error)
{
	struct app_args own = *args;

	own.match_without_tracer = args->hide_tracer;
	return app_session_run(&own, args->residuals ? answer_residuals : sync_answer, error);
}

const struct app_command app_sync = {
	.name = "sync",
	.operands = "TRACE...",
	.summary = "Print how the clocks of several hosts differ, and how accurate that is.",
	.examples = "  wakepath sync sample-traces/rpc-chain\n"
		    "  wakepath sync sample-traces/rpc-chain --residuals --columns 4\n",
	.options = APP_TAKES_RESIDUALS | APP_TAKES_TRACER | APP_TAKES_OUTPUT,
	.run = sync_run,
};

/* Set F from the options.  The caller unrefs F->match.  False with an error. */
static bool read_filter(const struct app_session *s, struct qry_events_filter *f, GError **error)
{
	uint32_t row;

	*f = QRY_EVENTS_ALL;
	if (s->args->thread) {
		if (!app_session_thread(s, &f->thread, error))
			return false;
		f->host = qry_row(s->q, f->thread)->host;
	}
	if (s->args->cpu) {
		if (!qry_find_line(s->q, MDL_ROW_CPU, s->args->cpu, &row, error))
			return false;
		f->cpu = (uint32_t)qry_row(s->q, row)->nr;
		f->host = qry_row(s->q, row)->host;
	}
	f->name = s->args->name;
	f->match = s->args->match ? qry_events_regex(s->args->match, error) : NULL;
	if (s->args->match && !f->match)
		return false;
	return app_session_instants(s, MDL_NONE, &f->from, &f->to, error);
}

/* Move E to "--at TIME" or "--at [HOST/]#N"; HOST is FILTER's or the first one if it was not typed. */
static bool events_seek(const struct app_session *s, const struct qry_events_filter *filter,
	struct qry_events *e, GError **error)
{
	uint32_t host = filter->host == MDL_NONE ? 0 : filter->host;
	int64_t from, to, time;
	uint64_t rank;

	if (qry_event_parse(s->q, s->args->at, &host, &rank))
		return qry_events_seek_rank(e, host, rank, error);
	qry_span(s->q, &from, &to);
	return base_time_parse_inside(s->args->at, from, to, &time, error) && qry_events_seek(e, time, error);
}

/* Return the events that FILTER, --at and --top select.  NULL with an error. */
static struct qry_lines *list(struct app_session *s, const struct qry_events_filter *filter, GError **error)
{
	unsigned top = s->args->top ? (unsigned)s->args->top : UINT_MAX - 1;
	struct qry_events *e;
	GArray *lines = NULL;

	if (!s->args->at)
		return qry_lines_new(s->q, filter, top, s->progress, error);
	e = qry_events_new(s->q, filter, error);
	if (e && events_seek(s, filter, e, error))
		lines = qry_events_list(e, top / 2, top - top / 2, s->progress, error);
	qry_events_free(e);
	return lines ? qry_lines_new_list(lines) : NULL;
}

static bool events_answer(struct app_session *s, GString *out, GError **error)
{
	struct qry_events_filter filter;
	bool asked = read_filter(s, &filter, error), fine;
	struct qry_lines *lines = asked ? list(s, &filter, error) : NULL;

	if (asked)
		app_session_warn(s->q);
	fine = lines && app_session_write(s, lines, out, error);
	if (lines)
		app_session_warn(s->q); /* warnings that reading the events added */
	qry_lines_free(lines);
	if (filter.match)
		g_regex_unref((GRegex *)(uintptr_t)filter.match);
	return fine;
}

const struct app_command app_events = {
	.name = "events",
	.operands = "TRACE...",
	.summary = "List events with all fields, around an instant or in a window.",
	.examples = "  wakepath events sample-traces/pipeline --at +430ms --top 5\n"
		    "  wakepath events sample-traces/rpc-chain --name 'net_*' --thread client/wk-client\n",
	.options = APP_TAKES_EVENTS | APP_TAKES_THREAD | APP_TAKES_WINDOW | APP_TAKES_TOP | APP_TAKES_OUTPUT,
	.answer = events_answer,
};
