/* SPDX-License-Identifier: MIT */
/* Phases and states of programs, for all threads or the selected one; "@" shows them above the threads. */
#include "ui/pane/pane.h"

#include "table/table.h"
#include "ui/widget/list_pane.h"

/* If the user types this query, it shows and hides the same spans, so the text must not differ. */
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

static const char *name_of(const struct list *l, guint row)
{
	return list_rows_cell(l->part->rows, row, list_rows_find(l->part->rows, "name"))->word;
}

/* Select the next (BY 1) or previous (BY -1) row whose span has the name of ROW's. */
static void step(struct list *l, guint row, int by)
{
	for (int i = (int)l->view.line + by; i >= 0 && i < (int)l->order->len; i += by)
		if (!g_strcmp0(name_of(l, g_array_index(l->order, guint, i)), name_of(l, row))) {
			l->view.line = (unsigned)i;
			return;
		}
	ui_shell_message(l->pane.shell, "there is no other %s %s this", name_of(l, row),
		by > 0 ? "below" : "above");
}

static bool command(struct list *l, enum ui_command command)
{
	const struct table_place *place;
	guint row;

	if (!l->pane.shown || !ui_pane_focused(&l->pane))
		return false;
	if (list_selected(l, &row)) {
		place = list_rows_place(l->part->rows, row);
		if (command == UI_CMD_CHANGE_NEXT || command == UI_CMD_CHANGE_PREV) {
			step(l, row, command == UI_CMD_CHANGE_NEXT ? 1 : -1);
			return true;
		}
		if (command == UI_CMD_COMPARE) /* before an error of the comparison */
			list_tell_all(l);
		if (span_command(&l->pane, command, place->row, place->from, place->to, name_of(l, row)))
			return true;
	}
	if (command != UI_CMD_PIN)
		return false;
	ui_shell_lead(l->pane.shell,
		UI_LEAD(SPANS, .label = ABOVE, .row = MDL_NONE, .from = l->asked.from, .to = l->asked.to));
	return true;
}

static const struct list_kind kind = {
	.table = &table_spans,
	.title = "Spans of programs",
	.narrow = "Spans",
	.columns = "from duration subject name key? cause source? depth?",
	.sort = "duration",
	.none = "no span began here: programs write B|PID|NAME and E|PID to trace_marker, --spans declares others",
	.scopes_said = said,
	.of_all = 1u << OF_ALL,
	.ask = ask,
	.whose = whose,
	.command = command,
};

static const struct ui_field fields[] = { LIST_FIELDS(scopes, SCOPES, NULL, 0), LIST_PLACES };

static const struct ui_hint hints[] = { { UI_CMD_ACTIVATE, "go there" }, SPAN_HINTS,
	{ UI_CMD_PIN, "above threads" }, { UI_CMD_BACK, "back" }, { UI_CMD_SCOPE, "whose" }, LIST_HINTS };

const struct ui_pane_ops pane_spans = {
	LIST_HOOKS,
	.name = "spans",
	.show = UI_CMD_SPANS,
	.kind = &kind,
	.hints = hints,
	.fields = fields,
	.lines = 11,
};
