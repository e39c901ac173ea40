/* SPDX-License-Identifier: MIT */
/*
 * The critical path of the selected thread over the selection or the window.
 *
 * A worker computes it once for each thread and window.  The path stays the same while the user moves along
 * it: then the control flow selects the row of the actor under the cursor (own_row).  It also stays while the
 * user moves over its rows in the control flow.  A thread selected in another way is a new subject.  To make
 * a thread on the path the subject, the user follows it in this pane, or opens its path in the control flow.
 */
#include "ui/pane/pane.h"

#include "base/base_time.h"
#include "ui/core/ui_fields.h"
#include "ui/pane/path/path.h"
#include "ui/widget/subject.h"

#include <string.h>

#define LIST_HEIGHT 11 /* lines */

/* ---- asking for the path ---- */

static void *pane_path_answer(struct qry *q, const void *question, struct base_progress *progress,
	GError **error)
{
	const struct path_question *asked = question;

	return ana_path_new(q, asked->row, asked->from, asked->to, progress, error);
}

/* Drop the path. */
static void pane_path_drop(struct path *p)
{
	ana_path_free(p->path);
	p->path = NULL;
	g_clear_pointer(&p->turns, g_array_unref);
	g_clear_pointer(&p->problem, g_free);
}

/* True if R is the row of ACTOR, which is not a thread; for a softirq, its row on CPU. */
static bool is_row_of(const struct qry *q, const struct qry_row *r, const struct ana_actor *actor,
	uint32_t cpu)
{
	g_autofree char *label = NULL;

	switch (r->type) {
	case MDL_ROW_IRQ:
		label = qry_row_label(q, r->id);
		return actor->type == ANA_ACTOR_IRQ && !strcmp(label, actor->label);
	case MDL_ROW_SOFTIRQ:
		label = g_strconcat("softirq ", r->name, NULL);
		return actor->type == ANA_ACTOR_IRQ && r->cpu == cpu && !strcmp(label, actor->name);
	case MDL_ROW_VCPU: return actor->type == ANA_ACTOR_VCPU && !strcmp(r->name, actor->name);
	case MDL_ROW_DEVICE: return actor->type == ANA_ACTOR_DEVICE && !strcmp(r->name, actor->name);
	default: return false;
	}
}

/* The row of ACTOR: a thread, an interrupt line, a softirq of CPU, a disk or a virtual CPU; MDL_NONE if it
 * has none. */
static uint32_t pane_path_row_of(const struct qry *q, const struct ana_actor *actor, uint32_t cpu)
{
	const struct qry_host *host = qry_host(q, actor->host);
	uint32_t row = actor->row, end = host->first_row + host->n_rows;

	if (actor->type == ANA_ACTOR_THREAD)
		return row;
	for (row = host->first_row; row < end && !is_row_of(q, qry_row(q, row), actor, cpu); row++)
		;
	return row < end ? row : MDL_NONE;
}

static int by_key(gconstpointer a, gconstpointer b)
{
	const guint64 *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/*
 * Numbers for everything on the path that may have a row: each segment has one for the owner of its time,
 * (actor << 32 | CPU), with CPU MDL_NONE if unknown, and one for the thread that waits in it, (number of
 * actors << 32 | row).  Sorted and unique, they are in the order of the pane: the actors in their order, each
 * with its CPUs, then the rows of all waiting threads.  The caller unrefs.
 */
static GArray *keys_of(const struct ana_path *path)
{
	guint64 subject = MDL_NONE, waits = (guint64)path->actors->len << 32;
	GArray *keys = g_array_new(FALSE, FALSE, sizeof subject);
	guint n = 0;

	g_array_append_val(keys, subject); /* the subject has a line even if none of the time is its own */
	for (guint i = 0; i < path->segments->len; i++) {
		const struct ana_segment *s = &g_array_index(path->segments, struct ana_segment, i);
		guint64 of[2] = { (guint64)s->actor << 32 |
				(s->turn.time == MDL_NEVER ? MDL_NONE : s->turn.cpu),
			waits | s->row };

		g_array_append_vals(keys, of, G_N_ELEMENTS(of));
	}
	g_array_sort(keys, by_key);
	for (guint i = 1; i < keys->len; i++)
		if (g_array_index(keys, guint64, i) != g_array_index(keys, guint64, n))
			g_array_index(keys, guint64, ++n) = g_array_index(keys, guint64, i);
	g_array_set_size(keys, n + 1);
	return keys;
}

/* The rows of the actors in the pane's order, the subject first; then the rows of threads that only wait.
 * The caller unrefs. */
static GArray *rows_of(const struct qry *q, const struct ana_path *path)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
	g_autoptr(GArray) keys = keys_of(path);

	for (guint i = 0; i < keys->len; i++) {
		guint64 key = g_array_index(keys, guint64, i);
		uint32_t actor = (uint32_t)(key >> 32), row = (uint32_t)key;

		if (actor < path->actors->len)
			row = pane_path_row_of(q, &g_array_index(path->actors, struct ana_actor, actor), row);
		if (row != MDL_NONE && g_hash_table_add(seen, GUINT_TO_POINTER(row)))
			g_array_append_val(rows, row);
	}
	return rows;
}

/* Show the rows of the path in the control flow. */
static void tell_rows(struct path *p)
{
	struct ui_shell *shell = p->pane.shell;

	ui_shell_set_path_rows(shell, rows_of(shell->q, p->path), p->anew || !shell->path_rows);
	p->anew = false;
}

static void pane_path_taken(struct ui_pane *pane, void *path, GError *error)
{
	struct path *p = (struct path *)pane;

	pane_path_drop(p);
	p->path = path;
	path_items_close_all(&p->items);
	if (path) {
		path_remake(p);
		tell_rows(p);
	}
	ask_worker_problem(&p->problem, error);
}

static const struct ask_kind pane_path_kind = { .size = sizeof(struct path_question),
	.answer = pane_path_answer,
	.free = (GDestroyNotify)ana_path_free,
	.taken = pane_path_taken };

/* Ask Q, unless it was asked last. */
static void pane_path_ask_for(struct path *p, const struct path_question *q)
{
	struct ui_shell *shell = p->pane.shell;
	const struct qry_row *row = q->row == MDL_NONE ? NULL : qry_row(shell->q, q->row);
	g_autofree char *label = NULL, *first = NULL, *last = NULL;

	if (p->has_asked && q->row == p->asked.row && q->from == p->asked.from && q->to == p->asked.to)
		return;
	p->asked = *q;
	p->has_asked = true;
	if (!row || q->from >= row->last || q->to <= row->first) {
		ask_worker_cancel(p->pane.worker);
		pane_path_drop(p);
		if (!row) {
			p->problem = g_strdup(
				"this row is not a thread: select one to see what it waited for");
			return;
		}
		label = qry_row_label(shell->q, q->row);
		first = ui_shell_time_text(shell, row->first);
		last = ui_shell_time_text(shell, row->last);
		p->problem = g_strdup_printf("%s does not exist in this window; it exists from %s to %s",
			label, first, last);
		return;
	}
	if (p->path && p->path->subject != q->row)
		pane_path_drop(p);
	g_clear_pointer(&p->problem, g_free);
	ask_worker_ask(p->pane.worker, q);
	ask_worker_wait(p->pane.worker, &p->pane, ASK_AT_ONCE);
}

/* Ask for the path that is wanted now. */
static void pane_path_ask(struct path *p)
{
	const struct ui_shell *shell = p->pane.shell;
	struct path_question q = { .row = p->subject };
	bool selection = ui_shell_selection(shell, &q.from, &q.to);

	/* While the user makes a selection by moving along the path, it must not change the path. */
	if (selection && p->has_asked && ui_pane_focused(&p->pane) &&
		(q.from == shell->view->cursor || q.to == shell->view->cursor))
		q = p->asked;
	else if (!row_is_thread(shell->q, q.row))
		q = (struct path_question){ .row = MDL_NONE, .from = BASE_TIME_NONE, .to = BASE_TIME_NONE };
	pane_path_ask_for(p, &q);
}

/* ---- hooks ---- */

static bool has_paths(const struct path *p)
{
	return row_has_paths(p->pane.shell->q, p->pane.shell->view->row);
}

static void path_init(struct ui_pane *pane)
{
	struct path *p = (struct path *)pane;

	p->subject = UI_NO_ROW;
	path_items_init(&p->items);
}

static void path_clear(struct ui_pane *pane)
{
	struct path *p = (struct path *)pane;

	pane_path_drop(p);
	path_items_clear(&p->items);
	g_free(p->opened);
	ask_worker_free(p->pane.worker);
}

/* Carry the subject, and the form of the pane. */
static void path_carry(struct ui_pane *pane, struct ui_pane *old_pane)
{
	struct path *p = (struct path *)pane, *old = (struct path *)old_pane;

	if (pane->shown || ui_pane_covered(pane))
		p->subject = ui_view_carry_row(pane->shell, old->subject);
	p->mode = old->mode;
	p->items.limit = old->items.limit;
	p->items.levels = old->items.levels;
}

static void path_changed(struct ui_pane *pane, unsigned changes)
{
	struct path *p = (struct path *)pane;
	struct ui_shell *shell = pane->shell;
	bool open;

	if (changes & UI_CHANGED_EXPERIMENT && shell->q && !p->pane.worker) {
		p->pane.worker = ask_worker_new(shell->q, &pane_path_kind);
		if (p->subject == UI_NO_ROW)
			p->subject = shell->view->row;
	}
	if (changes & UI_CHANGED_ROW && !(changes & UI_CHANGED_EXPERIMENT)) {
		p->moving &= shell->view->row == p->own_row;
		/*
		 * The new row becomes the subject, unless another pane covers this one or the user moved to
		 * the row along the path.  A row that has no path becomes the subject only while no path is
		 * wanted here.
		 */
		if (!(pane->shown && changes & UI_CHANGED_ROW_WALKED) && !ui_pane_covered(pane) &&
			(has_paths(p) ? !p->moving
				      : !pane->shown || !p->has_asked || p->asked.row == MDL_NONE))
			p->subject = shell->view->row;
	}
	if (changes & UI_CHANGED_PATH) {
		p->subject = shell->view->row;
		p->moving = false;
		p->anew = true;
		ui_shell_show(shell, pane, true);
		ui_shell_focus(shell, pane);
	}
	if (pane->shown && p->pane.worker)
		pane_path_ask(p);
	else if (p->pane.worker)
		p->has_asked &= p->path || ask_worker_busy(p->pane.worker);
	open = ui_pane_drilled(pane);
	if (open && !shell->path_rows && p->path && !ask_worker_busy(pane->worker))
		tell_rows(p);
	else if (!open && shell->path_rows) /* the pane was closed, or another pane covers it */
		ui_shell_set_path_rows(shell, NULL, false);
}

static const char *const modes[] = { "rows", "list", "shares" };

/* The subject is stored separately from the selected row, which may be elsewhere on the path. */
static const struct ui_field pane_path_fields[] = { UI_FIELD(ROW, "of-row", path, subject),
	UI_FIELD(ROW, "row", path, asked.row), UI_FIELD(TIME, "from", path, asked.from),
	UI_FIELD(END, "to", path, asked.to), UI_FIELD(FLAG, "moving", path, moving),
	UI_FIELD(ROW, "at-row", path, own_row), UI_FIELD_WORDS("as", path, mode, modes, PATH_MODES),
	UI_FIELD(LENGTH, "fold", path, items.limit), UI_FIELD(MOST, "levels", path, items.levels),
	UI_FIELD(TEXT, "open", path, opened), UI_FIELD_LIST(path, view) };

static bool path_to_keep(struct ui_pane *pane)
{
	struct path *p = (struct path *)pane;

	if (!p->has_asked)
		return false;
	g_free(p->opened);
	p->opened = path_items_opened_text(&p->items);
	return true;
}

static bool path_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct path *p = (struct path *)pane;
	struct path_question before = p->asked, asked;

	if (!ui_fields_set(pane_path_fields, pane, pane->shell, kept, error))
		return false;
	asked = p->asked;
	p->asked = before;
	if (p->pane.worker)
		pane_path_ask_for(p, &asked);
	if (!p->path)
		return true;
	path_items_set_opened(&p->items, p->path, p->opened);
	path_remake(p);
	return true;
}

/* A list needs more lines than its share of a small screen; rows need all their lines. */
static unsigned path_height(struct ui_pane *pane, unsigned columns, G_GNUC_UNUSED unsigned rows)
{
	const struct path *p = (const struct path *)pane;

	return p->mode == PATH_LIST || !p->path ? LIST_HEIGHT
		: p->mode == PATH_ROWS          ? path_screen_lines(p, columns)
						: 0;
}

/* The time of the item under the cursor. */
static bool path_time(struct ui_pane *pane, uint32_t *row, int64_t *from, int64_t *to)
{
	const struct path *p = (const struct path *)pane;
	uint32_t current = path_current(p);

	*row = p->subject;

	if (current == PATH_NO_ITEM)
		return false;
	*from = path_item(&p->items, current)->from;
	*to = path_item(&p->items, current)->to;
	return true;
}

static void path_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct path *p = (struct path *)pane;

	if (p->pane.worker)
		path_screen_draw(p, area);
}

/* ---- commands ---- */

/* Go to the actor under the cursor, in the control flow; its path becomes the path of the pane. */
static void go_there(struct path *p)
{
	struct ui_shell *shell = p->pane.shell;
	uint32_t current = path_current(p),
		 row = current == PATH_NO_ITEM ? p->subject : path_move_row(p, current);

	ui_shell_go(shell, shell->view->cursor, row);
	p->moving = false;
	p->anew = true;
	p->subject = row;
	ui_shell_command(shell, UI_CMD_FOCUS);
	pane_path_ask(p);
}

/* The wait that the segment under the cursor explains: it ends with the first wake-up on the path from here
 * on whose segment is not deeper than this one.  NULL if no thread waited for it. */
static const struct ana_source *wait_here(const struct path *p)
{
	uint32_t current = path_current(p), i, depth;
	const struct path_item *item;

	if (current == PATH_NO_ITEM)
		return NULL;
	item = path_item(&p->items, current);
	i = item->look == PATH_LOOK_DEEPER ? item->first + item->n - 1 : item->first;
	depth = path_segment(p->path, i)->depth;
	while (i < p->path->segments->len &&
		(path_segment(p->path, i)->source == UINT32_MAX || path_segment(p->path, i)->depth > depth))
		i++;
	if (i == p->path->segments->len)
		return NULL;
	return &g_array_index(p->path->sources, struct ana_source, path_segment(p->path, i)->source);
}

/* Open wait_here(); if REQUEST, the request of that wait.  If the segment is a preempted virtual CPU, open
 * its wait for a CPU. */
static void open_wait(struct path *p, bool request)
{
	const struct ana_source *s = wait_here(p);
	uint32_t current = path_current(p);
	const struct ana_segment *here = current == PATH_NO_ITEM
		? NULL
		: path_segment(p->path, path_item(&p->items, current)->first);

	if (!request && here && here->kind == ANA_SEG_VCPU_PREEMPTED)
		ui_shell_lead(p->pane.shell, UI_LEAD(WAIT, .row = here->row, .to = here->to));
	else if (!s)
		ui_shell_message(p->pane.shell, "no thread waited for this: it is the end of the path");
	else if (request)
		ui_shell_lead(p->pane.shell, UI_LEAD(REQUEST, .row = s->row, .to = s->wakeup.time));
	else
		ui_shell_lead(p->pane.shell, UI_LEAD(WAIT, .row = s->row, .to = s->wakeup.time));
}

/* Commands that differ from those of the control flow while the pane has the focus. */
static bool pane_path_focused_command(struct path *p, enum ui_command command)
{
	/* export the path that is shown, not that of the row that the user moved to */
	if (command == UI_CMD_EXPORT && p->path) {
		p->moving = true;
		p->own_row = p->subject;
		ui_shell_set_row(p->pane.shell, p->subject);
		return false;
	}
	if (!p->path || ask_worker_busy(p->pane.worker))
		return false;
	if (command == UI_CMD_ACTIVATE && path_fold_open(p))
		return true;
	if (command == UI_CMD_ACTIVATE || command == UI_CMD_WHY || command == UI_CMD_REQUEST) {
		open_wait(p, command == UI_CMD_REQUEST);
		return true;
	}
	if (command == UI_CMD_FOLLOW) {
		go_there(p);
		return true;
	}
	return path_fold_command(p, command) || path_move_command(p, command);
}

/* Zoom to the time in question: the selection, else the part of the window in which the selected thread
 * lived, else all of its life. */
static void zoom_to_subject(struct ui_shell *shell)
{
	int64_t from, to;

	if (!ui_shell_selection(shell, &from, &to))
		row_clip(shell->q, shell->view->row, &from, &to);
	ui_shell_set_window(shell, from, to);
}

static bool path_command(struct ui_pane *pane, enum ui_command command)
{
	struct path *p = (struct path *)pane;
	struct ui_shell *shell = pane->shell;
	bool is_of_row = p->subject == shell->view->row,
	     stays = p->moving && (pane->shown ? ui_pane_focused(pane) : ui_pane_covered(pane));

	if (command == UI_CMD_PATH && !pane->shown && !(ui_pane_covered(pane) && (stays || is_of_row)) &&
		has_paths(p) && !(shell->argument && !strcmp(shell->argument, "off")))
		zoom_to_subject(shell);
	/* If the selected thread is not the subject, the command opens its path.  It does not while the user
	 * moves along this path: with the focus here, or in a pane that covers this one. */
	if (command == UI_CMD_PATH && !stays && !shell->argument && !is_of_row && has_paths(p)) {
		ui_shell_lead(pane->shell, UI_LEAD(PATH, .row = UI_NO_ROW));
		return true;
	}
	if (!pane->shown || !p->pane.worker)
		return false;
	if (command == UI_CMD_CLEAR && ask_worker_busy(p->pane.worker)) {
		pane_path_drop(p);
		return ask_worker_stop(p->pane.worker, &p->problem);
	}
	if (command == UI_CMD_SUMMARY) {
		p->mode = (p->mode + 1) % PATH_MODES;
		p->view.top = p->view.line = 0;
		return true;
	}
	return ui_pane_focused(pane) && pane_path_focused_command(p, command);
}

static const struct ui_hint pane_path_hints[] = { { UI_CMD_ACTIVATE, "why" }, { UI_CMD_FOLLOW, "its path" },
	{ UI_CMD_SUMMARY, "list" }, { UI_CMD_FOLD_LONGER, "fold" }, { UI_CMD_FOLD_SHORTER, "less" },
	{ UI_CMD_LEVEL_MORE, "level" }, { UI_CMD_LEVEL_LESS, "less" }, { UI_CMD_MAXIMISE, "large" },
	{ UI_CMD_PATH, "close" }, { UI_CMD_EXPORT, "export" }, { UI_CMD_BACK, "back" },
	{ UI_CMD_WAKE_NEXT, "next hand-over" }, { UI_CMD_REQUEST, "request" }, { UI_CMD_FOLD, "open fold" },
	{ UI_CMD_WAKE_PREV, "last hand-over" }, { UI_CMD_CHANGE_NEXT, "next segment" },
	{ UI_CMD_CHANGE_PREV, "last segment" }, { UI_CMD_FOLD_ALL, "close folds" }, { UI_CMD_WHY, "why" },
	{ UI_CMD_NONE, NULL } };

const struct ui_pane_ops pane_path = {
	.name = "path",
	.place = UI_PLACE_LOWER,
	.hints = pane_path_hints,
	.show = UI_CMD_PATH,
	.size = sizeof(struct path),
	.init = path_init,
	.clear = path_clear,
	.carry = path_carry,
	.changed = path_changed,
	.work = ask_worker_work,
	.fields = pane_path_fields,
	.to_keep = path_to_keep,
	.restore = path_restore,
	.command = path_command,
	.time = path_time,
	.title = path_text_title,
	.height = path_height,
	.first = true,
	.draw = path_draw,
};
