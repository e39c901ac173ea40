/* SPDX-License-Identifier: MIT */
/* A line each: how long, its share or how often, who, and what more there is to say. */
#include "ui/pane/overview/overview.h"

#include "ui/widget/host_look.h"

#include <inttypes.h>
#include <string.h>

enum { TIME_END = 10, SHARE_END = 18, NAME = 20 };
#define WHO_MIN 24
#define WHO_MAX 40

static unsigned name_width(const struct term_area *area)
{
	return CLAMP(area->w / 4, WHO_MIN, WHO_MAX);
}

static void draw_line(const struct overview *o, const struct term_area *area, unsigned y,
	const struct ana_overview_line *line)
{
	struct ui_shell *shell = o->pane.shell;
	g_autofree char *time = ui_shell_duration_text(shell, line->time);
	unsigned width = name_width(area), what = NAME + width + 1;
	uint32_t host = line->row == MDL_NONE ? 0 : qry_row(shell->q, line->row)->host;
	char text[32] = "";

	if (line->of > 0)
		g_snprintf(text, sizeof text, "%.1f%%", 100 * (double)line->time / (double)line->of);
	else if (line->count > 0)
		g_snprintf(text, sizeof text, "%" PRIu64 "\303\227", line->count); /* × */
	term_area_before(area, TIME_END, y, TERM_ROLE_STRONG, time);
	term_area_before(area, SHARE_END, y, TERM_ROLE_TEXT, text);
	if (qry_host_count(shell->q) > 1 && line->row != MDL_NONE && strchr(line->name, '/'))
		host_look_label(area, NAME, y, width, TERM_ROLE_NAME_THREAD, shell->q, host,
			host_look_without(shell->q, host, line->name));
	else
		term_area_fit(area, NAME, y, width, TERM_ROLE_NAME_THREAD, line->name);
	if (line->what && what < area->w)
		term_area_fit(area, what, y, area->w - what, TERM_ROLE_TEXT, line->what);
}

static void draw_item(const struct overview *o, const struct term_area *area, unsigned y,
	const struct overview_item *item)
{
	if (item->line) {
		draw_line(o, area, y, item->line);
		return;
	}
	if (item->heading)
		term_area_fill(area, 0, y, area->w, 1, TERM_ROLE_TITLE, ' ');
	term_area_fit(area, 1, y, area->w - 1, item->heading ? TERM_ROLE_TITLE : TERM_ROLE_DIM, item->text);
}

void overview_draw(struct overview *o, const struct term_area *area)
{
	struct term_area list = list_view_area(&o->view, area, 0, 0, o->items->len);

	for (unsigned y = 0; y < o->view.seen; y++)
		draw_item(o, &list, y, overview_item(o, o->view.top + y));
	if (o->view.line < o->items->len && overview_item(o, o->view.line)->line)
		list_view_mark(&o->view, &o->pane, &list);
}
