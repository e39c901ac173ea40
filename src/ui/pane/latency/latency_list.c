/* SPDX-License-Identifier: MIT */
/*
 * The list has the worst cases of what is picked of the histogram, longest first, each with its rank; it is
 * shown in the order that was chosen.  Nothing is measured for that: the measurement has the worst of each
 * bucket.
 */
#include "ui/pane/latency/latency.h"

#include "base/base_search.h"

/* ---- what is picked ---- */

void latency_list_buckets(const struct latency *l, unsigned *first, unsigned *end)
{
	*first = 0;
	*end = l->list->histogram->len;
	while (l->picked && *first < *end && latency_bucket(l, *first)->from < l->pick_from)
		++*first;
	while (l->picked && *first < *end && latency_bucket(l, *end - 1)->to > l->pick_to)
		--*end;
}

void latency_list_pick(struct latency *l, unsigned first, unsigned last)
{
	if (l->order == LATENCY_OPEN)
		l->order = LATENCY_BY_LENGTH;
	l->picked = true;
	l->pick_from = latency_bucket(l, first)->from;
	l->pick_to = latency_bucket(l, last)->to;
	latency_list_make(l);
}

void latency_list_pick_all(struct latency *l)
{
	l->picked = false;
	if (l->list)
		latency_list_make(l);
}

/* ---- whose ---- */

char *latency_list_label(const struct latency *l, const struct ana_latency_case *c)
{
	g_autofree char *row = c->row == MDL_NONE ? g_strdup("") : qry_row_label(l->pane.shell->q, c->row);

	if (c->key && l->list->of_device && *row)
		return g_strdup_printf("%s for %s", c->key, row);
	return c->key && (l->list->of_device || !*row) ? g_strdup(c->key) : g_steal_pointer(&row);
}

/* ---- the order ---- */

/* What ranks are sorted by. */
struct sorting {
	const struct latency *l;
	char **labels; /* of each rank; NULL: not by these */
};

static int by_order(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct sorting *s = data;
	guint i = *(const guint *)a, j = *(const guint *)b;
	const struct ana_latency_case *x = &latency_line(s->l, i)->c, *y = &latency_line(s->l, j)->c;
	int order = 0;

	if (s->l->order == LATENCY_BY_TIME)
		order = BASE_BY(x, y, start);
	else if (s->l->order == LATENCY_BY_THREAD)
		order = strcmp(s->labels[i], s->labels[j]) ?: BASE_BY(x, y, number);
	return order ?: BASE_ORDER(i, j);
}

static char **labels_of(const struct latency *l)
{
	char **labels = g_new0(char *, l->lines->len + 1);

	for (guint i = 0; i < l->lines->len; i++) {
		uint32_t row = latency_line(l, i)->c.row;

		labels[i] = row == MDL_NONE ? g_strdup("") : qry_row_label(l->pane.shell->q, row);
	}
	return labels;
}

/* Sort the cases as l->order says. */
static void latency_list_sort(struct latency *l)
{
	struct sorting s = { l, l->order == LATENCY_BY_THREAD ? labels_of(l) : NULL };

	g_array_sort_with_data(l->ranks, by_order, &s);
	g_strfreev(s.labels);
}

void latency_list_order(struct latency *l, enum latency_order order)
{
	bool others = (l->order == LATENCY_OPEN) != (order == LATENCY_OPEN);

	l->order = order;
	l->picked &= order != LATENCY_OPEN;
	if (l->list && others)
		latency_list_make(l);
	else if (l->lines)
		latency_list_sort(l);
}

unsigned latency_list_line(const struct latency *l, unsigned rank)
{
	for (unsigned line = 0; line < l->ranks->len; line++)
		if (latency_rank(l, line) == rank)
			return line;
	return 0;
}

static int groups_by(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct ana_latency_group *x = a, *y = b;
	const struct base_figures *f = &x->figures, *g = &y->figures;
	int order = 0;

	switch (((const struct latency *)data)->group_order) {
	case LATENCY_BY_SUM: order = BASE_BY(g, f, sum); break;
	case LATENCY_BY_MAX: order = BASE_BY(g, f, max); break;
	case LATENCY_BY_COUNT: order = BASE_BY(g, f, count); break;
	default: break;
	}
	return order ?: strcmp(x->name, y->name) ?: BASE_BY(x, y, id);
}

void latency_list_sort_groups(struct latency *l)
{
	if (l->list)
		g_array_sort_with_data(l->list->groups, groups_by, l);
}

/* ---- lines ---- */

void latency_list_settle(struct latency *l)
{
	if (!l->list)
		return;
	l->column = MIN(l->column, l->shown.columns - 1);
	l->pick_end = MIN(l->pick_end, MAX(l->list->histogram->len, 1) - 1);
	list_view_go(&l->views[LATENCY_CASES], 0, l->lines->len);
}

static void latency_list_line_clear(void *data)
{
	struct latency_line *line = data;

	g_free(line->c.cause);
	g_free(line->c.key);
}

void latency_list_drop(struct latency *l)
{
	g_clear_pointer(&l->lines, g_array_unref);
	g_clear_pointer(&l->ranks, g_array_unref);
	g_clear_pointer(&l->said, g_free);
	l->views[LATENCY_CASES].line = l->views[LATENCY_CASES].top = 0;
	l->gone = false;
}

void latency_list_select(struct latency *l, const struct ana_latency_case *c, const struct list_view *view,
	bool gone)
{
	for (guint rank = 0; rank < l->lines->len; rank++) {
		const struct ana_latency_case *one = &latency_line(l, rank)->c;
		unsigned above = view->line - view->top, line;

		if (one->start != c->start || one->latency != c->latency || one->row != c->row ||
			one->number != c->number)
			continue;
		line = latency_list_line(l, rank);
		l->views[LATENCY_CASES].line = line;
		l->views[LATENCY_CASES].top = line - MIN(line, above);
		l->gone = gone;
		return;
	}
}

void latency_list_make(struct latency *l)
{
	unsigned first, end;
	g_autoptr(GArray) worst = NULL;

	latency_list_drop(l);
	latency_list_buckets(l, &first, &end);
	if (l->order != LATENCY_OPEN)
		worst = ana_latency_worst_of(l->list, first, end, LATENCY_TOP);
	else if (l->list->open)
		worst = g_array_ref(l->list->open);
	else
		worst = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_case));
	l->lines = g_array_new(FALSE, FALSE, sizeof(struct latency_line));
	g_array_set_clear_func(l->lines, latency_list_line_clear);
	l->ranks = g_array_new(FALSE, FALSE, sizeof(guint));
	for (guint i = 0; i < worst->len; i++) {
		struct latency_line line = { g_array_index(worst, struct ana_latency_case, i), false };

		g_array_append_val(l->lines, line);
		g_array_append_val(l->ranks, i);
	}
	if (l->order != LATENCY_BY_LENGTH)
		latency_list_sort(l);
}
