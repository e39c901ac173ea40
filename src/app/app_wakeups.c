/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"

static bool answer(struct app_session *s, GString *out, GError **error)
{
	int64_t from, to;
	uint32_t row;

	if (!app_session_thread(s, &row, error) || !app_session_instants(s, row, &from, &to, error))
		return false;
	app_session_warn(s->q);
	return exp_wakeups(out, s->q, row, from, to, s->args->format, s->progress, error);
}

static bool run(const struct app_args *args, GError **error)
{
	return app_session_needs_thread(args, error) && app_session_run(args, answer, error);
}

const struct app_command app_wakeups = {
	.name = "wakeups",
	.operands = "TRACE... --thread T",
	.summary = "Every end of a wait of a thread, and who or what ended it.",
	.options = APP_TAKES_THREAD | APP_TAKES_WINDOW | APP_TAKES_OUTPUT,
	.run = run,
};
