/* SPDX-License-Identifier: MIT */
/*
 * How it works: the text behind the name is laid ready for the command (ui_argument.h), which is then done as
 * if its key was pressed.  A question takes it as its answer; what nobody took was one too many.
 */
#include "base/base_error.h"
#include "ui/core/ui_argument.h"
#include "ui/core/ui_files.h"
#include "ui/core/ui_line.h"

#include <string.h>

/* ---- doing ---- */

bool ui_line_do(struct ui_shell *shell, const char *line, GError **error)
{
	g_autofree char *text = NULL, *left = NULL;
	enum ui_command command;

	if (!ui_line_parse(line, &command, &text, error))
		return false;
	g_clear_pointer(&shell->message, g_free);
	shell->argument = g_steal_pointer(&text);
	ui_shell_command(shell, command);
	left = ui_argument_take(shell);
	if (shell->message && shell->message_is_error) {
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_USAGE, shell->message);
	} else if (left) {
		shell->quit = false;
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "%s takes no text: \"%s\"",
			ui_command_info(command)->name, left);
	} else {
		return true;
	}
	return false;
}

/* ---- what may be typed ---- */

static void add_if(GPtrArray *choices, const char *word, const char *start)
{
	if (g_str_has_prefix(word, start))
		g_ptr_array_add(choices, g_strdup(word));
}

/* What COMMAND takes, as far as it begins with START. */
static void add_texts(struct ui_shell *shell, GPtrArray *choices, enum ui_command command, const char *start)
{
	g_autoptr(GPtrArray) words = ui_argument_words(shell, command);

	for (unsigned i = 0; i < words->len; i++)
		add_if(choices, g_ptr_array_index(words, i), start);
	if (command == UI_CMD_EXPORT || command == UI_CMD_AGAINST)
		ui_files_add(choices, start);
}

GPtrArray *ui_line_choices(struct ui_shell *shell, const char *line, gsize *from, const char **note)
{
	GPtrArray *choices = g_ptr_array_new_with_free_func(g_free);
	const char *word = line + strspn(line, " \t"), *rest = word + strcspn(word, " \t");
	g_autofree char *name = g_strndup(word, (gsize)(rest - word));
	enum ui_command command;

	*note = ui_command_find(name, &command) ? ui_command_info(command)->help : NULL;
	if (*rest) {
		rest += strspn(rest, " \t");
		*from = (gsize)(rest - line);
		if (*note)
			add_texts(shell, choices, command, rest);
		return choices;
	}
	*from = (gsize)(word - line);
	for (unsigned i = UI_CMD_NONE + 1; i < UI_CMD_N; i++)
		add_if(choices, ui_command_info(i)->name, word);
	return choices;
}
