/* SPDX-License-Identifier: MIT */
/*
 * Commands that cannot be done say so themselves.  Many more end where they are: at the first line, at the
 * end of the trace.  That is seen here, for all panes: what is on the screen is the same as before.
 */
#include "ui/core/ui_shell_parts.h"

#include "ui/core/ui_prompt.h"

/* Why COMMAND leaves the screen as it is. */
static const char *reason(const struct ui_shell *shell, enum ui_command command)
{
	bool split = ui_pane_at(shell, UI_PLACE_LOWER);

	switch (command) {
	case UI_CMD_ROW_UP:
	case UI_CMD_PAGE_UP:
	case UI_CMD_ROW_FIRST: return "there is no line above this one";
	case UI_CMD_ROW_DOWN:
	case UI_CMD_PAGE_DOWN:
	case UI_CMD_ROW_LAST: return "there is no line below this one";
	case UI_CMD_TIME_LEFT:
	case UI_CMD_PAN_LEFT:
	case UI_CMD_TIME_START: return "there is nothing before this";
	case UI_CMD_TIME_RIGHT:
	case UI_CMD_PAN_RIGHT:
	case UI_CMD_TIME_END: return "there is nothing after this";
	case UI_CMD_CHANGE_PREV:
	case UI_CMD_WAKE_PREV: return "there is none before this";
	case UI_CMD_CHANGE_NEXT:
	case UI_CMD_WAKE_NEXT: return "there is none after this";
	case UI_CMD_FOLLOW: return "the cursor is there already";
	case UI_CMD_ACTIVATE: return "this is on the screen already";
	case UI_CMD_ZOOM_IN: return "a window cannot be shorter";
	case UI_CMD_ZOOM_OUT:
	case UI_CMD_ZOOM_FIT: return "the whole trace is in view";
	case UI_CMD_CLEAR: return "nothing is selected, and nothing to be left";
	case UI_CMD_NAMES_WIDER: return "names cannot be wider";
	case UI_CMD_NAMES_NARROWER: return "names cannot be narrower";
	case UI_CMD_MAXIMISE: return split || shell->two ? NULL : "there is only one pane";
	case UI_CMD_GROW:
		return split         ? "the lower pane cannot be larger"
			: shell->two ? "the second window cannot be larger"
				     : "there is no lower pane";
	case UI_CMD_SHRINK:
		return split         ? "the lower pane cannot be smaller"
			: shell->two ? "the second window cannot be smaller"
				     : "there is no lower pane";
	default: return NULL;
	}
}

/* A number for what is on the screen but for the message line (FNV-1a, of 64 bits). */
static guint64 reason_look(const struct ui_shell *shell)
{
	guint64 hash = G_GUINT64_CONSTANT(14695981039346656037);

	for (unsigned y = 0; y + 1 < shell->grid->rows; y++) {
		for (unsigned x = 0; x < shell->grid->columns; x++) {
			const struct term_cell *cell = term_grid_cell(shell->grid, x, y);

			hash = (hash ^ cell->ch) * G_GUINT64_CONSTANT(1099511628211);
			hash = (hash ^ (cell->role | (unsigned)cell->over << 8)) *
				G_GUINT64_CONSTANT(1099511628211);
		}
	}
	return hash;
}

void ui_reason_before(struct ui_shell *shell, enum ui_command command)
{
	shell->tried = command;
	shell->look = reason_look(shell);
}

bool ui_reason_after(struct ui_shell *shell)
{
	enum ui_command command = shell->tried;
	const char *why;

	shell->tried = UI_CMD_NONE;
	if (!command || shell->message || command == UI_CMD_REPAINT || ui_prompt_active(shell->prompt) ||
		reason_look(shell) != shell->look)
		return false;
	why = reason(shell, command);
	if (why)
		ui_shell_message(shell, "%s", why);
	else
		ui_shell_message(shell, "%s: this changes nothing here", ui_command_info(command)->name);
	return true;
}
