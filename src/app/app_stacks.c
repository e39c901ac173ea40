/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"

#include "analysis/stacks/stacks.h"
#include "base/base_error.h"

static bool read_of(const struct app_args *args, enum ana_stacks_of *of, GError **error)
{
	bool waker = g_strcmp0(args->of, "waker") == 0;

	*of = waker ? ANA_STACKS_WAKER : ANA_STACKS_SLEEPER;
	if (!args->of || waker || g_str_equal(args->of, "sleeper"))
		return true;
	return base_error_false(error, BASE_ERROR_USAGE, "stacks of whom? type --of sleeper or --of waker");
}

/* A trace without stacks has no answer; FOUND: it has. */
static bool check_found(const struct ana_stacks *stacks, GError **error)
{
	if (stacks->with > 0 || stacks->without == 0)
		return true;
	return base_error_false(error, BASE_ERROR_NO_ANSWER, "no stacks were recorded: %s",
		ana_stacks_advice());
}

static bool stacks_answer(struct app_session *s, GString *out, GError **error)
{
	struct ana_stacks_options o = { .row = MDL_NONE, .hide_tracer = s->args->hide_tracer };
	struct ana_stacks *stacks;
	bool fine;

	if (!read_of(s->args, &o.of, error) || (s->args->thread && !app_session_thread(s, &o.row, error)) ||
		!app_session_needs_switches(s, o.row, error) ||
		!app_session_window(s, o.row, &o.from, &o.to, error))
		return false;
	stacks = ana_stacks_new(s->q, &o, s->progress, error);
	if (!stacks)
		return false;
	app_session_warn(s->q);
	fine = check_found(stacks, error) && app_session_write(s, stacks, out, error);
	ana_stacks_free(stacks);
	return fine;
}

static bool stacks_check(const struct app_args *args, GError **error)
{
	enum ana_stacks_of of;

	return read_of(args, &of, error);
}

const struct app_command app_stacks = {
	.name = "stacks",
	.operands = "TRACE...",
	.summary = "Print in which calls threads were blocked, and for how long; also for flame graphs.",
	.examples = "  wakepath stacks sample-traces/offcpu-stacks --thread wk-ioburst\n"
		    "  wakepath stacks sample-traces/offcpu-stacks --format folded\n",
	.options = APP_TAKES_STACKS | APP_TAKES_KALLSYMS | APP_TAKES_SYMFS | APP_TAKES_THREAD |
		APP_TAKES_WINDOW | APP_TAKES_TRACER | APP_TAKES_TOP | APP_TAKES_OUTPUT,
	.check = stacks_check,
	.answer = stacks_answer,
};
