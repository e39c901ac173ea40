/* SPDX-License-Identifier: MIT */
/* A row for each actor, aligned with the columns of the control flow.  What lies between the rows is in
 * path_turns.c. */
#include "ui/pane/path/path.h"
#include "ui/widget/host_look.h"

#define NAMES_WIDE 26 /* columns from which on shares have a digit more */

/* ---- rows ---- */

static enum term_role name_role(const struct path *p, uint32_t actor)
{
	if (actor == 0)
		return TERM_ROLE_NAME_HOST;
	return path_actor(p, actor)->row == MDL_NONE ? TERM_ROLE_NAME_KERNEL : TERM_ROLE_NAME_THREAD;
}

static double actor_share(const struct path *p, uint32_t actor)
{
	double share = 0;

	for (unsigned i = 0; i < p->items.sums->len; i++)
		if (path_sum(p, i)->actor == actor)
			share += (double)path_sum(p, i)->time;
	return share / (double)(p->path->to - p->path->from);
}

static void draw_name(const struct path *p, const struct term_area *area, unsigned y, uint32_t actor)
{
	const struct qry *q = p->pane.shell->q;
	const struct ana_actor *a = path_actor(p, actor);
	double percent = 100 * actor_share(p, actor);
	bool wide = area->w >= NAMES_WIDE;
	unsigned x = wide;
	char text[16];

	if (percent > 0 && percent < (wide ? 0.1 : 1))
		g_strlcpy(text, wide ? "<0.1%" : "<1%", sizeof text);
	else
		g_snprintf(text, sizeof text, "%.*f%%", wide && percent < 99.95 ? 1 : 0, percent);
	term_area_right(area, 0, y, TERM_ROLE_DIM, text);
	if (qry_host_count(q) > 1) { /* as in the control flow */
		term_area_char(area, 0, y, host_look_role(a->host), host_look_mark(q, a->host));
		x = 2;
	}
	term_area_fit(area, x, y, MAX(area->w, 12) - x - (wide ? 6 : 5), name_role(p, actor),
		host_look_without(q, a->host, a->label));
}

static void draw_cells(const struct path *p, const struct term_area *area, unsigned y, uint32_t line)
{
	const struct path_cell *cells = path_cells_of(p, line);

	for (unsigned x = 0; x < area->w && x < p->columns; x++) {
		unsigned look;

		if (cells[x].item == PATH_NO_ITEM)
			continue;
		look = path_item(p, cells[x].item)->look;
		term_area_char(area, x, y, path_look_role(look),
			path_look_glyph(look, !x || cells[x - 1].item != cells[x].item, cells[x].hides));
	}
}

/* ---- all of it ---- */

/* The selection and the cursor over everything, as in the control flow. */
static void draw_over(const struct path *p, const struct term_area *time, const struct term_area *names,
	int selected)
{
	struct ui_shell *shell = p->pane.shell;
	int cursor = ui_shell_column_of(shell, shell->cursor);

	if (selected >= 0) {
		term_area_over(names, 0, (unsigned)selected, names->w, 1, TERM_ROLE_OVER_ROW);
		term_area_over(time, 0, (unsigned)selected, time->w, 1, TERM_ROLE_OVER_ROW_TIME);
	}
	if (cursor < 0 || cursor >= (int)time->w)
		return;
	term_area_over(time, (unsigned)cursor, 0, 1, time->h, TERM_ROLE_OVER_CURSOR);
	if (selected >= 0)
		term_area_over(time, (unsigned)cursor, (unsigned)selected, 1, 1, TERM_ROLE_OVER_CURSOR_CELL);
}

/* Arrows on the line that ends the names: there are more rows above, below. */
static void draw_more(const struct path *p, const struct term_area *area, unsigned rows, unsigned step)
{
	unsigned x = p->pane.shell->names - 1;

	term_area_fill(area, x, 0, 1, area->h, TERM_ROLE_BORDER, 0x2502);
	if (p->view.top)
		term_area_char(area, x, 0, TERM_ROLE_KEY, 0x2191);
	if (p->view.top + rows < p->items.lines->len)
		term_area_char(area, x, (rows - 1) * step, TERM_ROLE_KEY, 0x2193);
}

void path_draw_rows(struct path *p, const struct term_area *area, unsigned rows, unsigned step)
{
	const struct ui_shell *shell = p->pane.shell;
	struct term_area names = term_area_part(area, 0, 0, shell->names - 1, area->h);
	struct term_area time = term_area_part(area, shell->names, 0, shell->columns, area->h);
	struct path_view view = { &time, p->view.top, MIN(rows, p->items.lines->len - p->view.top), step };
	uint32_t current = path_current(p);
	int selected = -1;

	path_cells_fetch(p, view.first, view.rows);
	draw_more(p, area, view.rows, step);
	for (unsigned i = 0; i < view.rows; i++) {
		draw_name(p, &names, i * step, path_line_actor(p, p->view.top + i));
		draw_cells(p, &time, i * step, p->view.top + i);
	}
	path_turns_draw(p, &view);
	if (current != PATH_NO_ITEM)
		selected = path_view_line(&view, path_actor_line(p, path_item(p, current)->actor));
	draw_over(p, &time, &names, selected < (int)time.h ? selected : -1);
}
