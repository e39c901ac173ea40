/* SPDX-License-Identifier: MIT */
/* Mouse keys: by their place they move cursor and focus, select, move borders, or run commands. */
#include "ui/core/ui_shell_parts.h"

#include "ui/core/ui_scene.h"
#include "ui/term/term_key.h"

#define WHEEL_LINES 3 /* rows that the wheel moves by at once */

static bool is_at(const struct ui_pane *pane, unsigned x, unsigned y)
{
	return pane->shown && pane->h && y >= pane->y && y < pane->y + pane->h && x >= pane->x &&
		x < pane->x + pane->w;
}

/* The pane at column X, line Y: the overlay if it is shown, otherwise a pane that the mouse can point at;
 * NULL: none. */
static struct ui_pane *pane_at(const struct ui_shell *shell, unsigned x, unsigned y)
{
	struct ui_pane *found = NULL;

	for (unsigned i = 0; i < shell->panes->len; i++) {
		struct ui_pane *pane = g_ptr_array_index(shell->panes, i);

		if (pane->shown && pane->ops->place == UI_PLACE_OVERLAY)
			return pane;
		if (is_at(pane, x, y) &&
			(pane->ops->point || pane->ops->place == UI_PLACE_MAIN ||
				pane->ops->place == UI_PLACE_LOWER))
			found = pane;
	}
	return found;
}

/* On the ruler, the wheel acts like the wheel with Ctrl, because curses does not recognise Ctrl with the
 * wheel on a terminal that reports the mouse in the X10 encoding, such as tmux. */
static enum ui_command turn_wheel(struct ui_shell *shell, struct ui_pane *pane, uint32_t key, unsigned *times)
{
	bool ruler = pane->view && shell->term->mouse_y <= pane->y + ui_pane_titled(pane);
	enum ui_command command = ui_keymap_command(shell->keys, ruler ? key | TERM_KEY_CTRL : key);
	bool zoom = command == UI_CMD_ZOOM_IN || command == UI_CMD_ZOOM_OUT;
	unsigned x = shell->term->mouse_x - pane->x;

	if (zoom && pane->view && x >= shell->names)
		ui_shell_set_cursor(shell, ui_shell_column_time(shell, x - shell->names));
	*times = command == UI_CMD_ROW_UP || command == UI_CMD_ROW_DOWN ? WHEEL_LINES : 1;
	return command;
}

/* The time at column X of the screen, limited to the window. */
static int64_t time_at(const struct ui_shell *shell, unsigned x)
{
	unsigned first = shell->main->x + shell->names, c = x > first ? x - first : 0;

	return ui_shell_column_time(shell, MIN(c, shell->columns));
}

/* Move the border that was pressed: the title of a part below another one, or the line between two parts side
 * by side.  False: no border was pressed. */
static bool drag_border(struct ui_shell *shell)
{
	const struct ui_pane *lower = ui_pane_at(shell, UI_PLACE_LOWER), *second = ui_layout_second(shell);
	unsigned x = shell->pressed_x, y = shell->pressed_y;
	int left = (int)x - (int)shell->term->mouse_x, up = (int)y - (int)shell->term->mouse_y;

	if (lower && is_at(lower, x, y) && y == lower->y)
		shell->lower_extra += up;
	else if (second && second->x > 0 && is_at(second, x + 1, y) && x + 1 == second->x)
		shell->second_columns += left;
	else if (second && second->x == 0 && y == second->y)
		shell->second_rows += up;
	else
		return false;
	shell->resized = true;
	shell->changes |= UI_CHANGED_SIZE;
	return true;
}

/* The mouse moved with its button pressed; DONE: the button was released, which moves borders.  Over time of
 * the main pane, a drag selects both columns and the time between them. */
static void drag(struct ui_shell *shell, bool done)
{
	const struct ui_pane *pane = pane_at(shell, shell->pressed_x, shell->pressed_y);
	unsigned x = shell->term->mouse_x, first = MIN(x, shell->pressed_x), last = MAX(x, shell->pressed_x);
	int64_t from, to;

	shell->drags = !done;
	ui_undo_command(shell, UI_CMD_MOUSE); /* the whole drag is one step */
	if ((pane && pane->ops->place == UI_PLACE_OVERLAY) || (done && drag_border(shell)))
		return;
	/* The pane may have lost the focus since the press. */
	if (!pane || pane != shell->main || shell->pressed_x < pane->x + shell->names)
		return;
	from = time_at(shell, first);
	to = time_at(shell, last + 1);
	ui_shell_set_cursor(shell, x < shell->pressed_x ? from : to - 1);
	ui_shell_select(shell, from, to);
}

enum ui_command ui_mouse_key(struct ui_shell *shell, uint32_t key, unsigned *times)
{
	struct ui_pane *pane = shell->q ? pane_at(shell, shell->term->mouse_x, shell->term->mouse_y) : NULL;
	enum ui_command hinted = ui_hints_at(shell, shell->term->mouse_x, shell->term->mouse_y);
	unsigned title, y;

	*times = 1;
	if (key == TERM_KEY_DRAG || key == TERM_KEY_MOVE) {
		if (shell->q)
			drag(shell, key == TERM_KEY_DRAG);
		return UI_CMD_NONE;
	}
	shell->drags = false;
	shell->pressed_x = shell->term->mouse_x;
	shell->pressed_y = shell->term->mouse_y;
	if (hinted)
		return key == TERM_KEY_CLICK ? hinted : UI_CMD_NONE;
	if (!pane)
		return UI_CMD_NONE;
	if (pane->ops->place == UI_PLACE_MAIN || pane->ops->place == UI_PLACE_LOWER)
		ui_shell_focus(shell, pane);
	if (key != TERM_KEY_CLICK && key != TERM_KEY_DOUBLE)
		return turn_wheel(shell, pane, key, times);
	title = ui_pane_titled(pane);
	y = shell->term->mouse_y - pane->y;
	if (pane->ops->point && y >= title) {
		ui_view_enter(pane);
		pane->ops->point(pane, shell->term->mouse_x - pane->x, y - title);
		ui_view_leave(shell);
	}
	if (key != TERM_KEY_DOUBLE)
		return UI_CMD_NONE;
	if (pane->ops->place == UI_PLACE_MAIN)
		return shell->term->mouse_x >= pane->x + shell->names ? UI_CMD_FOLLOW : UI_CMD_NONE;
	return pane->ops->place == UI_PLACE_LOWER ? UI_CMD_ACTIVATE : UI_CMD_NONE;
}
