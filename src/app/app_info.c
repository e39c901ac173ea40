/* SPDX-License-Identifier: MIT */
/* Commands about traces as a whole: info and sync. */
#include "app/app_args.h"
#include "app/app_session.h"

#include "query/bookmarks.h"
#include "query/clock/clock.h"

#define LINES 5 /* of each part of the overview */

bool app_info_answer(struct app_session *s, GString *out, GError **error)
{
	struct qry_tracer_flows *flows = qry_tracer_flows_new(s->q, s->progress);
	struct ana_cost *costs = g_new(struct ana_cost, qry_host_count(s->q));
	struct ana_overview *top = NULL;
	g_autoptr(GArray) bookmarks = NULL;
	bool whole;

	for (uint32_t i = 0; i < qry_host_count(s->q); i++)
		ana_cost_of(s->q, i, flows, s->progress, &costs[i]);
	whole = app_session_not_cancelled(s, error);
	if (whole && s->args->overview)
		top = ana_overview_new(s->q, LINES, !s->args->show_tracer, s->progress, error);
	whole = whole && (top || !s->args->overview);
	if (whole && s->args->bookmarks)
		bookmarks = qry_bookmarks_read(s->q, error);
	whole = whole && (bookmarks || !s->args->bookmarks) &&
		app_session_write(s, &(struct exp_info_of){ costs, top, bookmarks }, out, error);
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

/* The packets of the window, or sums over its columns. */
static bool answer_residuals(struct app_session *s, GString *out, GError **error)
{
	struct ana_residuals_window window = { .host = MDL_NONE, .other = MDL_NONE };

	if (!app_session_instants(s, MDL_NONE, &window.from, &window.to, error))
		return false;
	app_session_warn(s->q);
	return app_session_write(s, &window, out, error);
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
