/* SPDX-License-Identifier: MIT */
/*
 * Writes the path that is open, that of the selected thread, to a file, or where none is the control flow;
 * over the selection, or the window.  The file's ending says the format.
 */
#include "ui/pane/pane.h"

#include "base/base_text.h"
#include "export/exp.h"
#include "ui/core/ui_theme.h"

#include <string.h>
#include <sys/stat.h>

/* That of RESULT ("path", "flow") whose ending FILE has: the longest, as one may end like another.  False: it
 * has none. */
static bool find_output(const char *result, const char *file, struct exp_output *found)
{
	struct exp_output output;
	size_t longest = 0;

	for (unsigned i = 0; exp_output_at(result, i, &output); i++) {
		if (!g_str_has_suffix(file, output.ending) || strlen(output.ending) <= longest)
			continue;
		*found = output;
		longest = strlen(output.ending);
	}
	return longest > 0;
}

/* Append what names the thread ROW: its TID, and when, where another had that too. */
static void append_thread(GString *command, const struct qry *q, uint32_t row, int64_t from)
{
	const struct qry_row *r = qry_row(q, row);
	g_autofree char *spec = g_strdup_printf("%s/%" G_GINT64_FORMAT, qry_host(q, r->host)->name, r->nr);
	g_autofree char *quoted = NULL;
	uint32_t found;

	quoted = g_shell_quote(spec);
	g_string_append_printf(command, " --thread %s", quoted);
	if (!qry_find_thread(q, spec, &found, NULL) || found != row)
		g_string_append_printf(command, "@%" G_GINT64_FORMAT, MAX(from, r->first));
}

/* The command line that writes the same.  The caller frees. */
static char *command_of(const struct ui_shell *shell, const char *result, const struct exp_options *o,
	const struct exp_output *output)
{
	GString *command = g_string_new("wakepath ");

	g_string_append(command, result);
	for (uint32_t i = 0; i < qry_host_count(shell->q); i++) {
		g_autofree char *trace = g_shell_quote(qry_host(shell->q, i)->meta->path);

		g_string_append_printf(command, " %s", trace);
	}
	if (o->row != UI_NO_ROW)
		append_thread(command, shell->q, o->row, o->from);
	g_string_append_printf(command,
		" --from %" G_GINT64_FORMAT " --to %" G_GINT64_FORMAT " --format %s%s", o->from, o->to,
		output->name, o->hide_tracer ? " --hide-tracer" : "");
	if (shell->sync) {
		g_autofree char *sync = g_shell_quote(shell->sync);

		g_string_append_printf(command, " --sync %s", sync);
	}
	return g_string_free(command, FALSE);
}

/* Write WHAT of RESULT to FILE; true: it is there. */
static bool write_result(struct ui_shell *shell, const char *result, const void *what, struct exp_options *o,
	const char *file)
{
	struct exp_output output;
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *command = NULL;
	GError *error = NULL;
	bool fine;

	if (!find_output(result, file, &output))
		return false;
	command = command_of(shell, result, o, &output);
	o->format = output.format;
	o->colour = ui_theme_on_paper;
	o->command = command;
	o->file = exp_file_new(file);
	fine = output.write(text, shell->q, what, o, &error) && exp_file_finish(o->file, text, false, &error);
	exp_file_free(o->file);
	if (!fine)
		ui_shell_take_error(shell, error);
	return fine;
}

/* "wrote FILE (12.0 KiB): WHAT over 12.0 ms, 25 rows". */
static void tell(struct ui_shell *shell, const char *file, const char *what, const struct exp_options *o,
	guint n, const char *of)
{
	g_autofree char *span = ui_shell_duration_text(shell, o->to - o->from), *size = NULL;
	struct stat there;

	size = base_text_bytes(stat(file, &there) == 0 ? (guint64)there.st_size : 0);
	ui_shell_message(shell, "wrote %s (%s): %s over %s, %u %s", file, size, what, span, n, of);
}

static void write_path(struct ui_shell *shell, struct exp_options *o, const char *file)
{
	g_autofree char *label = NULL, *what = NULL;
	struct ana_path *path;
	GError *error = NULL;

	if (shell->row == UI_NO_ROW || qry_row(shell->q, shell->row)->type != MDL_ROW_THREAD) {
		ui_shell_error(shell, "a path is that of a thread: select one");
		return;
	}
	path = ana_path_new(shell->q, shell->row, o->from, o->to, NULL, &error);
	if (!path) {
		ui_shell_take_error(shell, error);
		return;
	}
	o->row = path->subject;
	o->from = path->from;
	o->to = path->to;
	o->hide_tracer = false;
	label = qry_row_label(shell->q, path->subject);
	what = g_strdup_printf("path of %s", label);
	if (write_result(shell, "path", path, o, file))
		tell(shell, file, what, o, path->segments->len, "segments");
	ana_path_free(path);
}

static void write_window(struct ui_shell *shell, struct exp_options *o, const char *file)
{
	g_autoptr(GArray) rows = exp_flow_rows(shell->q, o, MDL_NONE);

	if (!rows->len)
		ui_shell_error(shell, "nothing written: nothing is known to have run there");
	else if (write_result(shell, "flow", rows, o, file))
		tell(shell, file, "control flow", o, rows->len, "rows");
}

/* Where no path is open, and the name does not ask for what only paths have, it is the window. */
static void export_to(struct ui_pane *pane, const char *file)
{
	struct ui_shell *shell = pane->shell;
	struct exp_options o = { .row = UI_NO_ROW, .hide_tracer = shell->hide_tracer };
	struct exp_output unused;

	ui_shell_selection(shell, &o.from, &o.to);
	if (!ui_shell_shows(shell, UI_CMD_PATH) && find_output("flow", file, &unused))
		write_window(shell, &o, file);
	else
		write_path(shell, &o, file);
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
	bool thread = shell->row != UI_NO_ROW && qry_row(shell->q, shell->row)->type == MDL_ROW_THREAD;
	bool path = thread && ui_shell_shows(shell, UI_CMD_PATH);
	g_autofree char *name = NULL;

	if (command != UI_CMD_EXPORT)
		return false;
	name = path ? default_name(qry_row(shell->q, shell->row)) : g_strdup("window.svg");
	ui_shell_ask_file(shell, pane, path ? "write the path to" : "write the window, as text its path, to",
		all_endings(), name, export_to);
	return true;
}

const struct ui_pane_ops pane_export = {
	.name = "export",
	.place = UI_PLACE_NOWHERE,
	.command = export_command,
};
