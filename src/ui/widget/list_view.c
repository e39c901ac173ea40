/* SPDX-License-Identifier: MIT */
/* Lists in panes: moving, scrolling and marking the selected line. */
#include "ui/widget/list_view.h"

int list_view_step(const struct list_view *list, enum ui_command command, unsigned n)
{
	int page = (int)MAX(list->height, 2) - 1, all = (int)MAX(n, 1);

	switch (command) {
	case UI_CMD_ROW_UP: return -1;
	case UI_CMD_ROW_DOWN: return 1;
	case UI_CMD_PAGE_UP: return -page;
	case UI_CMD_PAGE_DOWN: return page;
	case UI_CMD_ROW_FIRST: return -all;
	case UI_CMD_ROW_LAST: return all;
	default: return 0;
	}
}

void list_view_go(struct list_view *list, int step, unsigned n)
{
	list->line = (unsigned)CLAMP((int)list->line + step, 0, (int)MAX(n, 1) - 1);
}

bool list_view_move(struct list_view *list, enum ui_command command, unsigned n)
{
	int step = list_view_step(list, command, n);

	if (step)
		list_view_go(list, step, n);
	return step != 0;
}

bool list_view_point(struct list_view *list, unsigned y, unsigned n)
{
	if (y < list->y || y - list->y >= list->height || list->top + y - list->y >= n)
		return false;
	list->line = list->top + y - list->y;
	return true;
}

void list_view_scroll(struct list_view *list, unsigned height, unsigned n)
{
	list->height = height;
	list->seen = 0;
	if (!height)
		return;
	if (list->centre)
		list->top = list->line - MIN(list->line, height / 2);
	list->centre = false;
	if (list->line < list->top)
		list->top = list->line;
	if (list->line + list->tail >= list->top + height)
		list->top = MIN(list->line, list->line + list->tail - height + 1);
	if (list->top + height > n)
		list->top = n > height ? n - height : 0;
	list->seen = MIN(height, n - list->top);
}

struct term_area list_view_area(struct list_view *list, const struct term_area *area, unsigned y,
	unsigned below, unsigned n)
{
	struct term_area part = term_area_part(area, 0, y, area->w, area->h - MIN(y + below, area->h));

	list->y = y;
	list_view_scroll(list, part.h, n);
	return part;
}

void list_view_mark(const struct list_view *list, const struct ui_pane *pane, const struct term_area *area)
{
	if (list->line >= list->top && list->line - list->top < list->seen)
		term_area_over(area, 0, list->line - list->top, area->w, 1,
			ui_pane_focused(pane) ? TERM_ROLE_OVER_ROW : TERM_ROLE_OVER_ROW_TIME);
}
