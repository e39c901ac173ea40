/* SPDX-License-Identifier: MIT */
/*
 * The command line: asks for a command by name on the message line.  Typed lines are kept between runs, in
 * $XDG_STATE_HOME/wakepath/history.  Each line is appended to the current content of the file, because other
 * explorers may have written to it.
 */
#include "ui/pane/pane.h"

#include "base/base_error.h"
#include "base/base_file.h"
#include "base/base_place.h"
#include "base/base_scratch.h"
#include "ui/core/ui_line.h"
#include "ui/core/ui_prompt.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#define LABEL ":"
#define LINES_MAX 500 /* lines that are kept */

struct line {
	struct ui_pane pane;
	char *path; /* owned: the history file; NULL: nothing is kept */
};

/* ---- history ---- */

/* The lines of the file if it can be a history file.  The caller frees. */
static char **read_lines(const char *path)
{
	static const struct base_file_kind kind = { "history", 1 << 20, BASE_ERROR_IO };
	bool is_file = g_file_test(path, G_FILE_TEST_IS_REGULAR);
	g_autofree char *text = is_file ? base_file_text(path, &kind, NULL) : NULL;

	return g_strsplit(text ? text : "", "\n", -1);
}

/* Append TEXT to the history; replaces the whole file. */
static bool pane_line_keep(const char *path, const char *text, GError **error)
{
	g_auto(GStrv) lines = read_lines(path);
	g_autofree char *folder = g_path_get_dirname(path);
	g_autoptr(GString) all = g_string_new(NULL);
	unsigned n = g_strv_length(lines);

	n -= n && !*lines[n - 1];
	for (unsigned i = n >= LINES_MAX ? n - LINES_MAX + 1 : 0; i < n; i++)
		g_string_append_printf(all, "%s\n", lines[i]);
	if (!n || strcmp(lines[n - 1], text) != 0)
		g_string_append_printf(all, "%s\n", text);
	if (base_place_make(folder) != 0)
		return base_error_false_errno(error, errno, "making the folder", folder);
	return base_scratch_write(path, all->str, all->len) == 0 ||
		base_error_false_errno(error, errno, "writing", path);
}

static void line_init(struct ui_pane *pane)
{
	struct line *line = (struct line *)pane;
	g_auto(GStrv) lines = NULL;

	if (pane->shell->options->script) /* scripted input (tests) stays out of the user's history */
		return;
	line->path = g_build_filename(g_get_user_state_dir(), "wakepath", "history", NULL);
	if (pane->shell->reopened) /* the prompt already has the lines */
		return;
	lines = read_lines(line->path);
	for (unsigned i = 0; lines[i]; i++)
		ui_prompt_remember(pane->shell->prompt, LABEL, lines[i]);
}

static void pane_line_line_clear(struct ui_pane *pane)
{
	g_free(((struct line *)pane)->path);
}

/* ---- the line ---- */

static void line_answered(struct ui_pane *pane, const char *text)
{
	struct line *line = (struct line *)pane;
	GError *error = NULL;

	if (!*text)
		return;
	if (line->path && !pane_line_keep(line->path, text, &error)) {
		ui_shell_note(pane->shell, error->message);
		g_clear_error(&error);
		g_clear_pointer(&line->path, g_free); /* report the error only once */
	}
	if (!ui_line_do(pane->shell, text, &error))
		ui_shell_take_error(pane->shell, error);
}

static void line_typed(struct ui_pane *pane, const char *text)
{
	const char *note;
	gsize from;
	GPtrArray *choices = ui_line_choices(pane->shell, text, &from, &note);

	ui_prompt_offer(pane->shell->prompt, from, choices, note);
}

static bool line_command(struct ui_pane *pane, enum ui_command command)
{
	if (command != UI_CMD_COMMAND)
		return false;
	ui_shell_ask(pane->shell, pane, LABEL, NULL, line_answered, line_typed);
	return true;
}

const struct ui_pane_ops pane_line = {
	.name = "line",
	.place = UI_PLACE_NOWHERE,
	.size = sizeof(struct line),
	.init = line_init,
	.clear = pane_line_line_clear,
	.command = line_command,
};
