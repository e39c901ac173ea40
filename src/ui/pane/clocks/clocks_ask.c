/* SPDX-License-Identifier: MIT */
/*
 * Each column of the window is asked for as two: the characters of the drawing
 * are two dots wide.
 */
#include "ui/pane/clocks/clocks.h"

#include <string.h>

static void *answer(struct qry *q, const void *question, struct base_progress *progress, GError **error)
{
	const struct clocks_question *asked = question;

	return ana_residuals_new(q, &asked->window, asked->n_columns, progress, error);
}

/* With whom the selected host's packets are looked at; MDL_NONE: all others. */
static uint32_t wanted_other(const struct clocks *c)
{
	return c->with_all ? MDL_NONE
			   : ana_clock_of(c->pane.shell->q, clocks_host(c), c->pane.shell->view->cursor).by;
}

void clocks_drop(struct clocks *c)
{
	ana_residuals_free(c->residuals);
	c->residuals = NULL;
	g_clear_pointer(&c->problem, g_free);
}

static void taken(struct ui_pane *pane, void *residuals, GError *error)
{
	struct clocks *c = (struct clocks *)pane;

	clocks_drop(c);
	c->residuals = residuals;
	ask_worker_problem(&c->problem, error);
}

static const struct ask_kind kind = { .size = sizeof(struct clocks_question),
	.answer = answer,
	.free = (GDestroyNotify)ana_residuals_free,
	.taken = taken };

void clocks_ask(struct clocks *c)
{
	const struct ui_shell *shell = c->pane.shell;
	struct clocks_question q = { .n_columns = 2 * shell->columns };

	q.window = (struct ana_residuals_window){ .host = clocks_host(c),
		.other = wanted_other(c),
		.from = shell->view->from,
		.to = shell->view->to };
	if (c->has_asked && q.n_columns == c->asked.n_columns &&
		!memcmp(&q.window, &c->asked.window, sizeof q.window))
		return;
	if (!c->worker)
		c->worker = ask_worker_new(shell->q, &kind);
	c->asked = q;
	c->has_asked = true;
	ask_worker_ask(c->worker, &q);
	ask_worker_wait(c->worker, &c->pane, ASK_AT_ONCE);
}

struct ana_residuals_cell clocks_cell(const struct clocks *c, bool to_host, uint32_t column)
{
	const struct ana_residuals *r = c->residuals;
	struct ana_residuals_cell sum = { 0 };

	for (guint i = 0; i < r->ways->len; i++) {
		const struct ana_residuals_way *way = g_ptr_array_index(r->ways, i);

		if ((way->receiver == r->window.host) == to_host)
			ana_residuals_add(&sum, column == UINT32_MAX ? &way->all : &way->cells[column]);
	}
	return sum;
}
