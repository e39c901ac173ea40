/* SPDX-License-Identifier: MIT */
/* Moves from the list: to a case of the list or of a column, to the next worst case from anywhere; to the
 * cases of one group, or of another kind. */
#include "ui/pane/latency/latency.h"

#include "base/base_time.h"

#define HIDDEN_WAIT 500 /* ms that "next worst" waits before it shows the pane */
#define CAUSE_WAIT 100  /* ms that it waits for the cause if the pane is hidden */
#define COLUMNS_MIN 3   /* minimum columns for a latency to be well visible */

void latency_go_to(struct latency *l, const struct ana_latency_case *c)
{
	struct ui_shell *shell = l->pane.shell;
	int64_t length = CLAMP(c->latency, 1, BASE_TIME_FARTHEST / 4);

	ui_shell_go(shell, c->start, c->row == MDL_NONE ? shell->view->row : c->row);
	/* If the case is not well in view, zoom to it with some time around. */
	if (c->start < shell->view->from || c->start + c->latency > shell->view->to ||
		c->latency / COLUMNS_MIN < ui_shell_column(shell))
		ui_shell_set_window(shell, c->start - length, c->start + c->latency + 2 * length);
	l->own_from = shell->view->from;
	l->own_to = shell->view->to;
}

/* Show a message about the case of RANK, with its cause if known. */
static void latency_go_say(struct latency *l, unsigned rank)
{
	struct ui_shell *shell = l->pane.shell;
	const struct latency_line *line = latency_line(l, rank);
	g_autofree char *length = ui_shell_duration_text(shell, line->c.latency),
			*label = latency_list_label(l, &line->c);

	if (latency_is_open(&line->c))
		ui_shell_message(shell, "%u of %u: %s, unfinished after %s%s%s", rank + 1, l->lines->len,
			label, length, line->c.key ? " - " : "", line->c.key ? line->c.key : "");
	else
		ui_shell_message(shell,
			latency_is_wakeup(l) ? "worst %u of %u: %s woken, ran %s later%s%s"
					     : "worst %u of %u: %s, %s%s%s",
			rank + 1, l->lines->len, label, length, line->c.cause ? " - " : "",
			line->c.cause ? line->c.cause : "");
	g_free(l->said);
	l->said = line->explained ? NULL : g_strdup(shell->message);
}

void latency_go(struct latency *l, unsigned rank)
{
	l->lists[LATENCY_CASES].view.line = latency_list_line(l, rank);
	l->part = LATENCY_LIST;
	l->gone = l->chosen = true;
	latency_go_to(l, &latency_line(l, rank)->c);
	latency_go_say(l, rank);
}

/* Go to the next or previous worst case; the list must exist. */
static void step(struct latency *l, int by)
{
	guint rank = 0;
	int last = (int)l->lines->len - 1,
	    target = list_selected(&l->lists[LATENCY_CASES], &rank) ? (int)rank + (l->gone ? by : 0) : 0;

	if (last < 0) {
		ui_shell_message(l->pane.shell,
			latency_is_wakeup(l) ? "no thread was woken and ran here" : "no case here");
	} else if (target < 0) {
		ui_shell_message(l->pane.shell, "this is the worst");
	} else if (target > last) {
		ui_shell_message(l->pane.shell, "this is the last of the %d worst", last + 1);
	} else {
		latency_go(l, (unsigned)target);
		/* If an account is shown, make it that of the case: by itself it would follow the cursor to
		 * the wait there. */
		if (ui_shell_shows(l->pane.shell, UI_CMD_ACCOUNT))
			latency_go_open(l, &latency_line(l, (unsigned)target)->c, false);
	}
}

bool latency_go_on(struct latency *l, unsigned ms)
{
	bool more = latency_ask_wait(l, ms);
	bool there = l->list && l->list->stage == ANA_LATENCY_WHOLE;
	int pending = there ? l->pending : 0;
	guint rank;

	if (there || l->problem)
		l->pending = 0;
	if (pending)
		step(l, pending);
	/* Add a cause that arrived later to the message, unless another message replaced it. */
	if (l->said && list_selected(&l->lists[LATENCY_CASES], &rank) &&
		g_strcmp0(l->said, l->pane.shell->message) == 0 && latency_line(l, rank)->explained)
		latency_go_say(l, rank);
	return more;
}

/* Without a list, measure one; if that takes long, show the pane for its progress. */
void latency_go_step(struct latency *l, int by)
{
	latency_list_open(l, false);
	latency_ask(l);
	if (latency_ask_measures(l))
		ask_worker_wait(l->pane.worker, &l->pane, HIDDEN_WAIT);
	if (latency_ask_measures(l)) {
		l->pending = by;
		ui_shell_show(l->pane.shell, &l->pane, true);
	} else if (l->list) {
		step(l, by);
		if (!l->pane.shown)
			l->lists[LATENCY_CASES].view.seen = 0;
		if (latency_go_on(l, 0) && !l->pane.shown)
			latency_go_on(l, CAUSE_WAIT);
	} else if (l->problem) {
		ui_shell_error(l->pane.shell, "%s", l->problem);
	}
}

void latency_go_open(struct latency *l, const struct ana_latency_case *c, bool before)
{
	struct ui_shell *shell = l->pane.shell;
	struct ana_account_of of = ana_latency_account_of(shell->q, l->asked.rules, l->asked.kind, c);
	bool open = latency_is_open(c);
	struct ui_lead account = { UI_LEAD_ACCOUNT, of.row, of.host, of.cpu, of.device, of.from, of.to,
		of.what, NULL, NULL };
	g_autofree char *label = NULL;

	if (of.what == ANA_ACCOUNT_NONE)
		return;
	if (open && of.what != ANA_ACCOUNT_THREAD) {
		ui_shell_message(shell, "unfinished: there is no account of it yet");
		return;
	}
	if (open) /* unfinished: up to the end of the recording */
		account.to = c->start + c->latency;
	if (of.what == ANA_ACCOUNT_THREAD && (before || c->latency == 0)) {
		ui_shell_lead(shell, UI_LEAD(WAIT, .row = c->row, .to = c->start));
	} else if (!before) {
		label = of.what == ANA_ACCOUNT_THREAD ? NULL : latency_list_label(l, c);
		account.label = g_intern_string(label);
		ui_shell_lead(shell, &account);
	}
}

/* ---- columns ---- */

/* Select the case C in the list, if it is there. */
static void select_case(struct latency *l, const struct ana_latency_case *c)
{
	for (guint rank = 0; rank < l->lines->len; rank++) {
		const struct ana_latency_case *one = &latency_line(l, rank)->c;

		if (!latency_is_same(one, c))
			continue;
		l->lists[LATENCY_CASES].view.line = latency_list_line(l, rank);
		l->gone = false;
		return;
	}
}

void latency_go_column(struct latency *l, int by)
{
	int column = 0, step = by ? by : -1, n = (int)l->shown.columns;
	const struct ana_latency_case *c = NULL;
	struct ui_shell *shell = l->pane.shell;
	g_autofree char *length = NULL, *time = NULL, *label = NULL;
	unsigned first, end;

	if (l->part == LATENCY_COLUMNS)
		column = (int)l->column + by;
	else /* the column with the cursor, or the nearest one */
		while (column + 1 < n &&
			base_time_column(l->shown.from, l->shown.to, l->shown.columns,
				(uint32_t)column + 1) <= shell->view->cursor)
			column++;
	latency_list_buckets(l, &first, &end);
	for (; column >= 0 && column < n; column += step) {
		c = ana_latency_worst_in(l->list, first, end, (uint32_t)column);
		if (c)
			break;
	}
	if (!c) {
		ui_shell_message(shell,
			step > 0 ? "no case begins after this" : "no case begins before this");
		return;
	}
	l->part = LATENCY_COLUMNS;
	l->column = (unsigned)column;
	select_case(l, c);
	if (c->start >= shell->view->from && c->start < shell->view->to)
		ui_shell_set_cursor(shell, c->start);
	length = ui_shell_duration_text(shell, c->latency);
	time = ui_shell_time_text(shell, c->start);
	label = c->row == MDL_NONE ? NULL : qry_row_label(shell->q, c->row);
	ui_shell_message(shell, "worst of this column: %s%s%s at %s", length, label ? " of " : "",
		label ? label : "", time);
}

/* ---- groups and kinds ---- */

void latency_table_take_kind(struct latency *l, unsigned kind)
{
	if (kind != l->kind) {
		l->kind = kind;
		if (l->pane.shell->over_kind) /* the marks in the control flow show the same kind */
			ui_shell_mark_over(l->pane.shell, l->kinds[kind].rules, l->kinds[kind].name,
				l->pane.shell->over_limit);
		l->picked = false;
		l->only = NULL;
	}
	l->table = LATENCY_CASES;
	l->part = LATENCY_LIST;
}

void latency_table_take(struct latency *l)
{
	const struct ana_latency_group *g;
	guint line;

	if (!list_selected(&l->lists[l->table], &line))
		return;
	if (l->table == LATENCY_KINDS) {
		latency_table_take_kind(l, line);
		return;
	}
	g = &g_array_index(l->list->groups, struct ana_latency_group, line);
	l->only = g_intern_string(g->name);
	l->only_id = g->id;
	ui_shell_message(l->pane.shell, "only %s: %s", ana_latency_by_name(l->by), l->only);
	l->table = LATENCY_CASES;
	l->part = LATENCY_LIST;
}

/* The next type of groups that the kind has. */
static enum ana_latency_by next_by(const struct latency *l)
{
	const struct latency_kind *kind = &l->kinds[l->kind];
	enum ana_latency_by by = l->by;

	do
		by = by + 1 < ANA_LATENCY_BY_N ? by + 1 : ANA_LATENCY_BY_THREAD;
	while (!ana_latency_has_by(l->pane.shell->q, kind->rules, kind->name, by) ||
		(by == ANA_LATENCY_BY_HOST && qry_host_count(l->pane.shell->q) == 1));
	return by;
}

void latency_table_groups(struct latency *l)
{
	const struct latency_kind *kind = &l->kinds[l->kind];

	if (l->table == LATENCY_GROUPS || l->by == ANA_LATENCY_BY_NOTHING ||
		!ana_latency_has_by(l->pane.shell->q, kind->rules, kind->name, l->by))
		l->by = next_by(l);
	l->only = NULL;
	l->table = LATENCY_GROUPS;
	l->part = LATENCY_LIST;
	l->lists[LATENCY_GROUPS].view = (struct list_view){ 0 };
}
