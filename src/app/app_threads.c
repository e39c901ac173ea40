/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"

static bool answer(struct app_session *s, GString *out, GError **error)
{
	app_session_warn(s->q);
	return app_session_write(s, NULL, out, error);
}

const struct app_command app_threads = {
	.name = "threads",
	.operands = "TRACE...",
	.summary = "All threads, with the time each spent in each state.",
	.options = APP_TAKES_TRACER | APP_TAKES_OUTPUT,
	.answer = answer,
};
