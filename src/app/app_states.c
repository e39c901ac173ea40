/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"

#include "base/base_error.h"

/* The row that one of --thread, --cpu, --irq, --device and --vcpu names. */
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
		"states of what? Type one of --thread T, --cpu N, --irq N, --device NAME, --vcpu T");
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
