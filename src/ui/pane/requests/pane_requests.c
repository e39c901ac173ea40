/* SPDX-License-Identifier: MIT */
/*
 * All requests over the net, in the selection or the window, and where their time went.  A move from here to
 * a request does not change the list; it is there again when it is shown next.
 *
 * The critical path of a request costs more than the request.  Sums of paths are made for the lines in view,
 * some at a time, and for all lines only if the order needs them.
 */
#include "ui/pane/pane.h"

#include "analysis/kind/advice.h"
#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_time.h"
#include "ui/core/ui_argument.h"
#include "ui/pane/requests/requests.h"

#include <string.h>

#define BATCH 16
#define SHOW_US 300000 /* between two shows of what is not in view */

/* ---- the order ---- */

/* The measure of ORDER; the largest comes first, unknown times last. */
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

/* By host, then by thread. */
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

/* True if the order needs the sums of all requests. */
static bool needs_sums(const struct requests *r)
{
	return r->order == REQUESTS_BY_NET || r->order == REQUESTS_BY_WAITING || r->order == REQUESTS_BY_CPU;
}

/* Sort by R->order; if that needs sums that are not there yet, sort when they are. */
static void requests_sort(struct requests *r)
{
	r->all = needs_sums(r) && r->summed < r->lines->len;
	if (r->all)
		return;
	ask_worker_cancel(r->sums); /* lines have other numbers now */
	g_array_sort_with_data(r->lines, requests_sum_compare, &r->order);
	r->view.line = r->view.top = 0;
	ui_shell_redraw(r->pane.shell);
}

/* ---- sums, in the worker ---- */

struct batch {
	unsigned n;
	struct ana_request r[BATCH];
};

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

/* Ask for the sums of the first lines from FROM to TO that have none.  False if all have. */
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

/* Compute sums of lines in view, or of needed lines, for a moment.  True if there is more to do. */
static bool requests_sum_work(struct requests *r)
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

#define HEIGHT 11 /* lines that the list wants on a small screen */

/* ---- requests, in the worker: it reads all packets of the time ---- */

static void *pane_requests_make_answer(struct qry *q, const void *question, struct base_progress *progress,
	GError **error)
{
	const struct ana_request_asked *asked = question;
	g_autoptr(GArray) found = ana_request_scope_list(q, asked, progress);
	GArray *lines;

	if (!found)
		return base_error_null(error, BASE_ERROR_CANCELLED, "the search was stopped");
	for (uint32_t i = 0; found->len == 0 && i < qry_host_count(q);
		i++) { /* packets that were not recorded */
		const char *missing = ana_advice_packets(q, i);

		if (missing && (asked->row == MDL_NONE || qry_row(q, asked->row)->host == i))
			return base_error_null(error, BASE_ERROR_NO_ANSWER,
				"no request can be seen without %s, not recorded on %s", missing,
				qry_host(q, i)->name);
	}
	lines = g_array_new(FALSE, FALSE, sizeof(struct requests_line));
	for (guint i = 0; i < found->len; i++) {
		struct requests_line line = { .r = g_array_index(found, struct ana_request, i) };

		g_array_append_val(lines, line);
	}
	return lines;
}

/* ---- on the screen ---- */

static void pane_requests_drop(struct requests *r)
{
	ask_worker_cancel(r->sums);
	g_clear_pointer(&r->lines, g_array_unref);
	g_clear_pointer(&r->marks, g_array_unref);
	r->summed = 0;
	r->all = false;
}

static void pane_requests_taken(struct ui_pane *pane, void *answer, GError *error)
{
	struct requests *r = (struct requests *)pane;

	pane_requests_drop(r);
	ask_worker_problem(&r->ask.problem, error);
	r->lines = answer;
	if (answer)
		requests_sort(r);
}

static const struct ask_kind pane_requests_kind = { .size = sizeof(struct ana_request_asked),
	.answer = pane_requests_make_answer,
	.free = (GDestroyNotify)g_array_unref,
	.taken = pane_requests_taken };

/* Ask Q, unless it was. */
static void pane_requests_ask_for(struct requests *r, const struct ana_request_asked *q)
{
	bool thread = q->row != MDL_NONE && qry_row(r->pane.shell->q, q->row)->type == MDL_ROW_THREAD;

	if (r->ask.has_asked && q->scope == r->asked.scope && q->row == r->asked.row &&
		q->from == r->asked.from && q->to == r->asked.to && q->hide_tracer == r->asked.hide_tracer)
		return;
	pane_requests_drop(r);
	r->asked = *q;
	r->view = (struct list_view){ 0 };
	if (requests_are_everybodys(q->scope) || thread ||
		(q->scope == ANA_REQUEST_HOST && q->row != MDL_NONE))
		asking_ask(&r->ask, &r->pane, q);
	else
		asking_refuse(&r->ask, &r->pane, "this row is not a thread: select one to see its requests");
}

/* Ask what is wanted now, unless it was. */
static void pane_requests_ask(struct requests *r)
{
	bool all = requests_are_everybodys(r->scope);
	struct ana_request_asked q = { .scope = r->scope,
		.row = all ? MDL_NONE : r->asked.row,
		.from = r->asked.from,
		.to = r->asked.to,
		.hide_tracer = r->pane.shell->hide_tracer };

	asking_what(&r->ask, &r->pane, all ? NULL : &q.row, &q.from, &q.to);
	pane_requests_ask_for(r, &q);
}

/* ---- hooks ---- */

static void requests_clear(struct ui_pane *pane)
{
	struct requests *r = (struct requests *)pane;

	pane_requests_drop(r);
	g_clear_pointer(&r->compared, compare_set_unref);
	g_free(r->kept_marks);
	ask_worker_free(r->sums);
	asking_clear(&r->ask, pane);
}

static void requests_changed(struct ui_pane *pane, unsigned changes)
{
	struct requests *r = (struct requests *)pane;

	if (!ask_worker_start(pane, changes, &pane_requests_kind))
		return;
	if (r->leads && changes & UI_CHANGED_PATH) { /* the request is opened: the window is there */
		r->leads = false;
		asking_stay(&r->ask, pane);
	}
	if (pane->shown)
		pane_requests_ask(r);
	else
		asking_leave(&r->ask, pane);
}

static const struct ui_field pane_requests_fields[] = {
	UI_FIELD_CHOICE(SCOPE, "scope", requests, scope, ana_request_scopes, ANA_REQUEST_SCOPES),
	UI_FIELD_CHOICE(SORT, "sort", requests, order, requests_order_names, REQUESTS_ORDER_N),
	UI_FIELD(ROW, "row", requests, asked.row),
	UI_FIELD(TIME, "from", requests, asked.from),
	UI_FIELD(END, "to", requests, asked.to),
	UI_FIELD(TEXT, "marks", requests, kept_marks),
	ASKING_FIELDS(requests),
	UI_FIELD_LIST(requests, view),
};

static bool requests_to_keep(struct ui_pane *pane)
{
	struct requests *r = (struct requests *)pane;

	if (!r->ask.has_asked)
		return false;
	g_free(r->kept_marks);
	r->kept_marks = compare_set_marks_text(r->marks);
	return true;
}

static bool requests_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct requests *r = (struct requests *)pane;
	struct ana_request_asked before = r->asked, asked;
	enum requests_order order = r->order;

	if (!ui_fields_set(pane_requests_fields, pane, pane->shell, kept, error))
		return false;
	asked = r->asked;
	asked.scope = r->scope;
	asked.hide_tracer = pane->shell->hide_tracer;
	r->asked = before;
	if (asked.from == BASE_TIME_NONE || asked.to == BASE_TIME_NONE)
		return true;
	pane_requests_ask_for(r, &asked);
	asking_stay(&r->ask, pane);
	if (r->order != order && r->lines)
		requests_sort(r);
	if (!ui_fields_set(pane_requests_fields, pane, pane->shell, kept, error)) /* where one was */
		return false;
	g_clear_pointer(&r->marks, g_array_unref);
	r->marks = compare_set_marks(r->kept_marks);
	list_view_go(&r->view, 0, r->lines ? r->lines->len : 0);
	return true;
}

static bool requests_work(struct ui_pane *pane)
{
	struct requests *r = (struct requests *)pane;
	bool more = ask_worker_wait(r->pane.worker, pane, ASK_SLICE);

	return requests_sum_work(r) || more;
}

static void requests_pane_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct requests *r = (struct requests *)pane;

	if (!asking_draw(&r->ask, pane, area, "looking for requests", r->lines) && r->lines)
		requests_draw(r, area);
}

/* ---- commands ---- */

static void pane_requests_next_scope(struct requests *r)
{
	static const char *const said[ANA_REQUEST_SCOPES] = { "all requests",
		"requests with both ends recorded", "requests of the selected host",
		"requests of the selected process", "requests of the selected thread" };

	if (!ui_argument_turn(&r->pane, UI_CMD_SCOPE))
		return;
	r->ask.gone = false;
	pane_requests_ask(r);
	ui_shell_message(r->pane.shell, "%s", said[r->scope]);
}

static bool open_line(struct requests *r, bool whole)
{
	struct ui_shell *shell = r->pane.shell;
	const struct ana_request *a = &requests_line(r, r->view.line)->r;

	if (whole) {
		r->opened = a->x;
		r->leads = a->row != MDL_NONE;
		ui_shell_open_exchange(shell, &r->opened);
	} else if (a->row != MDL_NONE) {
		ui_shell_go(shell, a->from, a->row);
		asking_stay(&r->ask, &r->pane);
	} else {
		ui_shell_message(shell, "the thread of this request is unknown");
	}
	return true;
}

/* ---- slow against fast ---- */

static void pane_requests_mark(struct requests *r)
{
	const struct ana_request *a = &requests_line(r, r->view.line)->r;

	if (a->row == MDL_NONE)
		ui_shell_message(r->pane.shell, "the thread of this request is unknown");
	else
		compare_set_mark(&r->pane, &r->marks, a->row, a->from, a->to);
}

/* The requests of the list; false: another set was typed. */
static bool pane_requests_compare(struct requests *r)
{
	struct ui_shell *shell = r->pane.shell;
	g_autofree char *whose = requests_draw_whose(r);
	struct compare_set *set;

	if (shell->argument)
		return false;
	set = compare_set_new(shell, COMPARE_LISTED, g_strconcat("requests of ", whose, NULL));
	g_clear_pointer(&r->compared, compare_set_unref);
	r->compared = set;
	set->scope = r->asked.scope;
	set->row = r->asked.row;
	set->from = r->asked.from;
	set->to = r->asked.to;
	set->hide_tracer = r->asked.hide_tracer;
	if (compare_set_take_marks(set, &r->pane, r->marks))
		ui_shell_open_compare(shell, set);
	return true;
}

static bool pane_requests_focused_command(struct requests *r, enum ui_command command)
{
	switch (command) {
	case UI_CMD_FOLD: pane_requests_mark(r); return true;
	case UI_CMD_COMPARE: return pane_requests_compare(r);
	case UI_CMD_ACTIVATE:
	case UI_CMD_REQUEST: return open_line(r, true);
	case UI_CMD_FOLLOW: return open_line(r, false);
	default: return list_view_move(&r->view, command, r->lines->len);
	}
}

static bool requests_command(struct ui_pane *pane, enum ui_command command)
{
	struct requests *r = (struct requests *)pane;
	bool sums;

	if (!pane->shown || !r->pane.worker)
		return false;
	if (command == UI_CMD_CLEAR && asking_stop(&r->ask, pane))
		return true;
	sums = r->all && r->lines && r->summed < r->lines->len;
	r->all &= command != UI_CMD_CLEAR;
	if (command == UI_CMD_CLEAR && sums) {
		r->order = REQUESTS_BY_LENGTH;
		requests_sort(r);
		ui_shell_message(pane->shell, "stopped: sorted by %s", requests_order_names[r->order]);
		return true;
	}
	if (command == UI_CMD_SCOPE) {
		pane_requests_next_scope(r);
		return true;
	}
	if (command == UI_CMD_SORT && r->lines) {
		if (ui_argument_turn(pane, UI_CMD_SORT))
			requests_sort(r);
		return true;
	}
	if (!ui_pane_focused(pane))
		return false;
	return r->lines && r->lines->len ? pane_requests_focused_command(r, command)
					 : ask_worker_holds(pane, command);
}

/* ---- to a file ---- */

/* Of struct ana_request, as the command has them: in order of time, each with its path. */
static gint pane_requests_by_begin(gconstpointer a, gconstpointer b)
{
	const struct ana_request *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static void *make_result(struct qry *q, void *data, struct base_progress *progress, GError **error)
{
	const GArray *lines = data;
	g_autoptr(GArray) all = g_array_sized_new(FALSE, FALSE, sizeof(struct ana_request), lines->len);

	for (guint i = 0; i < lines->len; i++) {
		struct requests_line line = g_array_index(lines, struct requests_line, i);

		if (!line.summed && !ana_request_sum(q, &line.r, progress, error))
			return NULL;
		g_array_append_val(all, line.r);
	}
	g_array_sort(all, pane_requests_by_begin);
	return g_steal_pointer(&all);
}

static bool requests_result(struct ui_pane *pane, struct ui_result *result)
{
	const struct requests *r = (const struct requests *)pane;

	if (!r->lines)
		return false;
	*result = (struct ui_result){ .name = "requests",
		.file = "requests.txt",
		.what = g_strdup_printf("%u requests", r->lines->len),
		.from = r->asked.from,
		.to = r->asked.to,
		.row = requests_are_everybodys(r->asked.scope) ? UI_NO_ROW : r->asked.row,
		.data = g_array_copy(r->lines),
		.free = (GDestroyNotify)g_array_unref,
		.make = make_result,
		.free_made = (GDestroyNotify)g_array_unref };
	return true;
}

static void requests_point(struct ui_pane *pane, G_GNUC_UNUSED unsigned x, unsigned y)
{
	struct requests *r = (struct requests *)pane;

	if (r->lines)
		list_view_point(&r->view, y, r->lines->len);
}

static const struct ui_hint pane_requests_hints[] = {
	{ UI_CMD_ACTIVATE, "open it" },
	{ UI_CMD_FOLLOW, "go there" },
	{ UI_CMD_BACK, "back" },
	{ UI_CMD_COMPARE, "compare" },
	{ UI_CMD_SORT, "order" },
	{ UI_CMD_SCOPE, "whose" },
	{ UI_CMD_MAXIMISE, "large" },
	{ UI_CMD_FOLD, "choose" },
	{ UI_CMD_REQUESTS, "close" },
	{ UI_CMD_FOCUS, "other pane" },
	{ UI_CMD_ZOOM_FIT, "whole trace" },
	{ UI_CMD_EXPORT, "export" },
	{ UI_CMD_REQUEST, "open it" },
	{ UI_CMD_NONE, NULL },
};

const struct ui_pane_ops pane_requests = {
	.name = "requests",
	.place = UI_PLACE_LOWER,
	.hints = pane_requests_hints,
	.show = UI_CMD_REQUESTS,
	.size = sizeof(struct requests),
	.clear = requests_clear,
	.changed = requests_changed,
	.work = requests_work,
	.fields = pane_requests_fields,
	.to_keep = requests_to_keep,
	.carry = ui_fields_carry,
	.restore = requests_restore,
	.command = requests_command,
	.point = requests_point,
	.result = requests_result,
	.title = requests_draw_title,
	.lines = HEIGHT,
	.draw = requests_pane_draw,
};
