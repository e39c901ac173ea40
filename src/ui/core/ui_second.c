/* SPDX-License-Identifier: MIT */
/* The second window: opened, closed, linked with the first by time or zoom. */
#include "ui/core/ui_shell_parts.h"

#include "ui/core/ui_argument.h"

/* The MAIN pane that is hidden unless there are two. */
static struct ui_pane *second(const struct ui_shell *shell)
{
	for (unsigned i = 0; i < shell->panes->len; i++) {
		struct ui_pane *pane = g_ptr_array_index(shell->panes, i);

		if (pane->view == &shell->views[1])
			return pane;
	}
	return NULL;
}

/* PANE, which is new, becomes a copy of the one that all is about. */
static void second_copy(struct ui_pane *pane, struct ui_pane *main)
{
	g_autofree char *kept = NULL;
	GError *error = NULL;

	ui_shell_tell(pane->shell); /* it is as it will be shown */
	kept = ui_pane_keep(main);
	*pane->view = *main->view;
	pane->shown = pane->shell->two = true;
	ui_view_note(pane->shell, UI_CHANGED_SIZE);
	ui_shell_tell(pane->shell);
	ui_view_enter(pane);
	if (kept && pane->ops->restore && !pane->ops->restore(pane, kept, &error))
		ui_shell_take_error(pane->shell, error);
	ui_view_leave(pane->shell);
}

void ui_second_begin(struct ui_shell *shell)
{
	struct ui_pane *pane = second(shell);

	if (!pane)
		shell->two = false;
	else if (shell->two)
		second_copy(pane, shell->main);
}

static void open_it(struct ui_shell *shell, struct ui_pane *pane)
{
	g_autofree char *there = ui_keymap_first(shell->keys, UI_CMD_FOCUS),
			*close = ui_keymap_first(shell->keys, UI_CMD_SECOND);

	if (!shell->room_for_two) {
		ui_shell_error(shell, "no room for a second window");
		return;
	}
	second_copy(pane, shell->main);
	shell->maximised = false;
	ui_shell_focus(shell, pane);
	ui_shell_message(shell, "a second window: %s goes to the other one, %s closes it", there, close);
}

static void close_it(struct ui_shell *shell, struct ui_pane *pane)
{
	struct ui_pane *first = pane == shell->main ? ui_pane_beside(shell) : shell->main;

	if (shell->focus == pane)
		ui_shell_focus(shell, first);
	ui_view_turn_to(first);
	pane->shown = shell->two = false;
	shell->linked = UI_LINK_OFF;
	ui_view_note(shell, UI_CHANGED_SIZE);
	ui_shell_message(shell, "the second window is closed");
}

void ui_second_show(struct ui_shell *shell)
{
	struct ui_pane *pane = second(shell);
	bool two = shell->two;

	if (!ui_argument_switch(shell, UI_CMD_SECOND, &two))
		return;
	if (two && !shell->two && pane)
		open_it(shell, pane);
	else if (!two && shell->two)
		close_it(shell, pane);
}

void ui_second_link(struct ui_shell *shell)
{
	static const char *const names[] = { "off", "time", "zoom" },
				 *const said[] = { "the windows move each for itself",
					 "both windows show the same time",
					 "both windows show as much time" };
	unsigned n = G_N_ELEMENTS(names),
		 wanted = ui_argument_of(shell, UI_CMD_LINK, names, n, (shell->linked + 1) % n);

	g_autofree char *key = ui_keymap_first(shell->keys, UI_CMD_SECOND);

	if (wanted == n)
		return;
	if (!shell->two) {
		ui_shell_error(shell, "there is one window: %s opens a second one", key);
		return;
	}
	shell->linked = wanted;
	ui_view_note(shell, UI_CHANGED_WINDOW);
	ui_shell_message(shell, "%s", said[wanted]);
}
