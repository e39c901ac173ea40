/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"
#include "app/app_story.h"

#include "query/bookmarks.h"

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
