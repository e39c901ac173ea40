/* SPDX-License-Identifier: MIT */
/*
 * The critical path of a request costs more than the request: paths are looked at for the lines in view, some
 * at a time, and for all of them only where the order asks for that.
 */
#include "ui/pane/requests/requests.h"

#include "base/base_search.h"

#include <string.h>

#define BATCH 16
#define SHOW_US 300000 /* between two shows of what is not in view */

struct batch {
	unsigned n;
	struct ana_request r[BATCH];
};

/* ---- in the worker ---- */

/* Whether the order needs all paths. */
static bool needs_sums(const struct requests *r)
{
	return r->order == REQUESTS_BY_NET || r->order == REQUESTS_BY_WAITING || r->order == REQUESTS_BY_CPU;
}

static void *requests_sum_make_answer(struct qry *q, const void *question, struct base_progress *progress,
	GError **error)
{
	struct batch *b = g_memdup2(question, sizeof *b);

	for (unsigned i = 0; i < b->n; i++) {
		if (!ana_request_sum(q, &b->r[i], progress, error)) {
			g_free(b);
			return NULL;
		}
	}
	return b;
}

static void requests_sum_taken(struct ui_pane *pane, void *answer, GError *error)
{
	struct requests *r = (struct requests *)pane;
	struct batch *b = answer;

	ask_worker_problem(&r->ask.problem, error);
	if (!b) { /* what comes of a damaged index may lack something */
		g_clear_pointer(&r->lines, g_array_unref);
		return;
	}
	for (unsigned i = 0, line = r->batch; i < b->n; line++) {
		if (requests_line(r, line)->summed)
			continue;
		*requests_line(r, line) = (struct requests_line){ .r = b->r[i++], .summed = true };
		r->summed++;
	}
	g_free(b);
	if (needs_sums(r) && r->summed == r->lines->len)
		requests_sort(r);
}

static const struct ask_kind requests_sum_kind = { .size = sizeof(struct batch),
	.answer = requests_sum_make_answer,
	.free = g_free,
	.taken = requests_sum_taken };

/* Ask for those of lines FROM to TO that are not summed up, as far as they make a batch; false: all are. */
static bool ask_some(struct requests *r, unsigned from, unsigned to)
{
	struct batch b = { 0 };

	for (unsigned i = from; i < to && b.n < BATCH; i++) {
		if (requests_line(r, i)->summed)
			continue;
		if (b.n == 0)
			r->batch = i;
		b.r[b.n++] = requests_line(r, i)->r;
	}
	if (b.n == 0)
		return false;
	if (!r->sums)
		r->sums = ask_worker_new(r->pane.shell->q, &requests_sum_kind);
	ask_worker_ask(r->sums, &b);
	return true;
}

bool requests_sum_work(struct requests *r)
{
	int64_t now = g_get_monotonic_time();
	bool more = false;

	if (!r->lines)
		return false;
	if (!ask_worker_busy(r->sums))
		more = ask_some(r, r->view.top, r->view.top + r->view.seen) ||
			(r->all && ask_some(r, 0, r->lines->len));
	if (!more && !ask_worker_busy(r->sums))
		return false;
	more = ask_worker_wait(r->sums, &r->pane, ASK_SLICE);
	if (!more && (!r->all || r->batch - r->view.top < r->view.seen || now - r->drawn_at > SHOW_US)) {
		r->drawn_at = now;
		ui_shell_redraw(r->pane.shell);
	}
	return true;
}

bool requests_sum_stop(struct requests *r)
{
	bool stops = r->all && r->lines && r->summed < r->lines->len;

	r->all = false;
	return stops;
}

/* ---- the order ---- */

/* What is sorted by: more stands before less, what is not known last. */
static int64_t requests_sum_measure(const struct ana_request *r, enum requests_order order)
{
	switch (order) {
	case REQUESTS_BY_SERVED: return r->served;
	case REQUESTS_BY_NET: return r->net;
	case REQUESTS_BY_WAITING: return r->waiting;
	case REQUESTS_BY_CPU: return r->cpu;
	case REQUESTS_BY_LENGTH: return r->to - r->from;
	default: return 0;
	}
}

/* Ends of one machine stand together, and of those the ones of a thread; rows are numbered by host. */
static int by_end(uint32_t a_host, uint32_t a, uint32_t b_host, uint32_t b)
{
	return BASE_ORDER(a_host, b_host) ?: BASE_ORDER(a, b);
}

static int requests_sum_compare(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct ana_request *x = &((const struct requests_line *)a)->r,
				 *y = &((const struct requests_line *)b)->r;
	const enum requests_order *order = data;
	int cmp = BASE_ORDER(requests_sum_measure(y, *order), requests_sum_measure(x, *order));

	if (!cmp && *order == REQUESTS_BY_ASKER)
		cmp = by_end(x->asker_host, x->asker, y->asker_host, y->asker);
	else if (!cmp && *order == REQUESTS_BY_SERVER)
		cmp = by_end(x->server_host, x->server, y->server_host, y->server);
	return cmp ?: BASE_BY(x, y, x.from)
		?: memcmp(&x->x.connection, &y->x.connection, sizeof x->x.connection);
}

void requests_sort(struct requests *r)
{
	r->all = needs_sums(r) && r->summed < r->lines->len;
	if (r->all)
		return;
	ask_worker_cancel(r->sums); /* lines have other numbers now */
	g_array_sort_with_data(r->lines, requests_sum_compare, &r->order);
	r->view.line = r->view.top = 0;
	ui_shell_redraw(r->pane.shell);
}
