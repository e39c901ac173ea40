/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"

#include "query/clock/clock.h"

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
