/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"

#include "base/base_error.h"

static bool wakeups_answer(struct app_session *s, GString *out, GError **error)
{
	struct exp_options *o = &s->options;

	if (!(s->args->vcpu ? app_session_vcpu(s, &o->row, error) : app_session_thread(s, &o->row, error)) ||
		!app_session_instants(s, o->row, &o->from, &o->to, error))
		return false;
	app_session_warn(s->q);
	return app_session_write(s, NULL, out, error);
}

static bool wakeups_check(const struct app_args *args, GError **error)
{
	if (args->thread && args->vcpu)
		return base_error_false(error, BASE_ERROR_USAGE,
			"wake-ups of whom? Type one of --thread T, --vcpu T");
	return args->vcpu || app_session_needs_thread(args, error);
}

const struct app_command app_wakeups = {
	.name = "wakeups",
	.operands = "TRACE... (--thread T | --vcpu T)",
	.summary = "List the waits of a thread, and who or what ended each.",
	.examples = "  wakepath wakeups sample-traces/ioburst-ipi --thread wk-ioburst\n"
		    "  wakepath wakeups sample-traces/vm-preempt --vcpu 453\n",
	.options = APP_TAKES_THREAD | APP_TAKES_VCPU | APP_TAKES_WINDOW | APP_TAKES_OUTPUT,
	.check = wakeups_check,
	.answer = wakeups_answer,
};
