/* SPDX-License-Identifier: MIT */
/* A line each: how long, its share or how often, who, and what more there is to say. */
#include "ui/pane/overview/overview.h"

#include "ui/widget/host_look.h"

#include <inttypes.h>
#include <string.h>

/* At least so wide are times, and shares or counts. */
#define TIME_MIN 10
#define SHARE_MIN 7
#define WHO_MIN 24
#define WHO_MAX 40

/* Where the columns end; names begin two columns behind the shares. */
struct columns {
	unsigned time, share;
};

static char *share_text(const struct ana_overview_line *line)
{
	if (line->of > 0)
		return g_strdup_printf("%.1f%%", 100 * (double)line->time / (double)line->of);
	return line->count > 0 ? g_strdup_printf("%" PRIu64 "\303\227", line->count) : g_strdup(""); /* × */
}

/* All lines stand below each other, and a blank between what is widest. */
static struct columns find_columns(const struct overview *o)
{
	struct columns c = { TIME_MIN, SHARE_MIN };

	for (guint i = 0; i < o->items->len; i++) {
		const struct ana_overview_line *line = overview_item(o, i)->line;
		g_autofree char *time = line ? ui_shell_duration_text(o->pane.shell, line->time) : NULL;
		g_autofree char *share = line ? share_text(line) : NULL;

		if (!line)
			continue;
		c.time = MAX(c.time, term_text_width(time));
		c.share = MAX(c.share, term_text_width(share));
	}
	c.share += c.time + 1;
	return c;
}

static unsigned name_width(const struct term_area *area)
{
	return CLAMP(area->w / 4, WHO_MIN, WHO_MAX);
}

static void draw_line(const struct overview *o, const struct term_area *area, unsigned y,
	const struct columns *columns, const struct ana_overview_line *line)
{
	struct ui_shell *shell = o->pane.shell;
	g_autofree char *time = ui_shell_duration_text(shell, line->time), *share = share_text(line);
	unsigned name = columns->share + 2, width = name_width(area), what = name + width + 1;
	uint32_t host = line->row == MDL_NONE ? 0 : qry_row(shell->q, line->row)->host;

	term_area_before(area, columns->time, y, TERM_ROLE_STRONG, time);
	term_area_before(area, columns->share, y, TERM_ROLE_TEXT, share);
	if (qry_host_count(shell->q) > 1 && line->row != MDL_NONE && strchr(line->name, '/'))
		host_look_label(area, name, y, width, TERM_ROLE_NAME_THREAD, shell->q, host,
			host_look_without(shell->q, host, line->name));
	else
		term_area_fit(area, name, y, width, TERM_ROLE_NAME_THREAD, line->name);
	if (line->what && what < area->w)
		term_area_fit(area, what, y, area->w - what, TERM_ROLE_TEXT, line->what);
}

static void draw_item(const struct overview *o, const struct term_area *area, unsigned y,
	const struct columns *columns, const struct overview_item *item)
{
	if (item->line) {
		draw_line(o, area, y, columns, item->line);
		return;
	}
	if (item->heading)
		term_area_fill(area, 0, y, area->w, 1, TERM_ROLE_TITLE, ' ');
	term_area_fit(area, 1, y, area->w - 1, item->heading ? TERM_ROLE_TITLE : TERM_ROLE_DIM, item->text);
}

void overview_draw(struct overview *o, const struct term_area *area)
{
	struct term_area list = list_view_area(&o->view, area, 0, 0, o->items->len);
	struct columns columns = find_columns(o);

	for (unsigned y = 0; y < o->view.seen; y++)
		draw_item(o, &list, y, &columns, overview_item(o, o->view.top + y));
	if (o->view.line < o->items->len && overview_item(o, o->view.line)->line)
		list_view_mark(&o->view, &o->pane, &list);
}
