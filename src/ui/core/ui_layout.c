/* SPDX-License-Identifier: MIT */
/*
 * From top to bottom: the lines of the TOP panes, the MAIN pane, the LOWER
 * pane (a title line and its area), the lines of the BOTTOM panes, and the
 * message line.  On a small screen the BOTTOM panes give way first.
 *
 * Two MAIN panes are beside each other where that leaves both enough columns, else one above the other; where
 * there is room for neither the one that all is about is alone.
 */
#include "ui/core/ui_shell_parts.h"

#include "ui/core/ui_prompt.h"

#define MAIN_MIN 5 /* lines a main pane is left with */
#define LOWER_MIN 4
#define MAIN_GOOD 8    /* lines the main pane keeps when the lower one wants more than its share */
#define BESIDE_GOOD 70 /* columns of each main pane from which on they are beside each other, */
#define BESIDE_MIN 40  /* and that it has at least where they cannot be above each other */

/* How two main panes share their place. */
enum arrangement {
	ALONE, /* there is one, or room for one */
	BESIDE,
	ABOVE,
};

static void place_part(struct ui_pane *pane, unsigned x, unsigned y, unsigned w, unsigned h)
{
	pane->x = x;
	pane->y = y;
	pane->w = w;
	pane->h = h;
}

static void layout_place(struct ui_shell *shell, struct ui_pane *pane, unsigned y, unsigned h)
{
	place_part(pane, 0, y, shell->grid->columns, h);
}

/* Put the lines of all panes at PLACE that are shown from line Y on, at most ROOM in all.  Returns how many
 * it took. */
static unsigned place_lines(struct ui_shell *shell, enum ui_place where, unsigned y, unsigned room)
{
	unsigned used = 0;

	for (unsigned i = 0; i < shell->panes->len; i++) {
		struct ui_pane *pane = ui_pane_nth(shell, i);
		unsigned h = 1;

		if (pane->ops->place != where || !pane->shown)
			continue;
		if (pane->ops->height)
			h = pane->ops->height(pane, shell->grid->columns, shell->grid->rows);
		h = MIN(h, room - used);
		layout_place(shell, pane, y + used, h);
		used += h;
	}
	return used;
}

/* How two main panes would share COLUMNS and ROWS. */
static enum arrangement arrangement(unsigned columns, unsigned rows)
{
	if (rows < MAIN_MIN)
		return ALONE;
	if (columns > 2 * BESIDE_GOOD)
		return BESIDE;
	return rows >= 2 * MAIN_MIN ? ABOVE : columns > 2 * BESIDE_MIN ? BESIDE : ALONE;
}

/* Lines that PANE has a use for, of ROWS; 0: any number. */
static unsigned used_by(const struct ui_shell *shell, struct ui_pane *pane, unsigned rows)
{
	unsigned used = 0;

	if (!pane || !pane->ops->height)
		return 0;
	ui_view_enter(pane);
	used = pane->ops->height(pane, shell->grid->columns, rows);
	ui_view_leave(pane->shell);
	return used && ui_pane_titled(pane) ? used + 1 : used;
}

/* The same of the main panes together. */
static unsigned used_by_main(const struct ui_shell *shell, enum arrangement how, unsigned rows)
{
	unsigned used = used_by(shell, shell->main, rows),
		 other = used_by(shell, ui_pane_beside(shell), rows);

	if (how == ALONE)
		return used;
	return !used || !other ? 0 : how == ABOVE ? used + other : MAX(used, other);
}

/* Lines of the lower pane before the user grows or shrinks it: its share, what it wants where that leaves
 * enough, and what the main one has no use for. */
static int lower_share(const struct ui_shell *shell, enum arrangement how, struct ui_pane *lower,
	unsigned rows)
{
	int share = (int)rows * 2 / 5, wanted = (int)lower->ops->lines,
	    used = (int)used_by_main(shell, how, rows);

	if (lower->ops->height)
		wanted = (int)lower->ops->height(lower, shell->grid->columns, rows);
	share = MAX(share, MIN(wanted, (int)rows - MAIN_GOOD));
	return used ? MAX(share, (int)rows - MAX(used, MAIN_MIN)) : share;
}

/* What the second one has of ALL rows or columns: its half and EXTRA, so that each of both has LEAST. */
static unsigned second_part(const struct ui_shell *shell, unsigned all, unsigned half, int least, int *extra)
{
	int part = CLAMP((int)half + *extra, least, (int)all - least);

	if (shell->resized)
		*extra = part - (int)half;
	return (unsigned)part;
}

/* Share ROWS lines from Y on between the main panes. */
static void place_main(struct ui_shell *shell, enum arrangement how, unsigned y, unsigned rows)
{
	unsigned columns = shell->grid->columns, w, h;
	struct ui_pane *first = shell->main, *second = ui_pane_beside(shell);

	if (second && second->view < first->view) {
		second = first;
		first = ui_pane_beside(shell);
	}
	if (first && second && how == BESIDE) {
		w = second_part(shell, columns - 1, columns / 2, BESIDE_MIN, &shell->second_columns);
		place_part(first, 0, y, columns - 1 - w, rows);
		place_part(second, columns - w, y, w, rows);
	} else if (first && second && how == ABOVE) {
		h = second_part(shell, rows, rows / 2, MAIN_MIN, &shell->second_rows);
		layout_place(shell, first, y, rows - h);
		layout_place(shell, second, y + rows - h, h);
	} else if (first) {
		layout_place(shell, shell->main, y, rows);
	}
}

/* Share ROWS lines from Y on between the main panes and the lower one. */
static void place_split(struct ui_shell *shell, unsigned y, unsigned rows)
{
	struct ui_pane *lower = ui_pane_at(shell, UI_PLACE_LOWER);
	enum arrangement how = arrangement(shell->grid->columns, rows - (lower ? MIN(rows, LOWER_MIN) : 0));
	int least = how == ABOVE && shell->two ? 2 * MAIN_MIN : MAIN_MIN, share, h = 0;

	shell->room_for_two = how != ALONE;
	how = shell->two ? how : ALONE;
	if ((lower || shell->two) && (shell->maximised || shell->stacked)) {
		layout_place(shell, shell->focus, y, rows);
		return;
	}
	if (lower) {
		share = lower_share(shell, how, lower, rows);
		h = CLAMP(share + shell->lower_extra, LOWER_MIN, MAX((int)rows - least, LOWER_MIN));
		if (shell->resized)
			shell->lower_extra = h - share;
		h = MIN(h, (int)rows);
		layout_place(shell, lower, y + rows - (unsigned)h, (unsigned)h);
	}
	place_main(shell, how, y, rows - (unsigned)h);
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
	bottom = place_lines(shell, UI_PLACE_BOTTOM, 0, rows);
	for (unsigned i = 0; i < shell->panes->len; i++)
		layout_place(shell, ui_pane_nth(shell, i), 0, 0);
	y = rows - 1; /* the message line is always there */
	top = place_lines(shell, UI_PLACE_TOP, 0, MIN(y, 1u + (rows > MAIN_MIN + 2) * rows));
	if (top + MAIN_MIN + bottom > y)
		bottom = y > top + MAIN_MIN ? y - top - MAIN_MIN : 0;
	place_lines(shell, UI_PLACE_BOTTOM, y - bottom, bottom);
	place_split(shell, top, y - bottom - top);
	if (shell->resized && shell->main)
		ui_view_limit_names(shell);
	ui_view_leave(shell);
	shell->resized = false;
	overlay = ui_pane_at(shell, UI_PLACE_OVERLAY);
	if (overlay)
		layout_place(shell, overlay, top, y - top);
}

struct ui_pane *ui_layout_second(const struct ui_shell *shell)
{
	struct ui_pane *other = ui_pane_beside(shell);

	if (!other || !other->h || !shell->main->h)
		return NULL;
	return other->view > shell->main->view ? other : shell->main;
}

int *ui_layout_extra(struct ui_shell *shell)
{
	const struct ui_pane *second = ui_layout_second(shell);

	if (!second || ui_pane_at(shell, UI_PLACE_LOWER))
		return &shell->lower_extra;
	return second->x ? &shell->second_columns : &shell->second_rows;
}

static enum term_role title_role(const struct ui_pane *pane)
{
	if (ui_pane_focused(pane))
		return TERM_ROLE_TITLE_FOCUS;
	return pane == pane->shell->main ? TERM_ROLE_TITLE_FOLLOWED : TERM_ROLE_TITLE;
}

static void draw_title(struct ui_pane *pane, const struct term_area *line)
{
	g_autoptr(GString) title = g_string_new(NULL);
	enum term_role role = title_role(pane);
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
	ui_view_enter(pane);
	if (ui_pane_titled(pane)) {
		line = term_area_part(&area, 0, 0, area.w, 1);
		draw_title(pane, &line);
		area = term_area_part(&area, 0, 1, area.w, area.h - 1);
	}
	if (area.h && pane->ops->draw)
		pane->ops->draw(pane, &area);
	ui_view_leave(shell);
}

/* What stands between two main panes that are beside each other. */
static void draw_divider(struct ui_shell *shell)
{
	struct term_area screen = term_grid_area(shell->grid);
	const struct ui_pane *right = ui_layout_second(shell);

	if (right && right->x)
		term_area_fill(&screen, right->x - 1, right->y, 1, right->h, TERM_ROLE_BORDER, 0x2502);
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
		if (ui_pane_nth(shell, i) != overlay)
			draw_pane(shell, ui_pane_nth(shell, i));
	draw_divider(shell);
	if (overlay)
		draw_pane(shell, overlay);
	draw_message_line(shell);
	shell->term->ops->draw(shell->term, shell->grid);
	shell->dirty = false;
}
