/* SPDX-License-Identifier: MIT */
/*
 * The commands that choose rows and their order.  An opened path shows its rows; when it is closed, the
 * previous choice returns.  A worker finds the facts about the window; until it answers, the known facts
 * decide which rows pass.
 *
 * A choice of the user may hide the selected row: then another one is selected, and a message reports it.  A
 * change that is not a choice (another window, another path) never hides it.
 */
#include "ui/pane/flow/flow.h"

#include "query/host/tracer.h"
#include "ui/core/ui_argument.h"
#include "ui/widget/subject.h"

#include <string.h>

#define AT_ONCE 5 /* ms that a change of the window waits for the facts */

#define WORD(ID, word, said) word,
#define SAID(ID, word, said) said,
static const char *const set_words[] = { FLOW_SETS(WORD) }, *const sets_said[] = { FLOW_SETS(SAID) };
static const char *const order_words[] = { FLOW_ORDERS(WORD) }, *const orders_said[] = { FLOW_ORDERS(SAID) };

/* ---- the selected row ---- */

void flow_choose_select(struct flow *flow, unsigned index)
{
	unsigned n = flow->rows->lines->len;
	const struct flow_line *line;

	flow->view.line = MIN(index, MAX(n, 1) - 1);
	line = flow_line_at(flow, flow->view.line);
	ui_shell_set_row(flow->pane.shell, line ? line->row : UI_NO_ROW);
	ui_shell_redraw(flow->pane.shell);
}

void flow_choose_walk(struct flow *flow, unsigned index)
{
	flow_choose_select(flow, index);
	if (flow->rows->choice.set == FLOW_SET_PATH)
		ui_view_note(flow->pane.shell, UI_CHANGED_ROW_WALKED);
}

static bool is_thread_line(const struct flow *flow, unsigned index)
{
	const struct flow_line *line = flow_line_at(flow, index);

	return line && (line->kind == FLOW_PROCESS || line->kind == FLOW_THREAD);
}

/* The index of the nearest line of a thread: at INDEX or after it, else before it.  INDEX if there is
 * none. */
static unsigned thread_near(const struct flow *flow, unsigned index)
{
	unsigned n = flow->rows->lines->len;

	for (unsigned i = index; i < n; i++)
		if (is_thread_line(flow, i))
			return i;
	for (unsigned i = MIN(index, n); i-- > 0;)
		if (is_thread_line(flow, i))
			return i;
	return index;
}

void flow_choose_settle(struct flow *flow)
{
	struct ui_shell *shell = flow->pane.shell;
	const struct flow_line *line = flow_line_at(flow, flow->view.line);
	unsigned found;

	ui_shell_redraw(shell);
	if (line && line->row == shell->view->row)
		return;
	found = flow_rows_find(flow->rows, shell->view->row);
	if (found != UINT32_MAX)
		flow->view.line = found;
	else if (shell->view->row == UI_NO_ROW || !flow->chosen)
		flow_choose_select(flow, flow->view.line);
	else
		flow_choose_select(flow, thread_near(flow, MAX(flow->view.line, flow->rows->n_pinned)));
}

/* ---- facts about the window ---- */

/* If no row passes the filter, return to the previous choice.  False if a row passes. */
static bool is_refused(struct flow *flow)
{
	struct flow_choice now = flow->rows->choice;

	if (!now.filter || flow_rows_pass_any(flow->rows))
		return false;
	ui_shell_error(flow->pane.shell, "no row matches \"%s\" among these: %s",
		flow_filter_text(now.filter), sets_said[now.set]);
	flow->chosen = false;
	flow_rows_choose(flow->rows, &flow->before, flow->pane.shell->view->row);
	return true;
}

/* The lines of the choice are ready: select one, and report the choice. */
static void done(struct flow *flow)
{
	struct ui_shell *shell = flow->pane.shell;
	struct flow_choice now = flow->rows->choice;
	uint32_t row = shell->view->row;
	g_autofree char *label = NULL;

	if (flow->chosen) /* drop the rows that were kept until the facts arrived */
		flow_rows_choose(flow->rows, &now, UI_NO_ROW);
	if (!flow->chosen || is_refused(flow)) {
		flow_choose_settle(flow);
		return;
	}
	if (flow->to_first)
		flow_choose_select(flow, thread_near(flow, flow->rows->n_pinned));
	else
		flow_choose_settle(flow);
	flow->chosen = false;
	if (shell->view->row == row)
		return;
	ui_view_note(shell, UI_CHANGED_ROW_WALKED);
	if (shell->view->row == UI_NO_ROW || row == UI_NO_ROW)
		return;
	label = qry_row_label(shell->q, row);
	if (flow->to_first)
		ui_shell_message(shell, "%s: the first is selected", orders_said[now.order]);
	else
		ui_shell_message(shell, "%s is not among these rows: the next one is selected", label);
}

static void flow_choose_taken(struct ui_pane *pane, void *facts, GError *error)
{
	struct flow *flow = (struct flow *)pane;
	struct flow_choice choice = flow->rows->choice;

	if (!error) {
		flow_rows_take(flow->rows, facts, pane->shell->view->row);
		done(flow);
		return;
	}
	/* No facts, so no order by them: return to the previous one. */
	ui_shell_take_error(pane->shell, error);
	choice.order = flow->chosen ? flow->before.order : FLOW_ORDER_TRACE;
	flow->chosen = false;
	flow_rows_choose(flow->rows, &choice, pane->shell->view->row);
	flow_choose_settle(flow);
}

static const struct ask_kind flow_choose_kind = { .size = sizeof(struct flow_facts_question),
	.answer = flow_facts_new,
	.free = (GDestroyNotify)flow_facts_free,
	.taken = flow_choose_taken };

/* Ask for the facts about the window, and wait up to MS for them. */
static void flow_choose_ask(struct flow *flow, unsigned ms)
{
	const struct ui_shell *shell = flow->pane.shell;
	struct flow_facts_question q;

	if (!flow_rows_wants(flow->rows, shell->view->from, shell->view->to, &q)) {
		ask_worker_cancel(flow->facts_worker);
		done(flow);
		return;
	}
	if (!flow->facts_worker)
		flow->facts_worker = ask_worker_new(shell->q, &flow_choose_kind);
	ask_worker_ask(flow->facts_worker, &q);
	if (ask_worker_wait(flow->facts_worker, &flow->pane, ms))
		flow_choose_settle(flow);
}

/* ---- choosing ---- */

/* Replace *CHOICE, which owns its filter, by a copy of *BY. */
static void replace_choice(struct flow_choice *choice, const struct flow_choice *by)
{
	struct flow_filter *before = choice->filter;

	*choice = *by;
	flow_filter_ref(choice->filter);
	flow_filter_unref(before);
}

static void choose(struct flow *flow, const struct flow_choice *choice)
{
	struct flow_choice now = flow->rows->choice;

	replace_choice(&flow->before, &now);
	flow->chosen = true;
	/* While the configuration is read, an order leaves the selection at the starting place. */
	flow->to_first = !flow->pane.shell->configuring && choice->order != now.order &&
		choice->order >= FLOW_ORDER_CPU && choice->order <= FLOW_ORDER_LATE;
	flow_rows_choose(flow->rows, choice, flow->pane.shell->view->row);
	if (choice->filter && choice->filter != now.filter)
		flow_rows_unfold_all(flow->rows);
	flow_choose_ask(flow, ASK_AT_ONCE);
}

/* The reason why SET cannot be chosen; NULL if it can. */
static const char *missing(const struct flow *flow, enum flow_set set)
{
	const struct ui_shell *shell = flow->pane.shell;

	if (set == FLOW_SET_PATH && !shell->path_rows)
		return "there is no critical path: open one first";
	if (set == FLOW_SET_PROCESS && !row_is_thread(shell->q, shell->view->row))
		return "this row is not a thread: select one";
	return NULL;
}

static void choose_set(struct flow *flow)
{
	struct ui_shell *shell = flow->pane.shell;
	struct flow_choice choice = flow->rows->choice;
	unsigned set = choice.set;

	do
		set = (set + 1) % FLOW_SET_N;
	while (missing(flow, set));
	set = ui_argument_of(shell, UI_CMD_ROWS, set_words, FLOW_SET_N, set);
	if (set == FLOW_SET_N)
		return;
	if (missing(flow, set)) {
		ui_shell_error(shell, "%s", missing(flow, set));
		return;
	}
	ui_shell_message(shell, "%s", sets_said[set]);
	choice.set = set;
	if (set == FLOW_SET_PROCESS)
		flow_rows_set_process(flow->rows, shell->view->row);
	choose(flow, &choice);
}

static void choose_order(struct flow *flow)
{
	struct flow_choice choice = flow->rows->choice;
	unsigned order = ui_argument_of(flow->pane.shell, UI_CMD_SORT, order_words, FLOW_ORDER_N,
		(choice.order + 1) % FLOW_ORDER_N);

	if (order == FLOW_ORDER_N)
		return;
	ui_shell_message(flow->pane.shell, "%s", orders_said[order]);
	choice.order = order;
	choose(flow, &choice);
}

static void filter_answered(struct ui_pane *pane, const char *text)
{
	struct flow *flow = (struct flow *)pane;
	struct flow_choice choice = flow->rows->choice;
	GError *error = NULL;
	unsigned shown, all;

	choice.filter = text[strspn(text, " ")] ? flow_filter_new(pane->shell->q, text, &error) : NULL;
	if (error) {
		ui_shell_take_error(pane->shell, error);
		return;
	}
	choose(flow, &choice);
	flow_filter_unref(choice.filter);
	flow_rows_count(flow->rows, &shown, &all);
	if (!pane->shell->message)
		ui_shell_message(pane->shell, "%u of %u threads are shown", shown, all);
}

bool flow_choose_command(struct flow *flow, enum ui_command command)
{
	struct ui_shell *shell = flow->pane.shell;

	switch (command) {
	case UI_CMD_ROWS: choose_set(flow); return true;
	case UI_CMD_SORT: choose_order(flow); return true;
	case UI_CMD_FILTER:
		ui_shell_ask(shell, &flow->pane, "filter rows (NAME host: state: cpu: !)", NULL,
			filter_answered, NULL);
		return true;
	case UI_CMD_PIN:
		if (shell->view->row == UI_NO_ROW) {
			ui_shell_error(shell, "a heading cannot be pinned: select a row");
			return true;
		}
		flow_rows_pin(flow->rows, shell->view->row);
		flow_choose_settle(flow);
		return true;
	default: return false;
	}
}

void flow_choose_words(G_GNUC_UNUSED struct ui_pane *pane, enum ui_command command, GPtrArray *words)
{
	if (command == UI_CMD_ROWS)
		ui_argument_add(words, set_words, FLOW_SET_N);
	if (command == UI_CMD_SORT)
		ui_argument_add(words, order_words, FLOW_ORDER_N);
}

/* ---- changes other than choices ---- */

static void leave_path(struct flow *flow)
{
	struct flow_choice choice = flow->rows->choice;

	if (!flow->on_path)
		return;
	flow->on_path = false;
	if (choice.set == FLOW_SET_PATH)
		choice = flow->off_path;
	flow_filter_ref(choice.filter);
	flow_rows_choose(flow->rows, &choice, flow->pane.shell->view->row);
	flow_rows_set_path(flow->rows, NULL, flow->pane.shell->view->row);
	flow_filter_unref(choice.filter);
	replace_choice(&flow->off_path, &(struct flow_choice){ FLOW_SET_TRACE, FLOW_ORDER_TRACE, NULL });
}

/* Show the rows of the shown path. */
static void take_path(struct flow *flow)
{
	struct ui_shell *shell = flow->pane.shell;
	struct flow_choice now = flow->rows->choice;

	flow_rows_set_path(flow->rows, shell->path_rows, shell->view->row);
	if (flow->on_path)
		return;
	flow->on_path = true;
	/* Do not keep the scroll position: it depends on how long the path took to compute. */
	flow->view.top = 0;
	replace_choice(&flow->off_path, &now);
	flow_rows_choose(flow->rows, &(struct flow_choice){ FLOW_SET_PATH, FLOW_ORDER_TRACE, NULL },
		shell->view->row);
}

/* Report the first thread that counts as the tracer's by its activity and not by its name. */
static void say_deeds(struct ui_shell *shell)
{
	for (uint32_t row = 0; row < qry_row_count(shell->q); row++)
		if (qry_tracer_is_by_deeds(shell->q, row)) {
			g_autofree char *label = qry_row_label(shell->q, row),
					*why = qry_tracer_text(shell->q, row);

			ui_shell_message(shell, "the tracer's own threads are %s; %s: %s",
				shell->hide_tracer ? "hidden" : "shown", label, why);
			return;
		}
}

void flow_choose_changed(struct flow *flow, unsigned changes)
{
	struct ui_shell *shell = flow->pane.shell;
	struct flow_facts_question q;

	if (changes & UI_CHANGED_HIDING)
		say_deeds(shell);
	if (changes & UI_CHANGED_HIDING) /* keep a row that the user has just moved to */
		flow_rows_hide_tracer(flow->rows, shell->hide_tracer,
			changes & UI_CHANGED_ROW ? shell->view->row : UI_NO_ROW);
	/* If there are two windows, only the one in which the user opened the path shows its rows. */
	if (changes & UI_CHANGED_PATH_ROWS && shell->path_rows && shell->main == &flow->pane &&
		(!shell->two || shell->path_anew || flow->on_path))
		take_path(flow);
	else if (changes & UI_CHANGED_PATH_ROWS && !shell->path_rows)
		leave_path(flow);
	if (changes & (UI_CHANGED_HIDING | UI_CHANGED_PATH_ROWS) ||
		(changes & UI_CHANGED_WINDOW &&
			flow_rows_wants(flow->rows, shell->view->from, shell->view->to, &q)))
		flow_choose_ask(flow, AT_ONCE);
}

void flow_choose_again(struct flow *flow)
{
	flow->chosen = false;
	flow_choose_ask(flow, AT_ONCE);
}

char *flow_choose_text(const struct flow *flow)
{
	struct flow_choice c = flow->rows->choice;
	GString *text = g_string_new(NULL);
	unsigned shown, all;

	flow_rows_count(flow->rows, &shown, &all);
	g_string_append_printf(text, "%u/%u %s", shown, all, set_words[c.set]);
	if (c.filter)
		g_string_append_printf(text, " &%s", flow_filter_text(c.filter));
	if (c.order != FLOW_ORDER_TRACE)
		g_string_append_printf(text, " by %s", order_words[c.order]);
	if (ask_worker_busy(flow->facts_worker))
		g_string_append(text, " ...");
	return g_string_free(text, FALSE);
}
