/* SPDX-License-Identifier: MIT */
/* Commands about threads: threads, states, wakeups, path, why. */
#include "app/app_args.h"
#include "app/app_session.h"

#include "analysis/account/account.h"
#include "base/base_error.h"
#include "base/base_time.h"

static bool threads_answer(struct app_session *s, GString *out, GError **error)
{
	app_session_warn(s->q);
	return app_session_write(s, NULL, out, error);
}

const struct app_command app_threads = {
	.name = "threads",
	.operands = "TRACE...",
	.summary = "List all threads, with the time of each in each state.",
	.examples = "  wakepath threads sample-traces/pipeline\n"
		    "  wakepath threads sample-traces/rpc-chain --hide-tracer\n",
	.options = APP_TAKES_TRACER | APP_TAKES_DECLARED | APP_TAKES_OUTPUT,
	.answer = threads_answer,
};

/* Set *ROW to the row that --thread, --cpu, --irq, --device or --vcpu names.  False with an error. */
static bool states_find_row(const struct app_session *s, uint32_t *row, GError **error)
{
	const struct app_args *a = s->args;

	if (a->cpu)
		return qry_find_line(s->q, MDL_ROW_CPU, a->cpu, row, error);
	if (a->irq)
		return qry_find_line(s->q, MDL_ROW_IRQ, a->irq, row, error);
	if (a->device)
		return qry_find_device(s->q, a->device, row, error);
	if (a->vcpu)
		return app_session_vcpu(s, row, error);
	return app_session_thread(s, row, error);
}

static bool states_answer(struct app_session *s, GString *out, GError **error)
{
	struct exp_options *o = &s->options;

	if (!states_find_row(s, &o->row, error) || !app_session_window(s, o->row, &o->from, &o->to, error))
		return false;
	app_session_warn(s->q);
	return app_session_write(s, NULL, out, error);
}

static bool states_check(const struct app_args *args, GError **error)
{
	if (!!args->thread + !!args->cpu + !!args->irq + !!args->device + !!args->vcpu == 1)
		return true;
	return base_error_false(error, BASE_ERROR_USAGE,
		"states are those of one row: type one of --thread T, --cpu N, --irq N, --device NAME, --vcpu T");
}

const struct app_command app_states = {
	.name = "states",
	.operands =
		"TRACE... (--thread T | --cpu [HOST/]N | --irq [HOST/]N | --device [HOST/]NAME | --vcpu T)",
	.summary =
		"Print the states of a thread, CPU, interrupt line, block device or virtual CPU, interval by interval.",
	.examples = "  wakepath states sample-traces/pipeline --thread wk-stage0\n"
		    "  wakepath states sample-traces/ioburst-ipi --cpu 0\n"
		    "  wakepath states sample-traces/ioburst-ipi --device vdb\n",
	.options = APP_TAKES_THREAD | APP_TAKES_LINE | APP_TAKES_VCPU | APP_TAKES_WINDOW | APP_TAKES_OUTPUT,
	.check = states_check,
	.answer = states_answer,
};

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
			"wake-ups are those of one thread: type --thread T or --vcpu T");
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

static bool path_answer(struct app_session *s, GString *out, GError **error)
{
	struct ana_path *path;
	struct exp_options *o = &s->options;
	bool fine;

	if (!app_session_thread(s, &o->row, error) || !app_session_window(s, o->row, &o->from, &o->to, error))
		return false;
	/* Without --from or --to the path covers the life of the thread, which ends with its exit. */
	path = ana_path_new(s->q, o->row, s->args->from ? o->from : BASE_TIME_NONE,
		s->args->to ? o->to : BASE_TIME_NONE, s->progress, error);
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

/* Set the window to the thread's wait at --at.  False with an error. */
static bool find_wait(struct app_session *s, GError **error)
{
	struct exp_options *o = &s->options;
	int64_t from, to, time;
	g_autofree char *label = NULL;

	qry_span(s->q, &from, &to);
	if (!base_time_parse_inside(s->args->at, from, to, &time, error))
		return false;
	if (ana_account_wait(s->q, o->row, time, &o->from, &o->to))
		return true;
	label = qry_row_label(s->q, o->row);
	return base_error_false(error, BASE_ERROR_NO_ANSWER,
		"%s does not wait at that time: type --from and --to for the account of a time", label);
}

/* Without --to end the window with the thread's life: the time until it is reaped belongs to nobody. */
static void end_with_life(struct app_session *s)
{
	int64_t end = qry_life_end(s->q, s->options.row);

	if (!s->args->to && s->options.from < end)
		s->options.to = MIN(s->options.to, end);
}

static bool why_answer(struct app_session *s, GString *out, GError **error)
{
	struct exp_options *o = &s->options;
	struct ana_story *story;
	bool fine;

	if (!app_session_thread(s, &o->row, error) ||
		!(s->args->at ? find_wait(s, error) : app_session_window(s, o->row, &o->from, &o->to, error)))
		return false;
	if (!s->args->at)
		end_with_life(s);
	app_session_warn(s->q);
	story = s->args->story ? ana_story_new(s->q, o->row, o->from, o->to, s->progress, error) : NULL;
	fine = (story || !s->args->story) && app_session_write(s, story, out, error);
	ana_story_free(story);
	if (!fine)
		return false;
	app_session_warn(s->q); /* warnings about the files of programs */
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
		    "  wakepath why sample-traces/pipeline --thread wk-pipe-main --from +413ms --to +446ms\n"
		    "  wakepath why sample-traces/preempt --thread wk-victim --story\n",
	.result = "account",
	.options = APP_TAKES_KALLSYMS | APP_TAKES_SYMFS | APP_TAKES_THREAD | APP_TAKES_AT | APP_TAKES_WINDOW |
		APP_TAKES_OUTPUT,
	.check = why_check,
	.answer = why_answer,
};
