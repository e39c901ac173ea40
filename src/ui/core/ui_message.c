/* SPDX-License-Identifier: MIT */
/*
 * The message line.  It shows a message, a question, or, by default, hints: useful keys of the pane with the
 * focus.
 *
 * After a key that changed nothing on the screen, it shows a reason: many commands just stop at the first
 * line or at the end of the trace.  Comparing the screens before and after detects this for all panes.
 */
#include "ui/core/ui_shell_parts.h"

#include "ui/core/ui_argument.h"
#include "ui/core/ui_config.h"
#include "ui/core/ui_prompt.h"

#include <string.h>

/* ---- hints ---- */

/* Always shown: these lead to all others. */
#define ALWAYS(close)                                                                                \
	{                                                                                            \
		{ UI_CMD_HELP, "keys" }, { UI_CMD_QUESTIONS, "questions" }, { UI_CMD_PATH, "path" }, \
			{ UI_CMD_SEARCH, "find" }, { UI_CMD_CLOSE, close },                          \
		{                                                                                    \
			UI_CMD_NONE, NULL                                                            \
		}                                                                                    \
	}
static const struct ui_hint always_open[] = ALWAYS("close"), always_bottom[] = ALWAYS("quit");

void ui_hints_clear(struct ui_shell *shell)
{
	g_array_set_size(shell->hinted, 0);
}

static bool is_hinted(const struct ui_shell *shell, enum ui_command command)
{
	for (unsigned i = 0; i < shell->hinted->len; i++)
		if (g_array_index(shell->hinted, struct ui_hint_place, i).command == command)
			return true;
	return false;
}

/* Draw HINTS from column X on, as far as they fit.  BARE: only the keys.  Returns the next free column. */
static unsigned hints_draw(struct ui_shell *shell, const struct term_area *line, unsigned x,
	const struct ui_hint *hints, bool bare)
{
	for (; hints->command; hints++) {
		g_autofree char *key = ui_keymap_first(shell->keys, hints->command);
		struct ui_hint_place place = { x, x + term_text_width(key), hints->command };

		if (!*key || is_hinted(shell, hints->command))
			continue;
		if (!bare)
			place.to += 1 + term_text_width(hints->text);
		if (place.to > line->w)
			return line->w;
		term_area_text(line, x, 0, TERM_ROLE_KEY, key);
		if (!bare)
			term_area_text(line, x + term_text_width(key) + 1, 0, TERM_ROLE_DIM, hints->text);
		g_array_append_val(shell->hinted, place);
		x = place.to + (bare ? 1 : 2);
	}
	return x;
}

/* Columns that HINTS take with their texts. */
static unsigned width(struct ui_shell *shell, const struct ui_hint *hints)
{
	unsigned w = 0;

	for (; hints->command; hints++) {
		g_autofree char *key = ui_keymap_first(shell->keys, hints->command);

		w += *key ? term_text_width(key) + 1 + term_text_width(hints->text) + 2 : 0;
	}
	return w ? w - 2 : 0;
}

void ui_hints_draw(struct ui_shell *shell, const struct term_area *line)
{
	const struct ui_pane *overlay = ui_pane_at(shell, UI_PLACE_OVERLAY),
			     *pane = overlay ? overlay : shell->focus;
	const struct ui_hint *own = pane ? pane->ops->hints : NULL,
			     *always = ui_pane_any_opened(shell) ? always_open : always_bottom, *selected;
	struct ui_pane *focus = shell->focus;
	bool types = overlay && overlay->ops->key, bare = 1 + width(shell, always) > line->w;
	unsigned x;

	ui_hints_clear(shell);
	if (types) /* the overlay takes keys as text */
		return;
	x = hints_draw(shell, line, bare ? 0 : 1, always, bare);
	if (!bare && focus && focus->ops->hinted && (selected = focus->ops->hinted(focus)))
		x = hints_draw(shell, line, x, selected, false);
	if (!bare && own)
		hints_draw(shell, line, x, own, false);
}

enum ui_command ui_hints_at(const struct ui_shell *shell, unsigned x, unsigned y)
{
	if (y + 1 != shell->grid->rows)
		return UI_CMD_NONE;
	for (unsigned i = 0; i < shell->hinted->len; i++) {
		const struct ui_hint_place *place = &g_array_index(shell->hinted, struct ui_hint_place, i);

		if (x >= place->from && x < place->to)
			return place->command;
	}
	return UI_CMD_NONE;
}

/* ---- questions ---- */

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

static void ask_answer(struct ui_shell *shell)
{
	g_autofree char *text = g_strdup(
		ui_prompt_text(shell->prompt)); /* the answer may ask the next question */

	shell->answer(shell->asking, text);
}

void ui_ask_take(struct ui_shell *shell, enum ui_prompt_result result)
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

/* ---- a file to write ---- */

static void overwrite_answered(struct ui_pane *pane, const char *text)
{
	struct ui_shell *shell = pane->shell;

	if (*text && g_str_has_prefix("yes", text))
		shell->write(pane, shell->file);
	else
		ui_shell_message(shell, "nothing written");
}

/* True if FILE has one of ENDINGS (".txt .json") after a name that is not empty. */
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
	if (shell->endings && !has_ending(text, shell->endings)) {
		ui_shell_error(shell, "the name must end in %s", shell->endings);
		return;
	}
	g_free(shell->file);
	shell->file = g_strdup(text);
	if (shell->endings && g_file_test(text, G_FILE_TEST_EXISTS))
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

/* ---- reasons ---- */

/* The reason why COMMAND did not change the screen; NULL: unknown. */
static const char *reason(const struct ui_shell *shell, enum ui_command command)
{
	bool split = ui_pane_at(shell, UI_PLACE_LOWER);

	switch (command) {
	case UI_CMD_ROW_UP:
	case UI_CMD_PAGE_UP:
	case UI_CMD_ROW_FIRST: return "there is no line above this one";
	case UI_CMD_ROW_DOWN:
	case UI_CMD_PAGE_DOWN:
	case UI_CMD_ROW_LAST: return "there is no line below this one";
	case UI_CMD_TIME_LEFT:
	case UI_CMD_PAN_LEFT:
	case UI_CMD_TIME_START: return "there is nothing before this";
	case UI_CMD_TIME_RIGHT:
	case UI_CMD_PAN_RIGHT:
	case UI_CMD_TIME_END: return "there is nothing after this";
	case UI_CMD_CHANGE_PREV:
	case UI_CMD_WAKE_PREV: return "there is none before this";
	case UI_CMD_CHANGE_NEXT:
	case UI_CMD_WAKE_NEXT: return "there is none after this";
	case UI_CMD_FOLLOW: return "the cursor is there already";
	case UI_CMD_ACTIVATE: return "this is on the screen already";
	case UI_CMD_ZOOM_IN: return "a window cannot be shorter";
	case UI_CMD_ZOOM_OUT:
	case UI_CMD_ZOOM_FIT: return "the whole trace is in view";
	case UI_CMD_ZOOM_SELECTION: return "the window shows exactly this time already";
	case UI_CMD_CLEAR: return "nothing is selected, and there is no pane to leave";
	case UI_CMD_NAMES_WIDER: return "names cannot be wider";
	case UI_CMD_NAMES_NARROWER: return "names cannot be narrower";
	case UI_CMD_MAXIMISE: return split || shell->two ? NULL : "there is only one pane";
	case UI_CMD_GROW:
		return split         ? "the lower pane cannot be larger"
			: shell->two ? "the second window cannot be larger"
				     : "there is no lower pane";
	case UI_CMD_SHRINK:
		return split         ? "the lower pane cannot be smaller"
			: shell->two ? "the second window cannot be smaller"
				     : "there is no lower pane";
	default: return NULL;
	}
}

/* A hash of the screen without the message line (FNV-1a, 64 bits). */
static guint64 reason_look(const struct ui_shell *shell)
{
	guint64 hash = G_GUINT64_CONSTANT(14695981039346656037);

	for (unsigned y = 0; y + 1 < shell->grid->rows; y++) {
		for (unsigned x = 0; x < shell->grid->columns; x++) {
			const struct term_cell *cell = term_grid_cell(shell->grid, x, y);

			hash = (hash ^ cell->ch) * G_GUINT64_CONSTANT(1099511628211);
			hash = (hash ^ (cell->role | (unsigned)cell->over << 8)) *
				G_GUINT64_CONSTANT(1099511628211);
		}
	}
	return hash;
}

void ui_reason_before(struct ui_shell *shell, enum ui_command command)
{
	shell->tried = command;
	shell->look = reason_look(shell);
}

bool ui_reason_after(struct ui_shell *shell)
{
	enum ui_command command = shell->tried;
	const char *why;

	shell->tried = UI_CMD_NONE;
	if (!command || shell->message || command == UI_CMD_REPAINT || ui_prompt_active(shell->prompt) ||
		reason_look(shell) != shell->look)
		return false;
	why = reason(shell, command);
	if (why)
		ui_shell_message(shell, "%s", why);
	else
		ui_shell_message(shell, "%s has no effect here", ui_command_info(command)->name);
	return true;
}
