/* SPDX-License-Identifier: MIT */
/*
 * Marks of latencies and arrows of wake-ups, drawn over the rows.
 *
 * Each latency of the shell's kind that reaches its limit has a mark: a sign at its start, a colour over its
 * length.  A worker finds the marks of the rows and the window in view.  When these change, no marks are
 * shown until it is done.
 */
#include "ui/pane/flow/flow.h"
#include "ui/widget/subject.h"

#include "analysis/kind/chain.h"
#include "analysis/latency/latency.h"
#include "analysis/wait/source.h"

/* ---- latencies ---- */

#define ROWS_MAX 256 /* more than a screen has lines */
#define SIGN 0x25c6  /* ◆ */

struct flow_over_question {
	const char *kind;
	const struct ana_rules *rules;
	int64_t limit, from, to;
	unsigned columns, n;
	uint32_t rows[ROWS_MAX];
};

/* The marks of QUESTION. */
struct flow_over_answer {
	struct flow_over_question question;
	uint8_t *cells; /* owned: columns for each row */
};

static void *flow_over_make_answer(struct qry *q, const void *question, struct base_progress *progress,
	GError **error)
{
	const struct flow_over_question *asked = question;
	struct ana_latency_over_options options = { .kind = asked->kind,
		.rules = asked->rules,
		.limit = asked->limit,
		.from = asked->from,
		.to = asked->to,
		.columns = asked->columns,
		.rows = asked->rows,
		.n = asked->n };
	uint8_t *cells = ana_latency_over(q, &options, progress, error);
	struct flow_over_answer *answer;

	if (!cells)
		return NULL;
	answer = g_new(struct flow_over_answer, 1);
	*answer = (struct flow_over_answer){ *asked, cells };
	return answer;
}

static void flow_over_answer_free(void *data)
{
	struct flow_over_answer *answer = data;

	if (answer)
		g_free(answer->cells);
	g_free(answer);
}

static void flow_over_taken(struct ui_pane *pane, void *answer, GError *error)
{
	struct flow *flow = (struct flow *)pane;

	flow_over_answer_free(flow->over);
	flow->over = answer;
	if (error)
		ui_shell_take_error(pane->shell, error);
}

static const struct ask_kind flow_over_kind = { .size = sizeof(struct flow_over_question),
	.answer = flow_over_make_answer,
	.free = flow_over_answer_free,
	.taken = flow_over_taken };

static bool same_window(const struct flow_over_question *a, const struct flow_over_question *b)
{
	return a->kind == b->kind && a->rules == b->rules && a->limit == b->limit && a->from == b->from &&
		a->to == b->to && a->columns == b->columns;
}

void flow_over_ask(struct flow *flow)
{
	const struct ui_shell *shell = flow->pane.shell;
	struct flow_over_question q = { .kind = shell->over_kind,
		.rules = shell->over_rules,
		.limit = shell->over_limit,
		.from = flow->from,
		.to = flow->to,
		.columns = flow->columns,
		.n = MIN(flow->n_shown, ROWS_MAX) };

	if (!shell->over_kind) {
		ask_worker_cancel(flow->over_worker);
		g_clear_pointer(&flow->over_asked, g_free);
		g_clear_pointer(&flow->over, flow_over_answer_free);
		return;
	}
	memcpy(q.rows, flow->shown, q.n * sizeof *q.rows);
	if (flow->over_asked && same_window(&q, flow->over_asked) && q.n == flow->over_asked->n &&
		!memcmp(q.rows, flow->over_asked->rows, q.n * sizeof *q.rows))
		return;
	if (!flow->over_worker)
		flow->over_worker = ask_worker_new(shell->q, &flow_over_kind);
	g_free(flow->over_asked);
	flow->over_asked = g_memdup2(&q, sizeof q);
	ask_worker_ask(flow->over_worker, &q);
}

void flow_over_clear(struct flow *flow)
{
	ask_worker_free(flow->over_worker);
	flow_over_answer_free(flow->over);
	g_free(flow->over_asked);
}

/* The marks of ROW in the shown window; NULL: not known, or none wanted. */
static const uint8_t *marks_of(const struct flow *flow, uint32_t row)
{
	const struct flow_over_answer *answer = flow->over;

	if (!answer || !flow->over_asked || !same_window(&answer->question, flow->over_asked))
		return NULL;
	for (unsigned i = 0; i < answer->question.n; i++)
		if (answer->question.rows[i] == row)
			return answer->cells + (gsize)i * answer->question.columns;
	return NULL;
}

void flow_over_signs(const struct flow *flow, uint32_t row, const struct term_area *area, unsigned y)
{
	const uint8_t *marks = marks_of(flow, row);

	for (unsigned x = 0; marks && x < flow->columns; x++)
		if (marks[x] & ANA_LATENCY_OVER_BEGINS)
			term_area_char(area, x, y, TERM_ROLE_OVER_LATE, SIGN);
}

void flow_over_draw(const struct flow *flow, uint32_t row, const struct term_area *area, unsigned y)
{
	const uint8_t *marks = marks_of(flow, row);
	int cursor = ui_shell_column_of(flow->pane.shell, flow->pane.shell->view->cursor);

	for (unsigned x = 0; marks && x < flow->columns; x++)
		if (marks[x] && (int)x != cursor)
			term_area_over(area, x, y, 1, 1, TERM_ROLE_OVER_LATE);
}

/*
 * ---- arrows ----
 *
 * Each thread in view has at most two candidates: its last wake-up at or before the cursor and its first
 * after it.  Those with the selected thread as waker or wakee are drawn: a line in the column of the wake-up,
 * from the row of the waker (for a packet: the thread that sent it, on any host) to an arrowhead on the row
 * of the wakee.  If the waker is out of view, the line comes from the edge.  Lines pass behind running time,
 * and a column takes one arrow, so that the states stay readable.
 */

#define MANY 12 /* maximum arrows on the screen */

struct arrow {
	int from, to; /* lines in view, from 0; FROM -1: above the view, its height: below */
	unsigned column;
	bool near; /* the wake-up that ended a wait of the selected thread, at or before the cursor */
};

/* The screen line of ROW, counted from below the ruler, clipped to [-1, HEIGHT]; false if ROW has none. */
static bool flow_arrows_line_of(const struct flow *flow, uint32_t row, unsigned height, int *y)
{
	unsigned line = row == MDL_NONE ? UINT32_MAX : flow_rows_find(flow->rows, row);

	if (line == UINT32_MAX)
		return false;
	*y = MIN(flow_line_place(flow, line), (int)height);
	return true;
}

/* The thread, on any host, that sent the packet if SOURCE is a wait for one; else MDL_NONE. */
static uint32_t sender_row(struct qry *q, const struct ana_source *source)
{
	struct ana_sender sender;
	struct mdl_cause cause;

	if (source->kind != ANA_KIND_NETWORK || !ana_source_cause(q, source, &cause) ||
		!(cause.facts.has & MDL_FACT_PACKET) ||
		!ana_sender_of(q, source->host, &cause.facts.packet, &sender))
		return MDL_NONE;
	return sender.thread;
}

/* The row of the cause: a thread, or the CPU on which the interrupt occurred. */
static uint32_t cause_row(struct qry *q, uint32_t woken, const struct mdl_wakeup *wakeup)
{
	struct ana_source source = ana_source_of(q, woken, wakeup);
	uint32_t sender = sender_row(q, &source);

	if (source.thread != MDL_NONE)
		return source.thread;
	if (sender != MDL_NONE)
		return sender;
	return wakeup->cpu == MDL_NONE ? MDL_NONE : qry_cpu_row(q, qry_row(q, woken)->host, wakeup->cpu);
}

static void flow_arrows_add(struct flow *flow, GArray *arrows, uint32_t woken,
	const struct mdl_wakeup *wakeup, unsigned height)
{
	const struct ui_shell *shell = flow->pane.shell;
	uint32_t cause = cause_row(shell->q, woken, wakeup);
	int column = ui_shell_column_of(shell, wakeup->time);
	struct arrow arrow = { .column = (unsigned)column };

	if (woken != shell->view->row && cause != shell->view->row)
		return;
	if (column < 0 || column >= (int)shell->columns || arrows->len >= MANY)
		return;
	for (unsigned i = 0; i < arrows->len; i++)
		if (g_array_index(arrows, struct arrow, i).column == arrow.column)
			return;
	if (!flow_arrows_line_of(flow, woken, height, &arrow.to) || arrow.to < 0 || arrow.to == (int)height)
		return;
	if (!flow_arrows_line_of(flow, cause, height, &arrow.from) || arrow.from == arrow.to)
		return;
	arrow.near = woken == shell->view->row && wakeup->time <= shell->view->cursor;
	g_array_append_val(arrows, arrow);
}

/* Add the last wake-up of ROW at or before the cursor and the first after it. */
static void add_both(struct flow *flow, GArray *arrows, uint32_t row, unsigned height)
{
	const struct ui_shell *shell = flow->pane.shell;
	struct mdl_wakeup wakeup;

	if (qry_wakeup_before(shell->q, row, shell->view->cursor + 1, &wakeup))
		flow_arrows_add(flow, arrows, row, &wakeup, height);
	if (qry_wakeup_after(shell->q, row, shell->view->cursor + 1, &wakeup))
		flow_arrows_add(flow, arrows, row, &wakeup, height);
}

static void draw_arrow(const struct term_area *area, const struct arrow *arrow)
{
	enum term_role role = arrow->near ? TERM_ROLE_ARROW_NEAR : TERM_ROLE_ARROW;
	bool down = arrow->to > arrow->from;

	for (int i = MIN(arrow->from, arrow->to) + 1; i < MAX(arrow->from, arrow->to); i++) {
		unsigned y = (unsigned)i;
		const struct term_cell *cell = term_grid_cell(area->grid, area->x + arrow->column,
			area->y + y);
		unsigned state = cell->role - (unsigned)TERM_ROLE_STATE_UNKNOWN;

		if (cell->ch == ' ' || (state < QRY_CELL_N && !state_look_is_active(state)))
			term_area_char(area, arrow->column, y, role, cell->ch == 0x2500 ? 0x253c : 0x2502);
	}
	term_area_char(area, arrow->column, (unsigned)arrow->to, role, down ? 0x25bc : 0x25b2);
}

void flow_arrows_draw(struct flow *flow, const struct term_area *area)
{
	const struct ui_shell *shell = flow->pane.shell;
	g_autoptr(GArray) arrows = g_array_new(FALSE, FALSE, sizeof(struct arrow));

	if (row_is_thread(shell->q, shell->view->row))
		add_both(flow, arrows, shell->view->row, area->h);
	for (unsigned y = 0; y < area->h; y++) {
		const struct flow_line *line = flow_line_at(flow, flow_line_shown(flow, y));

		if (line && line->row != shell->view->row &&
			(line->kind == FLOW_PROCESS || line->kind == FLOW_THREAD))
			add_both(flow, arrows, line->row, area->h);
	}
	for (unsigned i = 0; i < arrows->len; i++)
		draw_arrow(area, &g_array_index(arrows, struct arrow, i));
}
