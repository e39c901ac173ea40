/* SPDX-License-Identifier: MIT */
/*
 * Spans: the rows of a query with ts, dur and name, in lines above the threads; with utid, above that thread.
 * Rows with ts, value and name are values of counters: a line for each name (with utid: below that thread),
 * drawn as high as the value.
 *
 * A worker finds them (flow_span_find.c).  Their lines are made with those of the threads (flow_lines.c).  A
 * hash of the name selects one of six colours.  The query and its parameters are part of the view, so that
 * undo, and another run of the program, restore spans by asking again.
 */
#include "ui/pane/flow/flow.h"

#include "base/base_search.h"
#include "base/base_text.h"
#include "table/table.h"
#include "ui/widget/looks.h"
#include "ui/widget/subject.h"

#include <math.h>

#define NAME_MIN 6 /* minimum columns of a span with a name */
#define COLOURS (TERM_ROLE_SPAN_6 - TERM_ROLE_SPAN_1 + 1)

/* ---- asking ---- */

static bool is_same(const struct flow_spans_question *a, const struct flow_spans_question *b)
{
	return a->query == b->query && a->from == b->from && a->to == b->to && a->row == b->row;
}

/* Report how many spans or values there are, and where. */
static void tell(const struct flow *flow)
{
	const struct flow_spans *s = flow->rows->spans;
	struct ui_shell *shell = flow->pane.shell;
	unsigned threads = 0;
	uint32_t last = MDL_NONE;

	for (guint i = 0; i < s->lanes->len; i++) {
		const struct flow_lane *lane = &g_array_index(s->lanes, struct flow_lane, i);

		threads += lane->row != last;
		last = lane->row;
	}
	if (s->spans->len == 0)
		ui_shell_message(shell,
			"the query has no rows with a time: nothing is shown above the threads");
	else if (s->is_values)
		ui_shell_message(shell, "%s%u values are shown in %u line%s", s->full ? "the first " : "",
			s->spans->len, s->lanes->len, base_text_s(s->lanes->len));
	else if (threads)
		ui_shell_message(shell, "%s%u rows are shown above %u thread%s", s->full ? "the first " : "",
			s->spans->len, threads, base_text_s(threads));
	else
		ui_shell_message(shell, "%s%u rows are shown above all threads", s->full ? "the first " : "",
			s->spans->len);
}

static void taken(struct ui_pane *pane, void *answer, GError *error)
{
	struct flow *flow = (struct flow *)pane;

	if (error) {
		ui_shell_take_error(pane->shell, error);
		flow->rows->asked.query = NULL;
		return;
	}
	flow_rows_set_spans(flow->rows, answer);
	flow_choose_settle(flow);
	if (!flow->quiet)
		tell(flow);
}

static const struct ask_kind kind = { .size = sizeof(struct flow_spans_question),
	.answer = flow_spans_new,
	.free = flow_spans_free,
	.taken = taken };

void flow_spans_ask(struct flow *flow)
{
	struct flow_rows *rows = flow->rows;
	struct flow_spans_question q = rows->asked;

	flow->quiet = !flow->turned;
	flow->turned = false;
	if (rows->spans && is_same(&rows->spans->question, &q))
		return;
	ask_worker_cancel(flow->spans_worker);
	if (rows->spans) {
		flow_rows_set_spans(rows, NULL);
		flow_choose_settle(flow);
	}
	if (!q.query)
		return;
	if (!flow->spans_worker)
		flow->spans_worker = ask_worker_new(flow->pane.shell->q, &kind);
	q.rules = flow->pane.shell->options->rules;
	ask_worker_ask(flow->spans_worker, &q);
	ask_worker_wait(flow->spans_worker, &flow->pane, ASK_AT_ONCE);
}

void flow_spans_turn(struct flow *flow, const struct flow_spans_question *question)
{
	struct flow_spans_question *asked = &flow->rows->asked;

	if (is_same(asked, question)) {
		*asked = (struct flow_spans_question){ NULL, BASE_TIME_NONE, BASE_TIME_NONE, MDL_NONE, NULL };
		ui_shell_message(flow->pane.shell, "the rows of the query are not shown any more");
	} else {
		*asked = *question;
	}
	flow->turned = true;
	flow_spans_ask(flow);
}

/* ---- spans by place ---- */

/* The first of the LANE->n spans of LANE. */
static const struct flow_span *spans_of(const struct flow_spans *s, const struct flow_lane *lane)
{
	return &g_array_index(s->spans, struct flow_span, lane->first);
}

/* The index of the first span of LANE that starts at or after TIME (ns). */
static guint first_from(const struct flow_spans *s, const struct flow_lane *lane, int64_t time)
{
	return (guint)base_search_below(&spans_of(s, lane)->from, lane->n, sizeof(struct flow_span), time);
}

/* The span or value of LINE at the cursor; if there is no span, the first one that starts in the cursor's
 * column.  NULL: none. */
static const struct flow_span *at_cursor(const struct flow *flow, const struct flow_line *line)
{
	const struct ui_shell *shell = flow->pane.shell;
	const struct flow_spans *s = flow->rows->spans;
	const struct flow_span *spans = spans_of(s, line->lane);
	int64_t time = shell->view->cursor;
	guint i = first_from(s, line->lane, time + 1);

	if (i > 0 && (spans[i - 1].from == time || spans[i - 1].to > time))
		return &spans[i - 1];
	return !s->is_values && i < line->lane->n && spans[i].from < time + ui_shell_column(shell) ? &spans[i]
												   : NULL;
}

char *flow_spans_name(const struct flow *flow, const struct flow_line *line)
{
	const struct flow_spans *s = flow->rows->spans;
	const struct flow_span *span = at_cursor(flow, line);
	char number[G_ASCII_DTOSTR_BUF_SIZE];

	if (s->is_values)
		return g_strdup_printf("%s%s%s", spans_of(s, line->lane)->name, span ? " " : "",
			span ? table_real_text(number, span->value) : "");
	return g_strdup(span ? span->name : "(rows of the query)");
}

char *flow_spans_text(const struct flow *flow)
{
	const struct flow_line *line = flow_line_at(flow, flow->view.line);
	struct ui_shell *shell = flow->pane.shell;
	char low[G_ASCII_DTOSTR_BUF_SIZE], high[G_ASCII_DTOSTR_BUF_SIZE];
	g_autofree char *name = NULL, *from = NULL, *to = NULL;
	const struct flow_span *span;

	if (!line || line->kind != FLOW_SPANS)
		return NULL;
	name = flow_spans_name(flow, line);
	span = at_cursor(flow, line);
	if (!span)
		return g_strdup_printf("%s  nothing at the cursor", name);
	from = ui_shell_time_text(shell, span->from);
	to = ui_shell_time_text(shell, span->to);
	if (!flow->rows->spans->is_values)
		return g_strdup_printf("%s  since %s until %s", name, from, to);
	return g_strdup_printf("%s  since %s until %s  %u value%s, the line is from %s to %s", name, from, to,
		line->lane->n, base_text_s(line->lane->n), table_real_text(low, line->lane->low),
		table_real_text(high, line->lane->high));
}

bool flow_spans_time(const struct flow *flow, uint32_t *row, int64_t *from, int64_t *to)
{
	const struct flow_line *line = flow_line_at(flow, flow->view.line);
	const struct flow_span *span = line && line->kind == FLOW_SPANS ? at_cursor(flow, line) : NULL;

	if (!span)
		return false;
	*row = line->lane->row;
	*from = span->from;
	*to = span->to;
	return span->from < span->to;
}

/* Select the time of SPAN, and its thread. */
static void spans_select(struct flow *flow, const struct flow_line *line, const struct flow_span *span)
{
	if (span->to > span->from)
		ui_shell_select(flow->pane.shell, span->from, span->to);
	if (line->lane->row != MDL_NONE)
		ui_shell_set_row(flow->pane.shell, line->lane->row);
}

/* Go to the next (BY 1) or previous (BY -1) span of the thread with the name of SPAN (NULL: any name). */
static void spans_step(struct flow *flow, const struct flow_line *line, const struct flow_span *span, int by)
{
	const struct flow_spans *s = flow->rows->spans;
	struct ui_shell *shell = flow->pane.shell;
	int64_t time = span ? span->from : shell->view->cursor;
	const struct flow_span *found = NULL;
	const struct flow_lane *lane = line->lane, *found_in = NULL;

	for (guint l = 0; l < s->lanes->len; l++) {
		const struct flow_lane *other = &g_array_index(s->lanes, struct flow_lane, l);
		const struct flow_span *spans = spans_of(s, other);

		/* Names are interned: equal names are equal pointers. */
		for (guint i = 0; i < (other->row == lane->row ? other->n : 0); i++)
			if ((!span || spans[i].name == span->name) &&
				(by > 0 ? spans[i].from > time : spans[i].from < time) &&
				(!found || (spans[i].from < found->from) == (by > 0))) {
				found = &spans[i];
				found_in = other;
			}
	}
	if (!found) {
		ui_shell_message(shell, "there is no other %s %s this", span ? span->name : "one",
			by > 0 ? "after" : "before");
		return;
	}
	ui_shell_set_cursor(shell, found->from);
	for (unsigned i = 0; found_in != lane && flow_line_at(flow, i); i++)
		if (flow_line_at(flow, i)->lane == found_in) {
			flow_choose_walk(flow, i);
			return;
		}
}

bool flow_spans_command(struct flow *flow, enum ui_command command)
{
	const struct flow_line *line = flow_line_at(flow, flow->view.line);
	const struct flow_span *span;

	if (!line || line->kind != FLOW_SPANS)
		return false;
	span = at_cursor(flow, line);
	switch (command) {
	case UI_CMD_ACTIVATE:
		if (span)
			spans_select(flow, line, span);
		else
			ui_shell_error(flow->pane.shell, "no row of the query is at the cursor");
		return true;
	case UI_CMD_CHANGE_NEXT:
	case UI_CMD_CHANGE_PREV:
		spans_step(flow, line, span, command == UI_CMD_CHANGE_NEXT ? 1 : -1);
		return true;
	default:
		return span && !flow->rows->spans->is_values &&
			span_command(&flow->pane, command, line->lane->row, span->from, span->to, span->name);
	}
}

/* ---- drawing ---- */

/* Draw SPAN over W columns from X on.  BEGINS: its start is in view. */
static void draw_span(const struct term_area *area, unsigned y, unsigned x, unsigned w,
	const struct flow_span *span, bool begins)
{
	enum term_role role = TERM_ROLE_SPAN_1 + g_str_hash(span->name) % COLOURS;

	term_area_fill(area, x, y, w, 1, role, ' ');
	if (begins)
		term_area_char(area, x, y, role, 0x2502);
	if (w >= NAME_MIN)
		term_area_fit(area, x + begins, y, w - begins, role, span->name);
}

/* Draw in each column its highest value: a short peak is visible at any zoom. */
static void draw_values(const struct flow *flow, const struct flow_lane *lane, const struct term_area *area,
	unsigned y)
{
	const struct flow_spans *s = flow->rows->spans;
	const struct flow_span *spans = spans_of(s, lane);
	struct ui_shell *shell = flow->pane.shell;
	guint next = first_from(s, lane, ui_shell_column_time(shell, 0));
	double range = lane->high / 2 - lane->low / 2; /* halved, so it cannot overflow */

	for (unsigned x = 0; x < area->w; x++) {
		double most = next > 0 ? spans[next - 1].value : lane->low;
		bool any = next > 0;
		unsigned eighths = 1;

		for (int64_t end = ui_shell_column_time(shell, x + 1);
			next < lane->n && spans[next].from < end; next++) {
			most = any ? MAX(most, spans[next].value) : spans[next].value;
			any = true;
		}
		if (range > 0)
			eighths += (unsigned)lround((most / 2 - lane->low / 2) / range * (STATE_WHOLE - 1));
		if (any)
			term_area_char(area, x, y, TERM_ROLE_TEXT, 0x2580 + eighths);
	}
}

void flow_spans_draw(const struct flow *flow, const struct flow_line *line, const struct term_area *area,
	unsigned y)
{
	const struct ui_shell *shell = flow->pane.shell;
	const struct flow_spans *s = flow->rows->spans;
	const struct flow_span *spans = spans_of(s, line->lane);
	guint i = first_from(s, line->lane, shell->view->from);

	if (s->is_values) {
		draw_values(flow, line->lane, area, y);
		return;
	}
	i -= i > 0 && spans[i - 1].to > shell->view->from;
	while (i < line->lane->n && spans[i].from < shell->view->to) {
		int x = MAX(ui_shell_column_of(shell, spans[i].from), 0),
		    last = MIN(ui_shell_column_of(shell, MAX(spans[i].to - 1, spans[i].from)),
			    (int)area->w - 1);
		guint longest = i, next = i + 1;

		if (last <= x) /* if several spans fit into one column, show the longest */
			for (last = x;
				next < line->lane->n && ui_shell_column_of(shell, spans[next].from) == x &&
				ui_shell_column_of(shell, MAX(spans[next].to - 1, spans[next].from)) == x;
				next++)
				if (spans[next].to - spans[next].from >
					spans[longest].to - spans[longest].from)
					longest = next;
		draw_span(area, y, (unsigned)x, (unsigned)(last - x + 1), &spans[longest],
			spans[longest].from >= shell->view->from);
		i = next;
	}
}
