/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_open.h"

#include "ui/core/ui.h"
#include "ui/pane/pane.h"

/* What the explorer's opening thread needs, and what it leaves to be freed. */
struct opening {
	const struct app_args *args;	/* weak */
	struct qry *q;			/* owned */
	char *note;			/* owned; NULL: nothing to tell */
};

static bool open_experiment(void *context, struct base_progress *progress, struct ui_opened *opened, GError **error)
{
	struct opening *o = context;
	struct ing_options options = { .index_dir = o->args->index_dir, .jobs = (unsigned)o->args->jobs };
	struct app_clocks clocks = { .sync = o->args->sync };
	GPtrArray *results;

	o->q = app_open(o->args->traces, &options, &clocks, progress, &results, error);
	if (!o->q)
		return false;
	for (guint i = 0; i < results->len && !o->note; i++)
		o->note = app_open_replaced(g_ptr_array_index(results, i));
	g_ptr_array_unref(results);
	opened->note = o->note;
	opened->q = o->q;
	qry_span(o->q, &opened->from, &opened->to);
	return true;
}

static bool run(const struct app_args *args, GError **error)
{
	struct opening opening = { .args = args };
	struct ui_options options = {
		.goto_text = args->goto_text,
		.thread = args->thread,
		.theme = args->theme,
		.keys = args->keys,
		.script = args->script,
		.ascii = args->ascii,
		.show_tracer = args->show_tracer,
		.panes = pane_all,
		.open = open_experiment,
		.context = &opening,
	};
	int status = ui_run(&options, error);

	if (opening.q)
		qry_free(opening.q);
	g_free(opening.note);
	return status == 0;
}

const struct app_command app_view = {
	.name = "view",
	.operands = "TRACE...",
	.summary = "The explorer: what every thread did, and what it waited for.",
	.options = APP_TAKES_VIEW | APP_TAKES_TRACER | APP_TAKES_THREAD,
	.run = run,
};
