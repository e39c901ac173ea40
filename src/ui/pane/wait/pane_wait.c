/* SPDX-License-Identifier: MIT */
/*
 * Explains how one wait ended: the chain from its origin to the wake-up, with the events behind each hop; or,
 * for a wait for a CPU, the threads that had the CPU.  Other panes open a wait through the shell; a move in
 * the control flow shows the wait at the cursor.  A move from this pane (own_row, own_cursor) keeps the wait,
 * so that the user can look at each hop and come back.
 */
#include "ui/pane/pane.h"

#include "base/base_time.h"
#include "ui/core/ui_fields.h"
#include "ui/pane/wait/wait.h"
#include "ui/widget/subject.h"

#define HEIGHT 11 /* lines that fit most chains without their events */

static void pane_wait_forget(struct wait *w)
{
	wait_fields_drop(w);
	ana_why_free(w->why);
	w->why = NULL;
	ana_cpuwait_free(w->cpu);
	w->cpu = NULL;
	g_clear_pointer(&w->open, g_free);
	g_clear_pointer(&w->problem, g_free);
	g_array_set_size(w->lines, 0);
	list_show(&w->list, NULL);
	w->list.view.line = w->list.view.top = 0;
}

static void say_problem(struct wait *w, const char *problem)
{
	pane_wait_forget(w);
	w->problem = g_strdup(problem);
}

/* Explain WAKEUP of thread ROW. */
static void pane_wait_explain(struct wait *w, uint32_t row, const struct mdl_wakeup *wakeup)
{
	if (w->why && w->why->row == row && w->why->to == wakeup->time)
		return;
	pane_wait_forget(w);
	w->why = ana_why_new(w->pane.shell->q, row, wakeup);
	if (qry_damage(w->pane.shell->q)) { /* results of a damaged index may be incomplete */
		say_problem(w, qry_damage(w->pane.shell->q)->message);
		return;
	}
	w->open = g_new0(bool, w->why->hops->len + 1);
	wait_lines_start(w, 0);
	w->fresh = true;
	wait_fields_ask(w);
	ui_shell_redraw(w->pane.shell);
}

/* Explain the wait for a CPU of thread ROW at TIME (ns), or of the virtual CPU on which ROW runs.  False if
 * neither waits for a CPU then. */
static bool explain_cpu(struct wait *w, uint32_t row, int64_t time)
{
	struct qry *q = w->pane.shell->q;
	struct ana_cpuwait *cpu;

	row = wait_find_waiter(q, row, time);
	cpu = ana_cpuwait_new(q, row, time);
	if (!cpu)
		return false;
	if (w->cpu && w->cpu->row == row && w->cpu->from == cpu->from) {
		ana_cpuwait_free(cpu);
		return true;
	}
	pane_wait_forget(w);
	w->cpu = cpu;
	if (qry_damage(w->pane.shell->q)) {
		say_problem(w, qry_damage(w->pane.shell->q)->message);
		return true;
	}
	wait_cpu_lines(w);
	ui_shell_redraw(w->pane.shell);
	return true;
}

/* Show the wait at the cursor of the control flow. */
static void show_here(struct wait *w)
{
	struct ui_shell *shell = w->pane.shell;
	struct mdl_wakeup wakeup;

	if (shell->view->row != UI_NO_ROW &&
		wait_find_waiter(shell->q, shell->view->row, shell->view->cursor) != shell->view->row &&
		explain_cpu(w, shell->view->row, shell->view->cursor))
		return;
	if (!row_is_thread(shell->q, shell->view->row))
		say_problem(w, "this row is not a thread: select one to see what it waited for");
	else if (qry_wakeup_at(shell->q, shell->view->row, shell->view->cursor, &wakeup))
		/* At the instant of a wake-up, explain the wait that it ended: jumps along wake-ups lead to
		 * such instants. */
		pane_wait_explain(w, shell->view->row, &wakeup);
	else if (explain_cpu(w, shell->view->row, shell->view->cursor))
		return;
	else if (wait_find(shell->q, shell->view->row, shell->view->cursor, &wakeup))
		pane_wait_explain(w, shell->view->row, &wakeup);
	else
		say_problem(w, "no recorded wake-up ended this wait or an earlier one");
}

/* Keep this wait while the shell's cursor and row stay as they are now. */
static void stay(struct wait *w)
{
	w->own_row = w->pane.shell->view->row;
	w->own_cursor = w->pane.shell->view->cursor;
}

/* Another wait is shown: no longer keep the old one at its cursor and row. */
static void pane_wait_leave(struct wait *w)
{
	w->own_row = UI_NO_ROW;
	w->own_cursor = BASE_TIME_NONE;
}

/* ---- hooks ---- */

static void wait_init(struct ui_pane *pane)
{
	struct wait *w = (struct wait *)pane;

	w->lines = g_array_new(FALSE, FALSE, sizeof(struct wait_line));
	list_embed(&w->list, pane, &wait_cpu_kind);
	pane_wait_leave(w);
}

static void wait_clear(struct ui_pane *pane)
{
	struct wait *w = (struct wait *)pane;

	pane_wait_forget(w);
	g_free(w->kept_open);
	ask_worker_free(w->pane.worker);
	g_array_unref(w->lines);
	list_embed_clear(&w->list);
}

/* Show the wait that another pane opened. */
static void take_opened(struct wait *w)
{
	struct ui_shell *shell = w->pane.shell;
	const struct ui_lead *lead = &shell->leads[UI_LEAD_WAIT];
	struct mdl_wakeup wakeup;

	w->drilled = w->drilling;
	w->drilling = false;
	if (qry_wakeup_at(shell->q, lead->row, lead->to, &wakeup)) {
		pane_wait_explain(w, lead->row, &wakeup);
	} else if (!explain_cpu(w, lead->row, lead->to - 1)) {
		ui_shell_error(shell, "no recorded wake-up ended this wait");
		return;
	}
	stay(w);
	ui_shell_show(shell, &w->pane, true);
	ui_shell_focus(shell, &w->pane);
}

static void wait_changed(struct ui_pane *pane, unsigned changes)
{
	struct wait *w = (struct wait *)pane;
	struct ui_shell *shell = pane->shell;

	if (!shell->q)
		return;
	if (changes & UI_CHANGED_WAIT)
		take_opened(w);
	else if (pane->shown && changes & (UI_CHANGED_CURSOR | UI_CHANGED_ROW) &&
		!(shell->view->row == w->own_row && shell->view->cursor == w->own_cursor)) {
		pane_wait_leave(w);
		show_here(w);
	}
}

static const struct ui_field pane_wait_fields[] = { UI_FIELD(ROW, "row", wait, kept_row),
	UI_FIELD(TIME, "end", wait, kept_end), UI_FIELD(FLAG, "drilled", wait, drilled),
	UI_FIELD(FLAG, "sums", wait, sums), UI_FIELD(ROW, "at-row", wait, own_row),
	UI_FIELD(TIME, "at-cursor", wait, own_cursor), UI_FIELD(TEXT, "open", wait, kept_open),
	LIST_PART_FIELDS(wait, list), LIST_PART_PLACES(wait, list) };

static bool wait_to_keep(struct ui_pane *pane)
{
	struct wait *w = (struct wait *)pane;

	if (!w->why && !w->cpu && !w->problem)
		return false;
	w->kept_row = w->why ? w->why->row : w->cpu ? w->cpu->row : UI_NO_ROW;
	w->kept_end = w->why ? w->why->to : w->cpu ? w->cpu->to : BASE_TIME_NONE;
	g_free(w->kept_open);
	w->kept_open = w->why ? wait_lines_open_text(w) : NULL;
	return true;
}

/* Restores before the first draw, when no hop has been opened or closed. */
static bool wait_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct wait *w = (struct wait *)pane;
	struct ui_shell *shell = pane->shell;

	if (!ui_fields_set(pane_wait_fields, pane, shell, kept, error))
		return false;
	if (w->kept_row == UI_NO_ROW || w->kept_end == BASE_TIME_NONE) {
		show_here(w);
		return true;
	}
	shell->leads[UI_LEAD_WAIT].row = w->kept_row;
	shell->leads[UI_LEAD_WAIT].to = w->kept_end;
	w->drilling = w->drilled;
	take_opened(w);
	if (w->why && !w->fresh)
		wait_lines_set_open(w, w->kept_open);
	else if (w->cpu)
		wait_cpu_lines(w);
	if (!ui_fields_set(pane_wait_fields, pane, shell, kept, error)) /* restore the place */
		return false;
	list_view_go(&w->list.view, 0, w->cpu ? w->list.order->len : w->lines->len);
	return true;
}

static void wait_pane_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct wait *w = (struct wait *)pane;

	if (w->why)
		wait_draw(w, area);
	else if (w->cpu)
		wait_cpu_draw(w, area);
	else if (w->problem)
		term_area_fit(area, 1, 0, area->w - 1, TERM_ROLE_DIM, w->problem);
}

/* ---- commands ---- */

/* The row that represents hop I: its own, else its CPU's. */
static uint32_t pane_wait_row_of(const struct wait *w, unsigned i)
{
	const struct ana_why_hop *hop = wait_hop(w, i);

	if (hop->row != MDL_NONE || hop->cpu == MDL_NONE)
		return hop->row;
	return qry_cpu_row(w->pane.shell->q, hop->host, hop->cpu);
}

/* Go to the place of the selected line. */
static void pane_wait_follow(struct wait *w)
{
	const struct wait_line *line = w->cpu ? NULL : wait_line(w, w->list.view.line);
	int64_t time = w->cpu ? MDL_NEVER : w->why->to;
	uint32_t row = w->cpu ? MDL_NONE : w->why->row;

	if (w->cpu)
		wait_cpu_where(w, &row, &time, NULL);
	else if (line->kind == WAIT_HOP || line->kind == WAIT_REASON || line->kind == WAIT_MISSING) {
		time = wait_hop(w, line->hop)->from;
		row = pane_wait_row_of(w, line->hop);
	} else if (line->kind == WAIT_EVENT) {
		time = wait_event(w, line->event)->time;
		row = pane_wait_row_of(w, line->hop);
	}
	if (time == MDL_NEVER) {
		ui_shell_message(w->pane.shell, "the time of this line is unknown");
	} else {
		ui_shell_go(w->pane.shell, time, row == MDL_NONE ? w->pane.shell->view->row : row);
		stay(w);
	}
}

/* Show the next or previous wait of the same thread. */
static void step_wait(struct wait *w, bool next)
{
	struct ui_shell *shell = w->pane.shell;
	uint32_t row = w->why ? w->why->row : w->cpu->row;
	/* a wake-up at the start of a wait for a CPU ended the previous wait */
	int64_t end = w->why ? w->why->to : w->cpu->from + !next;
	struct mdl_wakeup wakeup;

	if (next ? qry_wakeup_after(shell->q, row, end + 1, &wakeup)
		 : qry_wakeup_before(shell->q, row, end, &wakeup)) {
		ui_shell_set_row(shell, row);
		ui_shell_set_cursor(shell, wakeup.time);
		stay(w);
		pane_wait_explain(w, row, &wakeup);
	} else {
		ui_shell_message(shell, "no wait of this thread %s this one", next ? "after" : "before");
	}
}

static void pane_wait_fold(struct wait *w, bool all)
{
	if (w->cpu) {
		w->sums = !w->sums;
		wait_cpu_lines(w);
	} else if (all) {
		wait_lines_toggle_all(w);
	} else {
		wait_lines_toggle(w);
	}
}

/* Show the event of the selected line, or of the start of its hop, in the list of events. */
static void show_event(struct wait *w)
{
	const struct wait_line *line = w->cpu ? NULL : wait_line(w, w->list.view.line);
	int64_t time = w->cpu ? MDL_NEVER : w->why->to;
	uint32_t host = qry_row(w->pane.shell->q, w->cpu ? w->cpu->row : w->why->row)->host, cpu = MDL_NONE,
		 row;

	if (w->cpu)
		wait_cpu_where(w, &row, &time, NULL);
	else if (line->kind == WAIT_EVENT) {
		time = wait_event(w, line->event)->time;
		host = wait_event(w, line->event)->host;
		cpu = wait_event(w, line->event)->cpu;
	} else if (line->kind == WAIT_HOP || line->kind == WAIT_REASON || line->kind == WAIT_MISSING) {
		time = wait_hop(w, line->hop)->from;
		host = wait_hop(w, line->hop)->host;
	}
	if (time == MDL_NEVER) {
		ui_shell_message(w->pane.shell, "the time of this line is unknown");
		return;
	}
	ui_shell_lead(w->pane.shell, UI_LEAD(EVENT, .host = host, .from = time, .cpu = cpu));
}

/* Open the wait that ended before the selected turn; if there is none, go to the turn. */
static void open_turn(struct wait *w)
{
	int64_t time, woken;
	uint32_t row;

	wait_cpu_where(w, &row, &time, &woken);
	if (woken == MDL_NEVER) {
		pane_wait_follow(w);
		return;
	}
	ui_shell_go(w->pane.shell, time, row);
	w->drilling = true;
	ui_shell_lead(w->pane.shell, UI_LEAD(WAIT, .row = row, .to = woken));
}

static void activate(struct wait *w)
{
	if (w->cpu)
		open_turn(w);
	else if (wait_line(w, w->list.view.line)->kind == WAIT_HOP)
		wait_lines_toggle(w);
	else if (wait_line(w, w->list.view.line)->kind == WAIT_EVENT)
		show_event(w);
	/* After the wake-up the thread waited for a CPU. */
	else if (wait_line(w, w->list.view.line)->kind == WAIT_WOKEN &&
		w->why->source.wakeup.ran_at > w->why->to)
		ui_shell_lead(w->pane.shell,
			UI_LEAD(WAIT, .row = w->why->row, .to = w->why->source.wakeup.ran_at));
	else
		pane_wait_follow(w);
}

static bool pane_wait_focused_command(struct wait *w, enum ui_command command)
{
	switch (command) {
	case UI_CMD_ACTIVATE: activate(w); return true;
	case UI_CMD_FOLLOW: pane_wait_follow(w); return true;
	case UI_CMD_EVENTS: show_event(w); return true;
	case UI_CMD_REQUEST:
		ui_shell_lead(w->pane.shell,
			UI_LEAD(REQUEST, .row = w->why ? w->why->row : w->cpu->row,
				.to = w->why ? w->why->to : w->cpu->from));
		return true;
	case UI_CMD_WAKE_NEXT:
	case UI_CMD_WAKE_PREV: step_wait(w, command == UI_CMD_WAKE_NEXT); return true;
	case UI_CMD_BACK:
		if (!ui_shell_back(w->pane.shell))
			return false;
		if (w->drilled)
			show_here(w);
		w->drilled = false;
		stay(w);
		return true;
	case UI_CMD_FOLD:
	case UI_CMD_FOLD_ALL: pane_wait_fold(w, command == UI_CMD_FOLD_ALL); return true;
	default: return w->why && list_view_move(&w->list.view, command, w->lines->len);
	}
}

static bool wait_command(struct ui_pane *pane, enum ui_command command)
{
	struct wait *w = (struct wait *)pane;
	guint row;

	if (command == UI_CMD_WHY && !pane->shown)
		show_here(w);
	if (!pane->shown || !ui_pane_focused(pane))
		return false;
	if (command == UI_CMD_CLEAR) {
		if (!list_leave_search(&w->list))
			ui_shell_show(pane->shell, pane, false);
		return true;
	}
	if (w->cpu && list_part_command(&w->list, command))
		return true;
	if (w->cpu && !list_selected(&w->list, &row))
		return ask_worker_holds(pane, command);
	return (w->why || w->cpu) && pane_wait_focused_command(w, command);
}

static void wait_point(struct ui_pane *pane, unsigned x, unsigned y)
{
	struct wait *w = (struct wait *)pane;

	if (w->cpu)
		list_point_at(&w->list, x, y);
	else
		list_view_point(&w->list.view, y, w->lines->len);
}

static const struct ui_hint pane_wait_hints[] = { { UI_CMD_ACTIVATE, "open" }, { UI_CMD_FOLD_ALL, "all" },
	{ UI_CMD_FOLLOW, "go there" }, { UI_CMD_EVENTS, "in the trace" }, { UI_CMD_BACK, "back" },
	{ UI_CMD_WAKE_NEXT, "next wait" }, { UI_CMD_WAKE_PREV, "last" }, { UI_CMD_MAXIMISE, "large" },
	{ UI_CMD_CLEAR, "close" }, { UI_CMD_FOCUS, "other pane" }, { UI_CMD_REQUEST, "request" },
	{ UI_CMD_CLOCK, "clock" }, { UI_CMD_NONE, NULL } };

static bool wait_time(struct ui_pane *pane, uint32_t *row, int64_t *from, int64_t *to)
{
	const struct wait *w = (const struct wait *)pane;

	*row = w->why ? w->why->row : w->cpu ? w->cpu->row : UI_NO_ROW;
	*from = w->why ? w->why->from : w->cpu ? w->cpu->from : 0;
	*to = w->why ? w->why->to : w->cpu ? w->cpu->to : 0;
	if (*row != UI_NO_ROW) /* the begin of a wait from before the trace is unknown */
		*from = MAX(*from, qry_row(pane->shell->q, *row)->first);
	return w->why || w->cpu;
}

const struct ui_pane_ops pane_wait = {
	.name = "wait",
	.place = UI_PLACE_LOWER,
	.hints = pane_wait_hints,
	.show = UI_CMD_WHY,
	.drill = true,
	.size = sizeof(struct wait),
	.init = wait_init,
	.clear = wait_clear,
	.changed = wait_changed,
	.work = ask_worker_work,
	.fields = pane_wait_fields,
	.to_keep = wait_to_keep,
	.restore = wait_restore,
	.command = wait_command,
	.words = list_words,
	.kind = &wait_cpu_kind,
	.point = wait_point,
	.time = wait_time,
	.title = wait_draw_title,
	.lines = HEIGHT,
	.draw = wait_pane_draw,
};
