/* SPDX-License-Identifier: MIT */
/* Commands about all threads of a window: flow, machines, requests, stacks, causes. */
#include "app/app_args.h"
#include "app/app_session.h"

#include "analysis/causes/machines.h"
#include "analysis/kind/advice.h"
#include "analysis/latency/program.h"
#include "analysis/request/request.h"
#include "analysis/stacks/stacks.h"
#include "base/base_error.h"
#include "base/base_search.h"

static bool flow_answer(struct app_session *s, GString *out, GError **error)
{
	g_autoptr(GArray) rows = NULL;
	struct exp_options *o = &s->options;
	uint32_t host = MDL_NONE;

	if ((s->args->host && !qry_find_host(s->q, s->args->host, &host, error)) ||
		!app_session_window(s, MDL_NONE, &o->from, &o->to, error))
		return false;
	app_session_warn(s->q);
	rows = exp_flow_rows(s->q, o, host);
	if (rows->len > 0)
		return app_session_write(s, rows, out, error);
	return base_error_false(error, BASE_ERROR_NO_ANSWER,
		"no thread ran in that window: choose --from and --to within the trace (\"wakepath info\" prints its times)");
}

const struct app_command app_flow = {
	.name = "flow",
	.operands = "TRACE... [--host H]",
	.summary = "Draw the control flow of a window as a picture, or write it for Perfetto.",
	.examples =
		"  wakepath flow sample-traces/rpc-chain --from +6s --to +6.1s -o window.svg\n"
		"  wakepath flow sample-traces/rpc-chain --from +6s --to +6.1s --format perfetto -o window.json\n",
	.options = APP_TAKES_HOST | APP_TAKES_WINDOW | APP_TAKES_TRACER | APP_TAKES_OUTPUT,
	.answer = flow_answer,
};

static bool machines_answer(struct app_session *s, GString *out, GError **error)
{
	struct exp_options *o = &s->options;
	g_autoptr(GArray) machines = NULL;

	if (!app_session_window(s, MDL_NONE, &o->from, &o->to, error))
		return false;
	machines = ana_machines_new(s->q, o->from, o->to, s->progress);
	if (!machines)
		return app_session_not_cancelled(s, error);
	app_session_warn(s->q);
	if (machines->len > 0)
		return app_session_write(s, machines, out, error);
	return base_error_false(error, BASE_ERROR_NO_ANSWER,
		"no virtual machine ran in that window, or kvm_entry and kvm_exit were not recorded: record "
		"the host with %s",
		ana_advice_machines(s->q, 0));
}

const struct app_command app_machines = {
	.name = "machines",
	.operands = "TRACE...",
	.summary =
		"Print virtual machines as their host saw them: exits, who took the CPU, what ended halts.",
	.examples = "  wakepath machines sample-traces/vm-preempt\n"
		    "  wakepath machines sample-traces/vm-preempt/host --from +3s --to +4s\n",
	.options = APP_TAKES_WINDOW | APP_TAKES_TOP | APP_TAKES_OUTPUT,
	.answer = machines_answer,
};

static int compare_longest(const void *a, const void *b)
{
	const struct ana_request *x = a, *y = b;

	return BASE_ORDER(y->x.to - y->x.from, x->x.to - x->x.from) ?: BASE_BY(x, y, x.from);
}

/* False if REQUESTS is empty because packets were not recorded, on the host of the thread or on HOST
 * (MDL_NONE: any).  The error names the missing events. */
static bool requests_exist(const struct app_session *s, const GArray *requests, uint32_t host, GError **error)
{
	uint32_t row = s->options.row;
	g_autoptr(GString) text = g_string_new(NULL);

	host = row == MDL_NONE ? host : qry_row(s->q, row)->host;
	for (uint32_t i = 0; requests->len == 0 && i < qry_host_count(s->q); i++) {
		const char *missing = host == MDL_NONE || host == i ? ana_advice_packets(s->q, i) : NULL;

		if (missing)
			g_string_append_printf(text, "%s%s, not recorded on %s", text->len ? "; " : "",
				missing, qry_host(s->q, i)->name);
	}
	return text->len == 0 ||
		base_error_false(error, BASE_ERROR_NO_ANSWER, "requests are unknown without %s", text->str);
}

static bool requests_answer(struct app_session *s, GString *out, GError **error)
{
	g_autoptr(GArray) requests = NULL;
	struct exp_options *o = &s->options;
	uint32_t host = MDL_NONE;

	if ((s->args->thread && !app_session_thread(s, &o->row, error)) ||
		(s->args->host && !qry_find_host(s->q, s->args->host, &host, error)) ||
		!app_session_instants(s, o->row, &o->from, &o->to, error))
		return false;
	requests = ana_request_list(s->q, o->row, host, o->from, o->to, s->progress);
	if (!requests)
		return app_session_not_cancelled(s, error);
	if (s->args->top)
		g_array_sort(requests, compare_longest);
	if (s->args->top && requests->len > (guint)s->args->top)
		g_array_set_size(requests, (guint)s->args->top);
	for (guint i = 0; i < requests->len; i++)
		if (!ana_request_sum(s->q, &g_array_index(requests, struct ana_request, i), s->progress,
			    error))
			return false;
	app_session_warn(s->q);
	return app_session_write(s, requests, out, error) && requests_exist(s, requests, host, error);
}

static bool requests_check(const struct app_args *args, GError **error)
{
	if (args->thread && args->host)
		return base_error_false(error, BASE_ERROR_USAGE,
			"--thread and --host exclude each other: type --thread HOST/T");
	return true;
}

const struct app_command app_requests = {
	.name = "requests",
	.operands = "TRACE... [--thread T | --host H]",
	.summary = "List the requests over the net, with their replies and both ends.",
	.examples = "  wakepath requests sample-traces/rpc-chain --thread wk-client\n"
		    "  wakepath requests sample-traces/rpc-chain --top 5\n",
	.options = APP_TAKES_LONGEST | APP_TAKES_THREAD | APP_TAKES_HOST | APP_TAKES_WINDOW |
		APP_TAKES_OUTPUT,
	.check = requests_check,
	.answer = requests_answer,
};

static bool spans_answer(struct app_session *s, GString *out, GError **error)
{
	struct exp_options *o = &s->options;

	struct qry_spans unused;

	o->kind = s->args->name;
	if ((s->args->thread && !app_session_thread(s, &o->row, error)) ||
		!app_session_instants(s, o->row, &o->from, &o->to, error) ||
		!ana_program_open(s->q, o->kind, &unused, s->progress, error))
		return false;
	app_session_warn(s->q);
	return app_session_write(s, NULL, out, error);
}

const struct app_command app_spans = {
	.name = "spans",
	.operands = "TRACE... [--name NAME] [--thread T]",
	.summary = "List the phases of programs, by their marks and probes.",
	.examples = "  wakepath spans sample-traces/pipeline\n"
		    "  wakepath spans sample-traces/rpc-chain --thread wk-client\n",
	.options = APP_TAKES_SPANS | APP_TAKES_THREAD | APP_TAKES_WINDOW | APP_TAKES_TRACER |
		APP_TAKES_OUTPUT,
	.answer = spans_answer,
};

static bool read_of(const struct app_args *args, enum ana_stacks_of *of, GError **error)
{
	*of = args->on_cpu ? ANA_STACKS_CPU : ANA_STACKS_SLEEPER;
	if (!args->of)
		return true;
	for (*of = 0; *of < ANA_STACKS_N; ++*of)
		if (g_str_equal(args->of, ana_stacks_of_name(*of)) &&
			(!args->on_cpu || *of == ANA_STACKS_CPU))
			return true;
	return base_error_false(error, BASE_ERROR_USAGE,
		"--of takes sleeper, waker or cpu; --on-cpu is --of cpu");
}

static bool stacks_answer(struct app_session *s, GString *out, GError **error)
{
	struct ana_stacks_options o = { .row = MDL_NONE, .hide_tracer = s->args->hide_tracer };
	struct ana_stacks *stacks;
	bool fine = false;

	if (!read_of(s->args, &o.of, error) || (s->args->thread && !app_session_thread(s, &o.row, error)) ||
		!app_session_needs_switches(s, o.row, error) ||
		!app_session_window(s, o.row, &o.from, &o.to, error))
		return false;
	stacks = ana_stacks_new(s->q, &o, s->progress, error);
	if (!stacks)
		return false;
	app_session_warn(s->q);
	if (stacks->with == 0 && (stacks->without > 0 || o.of == ANA_STACKS_CPU))
		g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER, "no stacks%s were recorded: %s",
			o.of == ANA_STACKS_CPU ? " of running threads" : "", ana_stacks_advice(o.of));
	else
		fine = app_session_write(s, stacks, out, error);
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
	.summary =
		"Print in which calls threads were blocked, or ran, and for how long; also for flame graphs.",
	.examples = "  wakepath stacks sample-traces/offcpu-stacks --thread wk-ioburst\n"
		    "  wakepath stacks sample-traces/offcpu-stacks --format folded\n",
	.options = APP_TAKES_STACKS | APP_TAKES_KALLSYMS | APP_TAKES_SYMFS | APP_TAKES_THREAD |
		APP_TAKES_WINDOW | APP_TAKES_TRACER | APP_TAKES_TOP | APP_TAKES_OUTPUT,
	.check = stacks_check,
	.answer = stacks_answer,
};

/* Begin the causes that the options of S select.  NULL with an error. */
static struct ana_causes *causes_begin(struct app_session *s, GError **error)
{
	struct exp_options *o = &s->options;
	struct ana_causes_asked asked = { .hide_tracer = s->args->hide_tracer,
		.user_threads = s->args->user_threads };

	if (!ana_causes_by_parse(s->args->by, &asked.by, error) ||
		(s->args->thread ? !app_session_thread(s, &o->row, error)
				 : !app_session_needs_switches(s, o->row, error)) ||
		!app_session_window(s, o->row, &o->from, &o->to, error))
		return NULL;
	asked.row = o->row;
	asked.from = o->from;
	asked.to = o->to;
	return ana_causes_asked(s->q, &asked);
}

/* An app_against_measure; causes have no kinds. */
static struct ana_latency *causes_measure(struct app_session *s, G_GNUC_UNUSED const char *kind,
	int64_t *length, GError **error)
{
	struct ana_causes *causes = causes_begin(s, error);
	struct ana_latency *l = NULL;

	if (!causes)
		return NULL;
	ana_causes_keep_values(causes);
	*length = s->options.to - s->options.from;
	if (ana_causes_finish(causes, s->progress, error))
		l = ana_causes_measured(causes);
	ana_causes_free(causes);
	return l;
}

static bool causes_answer(struct app_session *s, GString *out, GError **error)
{
	struct ana_causes *causes;
	bool ok;

	if (app_args_is_against(s->args)) {
		app_session_warn(s->q);
		return app_against_one(s, NULL, causes_measure, out, error);
	}
	causes = causes_begin(s, error);
	if (causes)
		app_session_warn(s->q);
	ok = causes && ana_causes_finish(causes, s->progress, error);
	if (ok)
		app_session_warn(s->q); /* warnings that they cannot be stored */
	ok = ok && app_session_write(s, ana_causes_entries(causes), out, error);
	ana_causes_free(causes);
	return ok;
}

static bool causes_check(const struct app_args *args, GError **error)
{
	enum ana_causes_by by;

	return ana_causes_by_parse(args->by, &by, error);
}

const struct app_command app_causes = {
	.name = "causes",
	.operands = "TRACE...",
	.summary = "List what a thread, or all threads together, waited for most.",
	.examples = "  wakepath causes sample-traces/pipeline\n"
		    "  wakepath causes sample-traces/preempt --thread wk-victim\n"
		    "  wakepath causes sample-traces/pipeline --against sample-traces/preempt\n",
	.options = APP_TAKES_KALLSYMS | APP_TAKES_TOP | APP_TAKES_BY | APP_TAKES_AGAINST | APP_TAKES_TRACER |
		APP_TAKES_THREAD | APP_TAKES_WINDOW | APP_TAKES_OUTPUT,
	.check = causes_check,
	.answer = causes_answer,
};
