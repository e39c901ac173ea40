/* SPDX-License-Identifier: MIT */
/*
 * All requests over the net, in the selection or the window: where their time went.  Going somewhere from
 * here does not change what the list is about, and it is there again when it is shown next.
 */
#include "ui/pane/pane.h"

#include "ui/core/ui_argument.h"
#include "ui/pane/requests/requests.h"

#include <inttypes.h>
#include <stdio.h>

#define HEIGHT 11 /* lines that the list wants on a small screen */

static void requests_clear(struct ui_pane *pane)
{
	struct requests *r = (struct requests *)pane;

	requests_drop(r);
	ask_worker_free(r->sums);
	asking_clear(&r->ask);
}

static void requests_changed(struct ui_pane *pane, unsigned changes)
{
	struct requests *r = (struct requests *)pane;

	if (!asking_start(&r->ask, pane, changes, &requests_ask_kind))
		return;
	if (r->leads && changes & UI_CHANGED_PATH) { /* the request is opened: the window is there */
		r->leads = false;
		asking_stay(&r->ask, pane);
	}
	if (pane->shown)
		requests_ask(r);
	else
		asking_leave(&r->ask, pane);
}

static char *requests_keep(struct ui_pane *pane)
{
	const struct requests *r = (const struct requests *)pane;

	if (!pane->shown || !r->ask.has_asked)
		return NULL;
	return g_strdup_printf("%u %u %u %" PRId64 " %" PRId64, (unsigned)r->scope, (unsigned)r->order,
		r->asked.row, r->asked.from, r->asked.to);
}

static void requests_restore(struct ui_pane *pane, const char *kept)
{
	struct requests *r = (struct requests *)pane;
	struct requests_question q = r->asked;
	unsigned scope, order;

	if (sscanf(kept, "%u %u %" SCNu32 " %" SCNd64 " %" SCNd64, &scope, &order, &q.row, &q.from, &q.to) !=
		5)
		return;
	r->scope = scope % REQUESTS_SCOPE_N;
	q.scope = r->scope;
	requests_ask_again(r, &q);
	if (r->order == order % REQUESTS_ORDER_N)
		return;
	r->order = order % REQUESTS_ORDER_N;
	if (r->lines)
		requests_sort(r);
}

static bool requests_work(struct ui_pane *pane)
{
	struct requests *r = (struct requests *)pane;
	bool more = ask_worker_wait(r->ask.worker, pane, ASK_SLICE);

	return requests_sum_work(r) || more;
}

static void requests_title(struct ui_pane *pane, GString *title)
{
	if (((struct requests *)pane)->ask.has_asked)
		requests_draw_title((const struct requests *)pane, title);
}

static unsigned requests_height(struct ui_pane *pane, unsigned columns, unsigned rows)
{
	(void)pane;
	(void)columns;
	(void)rows;
	return HEIGHT;
}

static void requests_pane_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct requests *r = (struct requests *)pane;

	if (!asking_draw(&r->ask, pane, area, "looking for requests", r->lines) && r->lines)
		requests_draw(r, area);
}

/* ---- commands ---- */

static void next_scope(struct requests *r)
{
	static const char *const said[REQUESTS_SCOPE_N] = { "all requests",
		"requests whose both ends were recorded", "requests of the selected host",
		"requests of the selected process", "requests of the selected thread" };

	r->scope = (r->scope + 1) % REQUESTS_SCOPE_N;
	r->ask.gone = false;
	requests_ask(r);
	ui_shell_message(r->pane.shell, "%s", said[r->scope]);
}

static void next_order(struct requests *r)
{
	unsigned order = ui_argument_of(r->pane.shell, UI_CMD_SORT, requests_order_names, REQUESTS_ORDER_N,
		(r->order + 1) % REQUESTS_ORDER_N);

	if (order == REQUESTS_ORDER_N)
		return;
	r->order = order;
	requests_sort(r);
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
		ui_shell_message(shell, "it is not known which thread this is about");
	}
	return true;
}

static bool focused_command(struct requests *r, enum ui_command command)
{
	switch (command) {
	case UI_CMD_ACTIVATE:
	case UI_CMD_REQUEST: return open_line(r, true);
	case UI_CMD_FOLLOW: return open_line(r, false);
	default: return list_view_move(&r->view, command, r->lines->len);
	}
}

static bool requests_command(struct ui_pane *pane, enum ui_command command)
{
	struct requests *r = (struct requests *)pane;

	if (!pane->shown || !r->ask.worker)
		return false;
	if (command == UI_CMD_CLEAR && asking_stop(&r->ask))
		return true;
	if (command == UI_CMD_CLEAR && requests_sum_stop(r)) {
		r->order = REQUESTS_BY_LENGTH;
		requests_sort(r);
		ui_shell_message(pane->shell, "stopped: sorted by %s", requests_order_names[r->order]);
		return true;
	}
	if (command == UI_CMD_SCOPE) {
		next_scope(r);
		return true;
	}
	if (command == UI_CMD_SORT && r->lines) {
		next_order(r);
		return true;
	}
	if (!ui_pane_focused(pane))
		return false;
	return r->lines && r->lines->len ? focused_command(r, command)
					 : ask_worker_holds(r->ask.worker, pane, command);
}

static void requests_words(struct ui_pane *pane, enum ui_command command, GPtrArray *words)
{
	(void)pane;
	for (unsigned i = 0; command == UI_CMD_SORT && i < REQUESTS_ORDER_N; i++)
		g_ptr_array_add(words, (char *)(uintptr_t)requests_order_names[i]);
}

static void requests_point(struct ui_pane *pane, unsigned x, unsigned y)
{
	struct requests *r = (struct requests *)pane;

	(void)x;
	if (r->lines)
		list_view_point(&r->view, y, r->lines->len);
}

static const struct ui_hint hints[] = {
	{ UI_CMD_ACTIVATE, "open it" },
	{ UI_CMD_FOLLOW, "go there" },
	{ UI_CMD_BACK, "back" },
	{ UI_CMD_SORT, "order" },
	{ UI_CMD_SCOPE, "whose" },
	{ UI_CMD_MAXIMISE, "large" },
	{ UI_CMD_REQUESTS, "close" },
	{ UI_CMD_FOCUS, "other pane" },
	{ UI_CMD_ZOOM_FIT, "whole trace" },
	{ UI_CMD_REQUEST, "open it" },
	{ UI_CMD_NONE, NULL },
};

const struct ui_pane_ops pane_requests = {
	.name = "requests",
	.place = UI_PLACE_LOWER,
	.hints = hints,
	.show = UI_CMD_REQUESTS,
	.size = sizeof(struct requests),
	.clear = requests_clear,
	.changed = requests_changed,
	.work = requests_work,
	.keep = requests_keep,
	.restore = requests_restore,
	.command = requests_command,
	.words = requests_words,
	.point = requests_point,
	.title = requests_title,
	.height = requests_height,
	.draw = requests_pane_draw,
};
