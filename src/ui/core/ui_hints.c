/* SPDX-License-Identifier: MIT */
/* The keys on the message line: first those of the pane with the focus, always help, search and quit. */
#include "ui/core/ui_shell_parts.h"

/* Never left out: whoever knows these finds the rest. */
static const struct ui_hint always[] = {
	{ UI_CMD_HELP, "keys" },
	{ UI_CMD_SEARCH, "find" },
	{ UI_CMD_QUIT, "quit" },
	{ UI_CMD_NONE, NULL },
};

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

/* Draw HINTS from X on, as far as they fit; BARE: their keys alone.  Returns the column for the next one. */
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
	const struct ui_hint *own = pane ? pane->ops->hints : NULL;
	bool types = overlay && overlay->ops->key, bare = 1 + width(shell, always) > line->w;
	unsigned x;

	ui_hints_clear(shell);
	if (types) /* these keys would be typed */
		return;
	x = hints_draw(shell, line, bare ? 0 : 1, always, bare);
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
