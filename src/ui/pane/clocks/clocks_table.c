/* SPDX-License-Identifier: MIT */
/* What is known of each host's clock; what changes with time is told of the instant at the cursor. */
#include "ui/pane/clocks/clocks.h"
#include "ui/widget/host_look.h"

#include <string.h>

#define WIDE 110 /* columns from which on the difference has all digits */

struct columns {
	/* HOST, QUALITY, BY: where they begin; the others: where they end. */
	unsigned host, quality, ahead, fast, error, worst, packets, early, by;
};

static struct columns columns_of(unsigned width)
{
	bool wide = width >= WIDE;
	struct columns c = { .host = 1, .quality = wide ? 18 : 12 };

	c.ahead = c.quality + (wide ? 36 : 20);
	c.fast = c.ahead + (wide ? 12 : 9);
	c.error = c.fast + (wide ? 10 : 8);
	c.worst = c.error + (wide ? 10 : 8);
	c.packets = c.worst + (wide ? 12 : 8);
	c.early = c.packets + 6;
	c.by = c.early + (wide ? 3 : 1);
	return c;
}

static void take_right(const struct term_area *area, unsigned end, unsigned y, enum term_role role,
	char *text)
{
	term_area_before(area, end, y, role, text);
	g_free(text);
}

static void draw_heading(const struct columns *c, const struct term_area *area)
{
	term_area_fill(area, 0, 0, area->w, 1, TERM_ROLE_TITLE, ' ');
	term_area_text(area, c->host, 0, TERM_ROLE_TITLE, "host");
	term_area_text(area, c->quality, 0, TERM_ROLE_TITLE, "clock");
	term_area_before(area, c->ahead, 0, TERM_ROLE_TITLE, "ahead by");
	term_area_before(area, c->fast, 0, TERM_ROLE_TITLE, "fast ppm");
	term_area_before(area, c->error, 0, TERM_ROLE_TITLE, "error");
	term_area_before(area, c->worst, 0, TERM_ROLE_TITLE, "worst");
	term_area_before(area, c->packets, 0, TERM_ROLE_TITLE, "packets");
	term_area_before(area, c->early, 0, TERM_ROLE_TITLE, "early");
	term_area_fit(area, c->by, 0, area->w - MIN(c->by, area->w), TERM_ROLE_TITLE,
		area->w >= WIDE ? "by way of" : "by");
}

/* The end of "ahead by": "+325 s", and where there is room all digits. */
static char *ahead_text(const struct ui_shell *shell, int64_t ahead, bool wide)
{
	g_autofree char *length = NULL;

	if (wide)
		return g_strdup_printf("%c%" G_GINT64_FORMAT ".%09" G_GINT64_FORMAT " s",
			ahead < 0 ? '-' : '+', ABS(ahead / G_GINT64_CONSTANT(1000000000)),
			ABS(ahead % G_GINT64_CONSTANT(1000000000)));
	length = ui_shell_duration_text(shell, ahead);
	return g_strconcat(ahead > 0 ? "+" : "", length, NULL);
}

static char *error_text(const struct ui_shell *shell, int64_t error)
{
	return error == INT64_MAX ? g_strdup("?") : ui_shell_duration_text(shell, error);
}

/* How good it is: proved by packets in both directions, or not. */
static enum term_role quality_role(const struct ana_clock *clock)
{
	if (!clock->known)
		return TERM_ROLE_GRADE_UNKNOWN;
	return clock->worst == INT64_MAX ? TERM_ROLE_GRADE_INFERRED : TERM_ROLE_GRADE_PROVED;
}

static void draw_clock(const struct clocks *c, const struct columns *col, const struct term_area *area,
	unsigned y, const struct ana_clock *clock)
{
	const struct ui_shell *shell = c->pane.shell;
	g_autofree char *tag = NULL;

	take_right(area, col->ahead, y, TERM_ROLE_STRONG, ahead_text(shell, clock->ahead, area->w >= WIDE));
	take_right(area, col->fast, y, TERM_ROLE_TEXT, g_strdup_printf("%+.3f", clock->fast));
	take_right(area, col->error, y, TERM_ROLE_TEXT, error_text(shell, clock->error));
	take_right(area, col->worst, y, TERM_ROLE_TEXT, error_text(shell, clock->worst));
	if (clock->by == MDL_NONE)
		return;
	tag = host_look_tag(shell->q, clock->by, area->w - MIN(col->by, area->w));
	term_area_fit(area, col->by, y, area->w - MIN(col->by, area->w), host_look_role(clock->by), tag);
}

/* Why it has no clock, in place of numbers; by how much it is shown elsewhere than its own times say. */
static void draw_apart(const struct ui_shell *shell, const struct columns *col, const struct term_area *area,
	unsigned y, const struct ana_clock *clock)
{
	unsigned x = clock->placed ? col->ahead + 2 : col->quality + (unsigned)strlen(clock->quality) + 2;

	if (clock->placed)
		take_right(area, col->ahead, y, TERM_ROLE_GRADE_UNKNOWN,
			ahead_text(shell, clock->ahead, area->w >= WIDE));
	if (clock->apart && x < col->worst)
		term_area_fit(area, x, y, col->worst - x, TERM_ROLE_DIM, clock->apart);
}

static void draw_host(const struct clocks *c, const struct columns *col, const struct term_area *area,
	unsigned y, uint32_t host)
{
	const struct ui_shell *shell = c->pane.shell;
	struct ana_clock clock = ana_clock_of(shell->q, host, shell->view->cursor);
	g_autofree char *tag = host_look_tag(shell->q, host, col->quality - col->host - 1);

	term_area_fit(area, col->host, y, col->quality - col->host - 1, host_look_role(host), tag);
	if (!host)
		term_area_text(area, col->quality, y, TERM_ROLE_TEXT, "the one shown");
	else
		term_area_text(area, col->quality, y, quality_role(&clock),
			clock.placed ? "by start" : clock.quality);
	if (host && clock.known)
		draw_clock(c, col, area, y, &clock);
	else if (host)
		draw_apart(shell, col, area, y, &clock);
	take_right(area, col->packets, y, TERM_ROLE_TEXT,
		g_strdup_printf("%" G_GUINT64_FORMAT, clock.packets));
	take_right(area, col->early, y, clock.early ? TERM_ROLE_ERROR : TERM_ROLE_TEXT,
		g_strdup_printf("%" G_GUINT64_FORMAT, clock.early));
}

void clocks_table_draw(struct clocks *c, const struct term_area *area)
{
	struct columns col = columns_of(area->w);
	struct term_area list;

	draw_heading(&col, area);
	c->view.line = clocks_host(c);
	list = list_view_area(&c->view, area, 1, 0, qry_host_count(c->pane.shell->q));
	for (unsigned y = 0; y < c->view.seen; y++)
		draw_host(c, &col, &list, y, c->view.top + y);
	list_view_mark(&c->view, &c->pane, &list);
}
