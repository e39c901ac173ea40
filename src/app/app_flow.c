/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"

#include "base/base_error.h"

static bool flow_answer(struct app_session *s, GString *out, GError **error)
{
	g_autoptr(GArray) rows = NULL;
	struct exp_options *o = &s->options;
	uint32_t host = MDL_NONE;

	if ((s->args->host && !qry_find_host(s->q, s->args->host, &host, error)) ||
		!app_session_window(s, MDL_NONE, &o->from, &o->to, error))
		return false;
	app_session_warn(s->q);
	rows = exp_flow_rows(s->q, o, host);
	if (rows->len > 0)
		return app_session_write(s, rows, out, error);
	return base_error_false(error, BASE_ERROR_NO_ANSWER,
		"nothing is known to have run in that window: choose --from and --to within the trace, which \"wakepath info\" tells");
}

const struct app_command app_flow = {
	.name = "flow",
	.operands = "TRACE... [--host H]",
	.summary = "Draw the control flow of a window as a picture, or write it for Perfetto.",
	.examples =
		"  wakepath flow sample-traces/rpc-chain --from +6s --to +6.1s -o window.svg\n"
		"  wakepath flow sample-traces/rpc-chain --from +6s --to +6.1s --format perfetto -o window.json\n",
	.options = APP_TAKES_HOST | APP_TAKES_WINDOW | APP_TAKES_TRACER | APP_TAKES_OUTPUT,
	.answer = flow_answer,
};
