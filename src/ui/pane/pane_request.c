/* SPDX-License-Identifier: MIT */
/*
 * Goes from a wait for a packet to its request, and to the next and the previous request of the same pair:
 * same client thread, same address and port of the server.  The pane has no area on the screen, only
 * commands: the window becomes the request, the selected row the client, whose critical path opens.  A worker
 * searches for requests, because the next one may be far away.
 */
#include "ui/pane/pane.h"

#include "analysis/kind/advice.h"
#include "analysis/request/request.h"
#include "base/base_error.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/subject.h"

#define AT_ONCE 50 /* ms that a key waits for the answer */
#define WAITS_BACK 64

enum want {
	OF_WAIT, /* the request of the wait of ROW that ended at TIME */
	AROUND,  /* the request of the wait of ROW at TIME, else one in progress then, else the next one */
	AFTER,   /* the request after FROM; BEFORE: the one before it */
	/* NEXT_OF_ROW: the first request of a wait of ROW that ends after TIME; PREVIOUS_OF_ROW: the last one
	 * of a wait that ends before TIME. */
	BEFORE,
	NEXT_OF_ROW,
	PREVIOUS_OF_ROW,
};

struct request_question {
	enum want want;
	uint32_t row;
	int64_t time;
	struct ana_exchange from;
};

struct request {
	struct ui_pane pane;
	struct ana_exchange shown; /* the request in the window */
	bool has_shown;
	int64_t own_from, own_to; /* the window of SHOWN, ns; while it is in view, "next" means after SHOWN */
};

/* ---- in the worker ---- */

/* Set *X to the nearest request of a wait of ROW that ended after (NEXT) or before TIME (ns).  False if there
 * is none, or the search was cancelled. */
static bool find_of_row(struct qry *q, uint32_t row, int64_t time, bool next, struct base_progress *progress,
	struct ana_exchange *x)
{
	struct mdl_wakeup wakeup = { .time = time };

	while (!base_progress_cancelled(progress) &&
		(next ? qry_wakeup_after(q, row, wakeup.time + 1, &wakeup)
		      : qry_wakeup_before(q, row, wakeup.time, &wakeup)))
		if (ana_exchange_of_wait(q, row, &wakeup, progress, x))
			return true;
	return false;
}

static bool find_around(struct qry *q, const struct request_question *asked, struct base_progress *progress,
	struct ana_exchange *x)
{
	struct mdl_wakeup wakeup;

	if (wait_find(q, asked->row, asked->time, &wakeup) && wakeup.time > asked->time &&
		ana_exchange_of_wait(q, asked->row, &wakeup, progress, x))
		return true;
	/* Search some waits back: a thread that works on a request may have waited for others since it
	 * arrived. */
	wakeup.time = asked->time + 1;
	for (unsigned i = 0; i < WAITS_BACK && qry_wakeup_before(q, asked->row, wakeup.time, &wakeup); i++)
		if (ana_exchange_of_wait(q, asked->row, &wakeup, progress, x) && x->from <= asked->time &&
			asked->time <= x->to)
			return true;
	return find_of_row(q, asked->row, asked->time, true, progress, x);
}

static bool pane_request_find(struct qry *q, const struct request_question *asked,
	struct base_progress *progress, struct ana_exchange *x)
{
	struct mdl_wakeup wakeup;

	switch (asked->want) {
	case OF_WAIT:
		return qry_wakeup_at(q, asked->row, asked->time, &wakeup) &&
			ana_exchange_of_wait(q, asked->row, &wakeup, progress, x);
	case AFTER: return ana_exchange_after(q, &asked->from, progress, x);
	case BEFORE: return ana_exchange_before(q, &asked->from, progress, x);
	case AROUND: return find_around(q, asked, progress, x);
	default: return find_of_row(q, asked->row, asked->time, asked->want == NEXT_OF_ROW, progress, x);
	}
}

static void set_no_answer(const struct qry *q, const struct request_question *asked, GError **error)
{
	static const char *const where[] = { [AROUND] = "here or after",
		[NEXT_OF_ROW] = "after the cursor",
		[PREVIOUS_OF_ROW] = "before the cursor" };
	const char *missing;
	g_autofree char *label = NULL;

	if (asked->want == OF_WAIT || asked->want == AFTER || asked->want == BEFORE) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER, "%s",
			asked->want == OF_WAIT         ? "no packet of a request or its reply ended this wait"
				: asked->want == AFTER ? "no request of this pair after this one"
						       : "no request of this pair before this one");
		return;
	}
	label = qry_row_label(q, asked->row);
	missing = ana_advice_packets(q, qry_row(q, asked->row)->host);
	if (missing)
		g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER,
			"%s: requests are unknown without %s, not recorded there", label, missing);
	else
		g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER, "%s has no request %s", label,
			where[asked->want]);
}

static void *pane_request_answer(struct qry *q, const void *question, struct base_progress *progress,
	GError **error)
{
	const struct request_question *asked = question;
	struct ana_exchange x;

	if (pane_request_find(q, asked, progress, &x)) {
		ana_exchange_peer(q, &x);
		return g_memdup2(&x, sizeof x);
	}
	set_no_answer(q, asked, error);
	return NULL;
}

/* ---- going there ---- */

/* Show a message about the shown request. */
static void pane_request_say(struct ui_shell *shell, const struct ana_exchange *x, int64_t length)
{
	g_autofree char *own = x->thread == MDL_NONE ? g_strdup("?") : qry_row_label(shell->q, x->thread);
	g_autofree char *peer = x->peer == MDL_NONE ? g_strdup("?") : qry_row_label(shell->q, x->peer),
			*took = ui_shell_duration_text(shell, length);
	g_autofree char *next = ui_keymap_first(shell->keys, UI_CMD_REQUEST_NEXT),
			*previous = ui_keymap_first(shell->keys, UI_CMD_REQUEST_PREV);

	ui_shell_message(shell, "%s: %s asked %s  %s next  %s previous", took, x->asked ? own : peer,
		x->asked ? peer : own, next, previous);
}

static void pane_request_show(struct request *r, const struct ana_exchange *x)
{
	struct ui_shell *shell = r->pane.shell;
	struct ana_request request = ana_request_of(shell->q, x);

	if (request.row == MDL_NONE) {
		ui_shell_error(shell, "the thread that sent this request is unknown");
		return;
	}
	r->shown = *x;
	r->has_shown = true;
	ui_shell_go(shell, request.from, request.row);
	ui_shell_set_window(shell, request.from, request.to);
	r->own_from = shell->view->from;
	r->own_to = shell->view->to;
	ui_shell_lead(shell, UI_LEAD(PATH, .row = UI_NO_ROW));
	pane_request_say(shell, x, request.to - request.from);
}

static void pane_request_taken(struct ui_pane *pane, void *x, GError *error)
{
	if (x)
		pane_request_show((struct request *)pane, x);
	else
		ui_shell_take_error(pane->shell, error);
	g_free(x);
}

static const struct ask_kind pane_request_kind = { .size = sizeof(struct request_question),
	.answer = pane_request_answer,
	.free = g_free,
	.taken = pane_request_taken };

static void pane_request_ask(struct request *r, const struct request_question *q)
{
	struct ui_shell *shell = r->pane.shell;
	g_autofree char *cancel = NULL;

	if (!ask_worker_for(&r->pane, &pane_request_kind, q, AT_ONCE))
		return;
	cancel = ui_keymap_first(shell->keys, UI_CMD_CLEAR);
	ui_shell_message(shell, "looking for the request: %s stops it", cancel);
}

/* ---- hooks ---- */

static void request_clear(struct ui_pane *pane)
{
	ask_worker_free(pane->worker);
}

static void request_changed(struct ui_pane *pane, unsigned changes)
{
	struct request_question q = { .want = OF_WAIT,
		.row = pane->shell->leads[UI_LEAD_REQUEST].row,
		.time = pane->shell->leads[UI_LEAD_REQUEST].to };

	if (changes & UI_CHANGED_REQUEST)
		pane_request_ask((struct request *)pane, &q);
	if (changes & UI_CHANGED_EXCHANGE)
		pane_request_show((struct request *)pane, pane->shell->leads[UI_LEAD_EXCHANGE].of);
}

/* Ask about the selected thread at the cursor, independent of the shown request. */
static void ask_here(struct request *r, enum want want)
{
	const struct ui_shell *shell = r->pane.shell;
	struct request_question q = { .want = want, .row = shell->view->row, .time = shell->view->cursor };

	if (!row_is_thread(shell->q, shell->view->row)) {
		ui_shell_error(r->pane.shell, "this row is not a thread: select one");
		return;
	}
	pane_request_ask(r, &q);
}

static void pane_request_step(struct request *r, bool next)
{
	const struct ui_shell *shell = r->pane.shell;
	struct request_question q = { .want = next ? AFTER : BEFORE, .from = r->shown };

	if (r->has_shown && shell->view->from == r->own_from && shell->view->to == r->own_to)
		pane_request_ask(r, &q);
	else
		ask_here(r, next ? NEXT_OF_ROW : PREVIOUS_OF_ROW);
}

static bool request_command(struct ui_pane *pane, enum ui_command command)
{
	struct request *r = (struct request *)pane;

	switch (command) {
	case UI_CMD_REQUEST: ask_here(r, AROUND); return true;
	case UI_CMD_REQUEST_NEXT:
	case UI_CMD_REQUEST_PREV: pane_request_step(r, command == UI_CMD_REQUEST_NEXT); return true;
	case UI_CMD_CLEAR:
		if (!ask_worker_busy(r->pane.worker))
			return false;
		ask_worker_cancel(r->pane.worker);
		ui_shell_message(pane->shell, "stopped");
		return true;
	default: return false;
	}
}

const struct ui_pane_ops pane_request = {
	.name = "request",
	.place = UI_PLACE_NOWHERE,
	.size = sizeof(struct request),
	.clear = request_clear,
	.changed = request_changed,
	.work = ask_worker_work,
	.command = request_command,
};
