/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"

static bool answer(struct app_session *s, GString *out, GError **error)
{
	struct exp_options *o = &s->options;

	if (!app_session_thread(s, &o->row, error) ||
		!app_session_instants(s, o->row, &o->from, &o->to, error))
		return false;
	app_session_warn(s->q);
	return app_session_write(s, NULL, out, error);
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
