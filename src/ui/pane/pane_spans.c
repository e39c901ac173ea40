/* SPDX-License-Identifier: MIT */
/* Phases and states of programs, of all threads or of the selected one; "@" shows them above the threads. */
#include "ui/pane/pane.h"

#include "table/table.h"
#include "ui/widget/list_pane.h"

/* As the query of the user would be. */
#define ABOVE "SELECT ts, dur, name, utid FROM span"

enum { OF_ALL, OF_THREAD, SCOPES };
static const char *const scopes[SCOPES] = { "all", "thread" },
			 *const said[SCOPES] = { "spans of all threads", "spans of the selected thread" };

static const char *ask(const struct list *l, struct table_question *q)
{
	const struct qry_row *row = q->row == MDL_NONE ? NULL : qry_row(l->pane.shell->q, q->row);

	q->hide_tracer = l->pane.shell->hide_tracer;
	if (l->scope == OF_ALL)
		q->row = MDL_NONE;
	return l->scope == OF_ALL || (row && row->type == MDL_ROW_THREAD)
		? NULL
		: "this row is not a thread: select one to see its spans";
}

static char *whose(const struct list *l)
{
	return l->scope == OF_ALL || l->row == MDL_NONE ? g_strdup("all threads")
							: qry_row_label(l->pane.shell->q, l->row);
}

static bool command(struct list *l, enum ui_command command)
{
	if (command != UI_CMD_PIN || !l->pane.shown || !ui_pane_focused(&l->pane))
		return false;
	ui_shell_lead(l->pane.shell,
		UI_LEAD(SPANS, .label = ABOVE, .row = MDL_NONE, .from = l->asked.from, .to = l->asked.to));
	return true;
}

static const struct list_kind kind = {
	.table = &table_spans,
	.title = "Spans of programs",
	.narrow = "Spans",
	.columns = "from duration subject name key? source? depth?",
	.none = "no span began here: programs write B|PID|NAME and E|PID to trace_marker, --spans declares others",
	.scopes_said = said,
	.of_all = 1u << OF_ALL,
	.ask = ask,
	.whose = whose,
	.command = command,
};

static const struct ui_field fields[] = { LIST_FIELDS(scopes, SCOPES, NULL, 0), LIST_PLACES };

static const struct ui_hint hints[] = { { UI_CMD_ACTIVATE, "go there" }, { UI_CMD_PIN, "above threads" },
	{ UI_CMD_BACK, "back" }, { UI_CMD_SCOPE, "whose" }, LIST_HINTS };

const struct ui_pane_ops pane_spans = {
	LIST_HOOKS,
	.name = "spans",
	.show = UI_CMD_SPANS,
	.kind = &kind,
	.hints = hints,
	.fields = fields,
	.lines = 11,
};
