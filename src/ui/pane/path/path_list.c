/* SPDX-License-Identifier: MIT */
/* The critical path as a list: when, how long, what, who, indented by depth, and why. */
#include "ui/pane/path/path.h"
#include "ui/widget/host_look.h"
#include "ui/widget/kind_look.h"

#define WIDE 110 /* columns from which on there is room to say why */
#define INDENT_MAX 8

struct columns {
	unsigned length, look, who, what; /* where they begin */
};

static struct columns columns_of(const struct path *p, unsigned width)
{
	struct columns c = { .length = ui_shell_time_width(p->pane.shell) + 2 };

	c.look = c.length + 10;
	c.who = c.look + 14;
	c.what = c.who + (width >= WIDE ? 34 : qry_host_count(p->pane.shell->q) > 1 ? 23 : 20);
	return c;
}

/* What the segment was doing, and by what a wait ended.  The caller frees. */
static char *what_text(const struct path *p, const struct path_item *item, bool wide)
{
	char *detail, *ended, *both;

	if (item->look == PATH_LOOK_SHORT && item->n > 1)
		return path_fold_text(p, item);
	if (item->n == 1)
		detail = ana_path_detail(p->pane.shell->q, path_segment(p, item->first));
	else
		detail = path_fold_text(p, item);
	ended = wide || !detail || item->n > 1 ? path_text_end(p, item->first + item->n - 1) : NULL;
	if (!ended)
		return detail;
	if (item->n == 1)
		both = g_strdup_printf("%s%s%s", detail ? detail : "", detail ? "  " : "", ended);
	else
		both = g_strdup_printf("%s  %s", ended, detail);
	g_free(detail);
	g_free(ended);
	return both;
}

/* WHAT (may be NULL), after how sure the way of a packet between hosts is. */
static void draw_what(const struct path *p, const struct columns *c, const struct term_area *area, unsigned y,
	const struct path_item *item, const char *what)
{
	char *crossing = path_text_crossing(p, item);
	unsigned x = c->what;

	if (crossing && x < area->w)
		x = term_area_fit(area, x, y, area->w - x,
			    kind_look_grade(path_segment(p, item->first)->crossing.grade), crossing) +
			2;
	if (what && x < area->w)
		term_area_fit(area, x, y, area->w - x, TERM_ROLE_TEXT, what);
	g_free(crossing);
}

static void draw_item(const struct path *p, const struct columns *c, const struct term_area *area, unsigned y,
	const struct path_item *item)
{
	struct ui_shell *shell = p->pane.shell;
	char *when = ui_shell_time_text(shell, item->from),
	     *length = ui_shell_duration_text(shell, item->to - item->from);
	char *what = what_text(p, item, area->w >= WIDE);
	/* A line is a line: a single short segment can as well be told as what it is. */
	bool single = item->look == PATH_LOOK_SHORT && item->n == 1;
	unsigned who = c->who + MIN(item->depth, INDENT_MAX),
		 look = single ? path_segment(p, item->first)->kind : item->look;
	uint32_t actor = single ? path_segment(p, item->first)->actor : item->actor;
	enum term_role role = path_look_role(look);

	term_area_text(area, 1, y, TERM_ROLE_DIM, when);
	term_area_text(area, c->length + 8 - MIN(term_text_width(length), 8), y, TERM_ROLE_STRONG, length);
	term_area_char(area, c->look, y, role, path_look_glyph(look, true, false));
	term_area_fit(area, c->look + 2, y, c->who - c->look - 3, role, path_look_name(look));
	if (look == PATH_LOOK_SHORT) {
		if (what)
			term_area_fit(area, who, y, area->w - MIN(who, area->w), TERM_ROLE_DIM, what);
	} else {
		host_look_label(area, who, y, c->what - who - 1, TERM_ROLE_NAME_THREAD, shell->q,
			path_actor(p, actor)->host, path_actor(p, actor)->label);
		draw_what(p, c, area, y, item, what);
	}
	g_free(when);
	g_free(length);
	g_free(what);
}

void path_list_draw(const struct path *p, const struct term_area *area)
{
	struct columns c = columns_of(p, area->w);

	for (unsigned y = 0; y < p->view.seen; y++)
		draw_item(p, &c, area, y, path_item(p, p->view.top + y));
	if (path_current(p) != PATH_NO_ITEM)
		list_view_mark(&p->view, &p->pane, area);
}
