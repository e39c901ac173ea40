/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"

#include "analysis/kind/advice.h"
#include "analysis/causes/machines.h"
#include "base/base_error.h"

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
