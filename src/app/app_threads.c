/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"

static bool threads_answer(struct app_session *s, GString *out, GError **error)
{
	app_session_warn(s->q);
	return app_session_write(s, NULL, out, error);
}

const struct app_command app_threads = {
	.name = "threads",
	.operands = "TRACE...",
	.summary = "List all threads, with the time of each in each state.",
	.examples = "  wakepath threads sample-traces/pipeline\n"
		    "  wakepath threads sample-traces/rpc-chain --hide-tracer\n",
	.options = APP_TAKES_TRACER | APP_TAKES_OUTPUT,
	.answer = threads_answer,
};
