/* SPDX-License-Identifier: MIT */
/* The rows of the actors, aligned with the columns of the control flow, with cursor and selection. */
#include "ui/pane/path/path.h"

/* The selection and the cursor over everything, as in the control flow. */
static void draw_over(const struct path *p, const struct term_area *time, const struct term_area *names,
	int selected)
{
	struct ui_shell *shell = p->pane.shell;
	int cursor = ui_shell_column_of(shell, shell->view->cursor);

	if (selected < 0)
		return;
	term_area_over(names, 0, (unsigned)selected, names->w, 1, TERM_ROLE_OVER_ROW);
	term_area_over(time, 0, (unsigned)selected, time->w, 1, TERM_ROLE_OVER_ROW_TIME);
	if (cursor >= 0 && cursor < (int)time->w)
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

void path_draw_rows(const struct path *p, const struct term_area *area, unsigned rows, unsigned step)
{
	const struct ui_shell *shell = p->pane.shell;
	struct term_area names = term_area_part(area, 0, 0, shell->names - 1, area->h);
	struct term_area time = term_area_part(area, shell->names, 0, shell->columns, area->h);
	struct path_rows r = { .q = shell->q,
		.path = p->path,
		.items = &p->items,
		.turns = p->turns,
		.from = shell->view->from,
		.to = shell->view->to,
		.columns = shell->columns,
		.current = path_current(p),
		.first = p->view.top,
		.rows = MIN(rows, p->items.lines->len - p->view.top),
		.step = step,
		.area = &time };
	int selected = -1;

	draw_more(p, area, r.rows, step);
	for (unsigned i = 0; i < r.rows; i++)
		path_rows_name(&r, &names, i * step, path_line_actor(p, p->view.top + i));
	path_rows_draw(&r);
	if (r.current != PATH_NO_ITEM)
		selected = path_turns_line(&r, path_actor_line(p, path_item(p, r.current)->actor));
	draw_over(p, &time, &names, selected < (int)time.h ? selected : -1);
}
