/* SPDX-License-Identifier: MIT */
/*
 * How it works: times mean something else now, so panes are made anew rather than told to forget what they
 * know; what does not depend on times they may take over from the one before.  Places on the screen stay
 * where they are by the clock of their row's own host.  Rows may have other numbers, where those of several
 * hosts become more while their indexes are made.
 */
#include "ui/core/ui_shell_parts.h"

#include "ui/core/ui_undo.h"

void ui_shell_reopen(struct ui_shell *shell, const char *sync)
{
	g_free(shell->sync_wanted);
	shell->sync_wanted = g_strdup(sync);
}

/* ---- places ---- */

static void carry_ways(struct ui_shell *shell)
{
	for (unsigned i = 1; i < shell->ways->len; i++) {
		struct ui_place_in_time *p = &g_array_index(shell->ways, struct ui_way, i).place;

		p->from = ui_view_carry_time(shell, p->row, p->from);
		p->to = ui_view_carry_time(shell, p->row, p->to);
		p->cursor = ui_view_carry_time(shell, p->row, p->cursor);
		p->row = ui_view_carry_row(shell, p->row);
	}
}

/* Where the views are, inside of what there is now. */
static void settle_views(struct ui_shell *shell)
{
	for (unsigned i = 0; i < ui_view_count(shell); i++) {
		int64_t cursor = shell->views[i].cursor;

		shell->view = &shell->views[i];
		ui_shell_set_window(shell, shell->view->from, shell->view->to);
		ui_shell_set_cursor(shell, cursor);
	}
	ui_view_leave(shell);
}

static void carry_rows(struct ui_shell *shell)
{
	shell->wait_row = ui_view_carry_row(shell, shell->wait_row);
	shell->account.row = ui_view_carry_row(shell, shell->account.row);
	for (guint i = 0; shell->path_rows && i < shell->path_rows->len; i++) {
		uint32_t *row = &g_array_index(shell->path_rows, uint32_t, i);

		*row = ui_view_carry_row(shell, *row);
	}
}

static void carry_places(struct ui_shell *shell, const struct ui_opened *opened)
{
	carry_ways(shell);
	ui_undo_carry(shell);
	for (unsigned i = 0; i < ui_view_count(shell); i++)
		ui_view_carry(shell, &shell->views[i]);
	shell->wait_end = ui_view_carry_time(shell, shell->wait_row, shell->wait_end);
	carry_rows(shell);
	shell->q = opened->q;
	shell->n_rows = opened->n_rows;
	shell->span_from = opened->from;
	shell->span_to = MAX(opened->to, opened->from + 1);
	settle_views(shell);
}

/* ---- panes ---- */

/* The pane of NOW that stands where PANE does in BEFORE. */
static struct ui_pane *again(const GPtrArray *before, const GPtrArray *now, const struct ui_pane *pane)
{
	guint i;

	return pane && g_ptr_array_find((GPtrArray *)before, pane, &i) ? g_ptr_array_index(now, i) : NULL;
}

static void renew_panes(struct ui_shell *shell)
{
	g_autoptr(GPtrArray) before = shell->panes;
	struct ui_pane *focus = shell->focus, *main = shell->main, *asking = shell->asking;

	ui_shell_add_panes(shell);
	for (guint i = 0; i < before->len; i++) {
		struct ui_pane *old = g_ptr_array_index(before, i),
			       *pane = g_ptr_array_index(shell->panes, i);

		pane->shown = old->shown;
		pane->w = old->w; /* until it is laid out */
		pane->covers = again(before, shell->panes, old->covers);
		if (!pane->ops->carry)
			continue;
		ui_view_enter(pane);
		pane->ops->carry(pane, old);
		ui_view_leave(shell);
	}
	shell->main = again(before, shell->panes, main);
	ui_view_leave(shell);
	shell->focus = again(before, shell->panes, focus);
	shell->asking = again(before, shell->panes, asking);
}

void ui_reopen_take(struct ui_shell *shell, const struct ui_opened *opened)
{
	shell->reopened = true;
	carry_places(shell, opened);
	renew_panes(shell);
	shell->changes |= UI_CHANGED_EXPERIMENT | UI_CHANGED_WINDOW | UI_CHANGED_CURSOR | UI_CHANGED_ROW |
		UI_CHANGED_SELECTION | UI_CHANGED_SIZE;
	shell->dirty = true;
}

void ui_reopen_run(struct ui_shell *shell)
{
	g_autofree char *sync = g_steal_pointer(&shell->sync_wanted);
	struct ui_opened opened = { 0 };
	GError *error = NULL;
	bool good;

	if (!sync)
		return;
	good = ui_loading_run(shell, sync, &opened, &error);
	if (good) {
		g_free(shell->sync);
		shell->sync = g_steal_pointer(&sync);
		ui_reopen_take(shell, &opened);
		ui_shell_message(shell, "clocks: %s", shell->sync);
	} else {
		ui_shell_take_error(shell, error);
	}
	shell->options->settle(shell->options->context, good);
}
