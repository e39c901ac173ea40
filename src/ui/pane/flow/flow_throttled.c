/* SPDX-License-Identifier: MIT */
/*
 * The throttled times in cells: a worker finds those of all threads once (analysis/cpu/throttled.c).  Until
 * then cells show them as preempted and wait-cpu.
 */
#include "ui/pane/flow/flow.h"

#include "analysis/cpu/cpuwait.h"

static void *find(struct qry *q, G_GNUC_UNUSED const void *question, struct base_progress *progress,
	GError **error)
{
	return ana_throttled_new(q, progress, error);
}

static void drop(void *answer)
{
	ana_throttled_unref(answer);
}

static void flow_throttled_taken(struct ui_pane *pane, void *answer, GError *error)
{
	struct flow *flow = (struct flow *)pane;

	if (error)
		ui_shell_take_error(pane->shell, error);
	if (!answer)
		return;
	ana_throttled_use(pane->shell->q, answer);
	g_clear_pointer(&flow->cells, g_free); /* flow_draw() fetches them again */
}

static const struct ask_kind flow_throttled_kind = { .size = sizeof(char),
	.answer = find,
	.free = drop,
	.taken = flow_throttled_taken };

void flow_throttled_ask(struct flow *flow)
{
	struct ui_shell *shell = flow->pane.shell;

	if (flow->throttled_asked || ana_throttled_is_known(shell->q))
		return;
	flow->throttled_asked = true;
	if (!flow->throttled_worker)
		flow->throttled_worker = ask_worker_new(shell->q, &flow_throttled_kind);
	ask_worker_ask(flow->throttled_worker, "");
}
