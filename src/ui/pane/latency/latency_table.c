/* SPDX-License-Identifier: MIT */
/*
 * Two tables in the place of the list: groups of latencies, of which one can be chosen to see only its
 * cases; and all kinds, which are counted while the table is looked at.  What is not at hand, as the trace
 * would have to be read for it, is not counted for that alone.
 */
#include "ui/pane/latency/latency.h"

/* Are the groups there as they are wanted? */
static bool has_groups(const struct latency *l)
{
	return l->list && l->list->by == l->by;
}

unsigned latency_table_count(const struct latency *l)
{
	if (l->table == LATENCY_KINDS)
		return l->n_kinds;
	return l->table == LATENCY_GROUPS ? (has_groups(l) ? l->list->groups->len : 0)
		: l->lines                ? l->lines->len
					  : 0;
}

/* ---- groups ---- */

/* Where columns of numbers end, and where names begin. */
enum { COUNT = 10, SUM = 20, P50 = 30, P99 = 40, MAX_ = 50, UNFINISHED = 61, NAME = 63 };
#define OUTLIERS 10 /* more columns, with outliers, where there is */
#define ROOM 100    /* for them */

static unsigned more_columns(const struct term_area *area)
{
	return area->w >= ROOM ? OUTLIERS : 0;
}

static void latency_table_put_count(const struct term_area *area, unsigned end, unsigned y, uint64_t count)
{
	term_area_number(area, end, y, TERM_ROLE_TEXT, "%" G_GUINT64_FORMAT, count);
}

static void draw_group(const struct term_area *area, unsigned y, const struct ana_latency_group *g)
{
	unsigned more = more_columns(area);

	latency_table_put_count(area, COUNT, y, g->figures.count);
	if (g->figures.count) {
		term_area_duration(area, SUM, y, TERM_ROLE_TEXT, g->figures.sum);
		term_area_duration(area, P50, y, TERM_ROLE_TEXT, g->figures.p50);
		term_area_duration(area, P99, y, TERM_ROLE_TEXT, g->figures.p99);
		term_area_duration(area, MAX_, y, TERM_ROLE_TEXT, g->figures.max);
	}
	if (more && g->figures.outliers)
		latency_table_put_count(area, MAX_ + more, y, g->figures.outliers);
	if (g->figures.unfinished)
		latency_table_put_count(area, UNFINISHED + more, y, g->figures.unfinished);
	term_area_fit(area, NAME + more, y, area->w - MIN(area->w, NAME + more), TERM_ROLE_NAME_THREAD,
		g->name);
}

static void put_heading(const struct term_area *area, unsigned end, unsigned y, const char *text, bool sorted)
{
	term_area_before(area, end, y, TERM_ROLE_TITLE, text);
	if (sorted)
		term_area_char(area, end + 1, y, TERM_ROLE_TITLE, 0x25be);
}

static void draw_group_heading(const struct latency *l, const struct term_area *area, unsigned y)
{
	unsigned x, more = more_columns(area);

	put_heading(area, COUNT, y, "cases", l->group_order == LATENCY_BY_COUNT);
	put_heading(area, SUM, y, "sum", l->group_order == LATENCY_BY_SUM);
	put_heading(area, P50, y, "p50", false);
	put_heading(area, P99, y, "p99", false);
	put_heading(area, MAX_, y, "worst", l->group_order == LATENCY_BY_MAX);
	if (more)
		put_heading(area, MAX_ + more, y, "outliers", false);
	put_heading(area, UNFINISHED + more, y, "not over", false);
	x = term_area_text(area, NAME + more, y, TERM_ROLE_TITLE, ana_latency_by_name(l->by));
	if (l->group_order == LATENCY_BY_NAME)
		term_area_char(area, x + 1, y, TERM_ROLE_TITLE, 0x25be);
}

/* ---- kinds ---- */

#define KIND 18            /* columns for its name */
#define KIND_UNFINISHED 60 /* where that column ends behind it */

static void draw_kind(const struct latency *l, const struct term_area *area, unsigned y, unsigned i)
{
	const struct latency_kind *f = &l->kinds[i];
	unsigned x = KIND;

	term_area_fit(area, 1, y, KIND, i == l->kind ? TERM_ROLE_KEY : TERM_ROLE_TEXT, f->name);
	if (f->known && !f->problem) {
		latency_table_put_count(area, x + COUNT, y, f->f.count);
		if (f->f.count) {
			term_area_duration(area, x + SUM, y, TERM_ROLE_TEXT, f->f.p50);
			term_area_duration(area, x + P50, y, TERM_ROLE_TEXT, f->f.p99);
			term_area_duration(area, x + P99, y, TERM_ROLE_TEXT, f->f.max);
		}
		if (f->f.outliers)
			latency_table_put_count(area, x + MAX_, y, f->f.outliers);
		if (f->f.unfinished)
			latency_table_put_count(area, x + KIND_UNFINISHED, y, f->f.unfinished);
	} else {
		term_area_fit(area, x + 2, y, area->w - MIN(area->w, x + 2), TERM_ROLE_DIM,
			f->known ? f->problem : "...");
	}
}

static void draw_kind_heading(const struct term_area *area, unsigned y)
{
	term_area_text(area, 1, y, TERM_ROLE_TITLE, "kind");
	term_area_before(area, KIND + COUNT, y, TERM_ROLE_TITLE, "cases");
	term_area_before(area, KIND + SUM, y, TERM_ROLE_TITLE, "p50");
	term_area_before(area, KIND + P50, y, TERM_ROLE_TITLE, "p99");
	term_area_before(area, KIND + P99, y, TERM_ROLE_TITLE, "worst");
	term_area_before(area, KIND + MAX_, y, TERM_ROLE_TITLE, "outliers");
	term_area_before(area, KIND + KIND_UNFINISHED, y, TERM_ROLE_TITLE, "not over");
}

/* ---- both ---- */

void latency_table_draw(struct latency *l, const struct term_area *area, unsigned y)
{
	struct list_view *view = latency_view(l);
	struct term_area list = list_view_area(view, area, y + 1, 0, latency_table_count(l));

	term_area_fill(area, 0, y, area->w, 1, TERM_ROLE_TITLE, ' ');
	if (l->table == LATENCY_KINDS)
		draw_kind_heading(area, y);
	else
		draw_group_heading(l, area, y);
	for (unsigned i = 0; i < view->seen; i++) {
		if (l->table == LATENCY_KINDS)
			draw_kind(l, &list, i, view->top + i);
		else
			draw_group(&list, i,
				&g_array_index(l->list->groups, struct ana_latency_group, view->top + i));
	}
	if (l->table == LATENCY_GROUPS && !has_groups(l) && latency_ask_measures(l))
		ask_worker_draw(l->pane.worker, &l->pane, &list, "making groups");
	list_view_mark(view, &l->pane, &list);
}

static void take_group(struct latency *l, const struct ana_latency_group *g)
{
	l->only = g_intern_string(g->name);
	l->only_id = g->id;
	ui_shell_message(l->pane.shell, "only %s: %s", ana_latency_by_name(l->by), l->only);
}

void latency_table_take_kind(struct latency *l, unsigned kind)
{
	if (kind != l->kind) {
		l->kind = kind;
		if (l->pane.shell->over_kind) /* the marks go with the kind */
			ui_shell_mark_over(l->pane.shell, l->kinds[kind].rules, l->kinds[kind].name,
				l->pane.shell->over_limit);
		l->picked = false;
		l->only = NULL;
	}
	l->table = LATENCY_CASES;
	l->part = LATENCY_LIST;
}

void latency_table_take(struct latency *l)
{
	unsigned line = latency_view(l)->line;

	if (line >= latency_table_count(l))
		return;
	if (l->table == LATENCY_KINDS) {
		latency_table_take_kind(l, line);
		return;
	}
	take_group(l, &g_array_index(l->list->groups, struct ana_latency_group, line));
	l->table = LATENCY_CASES;
	l->part = LATENCY_LIST;
}

void latency_table_pick(struct latency *l, enum ana_latency_by by, const char *words)
{
	l->by = by;
	l->only = g_intern_string(words);
	l->only_id = ANA_LATENCY_LIKE;
	l->picked = false;
	l->table = LATENCY_CASES;
	l->part = LATENCY_LIST;
}

/* The next sort of groups that there is for the kind. */
static enum ana_latency_by next_by(const struct latency *l)
{
	const struct latency_kind *kind = &l->kinds[l->kind];
	enum ana_latency_by by = l->by;

	do
		by = by + 1 < ANA_LATENCY_BY_N ? by + 1 : ANA_LATENCY_BY_THREAD;
	while (!ana_latency_has_by(l->pane.shell->q, kind->rules, kind->name, by) ||
		(by == ANA_LATENCY_BY_HOST && qry_host_count(l->pane.shell->q) == 1));
	return by;
}

void latency_table_groups(struct latency *l)
{
	const struct latency_kind *kind = &l->kinds[l->kind];

	if (l->table == LATENCY_GROUPS || l->by == ANA_LATENCY_BY_NOTHING ||
		!ana_latency_has_by(l->pane.shell->q, kind->rules, kind->name, l->by))
		l->by = next_by(l);
	l->only = NULL;
	l->table = LATENCY_GROUPS;
	l->part = LATENCY_LIST;
	l->views[LATENCY_GROUPS].line = l->views[LATENCY_GROUPS].top = 0;
}

void latency_table_kinds(struct latency *l)
{
	l->table = LATENCY_KINDS;
	l->part = LATENCY_LIST;
	l->views[LATENCY_KINDS].line = l->kind;
}
