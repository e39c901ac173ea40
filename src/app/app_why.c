/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"

#include "analysis/account/account.h"
#include "base/base_error.h"
#include "base/base_time.h"

/* The wait in which the thread stands at --at. */
static bool find_wait(struct app_session *s, GError **error)
{
	struct exp_options *o = &s->options;
	int64_t from, to, time;
	g_autofree char *label = NULL;

	qry_span(s->q, &from, &to);
	if (!base_time_parse(s->args->at, from, to, &time, error))
		return false;
	if (ana_account_wait(s->q, o->row, time, &o->from, &o->to))
		return true;
	label = qry_row_label(s->q, o->row);
	return base_error_false(error, BASE_ERROR_NO_ANSWER,
		"%s does not wait at that time: type --from and --to for the account of a time", label);
}

static bool why_answer(struct app_session *s, GString *out, GError **error)
{
	struct exp_options *o = &s->options;

	if (!app_session_thread(s, &o->row, error) ||
		!(s->args->at ? find_wait(s, error) : app_session_window(s, o->row, &o->from, &o->to, error)))
		return false;
	app_session_warn(s->q);
	if (!app_session_write(s, NULL, out, error))
		return false;
	app_session_warn(s->q); /* of programs' files */
	return app_session_not_cancelled(s, error);
}

static bool why_check(const struct app_args *args, GError **error)
{
	if (args->at && (args->from || args->to))
		return base_error_false(error, BASE_ERROR_USAGE,
			"why: --at names a wait, --from and --to a time: type one of them");
	return app_session_needs_thread(args, error);
}

const struct app_command app_why = {
	.name = "why",
	.operands = "TRACE... --thread T",
	.summary =
		"Print the account of a thread's time: what it did, what it waited for, and who caused that.",
	.examples = "  wakepath why sample-traces/preempt --thread wk-victim\n"
		    "  wakepath why sample-traces/pipeline --thread wk-pipe-main --from +413ms --to +446ms\n",
	.result = "account",
	.options = APP_TAKES_KALLSYMS | APP_TAKES_SYMFS | APP_TAKES_THREAD | APP_TAKES_AT | APP_TAKES_WINDOW |
		APP_TAKES_OUTPUT,
	.check = why_check,
	.answer = why_answer,
};
