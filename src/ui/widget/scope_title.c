/* SPDX-License-Identifier: MIT */
#include "ui/widget/scope_title.h"

#include "query/qry.h"

/*
 * What a stretch of time is that a pane is about: all panes take the selection, else the window.  "12.0 ms
 * selected", "12.0 ms in view", "whole trace, 901 ms"; "12.0 ms from +0.5 s on" for one that was kept while
 * one went elsewhere.  The caller frees.
 */
static char *time_text(const struct ui_shell *shell, int64_t from, int64_t to)
{
	g_autofree char *length = ui_shell_duration_text(shell, to - from),
			*start = ui_shell_time_text(shell, from);
	int64_t own_from, own_to;
	bool selected = ui_shell_selection(shell, &own_from, &own_to),
	     here = from == own_from && to == own_to;

	if (selected && here)
		return g_strconcat(length, " selected", NULL);
	if (from <= shell->span_from && to >= shell->span_to)
		return g_strconcat("whole trace, ", length, NULL);
	if (here)
		return g_strconcat(length, " in view", NULL);
	return g_strdup_printf("%s from %s on", length, start);
}

void scope_title(const struct ui_shell *shell, GString *title, const char *what, char *whose, int64_t from,
	int64_t to)
{
	g_autofree char *time = time_text(shell, from, to);

	g_string_append_printf(title, "%s%s%s  %s", what, whose ? " of " : "", whose ? whose : "", time);
	g_free(whose);
}

void scope_title_whole(const struct ui_shell *shell, GString *title, const char *what, char *whose)
{
	scope_title(shell, title, what, whose, shell->span_from, shell->span_to);
}

const char *const scope_words[SCOPE_N] = { "thread", "process", "user", "all" };

char *scope_title_whose(const struct ui_shell *shell, enum scope scope, uint32_t row)
{
	g_autofree char *label = row == MDL_NONE ? NULL : qry_row_label(shell->q, row);

	if (scope_of_all(scope))
		return g_strdup(scope == SCOPE_USER ? "user threads" : "all threads");
	return label ? g_strconcat(scope == SCOPE_PROCESS ? "process " : "", label, NULL)
		     : g_strdup("nobody");
}
