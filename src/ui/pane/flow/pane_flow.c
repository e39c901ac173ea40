/* SPDX-License-Identifier: MIT */
/*
 * The control flow: what every row did, in the tree host → process → thread,
 * time to the right.  This file moves about in the tree; flow_draw.c draws,
 * flow_rows.c keeps the tree, widget/state_look.c says how a cell looks.
 */
#include "ui/core/ui_argument.h"
#include "ui/pane/flow/flow.h"
#include "ui/pane/pane.h"

static unsigned line_count(const struct flow *flow)
{
	return flow->rows ? flow_rows_lines(flow->rows)->len : 0;
}

/* Make the selected line the shell's row and bring it into view. */
static void select_line(struct flow *flow, unsigned index)
{
	const struct flow_line *line;

	flow->view.line = MIN(index, MAX(line_count(flow), 1) - 1);
	line = flow_line_at(flow, flow->view.line);
	ui_shell_set_row(flow->pane.shell, line ? line->row : UI_NO_ROW);
	ui_shell_redraw(flow->pane.shell);
}

/* The tree has changed: find the row again; when it is gone, stay near. */
static void find_again(struct flow *flow)
{
	uint32_t row = flow->pane.shell->row;

	for (unsigned i = 0; row != UI_NO_ROW && i < line_count(flow); i++) {
		if (flow_line_at(flow, i)->row == row) {
			flow->view.line = i;
			return;
		}
	}
	select_line(flow, flow->view.line);
}

/* ---- hooks ---- */

static void flow_clear(struct ui_pane *pane)
{
	struct flow *flow = (struct flow *)pane;

	flow_rows_free(flow->rows);
	flow_over_clear(flow);
	g_free(flow->needle);
	g_free(flow->cells);
	g_free(flow->shown);
}

/* What is folded and filtered, where one looks, what was searched. */
static void flow_carry(struct ui_pane *pane, struct ui_pane *old_pane)
{
	struct flow *flow = (struct flow *)pane, *old = (struct flow *)old_pane;
	struct ui_shell *shell = pane->shell;

	if (!old->rows)
		return;
	flow->rows = flow_rows_new(shell->q, shell->hide_tracer);
	flow_rows_carry(flow->rows, old->rows, shell->from, shell->to);
	flow->view = old->view;
	flow->no_arrows = old->no_arrows;
	flow->needle = g_steal_pointer(&old->needle);
	flow->search_from = old->search_from;
	find_again(flow);
}

/* Unless it was said where to begin, the first thread of the tree is a better start than the host's heading.
 */
static void start(struct flow *flow)
{
	flow->rows = flow_rows_new(flow->pane.shell->q, flow->pane.shell->hide_tracer);
	if (flow->pane.shell->row != UI_NO_ROW)
		return;
	for (unsigned i = 0; i < line_count(flow); i++) {
		if (flow_line_at(flow, i)->kind == FLOW_PROCESS) {
			select_line(flow, i);
			return;
		}
	}
	select_line(flow, 0);
}

static void flow_changed(struct ui_pane *pane, unsigned changes)
{
	struct flow *flow = (struct flow *)pane;
	struct ui_shell *shell = pane->shell;
	const struct flow_line *line;

	if (changes & UI_CHANGED_EXPERIMENT && shell->q && !flow->rows)
		start(flow);
	if (!flow->rows)
		return;
	if (changes & UI_CHANGED_HIDING) {
		flow_rows_hide_tracer(flow->rows, shell->hide_tracer);
		find_again(flow);
	}
	if (changes & UI_CHANGED_WINDOW && flow_rows_set_window(flow->rows, shell->from, shell->to))
		find_again(flow);
	line = flow_line_at(flow, flow->view.line);
	if (changes & UI_CHANGED_ROW && shell->row != UI_NO_ROW && (!line || line->row != shell->row)) {
		unsigned found = flow_rows_reveal(flow->rows, shell->row);

		if (found != UINT32_MAX)
			flow->view.line = found;
	}
}

/* Scroll so that the selected line is in view below the ruler; a jump puts it into the middle. */
static void scroll(struct flow *flow, const struct term_area *area)
{
	struct list_view *view = &flow->view;
	unsigned h = area->h > 1 ? area->h - 1 : 0;
	unsigned far = view->line < view->top ? view->top - view->line
					      : view->line - MIN(view->line, view->top + h);

	view->centre = far > h / 2 && view->line > h / 2;
	list_view_area(view, area, 1, 0, line_count(flow));
}

static void flow_pane_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct flow *flow = (struct flow *)pane;

	if (!flow->rows)
		return;
	scroll(flow, area);
	flow_draw(flow, area);
}

static bool flow_work(struct ui_pane *pane)
{
	return flow_over_work((struct flow *)pane);
}

/* ---- search ---- */

static void find(struct flow *flow, uint32_t from, int step)
{
	uint32_t row = flow_rows_search(flow->rows, from, flow->needle, step);

	if (row == MDL_NONE) {
		ui_shell_error(flow->pane.shell, "no thread is called \"%s\"", flow->needle);
		ui_shell_set_row(flow->pane.shell, from);
	} else {
		ui_shell_set_row(flow->pane.shell, row);
	}
}

/* The row before the first match is where the search began: a match there counts. */
static void search_typed(struct ui_pane *pane, const char *text)
{
	struct flow *flow = (struct flow *)pane;

	g_free(flow->needle);
	flow->needle = *text ? g_strdup(text) : NULL;
	if (!flow->needle)
		return;
	if (flow->search_from != UI_NO_ROW && flow_rows_match(flow->rows, flow->search_from, text))
		ui_shell_set_row(pane->shell, flow->search_from);
	else
		find(flow, flow->search_from, 1);
}

static void search_next(struct flow *flow, int step)
{
	if (flow->needle)
		find(flow, flow->pane.shell->row, step);
	else
		ui_shell_error(flow->pane.shell, "nothing was searched yet");
}

/* ---- commands ---- */

static void next_filter(struct flow *flow)
{
	static const char *const said[] = { "rows that do something in the trace",
		"rows that do something in this window", "all rows" };
	struct ui_shell *shell = flow->pane.shell;
	enum flow_filter filter = (flow_rows_filter(flow->rows) + 1) % FLOW_FILTER_N;

	flow_rows_set_filter(flow->rows, filter, shell->from, shell->to);
	find_again(flow);
	ui_shell_message(shell, "%s", said[filter]);
}

static void toggle_arrows(struct flow *flow)
{
	bool on = ui_argument_switch(flow->pane.shell, UI_CMD_ARROWS, !flow->no_arrows);

	flow->no_arrows = !on;
	ui_shell_message(flow->pane.shell, "wake-up arrows are %s", on ? "on" : "off");
}

static bool flow_command(struct ui_pane *pane, enum ui_command command)
{
	struct flow *flow = (struct flow *)pane;

	if (list_view_move(&flow->view, command, line_count(flow))) {
		select_line(flow, flow->view.line);
		return true;
	}
	switch (command) {
	case UI_CMD_FOLD: select_line(flow, flow_rows_fold(flow->rows, flow->view.line)); return true;
	case UI_CMD_FOLD_ALL:
		flow_rows_fold_all(flow->rows);
		find_again(flow);
		return true;
	case UI_CMD_HIDE: next_filter(flow); return true;
	case UI_CMD_ARROWS: toggle_arrows(flow); return true;
	case UI_CMD_SEARCH:
		flow->search_from = pane->shell->row;
		ui_shell_ask(pane->shell, pane, "find", NULL, search_typed, search_typed);
		return true;
	case UI_CMD_SEARCH_NEXT:
	case UI_CMD_SEARCH_PREV: search_next(flow, command == UI_CMD_SEARCH_NEXT ? 1 : -1); return true;
	case UI_CMD_CLEAR:
		g_clear_pointer(&flow->needle, g_free);
		return false; /* the shell has something to clear, too */
	default: return false;
	}
}

/* The first line is the ruler; names select their row, time the instant too. */
static void flow_point(struct ui_pane *pane, unsigned x, unsigned y)
{
	struct flow *flow = (struct flow *)pane;
	struct ui_shell *shell = pane->shell;

	if (list_view_point(&flow->view, y, line_count(flow)))
		select_line(flow, flow->view.line);
	if (x >= shell->names)
		ui_shell_set_cursor(shell, ui_shell_column_time(shell, x - shell->names));
}

const struct ui_pane_ops pane_flow = {
	.name = "flow",
	.place = UI_PLACE_MAIN,
	.shown = true,
	.size = sizeof(struct flow),
	.clear = flow_clear,
	.carry = flow_carry,
	.changed = flow_changed,
	.work = flow_work,
	.command = flow_command,
	.point = flow_point,
	.draw = flow_pane_draw,
};
