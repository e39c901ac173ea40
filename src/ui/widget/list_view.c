// SPDX-License-Identifier: MIT
#include "ui/widget/list_view.h"

int list_view_step(enum ui_command command, unsigned height, unsigned n)
{
	int page = (int)MAX(height, 2) - 1, all = (int)MAX(n, 1);

	switch (command) {
	case UI_CMD_ROW_UP:
		return -1;
	case UI_CMD_ROW_DOWN:
		return 1;
	case UI_CMD_PAGE_UP:
		return -page;
	case UI_CMD_PAGE_DOWN:
		return page;
	case UI_CMD_ROW_FIRST:
		return -all;
	case UI_CMD_ROW_LAST:
		return all;
	default:
		return 0;
	}
}

unsigned list_view_top(unsigned top, unsigned line, unsigned height, unsigned n)
{
	if (line < top)
		top = line;
	if (height && line >= top + height)
		top = line - height + 1;
	if (top + height > n)
		top = n > height ? n - height : 0;
	return top;
}

void list_view_mark(const struct ui_pane *pane, const struct term_area *area, unsigned y)
{
	term_area_over(area, 0, y, area->w, 1, ui_pane_focused(pane) ? TERM_ROLE_OVER_ROW : TERM_ROLE_OVER_ROW_TIME);
}
