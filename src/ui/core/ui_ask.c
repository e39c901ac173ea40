/* SPDX-License-Identifier: MIT */
/* Questions on the message line: a line of text, the name of a file to write. */
#include "ui/core/ui_shell_parts.h"

#include "ui/core/ui_argument.h"
#include "ui/core/ui_files.h"
#include "ui/core/ui_prompt.h"

#include <string.h>

void ui_shell_ask(struct ui_shell *shell, struct ui_pane *pane, const char *label, const char *initial,
	void (*answer)(struct ui_pane *pane, const char *text),
	void (*typed)(struct ui_pane *pane, const char *text))
{
	g_autofree char *given = ui_argument_take(shell);

	if (given) {
		answer(pane, given);
		return;
	}
	shell->asking = pane;
	shell->answer = answer;
	shell->typed = typed;
	shell->one_letter = false;
	ui_prompt_open(shell->prompt, label, initial);
	shell->dirty = true;
}

void ui_shell_ask_letter(struct ui_shell *shell, struct ui_pane *pane, const char *label,
	void (*answer)(struct ui_pane *pane, const char *text))
{
	ui_shell_ask(shell, pane, label, NULL, answer, NULL);
	shell->one_letter = shell->answer == answer && ui_prompt_active(shell->prompt);
}

/* The question is answered. */
static void ask_answer(struct ui_shell *shell)
{
	g_autofree char *text = g_strdup(ui_prompt_text(shell->prompt)); /* it may ask the next question */

	shell->answer(shell->asking, text);
}

static void take_result(struct ui_shell *shell, enum ui_prompt_result result)
{
	switch (result) {
	case UI_PROMPT_DONE: ask_answer(shell); break;
	case UI_PROMPT_CHANGED:
		if (shell->one_letter) {
			ui_prompt_close(shell->prompt);
			ask_answer(shell);
		} else if (shell->typed)
			shell->typed(shell->asking, ui_prompt_text(shell->prompt));
		break;
	case UI_PROMPT_MOVED:
	case UI_PROMPT_DROPPED: break;
	}
}

void ui_ask_key(struct ui_shell *shell, uint32_t key)
{
	take_result(shell, ui_prompt_key(shell->prompt, key));
}

void ui_ask_paste(struct ui_shell *shell, const char *text)
{
	take_result(shell, ui_prompt_paste(shell->prompt, text));
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

/* Whether FILE ends as one of ENDINGS, ".txt .json", does, and has more of a name than that. */
static bool has_ending(const char *file, const char *endings)
{
	g_auto(GStrv) list = g_strsplit(endings, " ", -1);
	g_autofree char *name = g_path_get_basename(file);
	bool found = false;

	for (unsigned i = 0; list[i]; i++)
		found |= g_str_has_suffix(name, list[i]) && strlen(name) > strlen(list[i]);
	return found;
}

static void file_answered(struct ui_pane *pane, const char *text)
{
	struct ui_shell *shell = pane->shell;

	if (!*text)
		return;
	if (!has_ending(text, shell->endings)) {
		ui_shell_error(shell, "the name must end in %s", shell->endings);
		return;
	}
	g_free(shell->file);
	shell->file = g_strdup(text);
	if (g_file_test(text, G_FILE_TEST_EXISTS))
		ui_shell_ask(shell, pane, "this file exists: overwrite it? (yes/no)", NULL,
			overwrite_answered, NULL);
	else
		shell->write(pane, shell->file);
}

static void file_typed(struct ui_pane *pane, const char *text)
{
	GPtrArray *files = g_ptr_array_new_with_free_func(g_free);

	ui_files_add(files, text);
	ui_prompt_offer(pane->shell->prompt, 0, files, NULL);
}

void ui_shell_ask_file(struct ui_shell *shell, struct ui_pane *pane, const char *label, const char *endings,
	const char *initial, void (*write)(struct ui_pane *pane, const char *file))
{
	shell->endings = endings;
	shell->write = write;
	ui_shell_ask(shell, pane, label, initial, file_answered, file_typed);
}
