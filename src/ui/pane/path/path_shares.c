// SPDX-License-Identifier: MIT
/* The shares of a critical path: time by actor and kind, longest first. */
#include "ui/pane/path/path.h"
#include "ui/widget/host_look.h"

#define SUMMARY_WIDTH 62	/* columns that one share needs */
#define BAR_WIDTH 8

unsigned path_shares_columns(unsigned width)
{
	return CLAMP(width / SUMMARY_WIDTH, 1, 3);
}

static void draw_share(const struct path *p, const struct term_area *area, unsigned y, const struct path_sum *sum)
{
	double share = (double)sum->time / (double)(p->path->to - p->path->from);
	char *time = ui_shell_duration_text(p->pane.shell, sum->time);
	unsigned bar = (unsigned)(share * BAR_WIDTH + 0.5), x = 3;

	term_area_char(area, 1, y, path_look_role(sum->look), path_look_glyph(sum->look, true, false));
	term_area_fit(area, x, y, 11, TERM_ROLE_TEXT, path_look_name(sum->look));
	x += 12;
	term_area_text(area, x + 8 - MIN(term_text_width(time), 8), y, TERM_ROLE_TEXT, time);
	x += 9;
	term_area_printf(area, x, y, TERM_ROLE_STRONG, "%5.1f%%", 100 * share);
	x += 7;
	term_area_fill(area, x, y, BAR_WIDTH, 1, TERM_ROLE_BAR_EMPTY, 0x2500);
	term_area_fill(area, x, y, MIN(bar, BAR_WIDTH), 1, path_look_role(sum->look), 0x2588);
	x += BAR_WIDTH;
	x = MAX(term_area_printf(area, x, y, TERM_ROLE_DIM, "%5u\303\227", sum->items), x + 6) + 1;
	if (x < area->w)
		host_look_label(area, x, y, area->w - x, TERM_ROLE_NAME_THREAD, p->pane.shell->q, path_actor(p, sum->actor)->host,
				path_actor(p, sum->actor)->label);
	g_free(time);
}

void path_shares_draw(const struct path *p, const struct term_area *area, unsigned first, unsigned selected)
{
	unsigned columns = path_shares_columns(area->w), width = area->w / columns, n = p->items.sums->len;

	for (unsigned i = 0; i < columns * area->h && first + i < n; i++) {
		unsigned x = i / area->h * width, y = i % area->h;
		struct term_area part = term_area_part(area, x, 0, width, area->h);

		draw_share(p, &part, y, path_sum(p, first + i));
		if (first + i == selected)
			term_area_over(&part, 0, y, part.w, 1, TERM_ROLE_OVER_ROW);
	}
}
