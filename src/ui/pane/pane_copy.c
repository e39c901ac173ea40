/* SPDX-License-Identifier: MIT */
/*
 * Copies to the terminal's clipboard: a name, a time, lines as on the screen, or the command line that
 * restores the whole screen.  Shows the view in such a command line again.  The pane has no area on the
 * screen, only commands.  Some terminals may print OSC 52 instead of copying the text: they get it only after
 * the command "on", until "off".
 */
#include "ui/core/ui_argument.h"
#include "ui/pane/pane.h"

#include "base/base_text.h"
#include "query/qry.h"
#include "ui/core/ui_line.h"
#include "ui/core/ui_scene.h"
#include "ui/term/term.h"

#include <inttypes.h>
#include <string.h>

static char *copied_name(struct ui_shell *shell)
{
	return shell->view->row == UI_NO_ROW ? NULL : qry_row_label(shell->q, shell->view->row);
}

static char *copied_time(struct ui_shell *shell)
{
	return ui_shell_time_text(shell, shell->view->cursor);
}

/* ---- text as on the screen ---- */

/* The selected line of the pane with the focus; NULL if there is none.  The caller frees. */
static char *copied_row(struct ui_shell *shell)
{
	const struct ui_pane *pane = shell->focus;
	GString *out = g_string_new(NULL);

	for (unsigned y = pane->y; y < pane->y + pane->h && y < shell->grid->rows && !out->len; y++)
		if (term_grid_cell(shell->grid, pane->x, y)->over == TERM_ROLE_OVER_ROW)
			term_grid_text(shell->grid, pane->x, y, pane->w, out);
	return g_string_free(out, out->len == 0);
}

/* All lines of the pane with the focus.  The caller frees. */
static char *copied_table(struct ui_shell *shell)
{
	const struct ui_pane *pane = shell->focus;
	GString *out = g_string_new(NULL);

	for (unsigned y = pane->y; y < pane->y + pane->h && y < shell->grid->rows; y++) {
		term_grid_text(shell->grid, pane->x, y, pane->w, out);
		g_string_append_c(out, '\n');
	}
	return g_string_free(out, FALSE);
}

/* ---- the command line ---- */

/* The view as text: the scene, and command lines for everything the scene does not contain.  The caller
 * frees. */
static char *view_text(struct ui_shell *shell)
{
	g_autofree char *scene = ui_scene_text(shell);
	GString *out = g_string_new(scene);

	g_string_append_printf(out, " | :clock %s", shell->times->name);
	if (shell->over_kind)
		g_string_append_printf(out, " | :kind %s | :limit %" PRId64 "ns", shell->over_kind,
			shell->over_limit);
	for (unsigned i = 0; i < shell->panes->len; i++) {
		const struct ui_pane *pane = g_ptr_array_index(shell->panes, i);

		if (pane->ops->place == UI_PLACE_BOTTOM && pane->shown != pane->ops->shown)
			g_string_append_printf(out, " | :%s %s", ui_command_info(pane->ops->show)->name,
				pane->shown ? "on" : "off");
	}
	return g_string_free(out, FALSE);
}

static char *copied_command(struct ui_shell *shell)
{
	GString *out = g_string_new(shell->options->program);
	g_autofree char *sync = g_shell_quote(shell->sync), *text = view_text(shell),
			*view = g_shell_quote(text);

	if (strcmp(shell->sync, "auto") != 0)
		g_string_append_printf(out, " --sync %s", sync);
	g_string_append_printf(out, " --view %s", view);
	return g_string_free(out, FALSE);
}

/* Show the view TEXT: run its command lines first, then show its scene. */
static void show_view(struct ui_pane *pane, const char *text)
{
	struct ui_shell *shell = pane->shell;
	g_auto(GStrv) parts = g_strsplit(text, "|", -1);
	g_autoptr(GString) scene = g_string_new(NULL);
	GError *error = NULL;

	for (char **part = parts; *part && !error; part++) {
		g_strstrip(*part);
		if (**part == ':')
			ui_line_do(shell, *part + 1, &error);
		else
			g_string_append_printf(scene, "%s%s", scene->len ? " | " : "", *part);
	}
	if (!error)
		ui_undo_show(shell, scene->str, &error);
	if (error)
		ui_shell_take_error(shell, error);
	else
		g_clear_pointer(&shell->message, g_free);
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

static const char *const switches[] = { "off", "on" };

/* True if TEXT is a switch ("on", "off") and not one of the choices.  Sets it. */
static bool turn(struct ui_shell *shell, const char *text)
{
	for (gsize i = 0; i < G_N_ELEMENTS(switches); i++) {
		if (strcmp(text, switches[i]) != 0)
			continue;
		shell->term->copy = i == 1;
		ui_shell_message(shell,
			i == 1 ? "copies on any terminal, even one that may print the text"
			       : "copies only on terminals known not to print the text");
		return true;
	}
	return false;
}

/* Copy TEXT to the clipboard and show a message with its kind and size, and how it was copied. */
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

	if (turn(shell, text))
		return;
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
	ui_shell_error(shell, "copy: \"%s\" is not one of: name, time, row, table, command, on, off", text);
}

static bool copy_command(struct ui_pane *pane, enum ui_command command)
{
	if (command == UI_CMD_VIEW)
		ui_shell_ask(pane->shell, pane, "view", NULL, show_view, NULL);
	if (command != UI_CMD_COPY)
		return command == UI_CMD_VIEW;
	ui_shell_ask(pane->shell, pane, "copy name, time, row, table or command", "row", answered, NULL);
	return true;
}

static void copy_words(G_GNUC_UNUSED struct ui_pane *pane, enum ui_command command, GPtrArray *words)
{
	if (command != UI_CMD_COPY)
		return;
	for (gsize i = 0; i < G_N_ELEMENTS(choices); i++)
		g_ptr_array_add(words, (char *)(uintptr_t)choices[i].word);
	ui_argument_add(words, switches, G_N_ELEMENTS(switches));
}

const struct ui_pane_ops pane_copy = {
	.name = "copy",
	.place = UI_PLACE_NOWHERE,
	.command = copy_command,
	.words = copy_words,
};
