/* SPDX-License-Identifier: MIT */
#include "ui/core/ui_argument.h"

#include "ui/core/ui_fields.h"

#include <string.h>

#define NUMBER_MAX 1000

/* Not const: GPtrArray has pointers to what may change. */
static char on_word[] = "on", off_word[] = "off", letters_word[] = "letters", split_word[] = "split",
	    stack_word[] = "stack", time_word[] = "time", zoom_word[] = "zoom";

char *ui_argument_take(struct ui_shell *shell)
{
	return g_steal_pointer(&shell->argument);
}

void ui_argument_add(GPtrArray *words, const char *const *names, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		g_ptr_array_add(words, (char *)(uintptr_t)names[i]);
}

static void add_switch(GPtrArray *words)
{
	g_ptr_array_add(words, on_word);
	g_ptr_array_add(words, off_word);
}

/* What the shell itself does with a text. */
static void own_words(enum ui_command command, GPtrArray *words)
{
	const struct base_time_way *way = NULL;
	char **themes = (char **)(uintptr_t)ui_theme_names();

	switch (command) {
	case UI_CMD_ARROWS:
	case UI_CMD_MOUSE:
	case UI_CMD_HIDE_TRACER:
	case UI_CMD_HOLD:
	case UI_CMD_SECOND:
	case UI_CMD_MAXIMISE: add_switch(words); break;
	case UI_CMD_ASCII:
		add_switch(words);
		g_ptr_array_add(words, letters_word);
		break;
	case UI_CMD_LAYOUT:
		g_ptr_array_add(words, split_word);
		g_ptr_array_add(words, stack_word);
		break;
	case UI_CMD_LINK:
		g_ptr_array_add(words, off_word);
		g_ptr_array_add(words, time_word);
		g_ptr_array_add(words, zoom_word);
		break;
	case UI_CMD_CLOCK:
		do
			g_ptr_array_add(words, (char *)(uintptr_t)(way = base_time_way_next(way))->name);
		while (base_time_way_next(way) != base_time_way_next(NULL));
		break;
	case UI_CMD_THEME:
		for (; *themes; themes++)
			g_ptr_array_add(words, *themes);
		break;
	default: break;
	}
}

/* The field of PANE that COMMAND chooses; NULL: none. */
static const struct ui_field *field_of(const struct ui_pane *pane, enum ui_command command)
{
	for (const struct ui_field *f = pane->ops->fields; f && f->name; f++)
		if (f->command == command)
			return f;
	return NULL;
}

static void add_words_of(struct ui_pane *pane, enum ui_command command, GPtrArray *words)
{
	const struct ui_field *f = pane->shown ? field_of(pane, command) : NULL;

	if (f)
		ui_argument_add(words, f->words, f->n);
	if (pane->ops->words)
		pane->ops->words(pane, command, words);
}

GPtrArray *ui_argument_words(struct ui_shell *shell, enum ui_command command)
{
	GPtrArray *words = g_ptr_array_new();

	if (shell->focus)
		add_words_of(shell->focus, command, words);
	for (unsigned i = 0; !words->len && i < shell->panes->len; i++) {
		struct ui_pane *pane = g_ptr_array_index(shell->panes, i);

		add_words_of(pane, command, words);
		if (pane->ops->show == command && command)
			add_switch(words);
	}
	if (!words->len)
		own_words(command, words);
	return words;
}

void ui_argument_refuse(struct ui_shell *shell, enum ui_command command, const char *text)
{
	g_autoptr(GPtrArray) words = ui_argument_words(shell, command);
	g_autofree char *list = NULL;

	g_ptr_array_add(words, NULL);
	list = g_strjoinv(", ", (char **)words->pdata);
	ui_shell_error(shell, "%s: \"%s\" is none of %s", ui_command_info(command)->name, text, list);
}

unsigned ui_argument_of(struct ui_shell *shell, enum ui_command command, const char *const *names, unsigned n,
	unsigned next)
{
	g_autofree char *text = ui_argument_take(shell);

	for (unsigned i = 0; text && i < n; i++)
		if (!strcmp(names[i], text))
			return i;
	if (!text)
		return next;
	ui_argument_refuse(shell, command, text);
	return n;
}

bool ui_argument_turn(struct ui_pane *pane, enum ui_command command)
{
	const struct ui_field *f = field_of(pane, command);
	uint32_t *chosen = (uint32_t *)(void *)((char *)pane + f->at);
	unsigned wanted = ui_argument_of(pane->shell, command, f->words, f->n, (*chosen + 1) % f->n);

	if (wanted < f->n)
		*chosen = wanted;
	return wanted < f->n;
}

bool ui_argument_switch(struct ui_shell *shell, enum ui_command command, bool *on)
{
	static const char *const names[] = { off_word, on_word };
	unsigned n = G_N_ELEMENTS(names), i = ui_argument_of(shell, command, names, n, !*on);

	*on = i == n ? *on : i == 1;
	return i < n;
}

int ui_argument_number(struct ui_shell *shell, enum ui_command command, int normal)
{
	g_autofree char *text = ui_argument_take(shell);
	guint64 n;

	if (!text)
		return normal;
	if (g_ascii_string_to_unsigned(text, 10, 1, NUMBER_MAX, &n, NULL))
		return (int)n;
	ui_shell_error(shell, "%s: \"%s\" is no number from 1 on", ui_command_info(command)->name, text);
	return 0;
}
