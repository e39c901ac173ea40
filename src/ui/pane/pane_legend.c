/* SPDX-License-Identifier: MIT */
/* The legend: what each sign means and what to do about it (ui/widget/meaning.h), over all other panes. */
#include "ui/pane/pane.h"

#include "ui/widget/list_view.h"
#include "ui/widget/looks.h"
#include "ui/widget/meaning.h"

#define NAME 12 /* the column of a name */
#define TEXT 28 /* the column of its meaning */

/* One line of the legend. */
struct line {
	const struct meaning *meaning;
	bool is_todo; /* the advice line below the meaning */
};

struct legend {
	struct ui_pane pane;
	GArray *lines; /* owned, of struct line */
	struct list_view view;
};

static void legend_init(struct ui_pane *pane)
{
	struct legend *legend = (struct legend *)pane;

	legend->lines = g_array_new(FALSE, FALSE, sizeof(struct line));
	for (unsigned i = 0; i < meanings_n; i++) {
		struct line line = { &meanings[i], false };

		g_array_append_val(legend->lines, line);
		line.is_todo = true;
		if (meanings[i].todo)
			g_array_append_val(legend->lines, line);
	}
}

static void legend_clear(struct ui_pane *pane)
{
	g_array_unref(((struct legend *)pane)->lines);
}

/* Draw the characters of M: a state in several heights. */
static void draw_sign(const struct term_area *area, unsigned y, const struct meaning *m)
{
	static const unsigned heights[] = { 0, 1, 3, 4, 5, 7, STATE_WHOLE, STATE_WHOLE };

	if (m->of == MEANING_STATE)
		for (unsigned i = 0; i < G_N_ELEMENTS(heights); i++)
			term_area_char(area, 2 + i, y, TERM_ROLE_STATE_UNKNOWN + m->nr,
				state_look_part(area->grid, m->nr, heights[i]));
	else if (m->of == MEANING_WAIT)
		term_area_char(area, 2, y, path_look_role(m->nr), path_look_glyph(area->grid, m->nr, true));
	else if (m->of == MEANING_SIGN)
		term_area_fit(area, 2, y, NAME - 3, TERM_ROLE_TEXT, m->sign);
}

static void pane_legend_draw_line(const struct term_area *area, unsigned y, const struct line *line)
{
	const struct meaning *m = line->meaning;
	bool letters = area->grid->ascii || area->grid->letters;
	enum term_role role = m->of == MEANING_GRADE ? kind_look_grade(m->nr) : TERM_ROLE_TEXT;

	if (m->of == MEANING_HEADING) {
		term_area_fit(area, 1, y, area->w - 1, TERM_ROLE_STRONG,
			letters && m->text ? m->text : m->sign);
		return;
	}
	if (!line->is_todo) {
		draw_sign(area, y, m);
		term_area_fit(area, NAME, y, MIN(area->w - MIN(area->w, NAME), TEXT - NAME - 1), role,
			meaning_name(m));
	}
	term_area_fit(area, TEXT, y, area->w - MIN(area->w, TEXT),
		line->is_todo ? TERM_ROLE_DIM : TERM_ROLE_TEXT, line->is_todo ? m->todo : m->text);
}

static void legend_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct legend *legend = (struct legend *)pane;
	struct term_area list = list_view_area(&legend->view, area, 0, 0, legend->lines->len);

	for (unsigned i = 0; i < legend->view.seen; i++)
		pane_legend_draw_line(&list, i,
			&g_array_index(legend->lines, struct line, legend->view.top + i));
	list_view_mark(&legend->view, pane, &list);
}

static void legend_title(struct ui_pane *pane, GString *title)
{
	g_autofree char *key = ui_keymap_first(pane->shell->keys, UI_CMD_CLEAR);

	g_string_append_printf(title, "Legend: what signs mean, what to do about it   %s closes it", key);
}

static bool legend_command(struct ui_pane *pane, enum ui_command command)
{
	struct legend *legend = (struct legend *)pane;

	if (!pane->shown)
		return false;
	switch (command) {
	case UI_CMD_CLOSE:
	case UI_CMD_CLEAR:
	case UI_CMD_LEGEND:
	case UI_CMD_BACK: ui_shell_show(pane->shell, pane, false); return true;
	case UI_CMD_QUIT:
	case UI_CMD_THEME:
	case UI_CMD_ASCII:
	case UI_CMD_REPAINT: return false;
	default: list_view_move(&legend->view, command, legend->lines->len); return true;
	}
}

const struct ui_pane_ops pane_legend = {
	.name = "legend",
	.place = UI_PLACE_OVERLAY,
	.show = UI_CMD_LEGEND,
	.size = sizeof(struct legend),
	.init = legend_init,
	.clear = legend_clear,
	.command = legend_command,
	.title = legend_title,
	.draw = legend_draw,
};
