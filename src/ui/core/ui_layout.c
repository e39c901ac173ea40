/* SPDX-License-Identifier: MIT */
/*
 * From top to bottom: the lines of the TOP panes, the MAIN pane, the LOWER pane (a title line and its area),
 * the lines of the BOTTOM panes, and the message line.  On a small screen the BOTTOM panes shrink first.
 *
 * Two MAIN panes are side by side if that leaves both enough columns, otherwise one above the other.  If
 * there is no room for both, only shell->main is shown.
 */
#include "ui/core/ui_shell_parts.h"

#include "ui/core/ui_argument.h"
#include "ui/core/ui_prompt.h"

#define MAIN_MIN 5 /* least lines of a main pane */
#define LOWER_MIN 4
#define MAIN_GOOD 8    /* lines that the main pane keeps if the lower one wants more than its share */
#define BESIDE_GOOD 70 /* main panes wider than this are side by side, */
#define BESIDE_MIN 40  /* or wider than this if there is no room one above the other */

/* The arrangement of two main panes. */
enum arrangement {
	ALONE, /* there is one, or room for only one */
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

/* Put the lines of all shown panes at WHERE from line Y on, at most ROOM lines.  Returns their number. */
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

/* The arrangement of two main panes on COLUMNS and ROWS. */
static enum arrangement arrangement(unsigned columns, unsigned rows)
{
	if (rows < MAIN_MIN)
		return ALONE;
	if (columns > 2 * BESIDE_GOOD)
		return BESIDE;
	return rows >= 2 * MAIN_MIN ? ABOVE : columns > 2 * BESIDE_MIN ? BESIDE : ALONE;
}

/* The lines, of ROWS, that PANE (NULL: none) can use; 0: any number. */
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

/* The lines of the lower pane before the user resizes it, the largest of: its share; the lines that it wants,
 * as far as the main panes keep enough; the lines that the main panes cannot use. */
static int lower_share(const struct ui_shell *shell, enum arrangement how, struct ui_pane *lower,
	unsigned rows)
{
	int share = (int)rows * 2 / 5, wanted = (int)lower->ops->lines,
	    used = (int)used_by(shell, shell->main, rows);

	if (how != ALONE) {
		int other = (int)used_by(shell, ui_pane_beside(shell), rows);

		used = !used || !other ? 0 : how == ABOVE ? used + other : MAX(used, other);
	}
	if (lower->ops->height)
		wanted = (int)lower->ops->height(lower, shell->grid->columns, rows);
	share = MAX(share, MIN(wanted, (int)rows - (lower->ops->first ? MAIN_MIN : MAIN_GOOD)));
	return used ? MAX(share, (int)rows - MAX(used, MAIN_MIN)) : share;
}

/* The second pane's part of ALL rows or columns: its HALF + *EXTRA, clamped so that each pane has at least
 * LEAST. */
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
	y = rows - 1; /* the message line always has one row */
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

static void draw_title(struct ui_pane *pane, const struct term_area *line)
{
	g_autoptr(GString) title = g_string_new(NULL);
	enum term_role role = ui_pane_focused(pane) ? TERM_ROLE_TITLE_FOCUS
		: pane == pane->shell->main         ? TERM_ROLE_TITLE_FOLLOWED
						    : TERM_ROLE_TITLE;
	GArray *signs = pane->shell->title_signs;

	g_array_set_size(signs, 0);
	pane->ops->title(pane, title);
	term_area_fill(line, 0, 0, line->w, 1, role, ' ');
	if (ui_pane_focused(pane))
		term_area_char(line, 0, 0, role, UI_FOCUS_MARK);
	term_area_fit(line, 1, 0, line->w > 2 ? line->w - 2 : 0, role, title->str);
	for (unsigned i = signs->len; i-- > 0;) { /* backwards, because each step cuts the title */
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
	struct term_area screen = term_grid_area(shell->grid);
	struct ui_pane *overlay = ui_pane_at(shell, UI_PLACE_OVERLAY), *right = ui_layout_second(shell);

	shell->grid->ascii = shell->ascii;
	shell->grid->letters = shell->letters || !shell->theme->tells_states;
	term_grid_clear(shell->grid);
	for (unsigned i = 0; i < shell->panes->len; i++)
		if (ui_pane_nth(shell, i) != overlay)
			draw_pane(shell, ui_pane_nth(shell, i));
	if (right && right->x) /* the line between two main panes side by side */
		term_area_fill(&screen, right->x - 1, right->y, 1, right->h, TERM_ROLE_BORDER, 0x2502);
	if (overlay)
		draw_pane(shell, overlay);
	draw_message_line(shell);
	shell->term->ops->draw(shell->term, shell->grid);
	shell->dirty = false;
}

/* ---- the second window: open, close, link with the first ---- */

/* The MAIN pane of the second window; NULL: there is none. */
static struct ui_pane *second(const struct ui_shell *shell)
{
	for (unsigned i = 0; i < shell->panes->len; i++) {
		struct ui_pane *pane = g_ptr_array_index(shell->panes, i);

		if (pane->view == &shell->views[1])
			return pane;
	}
	return NULL;
}

/* Make the new PANE a copy of MAIN. */
static void second_copy(struct ui_pane *pane, struct ui_pane *main)
{
	g_autofree char *kept = NULL;
	GError *error = NULL;

	ui_shell_tell(pane->shell); /* MAIN now is as it will be shown */
	kept = ui_pane_keep(main);
	*pane->view = *main->view;
	pane->shown = pane->shell->two = true;
	ui_view_note(pane->shell, UI_CHANGED_SIZE);
	ui_shell_tell(pane->shell);
	ui_view_enter(pane);
	if (kept && pane->ops->restore && !pane->ops->restore(pane, kept, &error))
		ui_shell_take_error(pane->shell, error);
	ui_view_leave(pane->shell);
}

void ui_second_begin(struct ui_shell *shell)
{
	struct ui_pane *pane = second(shell);

	if (!pane)
		shell->two = false;
	else if (shell->two)
		second_copy(pane, shell->main);
}

static void open_it(struct ui_shell *shell, struct ui_pane *pane)
{
	g_autofree char *there = ui_keymap_first(shell->keys, UI_CMD_FOCUS),
			*close = ui_keymap_first(shell->keys, UI_CMD_SECOND);

	if (!shell->room_for_two) {
		ui_shell_error(shell, "no room for a second window");
		return;
	}
	second_copy(pane, shell->main);
	shell->maximised = false;
	shell->two_last = true;
	ui_shell_focus(shell, pane);
	ui_shell_message(shell, "a second window: %s goes to the other one, %s closes it", there, close);
}

static void close_it(struct ui_shell *shell, struct ui_pane *pane)
{
	struct ui_pane *first = pane == shell->main ? ui_pane_beside(shell) : shell->main;

	if (shell->focus == pane)
		ui_shell_focus(shell, first);
	ui_view_turn_to(first);
	pane->shown = shell->two = false;
	shell->linked = UI_LINK_OFF;
	ui_view_note(shell, UI_CHANGED_SIZE);
	ui_shell_message(shell, "the second window is closed");
}

void ui_second_show(struct ui_shell *shell)
{
	struct ui_pane *pane = second(shell);
	bool two = shell->two;

	if (!ui_argument_switch(shell, UI_CMD_SECOND, &two))
		return;
	if (two && !shell->two && pane)
		open_it(shell, pane);
	else if (!two && shell->two)
		close_it(shell, pane);
}

void ui_second_link(struct ui_shell *shell)
{
	static const char *const names[] = { "off", "time", "zoom" },
				 *const said[] = { "the windows move independently",
					 "both windows show the same time",
					 "both windows show the same length of time" };
	unsigned n = G_N_ELEMENTS(names),
		 wanted = ui_argument_of(shell, UI_CMD_LINK, names, n, (shell->linked + 1) % n);
	g_autofree char *key = ui_keymap_first(shell->keys, UI_CMD_SECOND);

	if (wanted == n)
		return;
	if (!shell->two) {
		ui_shell_error(shell, "there is one window: %s opens a second one", key);
		return;
	}
	shell->linked = wanted;
	ui_view_note(shell, UI_CHANGED_WINDOW);
	ui_shell_message(shell, "%s", said[wanted]);
}
