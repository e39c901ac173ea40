/* SPDX-License-Identifier: MIT */
/*
 * A view is what the shell knows of it, and which panes are shown; a pane whose looks do not follow from that
 * adds a line of its own (the hook "keep").  Lists of panes are made anew from it, as always.
 */
#include "ui/core/ui_undo.h"

#include "base/base_time.h"
#include "ui/core/ui_prompt.h"
#include "ui/core/ui_views.h"

/* ---- taking down ---- */

static int32_t number_of(const struct ui_shell *shell, const struct ui_pane *pane)
{
	guint i;

	return pane && g_ptr_array_find(shell->panes, pane, &i) ? (int32_t)i : -1;
}

static struct ui_pane *pane_of(const struct ui_shell *shell, int32_t number)
{
	return number < 0 ? NULL : g_ptr_array_index(shell->panes, number);
}

static void take_panes(const struct ui_shell *shell, struct ui_view *v)
{
	const struct ui_pane *lower = ui_pane_at(shell, UI_PLACE_LOWER);

	v->is.focus = number_of(shell, shell->focus);
	for (unsigned i = 0; i < UI_VIEWS_DEPTH; i++, lower = lower ? lower->covers : NULL)
		v->is.lower[i] = number_of(shell, lower);
	for (guint i = 0; i < shell->panes->len; i++) {
		struct ui_pane *pane = g_ptr_array_index(shell->panes, i);

		g_ptr_array_add(v->kept, pane->ops->keep ? pane->ops->keep(pane) : NULL);
	}
}

static struct ui_view *take(const struct ui_shell *shell)
{
	struct ui_view *v = g_new0(struct ui_view, 1);

	v->is.from = shell->from;
	v->is.to = shell->to;
	v->is.cursor = shell->cursor;
	v->is.mark = shell->mark;
	v->is.mark_end = shell->mark_end;
	v->is.row = shell->row;
	v->is.hide_tracer = shell->hide_tracer;
	v->is.maximised = shell->maximised;
	v->way = shell->history->len;
	if (v->way > 0)
		v->last = g_array_index(shell->history, struct ui_place_in_time, v->way - 1);
	v->kept = g_ptr_array_new_with_free_func(g_free);
	take_panes(shell, v);
	return v;
}

/* ---- steps ---- */

/* Commands that do the same in the one direction or the other, or by larger steps, are of one kind; NONE:
 * each is a step. */
static enum ui_command kind_of(enum ui_command command)
{
	switch (command) {
	case UI_CMD_ROW_UP:
	case UI_CMD_ROW_DOWN:
	case UI_CMD_PAGE_UP:
	case UI_CMD_PAGE_DOWN: return UI_CMD_ROW_DOWN;
	case UI_CMD_TIME_LEFT:
	case UI_CMD_TIME_RIGHT: return UI_CMD_TIME_RIGHT;
	case UI_CMD_PAN_LEFT:
	case UI_CMD_PAN_RIGHT: return UI_CMD_PAN_RIGHT;
	case UI_CMD_ZOOM_IN:
	case UI_CMD_ZOOM_OUT: return UI_CMD_ZOOM_IN;
	case UI_CMD_CHANGE_NEXT:
	case UI_CMD_CHANGE_PREV: return UI_CMD_CHANGE_NEXT;
	default: return UI_CMD_NONE;
	}
}

void ui_undo_command(struct ui_shell *shell, enum ui_command command)
{
	if (shell->undo->command == UI_CMD_NONE) /* others may be parts of it */
		shell->undo->command = command;
}

void ui_undo_accept(struct ui_shell *shell)
{
	ui_view_free(shell->undo->now);
	shell->undo->now = take(shell);
}

void ui_undo_note(struct ui_shell *shell)
{
	struct ui_undo *u = shell->undo;
	enum ui_command kind = kind_of(u->command);
	struct ui_view *v;

	if (!shell->q || ui_prompt_active(shell->prompt))
		return;
	u->command = UI_CMD_NONE;
	v = take(shell);
	if (u->now && ui_view_same(u->now, v)) {
		ui_view_free(v);
		return;
	}
	if (u->now && (kind == UI_CMD_NONE || kind != u->merge)) {
		if (u->done->len == UI_UNDO_MAX)
			g_ptr_array_remove_index(u->done, 0);
		g_ptr_array_add(u->done, u->now);
		u->merge = kind;
	} else {
		ui_view_free(u->now);
	}
	u->now = v;
	g_ptr_array_set_size(u->undone, 0);
}

/* ---- going there ---- */

/* One step changes the way by one place at most: with the last one of each view it is there again. */
static void restore_way(struct ui_shell *shell, const struct ui_view *v)
{
	if (v->way <= shell->history->len)
		g_array_set_size(shell->history, v->way);
	else if (v->way == shell->history->len + 1)
		g_array_append_val(shell->history, v->last);
	if (v->way > 0 && v->way == shell->history->len)
		g_array_index(shell->history, struct ui_place_in_time, v->way - 1) = v->last;
}

static void restore_shell(struct ui_shell *shell, const struct ui_looks *is)
{
	if (shell->mark != is->mark || shell->mark_end != is->mark_end)
		shell->changes |= UI_CHANGED_SELECTION;
	if (shell->hide_tracer != (is->hide_tracer != 0))
		shell->changes |= UI_CHANGED_HIDING;
	shell->mark = is->mark;
	shell->mark_end = is->mark_end;
	shell->hide_tracer = is->hide_tracer;
	ui_shell_set_window(shell, is->from, is->to);
	ui_shell_set_cursor(shell, is->cursor);
	ui_shell_set_row(shell, is->row);
}

static void restore_panes(struct ui_shell *shell, const struct ui_looks *is)
{
	for (guint i = 0; i < shell->panes->len; i++) {
		struct ui_pane *pane = g_ptr_array_index(shell->panes, i);

		if (pane->ops->place != UI_PLACE_LOWER)
			continue;
		pane->shown = (int32_t)i == is->lower[0];
		pane->covers = NULL;
	}
	for (unsigned i = 0; i + 1 < UI_VIEWS_DEPTH && is->lower[i] >= 0; i++)
		pane_of(shell, is->lower[i])->covers = pane_of(shell, is->lower[i + 1]);
	shell->focus = pane_of(shell, is->focus);
	shell->maximised = is->maximised;
	shell->changes |= UI_CHANGED_SIZE;
}

static void restore(struct ui_shell *shell, const struct ui_view *v)
{
	restore_way(shell, v);
	restore_panes(shell, &v->is);
	restore_shell(shell, &v->is);
	ui_shell_tell(shell);
	for (guint i = 0; i < shell->panes->len; i++) {
		struct ui_pane *pane = g_ptr_array_index(shell->panes, i);
		const char *kept = g_ptr_array_index(v->kept, i);

		if (kept && pane->ops->restore)
			pane->ops->restore(pane, kept);
	}
	restore_panes(shell, &v->is); /* one of them may have shown itself */
	ui_shell_tell(shell);
}

void ui_undo_go(struct ui_shell *shell, bool redo)
{
	struct ui_undo *u = shell->undo;
	GPtrArray *from = redo ? u->undone : u->done, *to = redo ? u->done : u->undone;

	if (from->len == 0) {
		ui_shell_message(shell, redo ? "nothing to do again" : "nothing to undo");
		return;
	}
	g_ptr_array_add(to, u->now);
	u->now = g_ptr_array_steal_index(from, from->len - 1);
	u->merge = UI_CMD_NONE;
	restore(shell, u->now);
	ui_undo_accept(shell);
	ui_shell_message(shell, "%u more to undo, %u to do again", u->done->len, u->undone->len);
}

/* ---- other clocks ---- */

static void carry_view(const struct ui_shell *shell, struct ui_view *v,
	int64_t (*carry)(const struct ui_shell *shell, uint32_t row, int64_t time))
{
	struct ui_looks *is = &v->is;
	bool moves = carry(shell, is->row, is->from) != is->from;

	is->from = carry(shell, is->row, is->from);
	is->to = carry(shell, is->row, is->to);
	is->cursor = carry(shell, is->row, is->cursor);
	is->mark = carry(shell, is->row, is->mark);
	is->mark_end = carry(shell, is->row, is->mark_end);
	for (guint i = 0; moves && i < v->kept->len; i++) /* there are times in it */
		g_clear_pointer(&g_ptr_array_index(v->kept, i), g_free);
	v->last.from = carry(shell, v->last.row, v->last.from);
	v->last.to = carry(shell, v->last.row, v->last.to);
	v->last.cursor = carry(shell, v->last.row, v->last.cursor);
}

void ui_undo_carry(struct ui_shell *shell,
	int64_t (*carry)(const struct ui_shell *shell, uint32_t row, int64_t time))
{
	struct ui_undo *u = shell->undo;

	if (u->now)
		carry_view(shell, u->now, carry);
	for (guint i = 0; i < u->done->len; i++)
		carry_view(shell, g_ptr_array_index(u->done, i), carry);
	for (guint i = 0; i < u->undone->len; i++)
		carry_view(shell, g_ptr_array_index(u->undone, i), carry);
}
