/* SPDX-License-Identifier: MIT */
/*
 * From top to bottom: the lines of the TOP panes, the MAIN pane, the LOWER
 * pane (a title line and its area), the lines of the BOTTOM panes, and the
 * message line.  On a small screen the BOTTOM panes give way first.
 */
#include "ui/core/ui_layout.h"

#include "ui/core/ui_hints.h"
#include "ui/core/ui_prompt.h"

#define MAIN_MIN 5 /* lines the main pane is left with */
#define LOWER_MIN 4
#define MAIN_GOOD 8 /* lines the main pane keeps when the lower one wants more than its share */
#define NAMES_MIN 10
#define NAMES_MAX 32
#define TIME_MIN 20 /* columns that time is left with */

static struct ui_pane *nth_pane(const struct ui_shell *shell, unsigned i)
{
	return g_ptr_array_index(shell->panes, i);
}

static void place(struct ui_shell *shell, struct ui_pane *pane, unsigned y, unsigned h)
{
	pane->x = 0;
	pane->y = y;
	pane->w = shell->grid->columns;
	pane->h = h;
}

/* Put the lines of all panes at PLACE that are shown from line Y on, at most ROOM in all.  Returns how many
 * it took. */
static unsigned place_lines(struct ui_shell *shell, enum ui_place where, unsigned y, unsigned room)
{
	unsigned used = 0;

	for (unsigned i = 0; i < shell->panes->len; i++) {
		struct ui_pane *pane = nth_pane(shell, i);
		unsigned h = 1;

		if (pane->ops->place != where || !pane->shown)
			continue;
		if (pane->ops->height)
			h = pane->ops->height(pane, shell->grid->columns, shell->grid->rows);
		h = MIN(h, room - used);
		place(shell, pane, y + used, h);
		used += h;
	}
	return used;
}

/* Lines of the lower pane before the user grows or shrinks it: its share, what it wants where that leaves
 * enough, and what the main one has no use for. */
static int lower_share(const struct ui_shell *shell, struct ui_pane *main, struct ui_pane *lower,
	unsigned rows)
{
	int share = (int)rows * 2 / 5, wanted = 0, used = 0;

	if (lower->ops->height)
		wanted = (int)lower->ops->height(lower, shell->grid->columns, rows);
	if (main && main->ops->height)
		used = (int)main->ops->height(main, shell->grid->columns, rows);
	share = MAX(share, MIN(wanted, (int)rows - MAIN_GOOD));
	return used ? MAX(share, (int)rows - MAX(used, MAIN_MIN)) : share;
}

/* Share ROWS lines from Y on between the main and the lower pane. */
static void place_split(struct ui_shell *shell, unsigned y, unsigned rows)
{
	struct ui_pane *main = ui_pane_at(shell, UI_PLACE_MAIN), *lower = ui_pane_at(shell, UI_PLACE_LOWER);
	int share = lower ? lower_share(shell, main, lower, rows) : 0, h = share + shell->lower_extra;

	if (!lower) {
		if (main)
			place(shell, main, y, rows);
		return;
	}
	if (shell->maximised || shell->stacked) {
		place(shell, shell->focus, y, rows);
		return;
	}
	h = CLAMP(h, LOWER_MIN, MAX((int)rows - MAIN_MIN, LOWER_MIN));
	if (shell->resized)
		shell->lower_extra = h - share;
	h = MIN(h, (int)rows);
	if (main)
		place(shell, main, y, rows - (unsigned)h);
	place(shell, lower, y + rows - (unsigned)h, (unsigned)h);
}

/* Share the columns between names and time. */
static void split_columns(struct ui_shell *shell)
{
	int columns = (int)shell->grid->columns;
	int names = MIN(columns * 3 / 10, NAMES_MAX);
	int wanted = CLAMP(names + shell->names_extra, NAMES_MIN, MAX(columns - TIME_MIN, NAMES_MIN));

	if (shell->resized)
		shell->names_extra = wanted - names;
	shell->names = (unsigned)MIN(wanted, columns - 1);
	shell->columns = (unsigned)MAX(columns - (int)shell->names, 1);
}

void ui_layout_arrange(struct ui_shell *shell)
{
	unsigned columns, rows, top, bottom, y;
	struct ui_pane *overlay;

	shell->term->ops->size(shell->term, &columns, &rows);
	if (columns != shell->grid->columns || rows != shell->grid->rows) {
		term_grid_resize(shell->grid, columns, rows);
		shell->changes |= UI_CHANGED_SIZE;
	}
	split_columns(shell);
	bottom = place_lines(shell, UI_PLACE_BOTTOM, 0, rows);
	for (unsigned i = 0; i < shell->panes->len; i++)
		place(shell, nth_pane(shell, i), 0, 0);
	y = rows - 1; /* the message line is always there */
	top = place_lines(shell, UI_PLACE_TOP, 0, MIN(y, 1u + (rows > MAIN_MIN + 2) * rows));
	if (top + MAIN_MIN + bottom > y)
		bottom = y > top + MAIN_MIN ? y - top - MAIN_MIN : 0;
	place_lines(shell, UI_PLACE_BOTTOM, y - bottom, bottom);
	place_split(shell, top, y - bottom - top);
	shell->resized = false;
	overlay = ui_pane_at(shell, UI_PLACE_OVERLAY);
	if (overlay)
		place(shell, overlay, top, y - top);
}

static void draw_title(struct ui_pane *pane, const struct term_area *line)
{
	g_autoptr(GString) title = g_string_new(NULL);
	enum term_role role = ui_pane_focused(pane) ? TERM_ROLE_TITLE_FOCUS : TERM_ROLE_TITLE;
	GArray *signs = pane->shell->title_signs;

	g_array_set_size(signs, 0);
	pane->ops->title(pane, title);
	term_area_fill(line, 0, 0, line->w, 1, role, ' ');
	term_area_fit(line, 1, 0, line->w > 2 ? line->w - 2 : 0, role, title->str);
	for (unsigned i = signs->len; i-- > 0;) { /* from the last one, as each cuts the title */
		const struct ui_title_sign *sign = &g_array_index(signs, struct ui_title_sign, i);

		if (sign->at >= title->len)
			continue;
		g_string_truncate(title, sign->at);
		if (term_text_width(title->str) + 2 < line->w)
			term_area_char(line, term_text_width(title->str) + 1, 0, sign->role, sign->ch);
	}
}

static void draw_pane(struct ui_shell *shell, struct ui_pane *pane)
{
	struct term_area screen = term_grid_area(shell->grid), area, line;

	if (!pane->shown || !pane->h)
		return;
	area = term_area_part(&screen, pane->x, pane->y, pane->w, pane->h);
	term_area_fill(&area, 0, 0, area.w, area.h, TERM_ROLE_TEXT, ' ');
	term_area_over(&area, 0, 0, area.w, area.h, TERM_ROLE_TEXT);
	if (pane->ops->title) {
		line = term_area_part(&area, 0, 0, area.w, 1);
		draw_title(pane, &line);
		area = term_area_part(&area, 0, 1, area.w, area.h - 1);
	}
	if (area.h && pane->ops->draw)
		pane->ops->draw(pane, &area);
}

static void draw_message_line(struct ui_shell *shell)
{
	struct term_area screen = term_grid_area(shell->grid);
	struct term_area line = term_area_part(&screen, 0, screen.h - 1, screen.w, 1);

	ui_hints_clear(shell);
	if (ui_prompt_active(shell->prompt))
		ui_prompt_draw(shell->prompt, &line);
	else if (shell->message)
		term_area_fit(&line, 1, 0, line.w - 1,
			shell->message_is_error ? TERM_ROLE_ERROR : TERM_ROLE_MESSAGE, shell->message);
	else
		ui_hints_draw(shell, &line);
}

void ui_layout_draw(struct ui_shell *shell)
{
	struct ui_pane *overlay = ui_pane_at(shell, UI_PLACE_OVERLAY);

	shell->grid->ascii = shell->ascii;
	shell->grid->letters = shell->letters || !shell->theme->tells_states;
	term_grid_clear(shell->grid);
	for (unsigned i = 0; i < shell->panes->len; i++)
		if (nth_pane(shell, i) != overlay)
			draw_pane(shell, nth_pane(shell, i));
	if (overlay)
		draw_pane(shell, overlay);
	draw_message_line(shell);
	shell->term->ops->draw(shell->term, shell->grid);
	shell->dirty = false;
}
