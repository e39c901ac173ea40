/* SPDX-License-Identifier: MIT */
/* To run a line, its text is stored for the command (ui_argument.h), which then runs as if its key was
 * pressed.  A question takes the text as its answer.  A text that nothing took is an error. */
#include "ui/core/ui_line.h"

#include "base/base_error.h"
#include "ui/core/ui_argument.h"
#include "ui/core/ui_config.h"
#include "ui/core/ui_prompt.h"
#include "ui/core/ui_shell_parts.h"
#include "ui/term/term_key.h"

#include <string.h>

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

/* ---- completion ---- */

static void add_if(GPtrArray *choices, const char *word, const char *start)
{
	if (g_str_has_prefix(word, start))
		g_ptr_array_add(choices, g_strdup(word));
}

GPtrArray *ui_line_choices(struct ui_shell *shell, const char *line, gsize *from, const char **note)
{
	GPtrArray *choices = g_ptr_array_new_with_free_func(g_free);
	const char *word = line + strspn(line, " \t"), *rest = word + strcspn(word, " \t");
	g_autofree char *name = g_strndup(word, (gsize)(rest - word));
	g_autoptr(GPtrArray) words = NULL;
	enum ui_command command;

	*note = ui_command_find(name, &command) ? ui_command_info(command)->help : NULL;
	if (*rest) {
		rest += strspn(rest, " \t");
		*from = (gsize)(rest - line);
		if (!*note)
			return choices;
		words = ui_argument_words(shell, command);
		for (unsigned i = 0; i < words->len; i++)
			add_if(choices, g_ptr_array_index(words, i), rest);
		if (command == UI_CMD_EXPORT || command == UI_CMD_CUT || command == UI_CMD_AGAINST)
			ui_files_add(choices, rest);
		return choices;
	}
	*from = (gsize)(word - line);
	for (unsigned i = UI_CMD_NONE + 1; i < UI_CMD_N; i++)
		add_if(choices, ui_command_info(i)->name, word);
	return choices;
}

/* ---- at the start ---- */

/* Run line I of LINES, which must not ask a question.  On failure: false, and a note with the line's
 * place. */
static bool do_line(struct ui_shell *shell, const GPtrArray *lines, unsigned i)
{
	const struct ui_lines_one *one = g_ptr_array_index(lines, i);
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;

	if (!ui_line_do(shell, one->text, &error)) {
		text = g_strdup_printf("%s: %s", one->where, error->message);
	} else if (ui_prompt_active(shell->prompt)) {
		ui_prompt_key(shell->prompt, TERM_KEY_ESC);
		text = g_strdup_printf("%s: \"%s\" needs a text after the command", one->where, one->text);
	}
	if (text)
		ui_shell_note(shell, text);
	ui_shell_tell(shell); /* the next line relies on it */
	return !text;
}

static void do_configured(struct ui_shell *shell)
{
	const GPtrArray *lines = shell->config->start;
	bool good = true;

	if (!lines->len)
		return;
	shell->configuring = true;
	ui_shell_tell(shell);
	ui_layout_arrange(shell);
	ui_shell_tell(shell);
	for (unsigned i = 0; i < lines->len; i++)
		good = do_line(shell, lines, i) && good;
	shell->configuring = false;
	shell->ascii |= shell->options->ascii; /* the command line overrides the configuration */
	shell->term->copy |= shell->options->copy;
	if (shell->options->show_tracer && shell->hide_tracer)
		ui_shell_command(shell, UI_CMD_HIDE_TRACER);
	if (good)
		g_clear_pointer(&shell->message, g_free);
}

void ui_start_configured(struct ui_shell *shell)
{
	do_configured(shell);
	for (unsigned i = UI_CMD_NONE + 1; i < UI_CMD_N; i++) {
		const char *lost = ui_keymap_lost(shell->keys, i);

		if (lost)
			ui_shell_note(shell, lost);
	}
}

bool ui_start_next(struct ui_shell *shell)
{
	if (shell->next_line == shell->lines->len)
		return false;
	if (!do_line(shell, shell->lines, shell->next_line++))
		shell->next_line = shell->lines->len;
	return true;
}

void ui_start_stop(struct ui_shell *shell)
{
	const struct ui_lines_one *one;

	if (shell->next_line == shell->lines->len)
		return;
	one = g_ptr_array_index(shell->lines, shell->next_line);
	ui_shell_error(shell, "%s and the lines after it are skipped: a key was pressed", one->where);
	shell->next_line = shell->lines->len;
}
