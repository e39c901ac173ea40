/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"

#include "base/base_error.h"

static bool answer(struct app_session *s, GString *out, GError **error)
{
	g_autoptr(GArray) exchanges = NULL;
	struct exp_options *o = &s->options;
	uint32_t host = MDL_NONE;

	if ((s->args->thread && !app_session_thread(s, &o->row, error)) ||
		(s->args->host && !qry_find_host(s->q, s->args->host, &host, error)) ||
		!app_session_instants(s, o->row, &o->from, &o->to, error))
		return false;
	exchanges = o->row == MDL_NONE ? ana_exchange_list_all(s->q, host, o->from, o->to, s->progress)
				       : ana_exchange_list(s->q, o->row, o->from, o->to, s->progress);
	if (!exchanges)
		return app_session_not_cancelled(s, error);
	app_session_warn(s->q);
	return app_session_write(s, exchanges, out, error);
}

static bool run(const struct app_args *args, GError **error)
{
	if (args->thread && args->host) {
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_USAGE,
			"a thread is of one host: type --thread HOST/T, without --host");
		return false;
	}
	return app_session_run(args, answer, error);
}

const struct app_command app_requests = {
	.name = "requests",
	.operands = "TRACE... [--thread T | --host H]",
	.summary =
		"What was asked over the net, by all or by one thread, or of it: each request with its reply, and who was at the other end.",
	.options = APP_TAKES_THREAD | APP_TAKES_HOST | APP_TAKES_WINDOW | APP_TAKES_OUTPUT,
	.run = run,
};
