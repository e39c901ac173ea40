/* SPDX-License-Identifier: MIT */
/* The path itself: whose is wanted over which window, asked of a worker. */
#include "ui/pane/path/path.h"

static void *answer(struct qry *q, const void *question, struct base_progress *progress, GError **error)
{
	const struct path_question *asked = question;

	return ana_path_new(q, asked->row, asked->from, asked->to, progress, error);
}

static void answer_free(void *path)
{
	ana_path_free(path);
}

uint32_t path_current(const struct path *p)
{
	return p->path ? path_items_at(&p->items, p->pane.shell->cursor) : PATH_NO_ITEM;
}

void path_ask_drop(struct path *p)
{
	ana_path_free(p->path);
	p->path = NULL;
	g_clear_pointer(&p->turns, g_array_unref);
	path_cells_drop(p);
	g_clear_pointer(&p->problem, g_free);
}

void path_remake(struct path *p)
{
	g_clear_pointer(&p->turns, g_array_unref);
	path_cells_drop(p);
	path_items_make(&p->items, p->path);
	p->turns = path_turns_new(p);
	p->view.line = MIN(p->view.line, p->items.sums->len - 1);
	ui_shell_redraw(p->pane.shell);
}

static void taken(struct ui_pane *pane, void *path, GError *error)
{
	struct path *p = (struct path *)pane;

	path_ask_drop(p);
	p->path = path;
	path_items_close_all(&p->items);
	if (path)
		path_remake(p);
	ask_worker_problem(&p->problem, error);
}

const struct ask_kind path_kind = { .size = sizeof(struct path_question),
	.answer = answer,
	.free = answer_free,
	.taken = taken };

/* Why there is nothing to ask for Q; NULL when there is.  The caller frees. */
static char *no_question(const struct path *p, const struct path_question *q)
{
	struct ui_shell *shell = p->pane.shell;
	const struct qry_row *row;
	char *label, *first, *last, *text;

	if (q->row == MDL_NONE)
		return g_strdup("this is no thread: select one to see what it waited for");
	row = qry_row(shell->q, q->row);
	if (q->from < row->last && q->to > row->first)
		return NULL;
	label = qry_row_label(shell->q, q->row);
	first = ui_shell_time_text(shell, row->first);
	last = ui_shell_time_text(shell, row->last);
	text = g_strdup_printf("%s does not live in this window: it does from %s to %s", label, first, last);
	g_free(label);
	g_free(first);
	g_free(last);
	return text;
}

/* What the pane should show now. */
static struct path_question wanted(const struct path *p)
{
	const struct ui_shell *shell = p->pane.shell;
	struct path_question q = { .row = p->subject };
	bool selection = ui_shell_selection(shell, &q.from, &q.to);
	bool thread = q.row != UI_NO_ROW && qry_row(shell->q, q.row)->type == MDL_ROW_THREAD;

	/* A selection that is being made by moving along the path must not change the path. */
	if (selection && p->has_asked && ui_pane_focused(&p->pane) &&
		(q.from == shell->cursor || q.to == shell->cursor))
		return p->asked;
	return thread ? q : (struct path_question){ .row = MDL_NONE };
}

void path_ask(struct path *p)
{
	struct path_question q = wanted(p);
	char *problem;

	if (p->has_asked && q.row == p->asked.row && q.from == p->asked.from && q.to == p->asked.to)
		return;
	p->asked = q;
	p->has_asked = true;
	problem = no_question(p, &q);
	if (problem) {
		ask_worker_cancel(p->worker);
		path_ask_drop(p);
		p->problem = problem;
		return;
	}
	if (p->path && p->path->subject != q.row)
		path_ask_drop(p);
	g_clear_pointer(&p->problem, g_free);
	ask_worker_ask(p->worker, &q);
	ask_worker_wait(p->worker, &p->pane, ASK_AT_ONCE);
}
