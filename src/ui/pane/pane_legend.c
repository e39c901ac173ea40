/* SPDX-License-Identifier: MIT */
/* The legend: glyphs and colours of states, over all other panes. */
#include "ui/pane/pane.h"

#include "ui/widget/list_view.h"
#include "ui/widget/looks.h"

#define NAME 13 /* the column of a state's name */

/* One line of the legend. */
struct line {
	const char *heading;  /* static; NULL: a state, or a wait of a path */
	enum mdl_state state; /* MDL_ST_N none */
	unsigned look;        /* enum ana_segment_kind or path_look; PATH_LOOK_N none */
	const char *note;     /* static: text of its line; the heading where states are letters, NULL: the
				 same */
};

struct legend {
	struct ui_pane pane;
	GArray *lines; /* owned, of struct line */
	struct list_view view;
};

static void add_heading(struct legend *legend, const char *text, const char *letters)
{
	struct line line = { text, MDL_ST_N, PATH_LOOK_N, letters };

	g_array_append_val(legend->lines, line);
}

static void legend_init(struct ui_pane *pane)
{
	struct legend *legend = (struct legend *)pane;

	legend->lines = g_array_new(FALSE, FALSE, sizeof(struct line));
	add_heading(legend, "States: height is the share of the cell", "States: a letter each");
	for (unsigned i = 0; i < MDL_ST_N; i++) {
		struct line line = { NULL, i, PATH_LOOK_N, mdl_state_name(i) };

		g_array_append_val(legend->lines, line);
	}
	add_heading(legend, "on a thin line \342\200\242 something rare", NULL); /* • */
	add_heading(legend, "capital letter: half of the cell or more", NULL);
	add_heading(legend, "\342\227\206 a latency over the limit begins", NULL); /* ◆ */
	add_heading(legend, "Waits of a critical path: a letter each", NULL);
	for (unsigned look = 0; look < PATH_LOOK_N; look++) {
		struct line line = { NULL, MDL_ST_N, look, path_look_name(look) };

		if (path_look_class(look) == STATE_RESTING)
			g_array_append_val(legend->lines, line);
	}
}

static void legend_clear(struct ui_pane *pane)
{
	g_array_unref(((struct legend *)pane)->lines);
}

static void pane_legend_draw_line(const struct term_area *area, unsigned y, const struct line *line)
{
	static const unsigned heights[] = { 0, 1, 3, 4, 5, 7, STATE_WHOLE, STATE_WHOLE };

	bool letters = area->grid->ascii || area->grid->letters;

	if (line->heading)
		term_area_fit(area, 1, y, area->w - 1, TERM_ROLE_STRONG,
			letters && line->note ? line->note : line->heading);
	if (line->state != MDL_ST_N) {
		for (unsigned i = 0; i < G_N_ELEMENTS(heights); i++)
			term_area_char(area, 2 + i, y, TERM_ROLE_STATE_UNKNOWN + line->state,
				state_look_part(area->grid, line->state, heights[i]));
	}
	if (line->look != PATH_LOOK_N)
		term_area_char(area, 2, y, path_look_role(line->look),
			path_look_glyph(area->grid, line->look, true));
	if (!line->heading)
		term_area_fit(area, NAME, y, area->w - MIN(area->w, NAME), TERM_ROLE_TEXT, line->note);
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

	g_string_append_printf(title, "Legend of glyphs and colours   %s closes it", key);
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
