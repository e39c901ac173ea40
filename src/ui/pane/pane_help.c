/* SPDX-License-Identifier: MIT */
/* All keys, from the table of commands and the key map, what the glyphs mean, and what was not recorded. */
#include "ui/pane/pane.h"

#include "ui/widget/advice_text.h"
#include "ui/widget/state_look.h"

#include <string.h>

#define COLUMN_MIN 38 /* a column of the help: keys and what they do */
#define KEYS_WIDTH 11

/* One line of the help. */
struct line {
	enum ui_command command; /* UI_CMD_NONE: a heading, or a state */
	const char *heading;     /* static */
	enum mdl_state state;    /* MDL_ST_N none */
	const char *note;        /* static: text of a state's line */
};

struct help {
	struct ui_pane pane;
	GArray *lines;         /* owned, of struct line */
	GPtrArray *advice;     /* of char *, owned: lines over the whole width, below the columns */
	unsigned top;          /* the first row in view */
	unsigned height, rows; /* rows in view, and in all, see arrange() */
	unsigned column_rows;  /* of those, rows of the columns */
};

static void add_heading(struct help *help, const char *text)
{
	struct line line = { UI_CMD_NONE, text, MDL_ST_N, NULL };
	struct line blank = { UI_CMD_NONE, NULL, MDL_ST_N, NULL };

	if (help->lines->len)
		g_array_append_val(help->lines, blank);
	g_array_append_val(help->lines, line);
}

static void help_init(struct ui_pane *pane)
{
	struct help *help = (struct help *)pane;
	const char *group = "";

	help->advice = g_ptr_array_new_with_free_func(g_free);
	help->lines = g_array_new(FALSE, FALSE, sizeof(struct line));
	for (unsigned i = UI_CMD_NONE + 1; i < UI_CMD_N; i++) {
		struct line line = { i, NULL, MDL_ST_N, NULL };

		if (strcmp(group, ui_command_info(i)->group) != 0)
			add_heading(help, ui_command_info(i)->group);
		group = ui_command_info(i)->group;
		g_array_append_val(help->lines, line);
	}
	add_heading(help, "States: pure, mixed, busy");
	for (unsigned i = 0; i < MDL_ST_N; i++) {
		struct line line = { UI_CMD_NONE, NULL, i, mdl_state_name(i) };

		g_array_append_val(help->lines, line);
	}
	add_heading(help, "mixed: it hides another kind of state");
	add_heading(help, "busy: the same, in many intervals");
	add_heading(help, "\342\227\206 a latency over the limit begins"); /* ◆ */
}

static void help_clear(struct ui_pane *pane)
{
	g_array_unref(((struct help *)pane)->lines);
	g_ptr_array_unref(((struct help *)pane)->advice);
}

/* What each host's recording lacks, and how to record it. */
static void make_advice(struct help *help)
{
	const struct qry *q = help->pane.shell->q;

	g_ptr_array_set_size(help->advice, 0);
	for (uint32_t host = 0; q && host < qry_host_count(q); host++) {
		guint before = help->advice->len;

		advice_text_add(help->advice, q, host, help->pane.w - MIN(help->pane.w, 4));
		if (help->advice->len == before)
			continue;
		g_ptr_array_insert(help->advice, (gint)before, g_strdup(""));
		g_ptr_array_insert(help->advice, (gint)before + 1,
			g_strdup_printf("Not recorded on %s; it would prove more:", qry_host(q, host)->name));
	}
}

static void help_changed(struct ui_pane *pane, unsigned changes)
{
	if (changes & (UI_CHANGED_EXPERIMENT | UI_CHANGED_SIZE) && pane->shown)
		make_advice((struct help *)pane);
}

static void draw_line(struct help *help, const struct term_area *area, unsigned y, const struct line *line)
{
	g_autofree char *keys = NULL;

	if (line->heading)
		term_area_fit(area, 1, y, area->w - 1, TERM_ROLE_STRONG, line->heading);
	if (line->state != MDL_ST_N) {
		for (unsigned mix = 0; mix < STATE_MIX_N; mix++)
			for (unsigned i = 0; i < 2; i++)
				term_area_char(area, 2 + mix * 3 + i, y,
					TERM_ROLE_STATE_UNKNOWN + line->state,
					state_look_glyph(line->state, mix));
		term_area_fit(area, KEYS_WIDTH + 2, y, area->w - KEYS_WIDTH - 2, TERM_ROLE_TEXT, line->note);
	}
	if (!line->command)
		return;
	keys = ui_keymap_keys(help->pane.shell->keys, line->command, " ");
	term_area_fit(area, 2, y, KEYS_WIDTH - 1, TERM_ROLE_KEY, keys);
	term_area_fit(area, KEYS_WIDTH + 2, y, area->w - KEYS_WIDTH - 2, TERM_ROLE_TEXT,
		ui_command_info(line->command)->help);
}

static unsigned column_count(const struct ui_pane *pane)
{
	return MAX(pane->w / COLUMN_MIN, 1);
}

/* How many rows the help has in the area of the pane, and how many are in view. */
static void arrange(struct help *help)
{
	unsigned columns = column_count(&help->pane);

	help->column_rows = (help->lines->len + columns - 1) / columns;
	help->rows = help->column_rows + help->advice->len;
	help->height = help->pane.h ? help->pane.h - 1 : 0;
	help->top = MIN(help->top, help->rows > help->height ? help->rows - help->height : 0);
}

static void help_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct help *help = (struct help *)pane;
	unsigned columns = column_count(pane), width = area->w / columns;

	arrange(help);
	for (unsigned i = 0; i < help->lines->len; i++) {
		unsigned row = i % help->column_rows;
		struct term_area part = term_area_part(area, i / help->column_rows * width, 0, width - 1,
			area->h);

		if (row >= help->top && row - help->top < area->h)
			draw_line(help, &part, row - help->top, &g_array_index(help->lines, struct line, i));
	}
	for (unsigned i = 0; i < help->advice->len; i++)
		if (help->column_rows + i >= help->top)
			term_area_fit(area, 1, help->column_rows + i - help->top, area->w - 1, TERM_ROLE_TEXT,
				g_ptr_array_index(help->advice, i));
}

static void help_title(struct ui_pane *pane, GString *title)
{
	struct help *help = (struct help *)pane;
	g_autofree char *key = ui_keymap_first(pane->shell->keys, UI_CMD_HELP);

	arrange(help);
	g_string_append_printf(title, "Keys, states, what was not recorded   %s leaves", key);
	if (help->rows > help->height)
		g_string_append_printf(title, "   rows %u to %u of %u", help->top + 1,
			help->top + help->height, help->rows);
}

static void help_scroll(struct help *help, int step)
{
	int last = help->rows > help->height ? (int)(help->rows - help->height) : 0;

	help->top = (unsigned)CLAMP((int)help->top + step, 0, last);
}

static bool help_command(struct ui_pane *pane, enum ui_command command)
{
	struct help *help = (struct help *)pane;

	if (!pane->shown)
		return false;
	switch (command) {
	case UI_CMD_ROW_UP: help_scroll(help, -1); return true;
	case UI_CMD_ROW_DOWN: help_scroll(help, 1); return true;
	case UI_CMD_PAGE_UP: help_scroll(help, -(int)help->height); return true;
	case UI_CMD_PAGE_DOWN:
	case UI_CMD_FOLD: help_scroll(help, (int)help->height); return true;
	case UI_CMD_QUIT:
	case UI_CMD_CLEAR:
	case UI_CMD_HELP:
	case UI_CMD_BACK: ui_shell_show(pane->shell, pane, false); return true;
	case UI_CMD_THEME:
	case UI_CMD_ASCII:
	case UI_CMD_REPAINT: return false;
	default: return true; /* nothing else happens below the help */
	}
}

const struct ui_pane_ops pane_help = {
	.name = "help",
	.place = UI_PLACE_OVERLAY,
	.show = UI_CMD_HELP,
	.size = sizeof(struct help),
	.init = help_init,
	.clear = help_clear,
	.changed = help_changed,
	.command = help_command,
	.title = help_title,
	.draw = help_draw,
};
