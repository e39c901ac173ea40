/* SPDX-License-Identifier: MIT */
/* The question which requests there are, answered by a worker: all packets of the time are gone through. */
#include "ui/pane/requests/requests.h"

#include "analysis/ana_advice.h"
#include "base/base_error.h"

/* ---- in the worker ---- */

/* Why there are none: what was not recorded. */
static bool has_packets(struct qry *q, const struct ana_request_asked *asked, GError **error)
{
	for (uint32_t i = 0; i < qry_host_count(q); i++) {
		const char *missing = ana_advice_packets(q, i);

		if (!missing || (asked->row != MDL_NONE && qry_row(q, asked->row)->host != i))
			continue;
		return base_error_false(error, BASE_ERROR_NO_ANSWER,
			"no request can be seen without %s, not recorded on %s", missing,
			qry_host(q, i)->name);
	}
	return true;
}

static void *make_answer(struct qry *q, const void *question, struct base_progress *progress, GError **error)
{
	const struct ana_request_asked *asked = question;
	g_autoptr(GArray) found = ana_request_scope_list(q, asked, progress);
	GArray *lines;

	if (!found)
		return base_error_null(error, BASE_ERROR_CANCELLED, "the search was stopped");
	if (found->len == 0 && !has_packets(q, asked, error))
		return NULL;
	lines = g_array_new(FALSE, FALSE, sizeof(struct requests_line));
	for (guint i = 0; i < found->len; i++) {
		struct requests_line line = { .r = g_array_index(found, struct ana_request, i) };

		g_array_append_val(lines, line);
	}
	return lines;
}

/* ---- on the screen ---- */

void requests_drop(struct requests *r)
{
	ask_worker_cancel(r->sums);
	g_clear_pointer(&r->lines, g_array_unref);
	g_clear_pointer(&r->marks, g_array_unref);
	r->summed = 0;
	r->all = false;
}

static void taken(struct ui_pane *pane, void *answer, GError *error)
{
	struct requests *r = (struct requests *)pane;

	requests_drop(r);
	ask_worker_problem(&r->ask.problem, error);
	r->lines = answer;
	if (answer)
		requests_sort(r);
}

const struct ask_kind requests_ask_kind = { .size = sizeof(struct ana_request_asked),
	.answer = make_answer,
	.free = (GDestroyNotify)g_array_unref,
	.taken = taken };

static struct ana_request_asked wanted(const struct requests *r)
{
	const struct ui_shell *shell = r->pane.shell;
	bool all = requests_are_everybodys(r->scope);
	struct ana_request_asked q = { .scope = r->scope,
		.row = all ? MDL_NONE : r->asked.row,
		.from = r->asked.from,
		.to = r->asked.to,
		.hide_tracer = shell->hide_tracer };

	asking_what(&r->ask, &r->pane, all ? NULL : &q.row, &q.from, &q.to);
	return q;
}

static bool same_question(const struct ana_request_asked *a, const struct ana_request_asked *b)
{
	return a->scope == b->scope && a->row == b->row && a->from == b->from && a->to == b->to &&
		a->hide_tracer == b->hide_tracer;
}

/* Ask Q, unless it was. */
static void ask(struct requests *r, const struct ana_request_asked *q)
{
	bool thread = q->row != MDL_NONE && qry_row(r->pane.shell->q, q->row)->type == MDL_ROW_THREAD;

	if (r->ask.has_asked && same_question(q, &r->asked))
		return;
	requests_drop(r);
	r->asked = *q;
	r->view = (struct list_view){ 0 };
	if (requests_are_everybodys(q->scope) || thread ||
		(q->scope == ANA_REQUEST_HOST && q->row != MDL_NONE))
		asking_ask(&r->ask, &r->pane, q);
	else
		asking_refuse(&r->ask, "this is no thread: select one to see its requests");
}

void requests_ask(struct requests *r)
{
	struct ana_request_asked q = wanted(r);

	ask(r, &q);
}

void requests_ask_again(struct requests *r, const struct ana_request_asked *q)
{
	ask(r, q);
	asking_stay(&r->ask, &r->pane);
}
