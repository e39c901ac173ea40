/* SPDX-License-Identifier: MIT */
/*
 * The control flow: the states of every row over time, in the tree host → process → thread.  This file has
 * the hooks, the search and the moves through the tree.  flow_rows.c keeps the choice of rows, flow_filter.c
 * finds the facts that it needs, flow_lines.c makes the tree, flow_choose.c does the commands that choose.
 * flow_draw.c draws, flow_over.c adds marks and arrows over the rows.
 */
#include "ui/core/ui_argument.h"
#include "ui/pane/flow/flow.h"
#include "ui/pane/pane.h"
#include "ui/widget/subject.h"

#include <string.h>

#define LEGEND_FROM 8 /* minimum lines of the pane to reserve the last one for the legend */

static unsigned line_count(const struct flow *flow)
{
	return flow->rows ? flow->rows->lines->len : 0;
}

/* ---- hooks ---- */

static void flow_clear(struct ui_pane *pane)
{
	struct flow *flow = (struct flow *)pane;

	ask_worker_free(flow->facts_worker);
	ask_worker_free(flow->spans_worker);
	ask_worker_free(flow->throttled_worker);
	flow_filter_unref(flow->before.filter);
	flow_filter_unref(flow->off_path.filter);
	flow_rows_free(flow->rows);
	flow_over_clear(flow);
	g_free(flow->needle);
	g_free(flow->search_rows);
	g_free(flow->cells);
	g_free(flow->shown);
	g_clear_pointer(&flow->slices, g_array_unref);
}

/* Carry folds, choice, scroll position and search text from OLD_PANE. */
static void flow_carry(struct ui_pane *pane, struct ui_pane *old_pane)
{
	struct flow *flow = (struct flow *)pane, *old = (struct flow *)old_pane;
	struct ui_shell *shell = pane->shell;

	if (!old->rows)
		return;
	flow->rows = flow_rows_new(shell->q, shell->hide_tracer, flow_draw_times(shell));
	flow_rows_carry(flow->rows, old->rows);
	flow->off_path = old->off_path;
	old->off_path.filter = NULL;
	flow->on_path = old->on_path;
	flow_choose_settle(flow);
	flow->view = old->view;
	flow->needle = g_steal_pointer(&old->needle);
	flow->search_from = ui_view_carry_row(shell, old->search_from);
	flow_spans_ask(flow);
}

/* Start at the first thread of the tree, not at the host's heading, unless the user gave a place, or this
 * pane is the second window. */
static void pane_flow_start(struct flow *flow)
{
	flow->rows = flow_rows_new(flow->pane.shell->q, flow->pane.shell->hide_tracer,
		flow_draw_times(flow->pane.shell));
	if (flow->pane.shell->view->row != UI_NO_ROW || flow->pane.view != flow->pane.shell->views)
		return;
	for (unsigned i = 0; i < line_count(flow); i++) {
		if (flow_line_at(flow, i)->kind == FLOW_PROCESS) {
			flow_choose_select(flow, i);
			return;
		}
	}
	flow_choose_select(flow, 0);
}

/* The selected row changed: select its line. */
static void follow_row(struct flow *flow)
{
	struct ui_shell *shell = flow->pane.shell;
	const struct flow_line *line = flow_line_at(flow, flow->view.line);
	unsigned at = flow->view.line;

	if (line && line->row == shell->view->row)
		return;
	if (shell->view->row != UI_NO_ROW)
		at = flow_rows_reveal(flow->rows, shell->view->row);
	else /* no row is selected: select the nearest heading above, or the first line */
		while (line && at > 0 && flow_line_at(flow, at)->row != UI_NO_ROW)
			at--;
	if (at == UINT32_MAX)
		return;
	if (shell->view->row == UI_NO_ROW)
		flow_choose_select(flow, at);
	else
		flow->view.line = at;
}

static void flow_changed(struct ui_pane *pane, unsigned changes)
{
	struct flow *flow = (struct flow *)pane;
	struct ui_shell *shell = pane->shell;

	if (!pane->shown) { /* closed: free the rows and their facts, which take memory */
		flow_clear(pane);
		memset((char *)flow + sizeof flow->pane, 0, sizeof *flow - sizeof flow->pane);
	} else if (shell->q && !flow->rows) {
		pane_flow_start(flow);
	}
	if (!flow->rows)
		return;
	if (changes & UI_CHANGED_ROW)
		follow_row(flow);
	if (changes & UI_CHANGED_SPANS && shell->main == pane) {
		const struct ui_lead *lead = &shell->leads[UI_LEAD_SPANS];

		flow_spans_turn(flow,
			&(struct flow_spans_question){ lead->label, lead->from, lead->to, lead->row, NULL });
	}
	flow_choose_changed(flow, changes);
}

/* The text to keep: choice, folds, and the lines in view. */
static char *flow_keep(struct ui_pane *pane)
{
	const struct flow *flow = (const struct flow *)pane;
	struct flow_seen seen = { flow->view.top, flow->view.line, flow->on_path, flow->needle };

	return flow->rows ? flow_rows_text(flow->rows, &seen) : NULL;
}

static bool flow_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct flow *flow = (struct flow *)pane;
	struct flow_seen seen = { 0 };

	if (!flow->rows)
		return true;
	if (!flow_rows_set_text(flow->rows, pane->shell, kept, &seen, error))
		return false;
	flow->view.top = seen.top;
	flow->view.line = seen.line;
	g_free(flow->needle);
	flow->needle = seen.needle;
	flow->on_path = seen.on_path;
	flow_spans_ask(flow);
	flow_choose_again(flow);
	return true;
}

/* Scroll the selected line into view below the ruler and the pinned lines; after a jump, into the middle. */
static void scroll(struct flow *flow, const struct term_area *area)
{
	struct list_view *view = &flow->view;
	unsigned h = area->h > 1 ? area->h - 1 : 0, n = line_count(flow), line = view->line, far;

	flow->pinned = MIN(flow->rows->n_pinned, h / 2);
	h -= flow->pinned;
	n -= flow->pinned;
	view->line = line < flow->pinned ? MIN(view->top, MAX(n, 1) - 1) : line - flow->pinned;
	far = view->line < view->top ? view->top - view->line : view->line - MIN(view->line, view->top + h);
	view->centre = far > h / 2 && view->line > h / 2;
	list_view_scroll(view, h, n);
	view->line = line;
}

/* The rows of a path are few and do not change, so the pane needs no more than their height.  Any other
 * choice may have more rows after the next step: 0, any height. */
static unsigned flow_height(struct ui_pane *pane, G_GNUC_UNUSED unsigned columns, G_GNUC_UNUSED unsigned rows)
{
	const struct flow *flow = (const struct flow *)pane;
	bool path = flow->rows && flow->rows->choice.set == FLOW_SET_PATH;

	return path ? line_count(flow) + 2 : 0; /* plus ruler and legend */
}

static void flow_title(struct ui_pane *pane, GString *title)
{
	static const char *const linked[] = { "", "  same time as the other", "  same zoom as the other" };
	struct ui_shell *shell = pane->shell;
	int64_t from, to;
	g_autofree char *what = g_strdup_printf("Window %u", (unsigned)(pane->view - shell->views) + 1);

	ui_shell_selection(shell, &from, &to);
	scope_title(shell, title, what,
		shell->view->row == UI_NO_ROW ? NULL
					      : scope_title_whose(shell, SCOPE_THREAD, shell->view->row),
		from, to);
	g_string_append(title, linked[shell->linked]);
}

/* The rows in view order, without folded ones. */
static GArray *flow_shown_rows(struct ui_pane *pane)
{
	const struct flow *flow = (const struct flow *)pane;
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (unsigned i = 0; i < line_count(flow); i++)
		if (flow_line_at(flow, i)->row != MDL_NONE)
			g_array_append_val(rows, flow_line_at(flow, i)->row);
	return rows;
}

static void flow_pane_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct flow *flow = (struct flow *)pane;
	bool legend = area->h >= LEGEND_FROM || area->h > line_count(flow) + 1;
	struct term_area rows = term_area_part(area, 0, 0, area->w, area->h - legend);
	g_autofree char *key = ui_keymap_first(pane->shell->keys, UI_CMD_LEGEND),
			*all = g_strconcat(key, " all", NULL);

	if (!flow->rows)
		return;
	scroll(flow, &rows);
	flow_draw(flow, &rows);
	if (legend)
		state_look_legend(area, 1, area->h - 1, flow->states, all);
}

static bool flow_work(struct ui_pane *pane)
{
	struct flow *flow = (struct flow *)pane;
	bool more = ask_worker_wait(flow->facts_worker, pane, ASK_SLICE),
	     finds = ask_worker_wait(flow->spans_worker, pane, ASK_SLICE),
	     throttled = ask_worker_wait(flow->throttled_worker, pane, ASK_SLICE);

	return ask_worker_wait(flow->over_worker, pane, ASK_SLICE) || more || finds || throttled;
}

/* ---- search ---- */

/* For the text of the rows alone, without scroll position and search. */
static const struct flow_seen nothing_seen = { 0 };

/* Go back to where the search began, and hide rows that a match has unfolded or shown since. */
static void rewind_search(struct flow *flow)
{
	g_autofree char *now = flow_rows_text(flow->rows, &nothing_seen);
	GArray *path = flow->on_path ? flow->pane.shell->path_rows : NULL;
	struct flow_seen unused;

	ui_shell_set_row(flow->pane.shell, flow->search_from);
	ui_shell_set_cursor(flow->pane.shell, flow->search_time);
	flow->view.line = flow->search_line;
	if (!flow->search_rows || !strcmp(now, flow->search_rows))
		return;
	flow_rows_set_text(flow->rows, flow->pane.shell, flow->search_rows, &unused, NULL);
	if (path) /* a match in between may have replaced the shown path */
		flow_rows_set_path(flow->rows, path, flow->search_from);
}

/* Go to ROW, found from row FROM on; MDL_NONE: nothing was found.  True if ROW was found. */
static bool go_to_found(struct flow *flow, uint32_t row, uint32_t from)
{
	if (row == MDL_NONE)
		ui_shell_error(flow->pane.shell, "no thread is called \"%s\"", flow->needle);
	ui_shell_set_row(flow->pane.shell, row == MDL_NONE ? from : row);
	return row != MDL_NONE;
}

/* Search from the row where the search began, including that row itself.  True if TEXT was found. */
static bool search_for(struct flow *flow, const char *text)
{
	g_free(flow->needle);
	flow->needle = *text ? g_strdup(text) : NULL;
	rewind_search(flow);
	return flow->needle &&
		go_to_found(flow, flow_rows_search_first(flow->rows, flow->search_from, text),
			flow->search_from);
}

/* If the found thread does not live at the cursor, move the cursor to its start. */
static void show_found(struct ui_shell *shell)
{
	const struct qry_row *found = qry_row(shell->q, shell->view->row);

	if (shell->view->cursor < found->first || shell->view->cursor >= found->last)
		ui_shell_set_cursor(shell, found->first);
}

static void search_typed(struct ui_pane *pane, const char *text)
{
	if (search_for((struct flow *)pane, text))
		show_found(pane->shell);
}

/* The focus moves here: the next command is about the found row. */
static void search_done(struct ui_pane *pane, const char *text)
{
	if (!search_for((struct flow *)pane, text))
		return;
	show_found(pane->shell);
	ui_shell_focus(pane->shell, pane);
}

static void search_next(struct flow *flow, int step)
{
	uint32_t row = flow->pane.shell->view->row;

	if (!flow->needle) {
		ui_shell_error(flow->pane.shell, "no search yet: search for a text first");
		return;
	}
	if (go_to_found(flow, flow_rows_search(flow->rows, row, flow->needle, FLOW_MATCH_EVER, step), row)) {
		show_found(flow->pane.shell);
		ui_shell_focus(flow->pane.shell, &flow->pane);
	}
}

/* ---- commands ---- */

static void pane_flow_fold(struct flow *flow)
{
	flow_choose_walk(flow, flow_rows_fold(flow->rows, flow->view.line));
}

static bool flow_command(struct ui_pane *pane, enum ui_command command)
{
	struct flow *flow = (struct flow *)pane;
	bool on;

	if (list_view_move(&flow->view, command, line_count(flow))) {
		flow->view.top = command == UI_CMD_ROW_FIRST ? 0 : flow->view.top;
		flow_choose_walk(flow, flow->view.line);
		return true;
	}
	if (flow_spans_command(flow, command))
		return true;
	switch (command) {
	case UI_CMD_FOLD: pane_flow_fold(flow); return true;
	case UI_CMD_FOLD_ALL:
		flow_rows_fold_all(flow->rows);
		flow_choose_settle(flow);
		return true;
	case UI_CMD_ARROWS:
		on = !pane->shell->no_arrows;
		if (!ui_argument_switch(pane->shell, command, &on))
			return true;
		pane->shell->no_arrows = !on;
		ui_shell_message(pane->shell, "wake-up arrows are %s", on ? "on" : "off");
		return true;
	case UI_CMD_SEARCH:
		g_free(flow->search_rows);
		flow->search_rows = flow_rows_text(flow->rows, &nothing_seen);
		flow->search_from = pane->shell->view->row;
		flow->search_time = pane->shell->view->cursor;
		flow->search_line = flow->view.line;
		ui_shell_ask(pane->shell, pane, "find a thread or row", NULL, search_done, search_typed);
		return true;
	case UI_CMD_SEARCH_NEXT:
	case UI_CMD_SEARCH_PREV: search_next(flow, command == UI_CMD_SEARCH_NEXT ? 1 : -1); return true;
	case UI_CMD_CLEAR:
		g_clear_pointer(&flow->needle, g_free);
		return false; /* the shell clears what it has to clear, too */
	default: return flow_choose_command(flow, command);
	}
}

/* The first line is the ruler.  A click on a name selects its row, on a triangle folds it, on time also
 * selects the instant. */
static void flow_point(struct ui_pane *pane, unsigned x, unsigned y)
{
	struct flow *flow = (struct flow *)pane;
	struct ui_shell *shell = pane->shell;
	const struct flow_line *line;

	if (y > 0 && y <= flow->pinned + flow->view.height && flow_line_shown(flow, y - 1) < line_count(flow))
		flow_choose_walk(flow, flow_line_shown(flow, y - 1));
	line = y > 0 ? flow_line_at(flow, flow_line_shown(flow, y - 1)) : NULL;
	if (x >= shell->names)
		ui_shell_set_cursor(shell, ui_shell_column_time(shell, x - shell->names));
	else if (line && line->children > 0 && x == line->depth)
		pane_flow_fold(flow);
}

static const struct ui_hint pane_flow_hints[] = { { UI_CMD_QUESTIONS, "questions" },
	{ UI_CMD_ACTIVATE, "why" }, { UI_CMD_FOLLOW, "follow" }, { UI_CMD_BACK, "back" },
	{ UI_CMD_PATH, "path" }, { UI_CMD_LATENCY, "worst" }, { UI_CMD_CAUSES, "causes" },
	{ UI_CMD_ZOOM_IN, "in" }, { UI_CMD_ZOOM_OUT, "out" }, { UI_CMD_GOTO, "go" }, { UI_CMD_MARK, "mark" },
	{ UI_CMD_EXPORT, "export" }, { UI_CMD_CHANGE_NEXT, "next change" },
	{ UI_CMD_WAKE_NEXT, "next wake-up" }, { UI_CMD_REQUEST, "request" }, { UI_CMD_ROWS, "rows" },
	{ UI_CMD_CLOCK, "clock" }, { UI_CMD_FILTER, "filter" }, { UI_CMD_SORT, "sort" },
	{ UI_CMD_PIN, "pin" }, { UI_CMD_FOLD, "fold" }, { UI_CMD_FOLD_ALL, "fold all" },
	{ UI_CMD_ARROWS, "arrows" }, { UI_CMD_CHANGE_PREV, "last change" },
	{ UI_CMD_WAKE_PREV, "last wake-up" }, { UI_CMD_ZOOM_SELECTION, "zoom there" },
	{ UI_CMD_ACROSS, "guest, host" }, { UI_CMD_SEARCH, "find" }, { UI_CMD_SEARCH_NEXT, "next match" },
	{ UI_CMD_SEARCH_PREV, "last match" }, { UI_CMD_NONE, NULL } };

static const struct ui_hint span_hints[] = { SPAN_HINTS, { UI_CMD_NONE, NULL } };

static bool flow_time(struct ui_pane *pane, uint32_t *row, int64_t *from, int64_t *to)
{
	return flow_spans_time((const struct flow *)pane, row, from, to);
}

static const struct ui_hint *flow_hinted(struct ui_pane *pane)
{
	uint32_t row;
	int64_t from, to;

	return flow_time(pane, &row, &from, &to) ? span_hints : NULL;
}

static char *flow_at_cursor(struct ui_pane *pane)
{
	return flow_spans_text((const struct flow *)pane);
}

const struct ui_pane_ops pane_flow = {
	.name = "flow",
	.place = UI_PLACE_MAIN,
	.hints = pane_flow_hints,
	.shown = true,
	.size = sizeof(struct flow),
	.clear = flow_clear,
	.carry = flow_carry,
	.changed = flow_changed,
	.keep = flow_keep,
	.restore = flow_restore,
	.work = flow_work,
	.command = flow_command,
	.words = flow_choose_words,
	.point = flow_point,
	.title = flow_title,
	.height = flow_height,
	.rows = flow_shown_rows,
	.time = flow_time,
	.hinted = flow_hinted,
	.at_cursor = flow_at_cursor,
	.draw = flow_pane_draw,
};
