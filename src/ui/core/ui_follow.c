/* SPDX-License-Identifier: MIT */
/*
 * How it works: as long as the end is held each index that can be opened replaces the one before, as with
 * other clocks (ui_reopen.c).  A window that ended with the trace goes on
 * with it, one that showed all of it shows all again; whoever moves away from the end, with both windows
 * where there are two, has released it.
 *
 * What is new of an index that is made is always taken, and nothing moves for it, but that all is shown where
 * all was.  What the panes below the rows showed they show again (ui_undo_again()).  Whoever did not go
 * anywhere is, when it is whole, where it would have begun then.
 */
#include "ui/core/ui_shell_parts.h"

#include "ui/core/ui_undo.h"

#include <string.h>

/* Whether a view ends with the trace. */
static bool at_end(const struct ui_shell *shell)
{
	bool is = false;

	for (unsigned i = 0; i < ui_view_count(shell); i++)
		is |= shell->views[i].to >= shell->span_to;
	return is;
}

/* The view, which was as BEFORE while the trace ended at END, has the end where it was on the screen. */
static void follow_move(struct ui_shell *shell, const struct ui_view *before, int64_t start, int64_t end)
{
	int64_t length = before->to - before->from;
	bool all = before->from == start && before->to == end,
	     moves = all || (!shell->options->makes && before->to == end);

	if (moves)
		ui_shell_set_window(shell, all ? shell->span_from : shell->span_to - length, shell->span_to);
	if (moves && !all)
		ui_shell_set_cursor(shell, before->cursor + (shell->span_to - end));
}

/* Show OPENED. */
static void follow_take(struct ui_shell *shell, const struct ui_opened *opened)
{
	struct ui_view before[UI_VIEWS];
	int64_t start = shell->span_from, end = shell->span_to;

	ui_shell_tell(shell); /* what was opened first, if the rest came before anything was drawn */
	ui_shell_note_place(shell);
	memcpy(before, shell->views, sizeof before);
	ui_undo_note(shell);
	ui_reopen_take(shell, opened);
	for (unsigned i = 0; i < ui_view_count(shell); i++) {
		shell->view = &shell->views[i];
		follow_move(shell, &before[i], start, end);
	}
	ui_view_leave(shell);
	if (opened->begins && !shell->moved)
		ui_shell_begin(shell, opened);
	shell->found = *shell->view;
	if (shell->moved)
		ui_undo_again(shell);
	else
		ui_undo_accept(shell);
	shell->options->settle(shell->options->context, true);
}

void ui_follow_run(struct ui_shell *shell)
{
	const char *text = NULL, *note = NULL;
	struct ui_opened opened;
	enum ui_followed did;

	if (!shell->options->follow || shell->follow_over)
		return;
	shell->held &= at_end(shell);
	did = shell->options->follow(shell->options->context, shell->held || shell->options->makes, &opened,
		&text, &note);
	shell->follow_over = did == UI_FOLLOWED_OVER;
	if (did == UI_FOLLOWED_OPENED)
		follow_take(shell, &opened);
	if (note)
		ui_shell_note(shell, note);
	if (g_strcmp0(text, shell->followed) != 0) {
		g_free(shell->followed);
		shell->followed = g_strdup(text);
		shell->dirty = true;
	}
}
