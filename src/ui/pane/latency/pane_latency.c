/* SPDX-License-Identifier: MIT */
/*
 * The worst latencies, at first from wake-up to running, of all threads, of the selected
 * one, or of the window.  They are measured by a worker once for each of
 * these; the window that going to a case makes (own_from, own_to) is no reason
 * to measure again, so that one can go through a window's list.
 */
#include "ui/pane/pane.h"

#include "base/base_time.h"
#include "ui/pane/latency/latency.h"

#define TOP 500         /* cases in the list */
#define HIDDEN_WAIT 500 /* ms that "next worst" waits before it shows the pane */
#define COLUMNS_MIN 3   /* a latency narrower than this is not seen well */

/* ---- the list: of what it is wanted, asked of a worker ---- */

static void *answer(struct qry *q, const void *question, struct base_progress *progress, GError **error)
{
	const struct latency_question *asked = question;
	struct ana_latency_options options = { .kind = asked->kind,
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

/* Forget the list, and where one is in it. */
static void drop(struct latency *l)
{
	ana_latency_free(l->list);
	l->list = NULL;
	g_clear_pointer(&l->problem, g_free);
	l->view.line = l->view.top = 0;
	l->gone = false;
}

static void step(struct latency *l, int by);

/* The worker has made LIST, NULL with ERROR. */
static void taken(struct ui_pane *pane, void *list, GError *error)
{
	struct latency *l = (struct latency *)pane;
	int pending = l->pending;

	drop(l);
	l->list = list;
	ask_worker_problem(&l->problem, error);
	l->pending = 0;
	if (pending && l->list)
		step(l, pending);
}

static const struct ask_kind kind = { .size = sizeof(struct latency_question),
	.answer = answer,
	.free = answer_free,
	.taken = taken };

/* What the list should be of.  False with a problem when that makes no sense. */
static bool wanted(struct latency *l, struct latency_question *q)
{
	const struct ui_shell *shell = l->pane.shell;

	*q = (struct latency_question){ .kind = ana_latency_kinds()[l->kind],
		.scope = l->scope,
		.row = MDL_NONE };
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
	return a->kind == b->kind && a->scope == b->scope && a->row == b->row && a->from == b->from &&
		a->to == b->to && a->hide_tracer == b->hide_tracer;
}

/* Ask for the list that should be there, unless it is or was asked for; where there is none say why in
 * l->problem. */
static void ask(struct latency *l)
{
	struct latency_question q;
	bool sense = wanted(l, &q);

	if (l->has_asked && same(&q, &l->asked))
		return;
	l->asked = q;
	l->has_asked = true;
	drop(l);
	if (sense) {
		ask_worker_ask(l->worker, &q);
		return;
	}
	ask_worker_cancel(l->worker);
	l->problem = g_strdup("this is no thread: select one to see its latencies");
}

/* ---- going to a case ---- */

/* Zoom so that the latency can be seen, with some time around it, unless it is well in view. */
static void zoom_to(struct ui_shell *shell, const struct ana_latency_case *c)
{
	int64_t length = MAX(c->latency, 1);

	if (c->start >= shell->from && c->end <= shell->to &&
		c->latency / COLUMNS_MIN >= ui_shell_column(shell))
		return;
	ui_shell_set_window(shell, c->start - length, c->end + 2 * length);
}

static void go(struct latency *l, unsigned line)
{
	struct ui_shell *shell = l->pane.shell;
	const struct ana_latency_case *c = latency_case(l, line);
	char *length = ui_shell_duration_text(shell, c->latency), *label = latency_label(l, c);

	l->view.line = line;
	l->gone = true;
	ui_shell_go(shell, c->start, c->row == MDL_NONE ? shell->row : c->row);
	zoom_to(shell, c);
	l->own_from = shell->from;
	l->own_to = shell->to;
	ui_shell_message(shell,
		latency_is_wakeup(l) ? "worst %u of %u: %s woken, ran %s later%s%s"
				     : "worst %u of %u: %s, %s%s%s",
		line + 1, l->list->worst->len, label, length, c->cause ? " - " : "",
		c->cause ? c->cause : "");
	g_free(length);
	g_free(label);
}

/* To the next (1) or previous (-1) worst; the list is there. */
static void step(struct latency *l, int by)
{
	int target = (int)l->view.line + (l->gone ? by : 0), last = (int)l->list->worst->len - 1;

	if (last < 0)
		ui_shell_message(l->pane.shell,
			latency_is_wakeup(l) ? "nothing was woken and ran here" : "there is none here");
	else if (target < 0)
		ui_shell_message(l->pane.shell, "this is the worst");
	else if (target > last)
		ui_shell_message(l->pane.shell, "this is the last of the %d worst", last + 1);
	else
		go(l, (unsigned)target);
}

/* The same from anywhere.  A list that is not there is measured; when that takes long, the pane shows how far
 * it is. */
static void step_from_anywhere(struct latency *l, int by)
{
	ask(l);
	if (ask_worker_wait(l->worker, &l->pane, HIDDEN_WAIT)) {
		l->pending = by;
		ui_shell_show(l->pane.shell, &l->pane, true);
	} else if (l->list) {
		step(l, by);
	} else if (l->problem) {
		ui_shell_error(l->pane.shell, "%s", l->problem);
	}
}

/* ---- hooks ---- */

static void latency_init(struct ui_pane *pane)
{
	struct latency *l = (struct latency *)pane;

	l->own_row = UI_NO_ROW;
	l->own_from = l->own_to = BASE_TIME_NONE;
}

static void latency_clear(struct ui_pane *pane)
{
	struct latency *l = (struct latency *)pane;

	drop(l);
	ask_worker_free(l->worker);
}

static void latency_changed(struct ui_pane *pane, unsigned changes)
{
	struct latency *l = (struct latency *)pane;

	if (changes & UI_CHANGED_EXPERIMENT && pane->shell->q && !l->worker)
		l->worker = ask_worker_new(pane->shell->q, &kind);
	if (!l->worker)
		return;
	if (ui_pane_covered(pane)) {
		l->own_from = pane->shell->from;
		l->own_to = pane->shell->to;
		l->own_row = pane->shell->row;
		return;
	}
	if (!pane->shown) {
		l->has_asked &= l->list || ask_worker_busy(l->worker);
		return;
	}
	if (pane->shell->row != l->own_row)
		l->own_row = UI_NO_ROW;
	ask(l);
	ask_worker_wait(l->worker, &l->pane, ASK_AT_ONCE);
}

static bool latency_work(struct ui_pane *pane)
{
	return ask_worker_wait(((struct latency *)pane)->worker, pane, ASK_SLICE);
}

static void latency_title(struct ui_pane *pane, GString *title)
{
	latency_draw_title((const struct latency *)pane, title);
}

static void latency_pane_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct latency *l = (struct latency *)pane;

	if (!l->worker)
		return;
	if (ask_worker_busy(l->worker))
		ask_worker_draw(l->worker, pane, area, "measuring latencies");
	else if (l->list)
		latency_draw(l, area);
	else if (l->problem)
		term_area_fit(area, 1, 0, area->w - 1, TERM_ROLE_DIM, l->problem);
}

/* ---- commands ---- */

static void next_scope(struct latency *l)
{
	static const char *const said[LATENCY_SCOPE_N] = { "latencies of all threads",
		"latencies of the selected thread" };

	l->scope = (l->scope + 1) % LATENCY_SCOPE_N;
	l->own_row = UI_NO_ROW;
	ask(l);
	ask_worker_wait(l->worker, &l->pane, ASK_AT_ONCE);
	ui_shell_message(l->pane.shell, "%s", said[l->scope]);
}

static void next_kind(struct latency *l)
{
	const char *const *kinds = ana_latency_kinds();

	if (!kinds[++l->kind])
		l->kind = 0;
	l->own_row = UI_NO_ROW;
	ask(l);
	ask_worker_wait(l->worker, &l->pane, ASK_AT_ONCE);
	ui_shell_message(l->pane.shell, "latencies of kind %s", kinds[l->kind]);
}

/* Open the account of case C, or the wait BEFORE it, from which the thread was woken; a case that is of no
 * thread has neither. */
static void open_case(struct latency *l, const struct ana_latency_case *c, bool before)
{
	if (c->row == MDL_NONE || l->list->of_device ||
		qry_row(l->pane.shell->q, c->row)->type != MDL_ROW_THREAD)
		return;
	if (before || c->latency == 0)
		ui_shell_open_wait(l->pane.shell, c->row, c->start);
	else
		ui_shell_open_account(l->pane.shell, c->row, c->start, c->end);
}

static bool list_command(struct latency *l, enum ui_command command)
{
	if (list_view_move(&l->view, command, l->list->worst->len)) {
		l->gone = false;
		return true;
	}
	if (command != UI_CMD_FOLLOW && command != UI_CMD_ACTIVATE && command != UI_CMD_WHY)
		return false;
	if (!l->list->worst->len)
		return true;
	if (command != UI_CMD_WHY)
		go(l, l->view.line);
	if (command != UI_CMD_FOLLOW)
		open_case(l, latency_case(l, l->view.line), command == UI_CMD_WHY);
	return true;
}

static bool latency_command(struct ui_pane *pane, enum ui_command command)
{
	struct latency *l = (struct latency *)pane;

	if (!l->worker)
		return false;
	if (command == UI_CMD_WORST_NEXT || command == UI_CMD_WORST_PREV) {
		step_from_anywhere(l, command == UI_CMD_WORST_NEXT ? 1 : -1);
		return true;
	}
	if (!pane->shown)
		return false;
	if (command == UI_CMD_CLEAR && ask_worker_stop(l->worker, &l->problem)) {
		l->pending = 0;
		return true;
	}
	if (command == UI_CMD_SCOPE) {
		next_scope(l);
		return true;
	}
	if (command == UI_CMD_SORT && ui_pane_focused(pane)) {
		next_kind(l);
		return true;
	}
	return ui_pane_focused(pane) && l->list && list_command(l, command);
}

static void latency_point(struct ui_pane *pane, unsigned x, unsigned y)
{
	struct latency *l = (struct latency *)pane;

	(void)x;
	if (l->list && list_view_point(&l->view, y, l->list->worst->len))
		l->gone = false;
}

static const struct ui_hint hints[] = {
	{ UI_CMD_ACTIVATE, "why" },
	{ UI_CMD_FOLLOW, "go there" },
	{ UI_CMD_BACK, "back" },
	{ UI_CMD_SCOPE, "whose" },
	{ UI_CMD_SORT, "kind" },
	{ UI_CMD_WORST_NEXT, "next" },
	{ UI_CMD_MAXIMISE, "large" },
	{ UI_CMD_LATENCY, "close" },
	{ UI_CMD_FOCUS, "other pane" },
	{ UI_CMD_NONE, NULL },
};

const struct ui_pane_ops pane_latency = {
	.name = "latency",
	.place = UI_PLACE_LOWER,
	.hints = hints,
	.show = UI_CMD_LATENCY,
	.size = sizeof(struct latency),
	.init = latency_init,
	.clear = latency_clear,
	.changed = latency_changed,
	.work = latency_work,
	.command = latency_command,
	.point = latency_point,
	.title = latency_title,
	.draw = latency_pane_draw,
};
