/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"

static bool answer(struct app_session *s, GString *out, GError **error)
{
	struct qry_tracer_flows *leave_out = s->args->hide_tracer ? qry_tracer_flows_new(s->q, s->progress) : NULL;
	struct sync_hosts *hosts;
	bool whole;

	app_session_warn(s->q);
	hosts = qry_sync_new(s->q, leave_out, s->progress);
	whole = app_session_not_cancelled(s, error);
	if (whole)
		exp_sync(out, s->q, hosts, s->args->format);
	sync_hosts_unref(hosts);
	qry_tracer_flows_free(leave_out);
	return whole;
}

static bool run(const struct app_args *args, GError **error)
{
	return app_session_run(args, answer, error);
}

const struct app_command app_sync = {
	.name = "sync",
	.operands = "TRACE...",
	.summary = "How the clocks of several hosts differ, from the packets they exchanged; the first one is the reference.",
	.options = APP_TAKES_TRACER | APP_TAKES_OUTPUT,
	.run = run,
};
