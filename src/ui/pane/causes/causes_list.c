/* SPDX-License-Identifier: MIT */
/*
 * The list of causes grows while waits are looked at in slices, so that keys are
 * answered in between; it is shown a few times a second, not after each slice,
 * for the sake of slow lines.
 */
#include "ui/pane/causes/causes.h"

#include "base/base_search.h"
#include "base/base_time.h"
#include "query/qry_tracer.h"

#include <string.h>

#define SLICE_US 15000 /* one slice */
#define STEP 64        /* waits between two looks at the clock */
#define SHOW_US 300000 /* between two shows of an unfinished list */

/* ---- the question ---- */

/* What the list should be of. */
static struct causes_question wanted(const struct causes *c)
{
	const struct ui_shell *shell = c->pane.shell;
	bool all = scope_of_all(c->scope);
	struct causes_question q = { .scope = c->scope,
		.row = all ? MDL_NONE : c->asked.row,
		.from = c->asked.from,
		.to = c->asked.to,
		.by = c->by };

	q.hide_tracer = shell->hide_tracer && all;
	asking_what(&c->ask, &c->pane, all ? NULL : &q.row, &q.from, &q.to);
	if (c->scope == SCOPE_PROCESS && q.row != MDL_NONE &&
		qry_row(shell->q, q.row)->type == MDL_ROW_THREAD)
		q.row = qry_row(shell->q, q.row)->process;
	return q;
}

static bool same_question(const struct causes_question *a, const struct causes_question *b)
{
	return a->scope == b->scope && a->row == b->row && a->from == b->from && a->to == b->to &&
		a->hide_tracer == b->hide_tracer && a->by == b->by;
}

static bool belongs(const struct qry *q, uint32_t row, const struct causes_question *asked)
{
	const struct qry_row *r = qry_row(q, row);

	if (r->type != MDL_ROW_THREAD)
		return false;
	if (scope_of_all(asked->scope))
		return !(asked->hide_tracer && qry_is_tracer(q, row)) &&
			(asked->scope == SCOPE_ALL || !qry_is_kernel_thread(q, row));
	return row == asked->row || (asked->scope == SCOPE_PROCESS && r->process == asked->row);
}

struct ana_causes *causes_list_new(struct qry *q, const struct causes_question *asked, uint64_t *all)
{
	g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	*all = 0;
	for (uint32_t row = 0; row < qry_row_count(q); row++) {
		if (!belongs(q, row, asked))
			continue;
		g_array_append_val(rows, row);
		*all += qry_wakeup_seek(q, row, asked->to) - qry_wakeup_seek(q, row, asked->from) + 1;
	}
	return ana_causes_new(q, (const uint32_t *)(const void *)rows->data, rows->len, asked->by,
		asked->from, asked->to);
}

void causes_list_drop(struct causes *c)
{
	ana_causes_free(c->work);
	c->work = NULL;
	c->busy = false;
	c->done = c->all = 0;
	c->total = 0;
	c->problem = NULL;
	g_array_set_size(c->entries, 0);
}

/* Ask Q, unless it was. */
static void ask(struct causes *c, const struct causes_question *q)
{
	struct qry *experiment = c->pane.shell->q;

	if (c->ask.has_asked && same_question(q, &c->asked))
		return;
	causes_list_drop(c);
	c->asked = *q;
	c->ask.has_asked = true;
	c->ask.gone = false;
	c->view.line = c->view.top = 0;
	if (!scope_of_all(q->scope) &&
		(q->row == MDL_NONE || qry_row(experiment, q->row)->type != MDL_ROW_THREAD)) {
		c->problem = "this is no thread: select one to see what it waited for";
		return;
	}
	c->work = causes_list_new(experiment, q, &c->all);
	c->busy = true;
}

void causes_list_ask(struct causes *c)
{
	struct causes_question q = wanted(c);

	ask(c, &q);
}

void causes_list_ask_again(struct causes *c, const struct causes_question *q)
{
	ask(c, q);
	asking_stay(&c->ask, &c->pane);
	if (c->work)
		causes_list_sort(c);
}

/* ---- the list ---- */

/* Waits that are not proved, and of those first the unknown ones. */
static int compare(const void *a, const void *b, void *data)
{
	const struct ana_causes_entry *x = a, *y = b;
	const enum causes_order *order = data;
	int cmp = 0;

	if (*order == CAUSES_BY_LONGEST)
		cmp = BASE_BY(y, x, longest);
	else if (*order == CAUSES_BY_COUNT)
		cmp = BASE_BY(y, x, count);
	else if (*order == CAUSES_BY_GRADE)
		cmp = BASE_BY(y, x, grades[ANA_UNKNOWN]) ?: BASE_BY(y, x, grades[ANA_INFERRED]);
	return cmp ?: BASE_BY(y, x, total) ?: BASE_BY(x, y, kind) ?: strcmp(x->label, y->label);
}

/* Whether A and B are about the same cause. */
static bool same(const struct ana_causes_entry *a, const struct ana_causes_entry *b)
{
	return a->kind == b->kind && a->host == b->host && !strcmp(a->name, b->name) &&
		(a->threads != 1 || b->threads != 1 || a->row == b->row);
}

/* Copies of FOUND, with labels of their own: those there change with each thread that is found to be behind a
 * cause, and the list is drawn more often than it is made. */
static void copy_entries(GArray *entries, const GArray *found)
{
	g_array_set_size(entries, 0);
	g_array_append_vals(entries, found->data, found->len);
	for (guint i = 0; i < entries->len; i++) {
		struct ana_causes_entry *e = &g_array_index(entries, struct ana_causes_entry, i);

		e->label = g_strdup(e->label);
	}
}

void causes_list_sort(struct causes *c)
{
	const GArray *found = ana_causes_entries(c->work);
	struct ana_causes_entry selected = { 0 };
	bool keep = c->view.line > 0 && c->view.line < c->entries->len;

	if (keep)
		selected = *causes_entry(c, c->view.line);
	copy_entries(c->entries, found);
	g_array_sort_with_data(c->entries, compare, &c->order);
	c->total = 0;
	for (unsigned i = 0; i < c->entries->len; i++) {
		c->total = base_time_sum(c->total, causes_entry(c, i)->total);
		if (keep && same(causes_entry(c, i), &selected))
			c->view.line = i;
	}
}

bool causes_list_work(struct ui_pane *pane)
{
	struct causes *c = (struct causes *)pane;
	int64_t begin = g_get_monotonic_time(), now = begin;

	if (!c->busy)
		return false;
	while (c->busy && now - begin < SLICE_US) {
		c->busy = ana_causes_work(c->work, STEP);
		now = g_get_monotonic_time();
	}
	c->done = ana_causes_looked(c->work);
	if (qry_damage(c->pane.shell->q)) { /* what comes of a damaged index may lack something */
		causes_list_drop(c);
		c->problem = qry_damage(c->pane.shell->q)->message;
		ui_shell_redraw(c->pane.shell);
		return false;
	}
	if (c->busy && now - c->drawn_at < SHOW_US)
		return true;
	c->drawn_at = now;
	causes_list_sort(c);
	ui_shell_redraw(c->pane.shell);
	return c->busy;
}
