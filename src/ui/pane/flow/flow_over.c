/* SPDX-License-Identifier: MIT */
/*
 * Marks on latencies of the shell's kind that reach its limit: a sign where one begins, a colour as long as
 * it takes. A worker finds them for the rows and the window in view; what is in view next has none until it
 * is done.
 */
#include "ui/pane/flow/flow.h"

#include "analysis/latency/latency.h"

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

/* Why there are no marks is said once. */
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

static struct flow_over_question flow_over_wanted(const struct flow *flow)
{
	const struct ui_shell *shell = flow->pane.shell;
	struct flow_over_question q = { .kind = shell->over_kind,
		.rules = shell->over_rules,
		.limit = shell->over_limit,
		.from = flow->from,
		.to = flow->to,
		.columns = flow->columns,
		.n = MIN(flow->n_shown, ROWS_MAX) };

	memcpy(q.rows, flow->shown, q.n * sizeof *q.rows);
	return q;
}

static bool same_window(const struct flow_over_question *a, const struct flow_over_question *b)
{
	return a->kind == b->kind && a->rules == b->rules && a->limit == b->limit && a->from == b->from &&
		a->to == b->to && a->columns == b->columns;
}

void flow_over_ask(struct flow *flow)
{
	struct flow_over_question q;

	if (!flow->pane.shell->over_kind) {
		ask_worker_cancel(flow->over_worker);
		g_clear_pointer(&flow->over_asked, g_free);
		g_clear_pointer(&flow->over, flow_over_answer_free);
		return;
	}
	q = flow_over_wanted(flow);
	if (flow->over_asked && same_window(&q, flow->over_asked) && q.n == flow->over_asked->n &&
		!memcmp(q.rows, flow->over_asked->rows, q.n * sizeof *q.rows))
		return;
	if (!flow->over_worker)
		flow->over_worker = ask_worker_new(flow->pane.shell->q, &flow_over_kind);
	g_free(flow->over_asked);
	flow->over_asked = g_memdup2(&q, sizeof q);
	ask_worker_ask(flow->over_worker, &q);
}

bool flow_over_work(struct flow *flow)
{
	return ask_worker_wait(flow->over_worker, &flow->pane, ASK_SLICE);
}

void flow_over_clear(struct flow *flow)
{
	ask_worker_free(flow->over_worker);
	flow_over_answer_free(flow->over);
	g_free(flow->over_asked);
}

/* The marks of ROW in the window that is shown; NULL: not known, or none wanted. */
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
