/* SPDX-License-Identifier: MIT */
/* The commands that run at the start: those of the configuration, then those of --command, one at a time. */
#include "ui/core/ui_shell_parts.h"

#include "ui/core/ui_config.h"
#include "ui/core/ui_line.h"
#include "ui/core/ui_prompt.h"
#include "ui/term/term_key.h"

/* Do line I of LINES, which may ask nothing; what is wrong is said, with its place, and kept. */
static bool do_line(struct ui_shell *shell, const GPtrArray *lines, unsigned i)
{
	const struct ui_lines_one *one = g_ptr_array_index(lines, i);
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;

	if (!ui_line_do(shell, one->text, &error)) {
		text = g_strdup_printf("%s: %s", one->where, error->message);
	} else if (ui_prompt_active(shell->prompt)) {
		ui_prompt_key(shell->prompt, TERM_KEY_ESC);
		text = g_strdup_printf("%s: what \"%s\" asks for must stand behind it", one->where,
			one->text);
	}
	if (text)
		ui_shell_note(shell, text);
	ui_shell_tell(shell); /* the next one counts on it */
	return !text;
}

/* Which commands have no key because the configuration gives it to others. */
static void say_lost_keys(struct ui_shell *shell)
{
	for (unsigned i = UI_CMD_NONE + 1; i < UI_CMD_N; i++) {
		const char *lost = ui_keymap_lost(shell->keys, i);

		if (lost)
			ui_shell_note(shell, lost);
	}
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
	shell->ascii |= shell->options->ascii; /* who types it now means it */
	shell->term->copy |= shell->options->copy;
	if (shell->options->show_tracer && shell->hide_tracer)
		ui_shell_command(shell, UI_CMD_HIDE_TRACER);
	if (good)
		g_clear_pointer(&shell->message, g_free);
}

void ui_start_configured(struct ui_shell *shell)
{
	do_configured(shell);
	say_lost_keys(shell);
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
	ui_shell_error(shell, "%s and what follows is not done: a key was pressed", one->where);
	shell->next_line = shell->lines->len;
}
