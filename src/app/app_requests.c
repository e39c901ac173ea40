/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"

#include "analysis/request/request.h"
#include "base/base_error.h"

/* The paths of all of REQUESTS. */
static bool sum_all(struct app_session *s, GArray *requests, GError **error)
{
	for (guint i = 0; i < requests->len; i++)
		if (!ana_request_sum(s->q, &g_array_index(requests, struct ana_request, i), s->progress,
			    error))
			return false;
	return true;
}

static bool requests_answer(struct app_session *s, GString *out, GError **error)
{
	g_autoptr(GArray) requests = NULL;
	struct exp_options *o = &s->options;
	uint32_t host = MDL_NONE;

	if ((s->args->thread && !app_session_thread(s, &o->row, error)) ||
		(s->args->host && !qry_find_host(s->q, s->args->host, &host, error)) ||
		!app_session_instants(s, o->row, &o->from, &o->to, error))
		return false;
	requests = ana_request_list(s->q, o->row, host, o->from, o->to, s->progress);
	if (!requests)
		return app_session_not_cancelled(s, error);
	if (!sum_all(s, requests, error))
		return false;
	app_session_warn(s->q);
	return app_session_write(s, requests, out, error);
}

static bool requests_check(const struct app_args *args, GError **error)
{
	if (args->thread && args->host)
		return base_error_false(error, BASE_ERROR_USAGE,
			"a thread is of one host: type --thread HOST/T, without --host");
	return true;
}

const struct app_command app_requests = {
	.name = "requests",
	.operands = "TRACE... [--thread T | --host H]",
	.summary = "List the requests over the net, with their replies and both ends.",
	.examples = "  wakepath requests sample-traces/rpc-chain --thread wk-client\n"
		    "  wakepath requests sample-traces/rpc-chain --host db\n",
	.options = APP_TAKES_THREAD | APP_TAKES_HOST | APP_TAKES_WINDOW | APP_TAKES_OUTPUT,
	.check = requests_check,
	.answer = requests_answer,
};
