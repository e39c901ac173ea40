/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"

static bool path_answer(struct app_session *s, GString *out, GError **error)
{
	struct ana_path *path;
	struct exp_options *o = &s->options;
	bool fine;

	if (!app_session_thread(s, &o->row, error) || !app_session_window(s, o->row, &o->from, &o->to, error))
		return false;
	path = ana_path_new(s->q, o->row, o->from, o->to, s->progress, error);
	if (!path)
		return false;
	app_session_warn(s->q);
	fine = app_session_write(s, path, out, error);
	ana_path_free(path);
	return fine;
}

const struct app_command app_path = {
	.name = "path",
	.operands = "TRACE... --thread T",
	.summary = "Print the critical path of a thread: what it really waited for.",
	.examples = "  wakepath path sample-traces/pipeline --thread wk-pipe-main --from +413ms --to +446ms\n"
		    "  wakepath path sample-traces/rpc-chain --thread wk-client\n",
	.options = APP_TAKES_THREAD | APP_TAKES_WINDOW | APP_TAKES_OUTPUT,
	.check = app_session_needs_thread,
	.answer = path_answer,
};
