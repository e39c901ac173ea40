/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"

static bool answer(struct app_session *s, GString *out, GError **error)
{
	(void)error;
	exp_info(out, s->q, s->args->format);
	return true;
}

static bool run(const struct app_args *args, GError **error)
{
	return app_session_run(args, answer, error);
}

const struct app_command app_info = {
	.name = "info",
	.operands = "TRACE...",
	.summary = "What the traces and their indexes hold: hosts, span, events, what is missing.",
	.options = APP_TAKES_OUTPUT,
	.run = run,
};
