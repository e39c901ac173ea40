/* SPDX-License-Identifier: MIT */
/*
 * Copies to the terminal's clipboard: names and times as they are, lines as they stand on the screen, or the
 * command line that shows this window with this cursor and thread.  It has no place on the screen, only the
 * command.
 */
#include "ui/pane/pane.h"

#include "base/base_text.h"
#include "query/qry.h"
#include "ui/term/term_copy.h"

#include <inttypes.h>
#include <string.h>

static char *copied_name(struct ui_shell *shell)
{
	return shell->row == UI_NO_ROW ? NULL : qry_row_label(shell->q, shell->row);
}

static char *copied_time(struct ui_shell *shell)
{
	return ui_shell_time_text(shell, shell->cursor);
}

/* ---- as it stands on the screen ---- */

static void append_line(GString *out, const struct term_grid *grid, unsigned y)
{
	gsize end = out->len;

	for (unsigned x = 0; x < grid->columns; x++) {
		gunichar ch = term_grid_cell(grid, x, y)->ch;

		if (ch)
			g_string_append_unichar(out, ch);
		if (ch && ch != ' ')
			end = out->len;
	}
	g_string_truncate(out, end);
}

/* The line that is marked in the pane with the focus. */
static char *copied_row(struct ui_shell *shell)
{
	const struct ui_pane *pane = shell->focus;
	GString *out = g_string_new(NULL);

	for (unsigned y = pane->y; y < pane->y + pane->h && y < shell->grid->rows && !out->len; y++)
		if (term_grid_cell(shell->grid, pane->x, y)->over == TERM_ROLE_OVER_ROW)
			append_line(out, shell->grid, y);
	return g_string_free(out, out->len == 0);
}

/* What the pane with the focus shows. */
static char *copied_table(struct ui_shell *shell)
{
	const struct ui_pane *pane = shell->focus;
	GString *out = g_string_new(NULL);

	for (unsigned y = pane->y; y < pane->y + pane->h && y < shell->grid->rows; y++) {
		append_line(out, shell->grid, y);
		g_string_append_c(out, '\n');
	}
	return g_string_free(out, FALSE);
}

/* ---- the command line ---- */

/* "HOST/TID", with "@TIME" where the kernel used the TID twice. */
static char *thread_text(struct qry *q, uint32_t row)
{
	const struct qry_row *r = qry_row(q, row);
	g_autofree char *text = g_strdup_printf("%s/%" PRId64, qry_host(q, r->host)->name, (int64_t)r->nr);
	uint32_t found;

	if (qry_find_thread(q, text, &found, NULL) && found == row)
		return g_steal_pointer(&text);
	return g_strdup_printf("%s@%" PRId64, text, r->first);
}

static char *copied_command(struct ui_shell *shell)
{
	GString *out = g_string_new(shell->options->program);
	g_autofree char *sync = g_shell_quote(shell->sync);

	if (strcmp(shell->sync, "auto") != 0)
		g_string_append_printf(out, " --sync %s", sync);
	g_string_append_printf(out, " --from %" PRId64 " --to %" PRId64, shell->from, shell->to);
	if (shell->row != UI_NO_ROW && qry_row(shell->q, shell->row)->type == MDL_ROW_THREAD) {
		g_autofree char *thread = thread_text(shell->q, shell->row), *quoted = g_shell_quote(thread);

		g_string_append_printf(out, " --thread %s", quoted);
	}
	g_string_append_printf(out, " --goto %" PRId64, shell->cursor);
	return g_string_free(out, FALSE);
}

/* ---- the choice ---- */

static const struct {
	const char *word, *missing;
	char *(*copied)(struct ui_shell *shell);
} choices[] = {
	{ "name", "a heading has no name of its own: select a row", copied_name },
	{ "time", NULL, copied_time },
	{ "row", "no line is selected in this pane", copied_row },
	{ "table", NULL, copied_table },
	{ "command", NULL, copied_command },
};

/* To the clipboard, and say what it was, and how. */
static void copy(struct ui_shell *shell, const char *word, const char *text)
{
	g_autofree char *size = base_text_bytes(strlen(text));
	const char *how = NULL;

	if (strlen(text) > TERM_COPY_MAX)
		ui_shell_error(shell, "the %s has %s, more than terminals take: export it to a file", word,
			size);
	else if (shell->term->ops->copy(shell->term, text, &how))
		ui_shell_message(shell, "copied the %s, %s: %s", word, size, how);
	else
		ui_shell_error(shell, "%s", how);
}

static void answered(struct ui_pane *pane, const char *text)
{
	struct ui_shell *shell = pane->shell;

	for (gsize i = 0; *text && i < G_N_ELEMENTS(choices); i++) {
		g_autofree char *copied = NULL;

		if (!g_str_has_prefix(choices[i].word, text))
			continue;
		copied = choices[i].copied(shell);
		if (copied)
			copy(shell, choices[i].word, copied);
		else
			ui_shell_error(shell, "%s", choices[i].missing);
		return;
	}
	ui_shell_error(shell, "copy: \"%s\" is none of name, time, row, table, command", text);
}

static bool copy_command(struct ui_pane *pane, enum ui_command command)
{
	if (command != UI_CMD_COPY)
		return false;
	ui_shell_ask(pane->shell, pane, "copy name, time, row, table or command", "row", answered, NULL);
	return true;
}

static void copy_words(struct ui_pane *pane, enum ui_command command, GPtrArray *words)
{
	(void)pane;
	for (gsize i = 0; command == UI_CMD_COPY && i < G_N_ELEMENTS(choices); i++)
		g_ptr_array_add(words, (char *)(uintptr_t)choices[i].word);
}

const struct ui_pane_ops pane_copy = {
	.name = "copy",
	.place = UI_PLACE_NOWHERE,
	.command = copy_command,
	.words = copy_words,
};
