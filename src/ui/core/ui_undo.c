/* SPDX-License-Identifier: MIT */
/* The undo history: the scenes before and after the present one.  See ui_scene.h. */
#include "ui/core/ui_scene.h"

#include "ui/core/ui_fields.h"
#include "ui/core/ui_prompt.h"

/* ---- steps ---- */

/* The kind of COMMAND.  Commands that move in opposite directions or by larger steps have one kind; NONE:
 * each command is a step of its own. */
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
	case UI_CMD_MOUSE: return UI_CMD_MOUSE;
	default: return UI_CMD_NONE;
	}
}

void ui_undo_command(struct ui_shell *shell, enum ui_command command)
{
	if (shell->undo->command == UI_CMD_NONE) /* later commands are parts of the first */
		shell->undo->command = command;
}

void ui_undo_accept(struct ui_shell *shell)
{
	ui_scene_free(shell->undo->now);
	shell->undo->now = ui_scene_take(shell);
	shell->undo->settles = false;
}

void ui_undo_note(struct ui_shell *shell)
{
	struct ui_undo *u = shell->undo;
	enum ui_command kind = kind_of(u->command);
	struct ui_scene *v;

	if (u->settles) /* effects of the restored scene until now belong to it */
		ui_undo_accept(shell);
	if (!shell->q || ui_prompt_active(shell->prompt))
		return;
	u->command = UI_CMD_NONE;
	v = ui_scene_take(shell);
	if (u->now && ui_scene_same(u->now, v)) {
		ui_scene_free(v);
		return;
	}
	if (u->now && (kind == UI_CMD_NONE || kind != u->merge)) {
		if (u->done->len == UI_UNDO_MAX)
			g_ptr_array_remove_index(u->done, 0);
		g_ptr_array_add(u->done, u->now);
		u->merge = kind;
	} else {
		ui_scene_free(u->now);
	}
	u->now = v;
	g_ptr_array_set_size(u->undone, 0);
}

/* ---- undo and redo ---- */

/* Show the scene u->now. */
static void undo_show(struct ui_shell *shell)
{
	struct ui_undo *u = shell->undo;

	u->merge = UI_CMD_NONE;
	u->settles = true;
	ui_scene_restore(shell, u->now);
}

bool ui_undo_show(struct ui_shell *shell, const char *text, GError **error)
{
	struct ui_undo *u = shell->undo;
	struct ui_scene *scene = ui_scene_read(shell, text, error);

	if (!scene)
		return false;
	if (!u->now)
		u->now = ui_scene_take(shell);
	g_ptr_array_add(u->done, u->now);
	g_ptr_array_set_size(u->undone, 0);
	u->now = scene;
	undo_show(shell);
	return true;
}

bool ui_undo_settle(struct ui_shell *shell)
{
	if (!shell->undo->settles)
		return false;
	ui_scene_restore_panes(shell, shell->undo->now);
	ui_undo_accept(shell);
	return true;
}

void ui_undo_go(struct ui_shell *shell, bool redo)
{
	struct ui_undo *u = shell->undo;
	GPtrArray *from = redo ? u->undone : u->done, *to = redo ? u->done : u->undone;

	if (from->len == 0) {
		ui_shell_message(shell, redo ? "nothing to redo" : "nothing to undo");
		return;
	}
	g_ptr_array_add(to, u->now);
	u->now = g_ptr_array_steal_index(from, from->len - 1);
	undo_show(shell);
	ui_shell_message(shell, "%u more to undo, %u to redo", u->done->len, u->undone->len);
}

/* ---- the trace was opened again ---- */

/* Convert the views of V.  If one moves or OTHER is set, also convert the rows and times in the texts that
 * lower panes kept, by the clock of the host of the first view's row.  The texts of other panes are dropped,
 * because they contain lists of rows. */
static void carry_scene(const struct ui_shell *shell, struct ui_scene *v, bool other)
{
	uint32_t row = v->is.views[0].row;
	bool moves = false;

	for (unsigned i = 0; i < (v->is.two ? UI_VIEWS : 1); i++) {
		struct ui_view *view = &v->is.views[i];
		int64_t from = view->from;

		ui_view_carry(shell, view);
		moves |= view->from != from;
	}
	for (guint i = 0; (moves || other) && i < v->kept->len; i++) {
		char **kept = (char **)&g_ptr_array_index(v->kept, i), *before = *kept;
		bool lower = ui_pane_nth(shell, i)->ops->place == UI_PLACE_LOWER;

		*kept = before && lower ? ui_fields_carry_text(shell, row, before) : NULL;
		g_free(before);
	}
}

void ui_undo_carry(struct ui_shell *shell)
{
	struct ui_undo *u = shell->undo;
	bool other = false; /* some row has another number now */

	for (uint32_t row = 0; row < shell->n_rows; row++)
		other |= ui_view_carry_row(shell, row) != row;
	if (u->now)
		carry_scene(shell, u->now, other);
	for (guint i = 0; i < u->done->len; i++)
		carry_scene(shell, g_ptr_array_index(u->done, i), other);
	for (guint i = 0; i < u->undone->len; i++)
		carry_scene(shell, g_ptr_array_index(u->undone, i), other);
}

void ui_undo_again(struct ui_shell *shell)
{
	struct ui_undo *u = shell->undo;
	struct ui_scene *before = u->now;

	ui_shell_tell(shell);
	u->now = ui_scene_take(shell);
	for (guint i = 0; before && i < shell->panes->len; i++) {
		const struct ui_pane *pane = g_ptr_array_index(shell->panes, i);

		if (pane->ops->place == UI_PLACE_LOWER) {
			g_free(u->now->kept->pdata[i]);
			u->now->kept->pdata[i] = g_steal_pointer(&before->kept->pdata[i]);
		}
	}
	ui_scene_free(before);
	ui_scene_restore_panes(shell, u->now);
	u->settles = true;
}
