// SPDX-License-Identifier: MIT
/* The critical-path pane as a whole: ruler, the way of looking at the path, the words below it; or that it is being looked for. */
#include "ui/pane/path/path.h"
#include "ui/widget/host_look.h"
#include "ui/widget/ruler.h"

#define RULER_FROM 9	/* lines from which on the pane has a ruler of its own */
#define WIDE 110	/* columns in which two lines say all of a segment */
#define SUMMARY_MAX 5	/* lines of shares that go before free lines between rows */

static void draw_waiting(struct path *p, const struct term_area *area)
{
	char *label = qry_row_label(p->pane.shell->q, p->asked.row), *what = g_strconcat("looking for the path of ", label, NULL);

	ask_worker_draw(p->worker, &p->pane, area, what);
	g_free(label);
	g_free(what);
}

/* The marks of the hosts on the path, each with its host, as far as there is room. */
static void draw_hosts(const struct path *p, const struct term_area *names)
{
	const struct qry *q = p->pane.shell->q;
	unsigned x = 0;

	for (uint32_t host = 0; host < qry_host_count(q); host++) {
		bool there = false;
		char *tag;

		for (guint i = 0; i < p->path->actors->len && !there; i++)
			there = path_actor(p, i)->host == host && path_actor_line(p, i) != UINT32_MAX;
		if (!there || x + 3 >= names->w)
			continue;
		term_area_char(names, x, 0, host_look_role(host), host_look_mark(q, host));
		tag = host_look_tag(q, host, names->w - x - 2);
		x = term_area_fit(names, x + 2, 0, names->w - x - 2, host_look_role(host), tag) + 1;
		g_free(tag);
	}
}

/* The ruler and the heading of the names. */
static void draw_ruler(const struct path *p, const struct term_area *area)
{
	const struct ui_shell *shell = p->pane.shell;
	struct term_area time = term_area_part(area, shell->names, 0, shell->columns, 1);
	struct term_area names = term_area_part(area, 0, 0, shell->names - 1, 1);

	if (qry_host_count(shell->q) > 1) {
		draw_hosts(p, &names);
	} else {
		term_area_text(&names, 1, 0, TERM_ROLE_RULER, "on the path");
		term_area_right(&names, 0, 0, TERM_ROLE_RULER, "share");
	}
	term_area_char(area, shell->names - 1, 0, TERM_ROLE_BORDER, 0x2502);
	ruler_draw(shell, &time);
}

static unsigned share_lines(const struct path *p, unsigned width)
{
	unsigned columns = path_shares_columns(width);

	return (p->items.sums->len + columns - 1) / columns;
}

static void draw_shares(struct path *p, const struct term_area *area)
{
	list_view_scroll(&p->view, area->h * path_shares_columns(area->w), p->items.sums->len);
	path_shares_draw(p, area, p->view.top, p->view.line);
}

static void draw_list(struct path *p, const struct term_area *area)
{
	uint32_t current = path_current(p);

	p->view.line = current == PATH_NO_ITEM ? p->view.top : current;
	list_view_scroll(&p->view, area->h, p->items.items->len);
	path_list_draw(p, area);
}

/* Rows, free lines between them for the arrows when there are enough, and below them the shares. */
static void draw_rows(struct path *p, const struct term_area *area)
{
	unsigned n = p->items.lines->len, shares = MIN(share_lines(p, area->w), SUMMARY_MAX);
	unsigned step = 2 * n - 1 + 1 + shares <= area->h ? 2 : 1, used;
	uint32_t current = path_current(p);
	struct term_area part;

	p->view.line = current == PATH_NO_ITEM ? p->view.top : path_actor_line(p, path_item(p, current)->actor);
	list_view_scroll(&p->view, MIN((area->h + step - 1) / step, n), n);
	used = MIN(p->view.height * step, area->h);
	part = term_area_part(area, 0, 0, area->w, used);
	path_draw_rows(p, &part, p->view.height, step);
	if (area->h <= used + 1)
		return;
	term_area_fill(area, 0, used, area->w, 1, TERM_ROLE_BORDER, 0x2500);
	term_area_char(area, p->pane.shell->names - 1, used, TERM_ROLE_BORDER, 0x2534);
	part = term_area_part(area, 0, used + 1, area->w, area->h);
	path_shares_draw(p, &part, 0, UINT_MAX);
}

void path_screen_draw(struct path *p, const struct term_area *area)
{
	unsigned detail = area->h >= 12 && area->w < WIDE ? 3 : area->h >= 8 ? 2 : area->h > 2, ruler = area->h >= RULER_FROM && p->mode == PATH_ROWS;
	struct term_area part;

	if (ask_worker_busy(p->worker)) {
		draw_waiting(p, area);
		return;
	}
	if (!p->path) {
		if (p->problem)
			path_text_problem(p, area);
		return;
	}
	if (ruler)
		draw_ruler(p, area);
	part = term_area_part(area, 0, ruler, area->w, area->h - detail - ruler);
	if (p->mode == PATH_SHARES)
		draw_shares(p, &part);
	else if (p->mode == PATH_LIST)
		draw_list(p, &part);
	else
		draw_rows(p, &part);
	part = term_area_part(area, 0, area->h - detail, area->w, detail);
	if (detail)
		path_text_detail(p, &part);
}
