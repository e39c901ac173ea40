/* SPDX-License-Identifier: MIT */
/* Writes the critical path of the selected thread over the selection, or the window, to a file; its ending
 * says the format. */
#include "ui/pane/pane.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "export/exp.h"

#include <string.h>

/* As the ending of FILE says, which is one of those asked for: the longest, as one may end like another. */
static struct exp_output output_of(const char *file)
{
	struct exp_output output, found = { .ending = "" };

	for (unsigned i = 0; exp_output_at("path", i, &output); i++)
		if (g_str_has_suffix(file, output.ending) && strlen(output.ending) > strlen(found.ending))
			found = output;
	g_assert(found.write);
	return found;
}

static void write_path(struct ui_shell *shell, const struct ana_path *path, const char *file)
{
	struct exp_output output = output_of(file);
	g_autoptr(GString) text = g_string_new(NULL);
	GError *error = NULL;
	char *size, *span, *label;

	if (output.write(text, shell->q, path, &(struct exp_options){ .format = output.format }, &error) &&
		exp_write_file(file, text, false, &error)) {
		size = base_text_bytes(text->len);
		span = ui_shell_duration_text(shell, path->to - path->from);
		label = qry_row_label(shell->q, path->subject);
		ui_shell_message(shell, "wrote %s (%s): path of %s over %s, %u segments", file, size, label,
			span, path->segments->len);
		g_free(size);
		g_free(span);
		g_free(label);
	} else {
		ui_shell_take_error(shell, error);
	}
}

static void export_to(struct ui_pane *pane, const char *file)
{
	struct ui_shell *shell = pane->shell;
	struct ana_path *path;
	GError *error = NULL;
	int64_t from, to;

	ui_shell_selection(shell, &from, &to);
	path = ana_path_new(shell->q, shell->row, from, to, NULL, &error);
	if (!path) {
		ui_shell_take_error(shell, error);
		return;
	}
	write_path(shell, path, file);
	ana_path_free(path);
}

/* "wk-client-541.path.txt": of the name only what no shell or file system minds. */
static char *default_name(const struct qry_row *row)
{
	GString *name = g_string_new(NULL);

	for (const char *c = row->name; *c; c++)
		g_string_append_c(name, g_ascii_isalnum(*c) || strchr("-_.", *c) ? *c : '_');
	if (!name->len || name->str[0] == '.' || name->str[0] == '-')
		g_string_prepend(name, "thread");
	g_string_append_printf(name, "-%" G_GINT64_FORMAT ".path.txt", row->nr);
	return g_string_free(name, FALSE);
}

/* The endings there are, ".txt .json .csv"; static. */
static const char *all_endings(void)
{
	g_autoptr(GString) all = g_string_new(NULL);
	struct exp_output output;

	for (unsigned i = 0; exp_output_at("path", i, &output); i++)
		g_string_append_printf(all, "%s%s", i ? " " : "", output.ending);
	return g_intern_string(all->str);
}

static bool export_command(struct ui_pane *pane, enum ui_command command)
{
	struct ui_shell *shell = pane->shell;
	g_autofree char *name = NULL;

	if (command != UI_CMD_EXPORT)
		return false;
	if (shell->row == UI_NO_ROW || qry_row(shell->q, shell->row)->type != MDL_ROW_THREAD) {
		ui_shell_error(shell, "a path is that of a thread: select one");
		return true;
	}
	name = default_name(qry_row(shell->q, shell->row));
	ui_shell_ask_file(shell, pane, "write the path to", all_endings(), name, export_to);
	return true;
}

const struct ui_pane_ops pane_export = {
	.name = "export",
	.place = UI_PLACE_NOWHERE,
	.command = export_command,
};
