// SPDX-License-Identifier: MIT
/* Questions on the message line: a line of text, the name of a file to write. */
#include "ui/core/ui_ask.h"

#include "ui/core/ui_prompt.h"

void ui_shell_ask(struct ui_shell *shell, struct ui_pane *pane, const char *label, const char *initial,
		  void (*answer)(struct ui_pane *pane, const char *text),
		  void (*typed)(struct ui_pane *pane, const char *text))
{
	shell->asking = pane;
	shell->answer = answer;
	shell->typed = typed;
	ui_prompt_open(shell->prompt, label, initial);
	shell->dirty = true;
}

void ui_ask_key(struct ui_shell *shell, uint32_t key)
{
	char *text;

	switch (ui_prompt_key(shell->prompt, key)) {
	case UI_PROMPT_DONE:
		text = g_strdup(ui_prompt_text(shell->prompt));	/* the answer may ask the next question */
		shell->answer(shell->asking, text);
		g_free(text);
		break;
	case UI_PROMPT_CHANGED:
		if (shell->typed)
			shell->typed(shell->asking, ui_prompt_text(shell->prompt));
		break;
	case UI_PROMPT_MOVED:
	case UI_PROMPT_DROPPED:
		break;
	}
}

/* ---- a file to write ---- */

static void overwrite_answered(struct ui_pane *pane, const char *text)
{
	struct ui_shell *shell = pane->shell;

	if (*text && g_str_has_prefix("yes", text))
		shell->write(pane, shell->file);
	else
		ui_shell_message(shell, "nothing written");
}

static void file_answered(struct ui_pane *pane, const char *text)
{
	struct ui_shell *shell = pane->shell;

	if (!*text)
		return;
	g_free(shell->file);
	shell->file = g_strdup(text);
	if (g_file_test(text, G_FILE_TEST_EXISTS))
		ui_shell_ask(shell, pane, "this file exists: overwrite it? (yes/no)", NULL, overwrite_answered, NULL);
	else
		shell->write(pane, shell->file);
}

void ui_shell_ask_file(struct ui_shell *shell, struct ui_pane *pane, const char *label, const char *initial,
		       void (*write)(struct ui_pane *pane, const char *file))
{
	shell->write = write;
	ui_shell_ask(shell, pane, label, initial, file_answered, NULL);
}
