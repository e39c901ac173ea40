/* SPDX-License-Identifier: MIT */
#include "ui/core/ui_mouse.h"

#include "ui/term/term_key.h"

#define WHEEL_LINES 3 /* rows that the wheel moves by at once */

static bool is_at(const struct ui_pane *pane, unsigned y)
{
	return pane->shown && pane->h && y >= pane->y && y < pane->y + pane->h;
}

/* The pane at line Y: the overlay, which takes all; else one that can be pointed at; NULL: another place. */
static struct ui_pane *pane_at(const struct ui_shell *shell, unsigned y)
{
	struct ui_pane *found = NULL;

	for (unsigned i = 0; i < shell->panes->len; i++) {
		struct ui_pane *pane = g_ptr_array_index(shell->panes, i);

		if (pane->shown && pane->ops->place == UI_PLACE_OVERLAY)
			return pane;
		if (is_at(pane, y) &&
			(pane->ops->point || pane->ops->place == UI_PLACE_MAIN ||
				pane->ops->place == UI_PLACE_LOWER))
			found = pane;
	}
	return found;
}

static void click(struct ui_shell *shell, struct ui_pane *pane)
{
	unsigned title = pane->ops->title ? 1 : 0, y = shell->term->mouse_y - pane->y;

	if (pane->ops->point && y >= title)
		pane->ops->point(pane, shell->term->mouse_x, y - title);
}

/* On the ruler as with Ctrl: curses does not understand Ctrl with the wheel of a terminal that tells the
 * mouse as X10 did, as tmux' own. */
static void turn_wheel(struct ui_shell *shell, struct ui_pane *pane, uint32_t key)
{
	bool ruler = pane->ops->place == UI_PLACE_MAIN && shell->term->mouse_y == pane->y;
	enum ui_command command = ui_keymap_command(shell->keys, ruler ? key | TERM_KEY_CTRL : key);
	bool zoom = command == UI_CMD_ZOOM_IN || command == UI_CMD_ZOOM_OUT;
	unsigned times = command == UI_CMD_ROW_UP || command == UI_CMD_ROW_DOWN ? WHEEL_LINES : 1,
		 x = shell->term->mouse_x;

	if (zoom && pane->ops->place == UI_PLACE_MAIN && x >= shell->names)
		ui_shell_set_cursor(shell, ui_shell_column_time(shell, x - shell->names));
	for (unsigned i = 0; command && i < times; i++)
		ui_shell_command(shell, command);
}

void ui_mouse_key(struct ui_shell *shell, uint32_t key)
{
	struct ui_pane *pane = shell->q ? pane_at(shell, shell->term->mouse_y) : NULL;

	if (!pane)
		return;
	if (pane->ops->place == UI_PLACE_MAIN || pane->ops->place == UI_PLACE_LOWER)
		ui_shell_focus(shell, pane);
	if (key == TERM_KEY_CLICK)
		click(shell, pane);
	else
		turn_wheel(shell, pane, key);
}
