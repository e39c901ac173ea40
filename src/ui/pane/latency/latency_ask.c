/* SPDX-License-Identifier: MIT */
/* The list itself: of what it is wanted, asked of a worker. */
#include "ui/pane/latency/latency.h"

#include "base/base_time.h"

#define TOP 500 /* cases in the list */

static void *answer(struct qry *q, const void *question, struct base_progress *progress, GError **error)
{
	const struct latency_question *asked = question;
	struct ana_latency_options options = { .kind = "wakeup",
		.row = asked->row,
		.hide_tracer = asked->hide_tracer,
		.from = asked->from,
		.to = asked->to,
		.top = TOP };
	int64_t from, to;

	qry_span(q, &from, &to);
	if (asked->to >= to) /* also what begins with the last event */
		options.to = BASE_TIME_NONE;

	return ana_latency_new(q, &options, progress, error);
}

static void answer_free(void *list)
{
	ana_latency_free(list);
}

const struct ask_kind latency_kind = { .size = sizeof(struct latency_question),
	.answer = answer,
	.free = answer_free,
	.taken = latency_taken };

void latency_ask_drop(struct latency *l)
{
	ana_latency_free(l->list);
	l->list = NULL;
	g_clear_pointer(&l->problem, g_free);
	l->view.line = l->view.top = 0;
	l->gone = false;
}

/* What the list should be of.  False with a problem when that makes no sense. */
static bool wanted(struct latency *l, struct latency_question *q)
{
	const struct ui_shell *shell = l->pane.shell;

	*q = (struct latency_question){ .scope = l->scope, .row = MDL_NONE };
	q->hide_tracer = shell->hide_tracer && l->scope != LATENCY_THREAD;
	if (!ui_shell_selection(shell, &q->from, &q->to) && l->has_asked && q->from == l->own_from &&
		q->to == l->own_to) {
		q->from = l->asked.from;
		q->to = l->asked.to;
	}
	if (l->scope == LATENCY_ALL)
		return true;
	q->row = l->has_asked && l->asked.scope == LATENCY_THREAD && shell->row == l->own_row ? l->asked.row
											      : shell->row;
	return q->row != UI_NO_ROW && qry_row(shell->q, q->row)->type == MDL_ROW_THREAD;
}

static bool same(const struct latency_question *a, const struct latency_question *b)
{
	return a->scope == b->scope && a->row == b->row && a->from == b->from && a->to == b->to &&
		a->hide_tracer == b->hide_tracer;
}

void latency_ask(struct latency *l)
{
	struct latency_question q;
	bool sense = wanted(l, &q);

	if (l->has_asked && same(&q, &l->asked))
		return;
	l->asked = q;
	l->has_asked = true;
	latency_ask_drop(l);
	if (sense) {
		ask_worker_ask(l->worker, &q);
		return;
	}
	ask_worker_cancel(l->worker);
	l->problem = g_strdup("this is no thread: select one to see its latencies");
}
