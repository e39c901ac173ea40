/* SPDX-License-Identifier: MIT */
/*
 * The list of cases, and the measurement that it comes from.
 *
 * One worker answers one question at a time.  It measures; then it finds the causes of the cases in view,
 * because long waits take long to explain; and it counts the kinds while they are listed.  A list is measured
 * once for each kind, window and scope.  The window set by going to a case (own_from, own_to) causes no new
 * measurement, so that the user can go through the list of one window.
 *
 * The list has the worst cases of the picked part of the histogram, each with its rank by length, and is
 * shown in the chosen order.  Picking needs no new measurement, because a measurement keeps the worst cases
 * of each bucket.
 */
#include "ui/pane/latency/latency.h"
#include "ui/widget/subject.h"

#include "base/base_search.h"
#include "base/base_time.h"

/* ---- picking ---- */

void latency_list_buckets(const struct latency *l, unsigned *first, unsigned *end)
{
	*first = 0;
	*end = l->list->histogram->len;
	while (l->picked && *first < *end && latency_bucket(l, *first)->from < l->pick_from)
		++*first;
	while (l->picked && *first < *end && latency_bucket(l, *end - 1)->to > l->pick_to)
		--*end;
}

void latency_list_pick(struct latency *l, unsigned first, unsigned last)
{
	l->open = false;
	l->picked = true;
	l->pick_from = latency_bucket(l, first)->from;
	l->pick_to = latency_bucket(l, last)->to;
	latency_list_make(l);
}

/* ---- the order ---- */

void latency_list_open(struct latency *l, bool open)
{
	bool others = l->open != open;

	l->open = open;
	l->picked &= !open;
	if (l->list && others)
		latency_list_make(l);
}

unsigned latency_list_line(const struct latency *l, unsigned rank)
{
	for (unsigned line = 0; line < l->lists[LATENCY_CASES].order->len; line++)
		if (latency_rank(l, line) == rank)
			return line;
	return 0;
}

/* ---- lines ---- */

static void latency_list_line_clear(void *data)
{
	struct latency_line *line = data;

	g_free(line->c.cause);
	g_free(line->c.key);
}

static void latency_list_drop(struct latency *l)
{
	g_clear_pointer(&l->lines, g_array_unref);
	list_show(&l->lists[LATENCY_CASES], NULL);
	g_clear_pointer(&l->said, g_free);
	l->lists[LATENCY_CASES].view.line = l->lists[LATENCY_CASES].view.top = 0;
	l->gone = false;
}

/* Select C, if it is in the list, and scroll so that it stays on the screen line that the selected line has
 * in VIEW.  L->gone becomes GONE. */
static void latency_list_select(struct latency *l, const struct ana_latency_case *c,
	const struct list_view *view, bool gone)
{
	for (guint rank = 0; rank < l->lines->len; rank++) {
		const struct ana_latency_case *one = &latency_line(l, rank)->c;
		unsigned above = view->line - view->top, line;

		if (!latency_is_same(one, c))
			continue;
		line = latency_list_line(l, rank);
		l->lists[LATENCY_CASES].view.line = line;
		l->lists[LATENCY_CASES].view.top = line - MIN(line, above);
		l->gone = gone;
		return;
	}
}

void latency_list_make(struct latency *l)
{
	unsigned first, end;
	g_autoptr(GArray) worst = NULL;

	latency_list_drop(l);
	latency_list_buckets(l, &first, &end);
	if (!l->open)
		worst = ana_latency_worst_of(l->list, first, end, LATENCY_TOP);
	else if (l->list->open)
		worst = g_array_ref(l->list->open);
	else
		worst = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_case));
	l->lines = g_array_new(FALSE, FALSE, sizeof(struct latency_line));
	g_array_set_clear_func(l->lines, latency_list_line_clear);
	for (guint i = 0; i < worst->len; i++) {
		struct latency_line line = { g_array_index(worst, struct ana_latency_case, i), false };

		g_array_append_val(l->lines, line);
	}
	latency_rows_fill(l, LATENCY_CASES);
}

/* ---- measuring, in the worker's thread ---- */

struct answer {
	struct ana_latency *list; /* for lists and figures */
	unsigned n;               /* for causes */
	struct ana_latency_case cases[LATENCY_EXPLAINED];
};

static void latency_ask_answer_free(void *data)
{
	struct answer *answer = data;

	if (!answer)
		return;
	ana_latency_free(answer->list);
	for (unsigned i = 0; i < answer->n; i++) {
		g_free(answer->cases[i].cause);
		g_free(answer->cases[i].key);
	}
	g_free(answer);
}

/* Offer the list found so far. */
static void offer(void *data, struct ana_latency *so_far)
{
	struct answer *answer = g_new0(struct answer, 1);

	answer->list = so_far;
	ask_worker_offer(data, answer);
}

static struct ana_latency *latency_ask_measure(struct qry *q, const struct latency_measure *m, uint32_t top,
	struct base_progress *progress, GError **error)
{
	struct ana_latency_options options = { .kind = m->kind,
		.rules = m->rules,
		.by = m->by,
		.row = m->row,
		.hide_tracer = m->hide_tracer,
		.from = m->from,
		.to = m->to,
		.top = top,
		.classes = top && !m->columns,
		.only = m->only,
		.only_id = m->only_id,
		.open = m->open,
		.columns = m->columns,
		.columns_to = m->to,
		.so_far = m->columns ? offer : NULL,
		.data = progress };
	int64_t from, to;

	qry_span(q, &from, &to);
	if (m->to >= to) /* include cases that start with the last event */
		options.to = BASE_TIME_NONE;
	return ana_latency_new(q, &options, progress, error);
}

void *latency_ask_whole(struct qry *q, void *measured, struct base_progress *progress, GError **error)
{
	struct latency_measure whole = *(const struct latency_measure *)measured;
	struct ana_latency *list;

	whole.columns = 0;
	list = latency_ask_measure(q, &whole, LATENCY_TOP, progress, error);
	if (list && whole.only) { /* ONLY leaves one group: make the result a list of cases */
		list->by = ANA_LATENCY_BY_NOTHING;
		g_array_set_size(list->groups, 0);
	}
	return list;
}

static void *latency_ask_make_answer(struct qry *q, const void *question, struct base_progress *progress,
	GError **error)
{
	const struct latency_question *asked = question;
	struct answer *answer = g_new0(struct answer, 1);

	if (asked->what == LATENCY_ASK_CAUSES) {
		for (; answer->n < asked->n && !base_progress_cancelled(progress); answer->n++) {
			struct ana_latency_case *c = &answer->cases[answer->n];

			*c = asked->cases[answer->n];
			(latency_is_open(c) ? ana_latency_name : ana_latency_explain)(q, asked->measure.rules,
				asked->measure.kind, c);
		}
		return answer;
	}
	if (asked->what == LATENCY_ASK_LIST ||
		ana_latency_is_ready(q, asked->measure.rules, asked->measure.kind, error))
		answer->list = latency_ask_measure(q, &asked->measure,
			asked->measure.columns ? LATENCY_TOP : 0, progress, error);
	if (answer->list)
		return answer;
	latency_ask_answer_free(answer);
	return NULL;
}

/* ---- answers ---- */

/* Put the causes of ANSWER into the list.  If the trace is damaged (ERROR), no cause is asked for again. */
static void take_causes(struct latency *l, struct answer *answer, GError *error)
{
	for (guint rank = 0; error && l->lines && rank < l->lines->len; rank++)
		latency_line(l, rank)->explained = true;
	if (error)
		ui_shell_take_error(l->pane.shell, error);
	if (!answer)
		return;
	for (unsigned i = 0; l->lines && i < answer->n; i++) {
		struct ana_latency_case *c = &answer->cases[i];

		for (guint rank = 0; rank < l->lines->len; rank++) {
			struct latency_line *line = latency_line(l, rank);

			if (line->explained || line->c.start != c->start || line->c.latency != c->latency ||
				line->c.row != c->row || line->c.number != c->number)
				continue;
			*line = (struct latency_line){ *c, true };
			c->cause = c->key = NULL;
			break;
		}
	}
	if (l->lines)
		latency_rows_fill(l, LATENCY_CASES);
}

static void take_figures(struct latency *l, const struct ana_latency *list, GError *error)
{
	for (unsigned i = 0; i < l->n_kinds; i++) {
		struct latency_kind *k = &l->kinds[i];

		if (k->known)
			continue;
		k->known = true;
		if (list)
			k->f = list->all;
		ask_worker_problem(&k->problem, error);
		latency_rows_fill(l, LATENCY_KINDS);
		return;
	}
	g_clear_error(&error);
}

static void forget_list(struct latency *l)
{
	latency_list_drop(l);
	ana_latency_free(l->list);
	l->list = NULL;
	list_show(&l->lists[LATENCY_GROUPS], NULL);
	g_clear_pointer(&l->problem, g_free);
}

/* Replace the list by LIST.  The selected line number stays.  If the user selected a case in a list that was
 * not complete, that case stays selected instead, if LIST has it. */
static void have_list(struct latency *l, struct ana_latency *list)
{
	struct list_view view = l->lists[LATENCY_CASES].view;
	bool follow = l->list && l->list->stage != ANA_LATENCY_WHOLE && l->chosen &&
		view.line < l->lists[LATENCY_CASES].order->len,
	     gone = l->gone;
	struct ana_latency_case chosen = { 0 };

	if (follow)
		chosen = latency_line(l, latency_rank(l, view.line))->c;
	forget_list(l);
	l->list = list;
	l->shown = l->asked;
	latency_list_make(l);
	latency_rows_fill(l, LATENCY_GROUPS);
	list_view_go(&l->lists[LATENCY_CASES].view, (int)view.line, l->lists[LATENCY_CASES].order->len);
	if (follow)
		latency_list_select(l, &chosen, &view, gone);
	l->column = MIN(l->column, l->shown.columns - 1);
}

static void take_list(struct latency *l, struct answer *answer, GError *error)
{
	/* Data read for one kind may serve other kinds: count those again that had no figures. */
	for (unsigned i = 0; i < l->n_kinds; i++) {
		l->kinds[i].known &= !l->kinds[i].problem;
		g_clear_pointer(&l->kinds[i].problem, g_free);
	}
	if (answer) {
		have_list(l, g_steal_pointer(&answer->list));
		return;
	}
	forget_list(l);
	ask_worker_problem(&l->problem, error);
}

/* A part of the list arrived.  A complete list stays until the next one is complete. */
static void offered(struct ui_pane *pane, void *data)
{
	struct latency *l = (struct latency *)pane;
	struct answer *answer = data;

	if (!l->list || l->list->stage != ANA_LATENCY_WHOLE)
		have_list(l, g_steal_pointer(&answer->list));
	latency_ask_answer_free(answer);
}

static void latency_ask_taken(struct ui_pane *pane, void *data, GError *error)
{
	struct latency *l = (struct latency *)pane;
	struct answer *answer = data;

	if (l->busy == LATENCY_ASK_LIST)
		take_list(l, answer, error);
	else if (l->busy == LATENCY_ASK_FIGURES)
		take_figures(l, answer ? answer->list : NULL, error);
	else
		take_causes(l, answer, error);
	latency_ask_answer_free(answer);
}

const struct ask_kind latency_ask_kind = { .size = sizeof(struct latency_question),
	.answer = latency_ask_make_answer,
	.free = latency_ask_answer_free,
	.taken = latency_ask_taken,
	.offered = offered };

/* ---- asking for the list ---- */

/* Set *M to the measurement that the list should show.  False if there can be none. */
static bool latency_ask_wanted(struct latency *l, struct latency_measure *m)
{
	const struct ui_shell *shell = l->pane.shell;

	*m = (struct latency_measure){ .kind = l->kinds[l->kind].name,
		.rules = l->kinds[l->kind].rules,
		.scope = l->scope,
		.row = MDL_NONE,
		.by = l->only || l->table == LATENCY_GROUPS ? l->by : ANA_LATENCY_BY_NOTHING,
		.only = l->only,
		.only_id = l->only_id,
		.columns = shell->columns,
		.open = l->open };
	m->hide_tracer = shell->hide_tracer && l->scope != LATENCY_THREAD;
	if (!ui_shell_selection(shell, &m->from, &m->to) && l->has_asked && m->from == l->own_from &&
		m->to == l->own_to) {
		m->from = l->asked.from;
		m->to = l->asked.to;
	}
	if (l->scope == LATENCY_ALL)
		return true;
	m->row = l->has_asked && l->asked.scope == LATENCY_THREAD && shell->view->row == l->own_row
		? l->asked.row
		: shell->view->row;
	return row_is_thread(shell->q, m->row);
}

/* True if A and B are about the same threads and time; their kinds may differ. */
static bool same_time(const struct latency_measure *a, const struct latency_measure *b)
{
	return a->scope == b->scope && a->row == b->row && a->from == b->from && a->to == b->to &&
		a->hide_tracer == b->hide_tracer;
}

static void ask_what(struct latency *l, const struct latency_question *q)
{
	l->busy = q->what;
	ask_worker_ask(l->pane.worker, q);
}

/* Ask for the measurement M, unless it was asked for last.  SENSE: M is valid. */
static void ask(struct latency *l, const struct latency_measure *m, bool sense)
{
	struct latency_question q = { .what = LATENCY_ASK_LIST, .measure = *m };
	bool same = l->has_asked && same_time(m, &l->asked) && m->kind == l->asked.kind &&
		m->rules == l->asked.rules && m->only == l->asked.only && m->only_id == l->asked.only_id;

	if (same && m->columns == l->asked.columns &&
		(m->by == l->asked.by || m->by == ANA_LATENCY_BY_NOTHING) && m->open <= l->asked.open)
		return;
	l->asked = *m;
	l->has_asked = true;
	if (!same || !sense) {
		forget_list(l);
		g_clear_pointer(&l->marks, g_array_unref);
	}
	l->chosen &= same;
	if (sense) {
		ask_what(l, &q);
		return;
	}
	ask_worker_cancel(l->pane.worker);
	l->problem = g_strdup("this row is not a thread: select one to see its latencies");
}

void latency_ask(struct latency *l)
{
	struct latency_measure m;
	bool sense = latency_ask_wanted(l, &m);

	ask(l, &m, sense);
}

void latency_ask_again(struct latency *l, const struct latency_measure *asked)
{
	struct latency_measure m;

	latency_ask_wanted(l, &m);
	m.from = asked->from;
	m.to = asked->to;
	if (l->scope == LATENCY_THREAD)
		m.row = asked->row;
	ask(l, &m, l->scope != LATENCY_THREAD || row_is_thread(l->pane.shell->q, m.row));
}

bool latency_ask_measures(const struct latency *l)
{
	return l->busy == LATENCY_ASK_LIST && ask_worker_busy(l->pane.worker);
}

bool latency_ask_stop(struct latency *l)
{
	if (!latency_ask_measures(l) || !ask_worker_stop(l->pane.worker, &l->problem))
		return false;
	l->pending = 0;
	if (l->list && l->list->stage != ANA_LATENCY_WHOLE)
		ui_shell_message(l->pane.shell, "%s", l->problem);
	if (l->list) {
		g_clear_pointer(&l->problem, g_free);
		l->asked = l->shown;
		l->table = LATENCY_CASES;
		if (l->open && !l->list->open)
			latency_list_open(l, false);
	}
	return true;
}

/* ---- asking for causes and figures ---- */

static void add_cause(const struct latency_line *line, struct latency_question *q)
{
	if (!line->explained && q->n < LATENCY_EXPLAINED)
		q->cases[q->n++] = line->c;
}

static void add_cause_at(const struct latency *l, struct latency_question *q, unsigned line)
{
	if (line < l->lists[LATENCY_CASES].order->len)
		add_cause(latency_line(l, latency_rank(l, line)), q);
}

/* Ask for the causes of the selected case and of those in view, then of all others if the list needs them. */
static bool ask_causes(struct latency *l)
{
	struct latency_question q = { .what = LATENCY_ASK_CAUSES, .measure = l->asked };
	const struct list_view *view = &l->lists[LATENCY_CASES].view;

	if (!l->lines || !l->lines->len)
		return false;
	add_cause_at(l, &q, view->line);
	for (unsigned i = 0; i < view->seen; i++)
		if (view->top + i != view->line)
			add_cause_at(l, &q, view->top + i);
	for (guint rank = 0; !q.n && list_lacks_rows(&l->lists[LATENCY_CASES]) && rank < l->lines->len;
		rank++)
		add_cause(latency_line(l, rank), &q);
	if (q.n)
		ask_what(l, &q);
	return q.n > 0;
}

static void forget_figures(struct latency *l)
{
	bool any = false;

	for (unsigned i = 0; i < l->n_kinds; i++) {
		any |= l->kinds[i].known;
		l->kinds[i].known = false;
		g_clear_pointer(&l->kinds[i].problem, g_free);
	}
	if (any) /* only then, because it draws: callers repeat this until there is nothing left to do */
		latency_rows_fill(l, LATENCY_KINDS);
}

/* Ask for the figures of the first kind without any. */
static bool ask_figures(struct latency *l)
{
	struct latency_question q = { .what = LATENCY_ASK_FIGURES };

	if (!latency_ask_wanted(l, &q.measure)) { /* present figures are of another measurement */
		forget_figures(l);
		return false;
	}
	q.measure.columns = 0;
	q.measure.open = false;
	q.measure.only = NULL;
	q.measure.by = ANA_LATENCY_BY_NOTHING;
	if (!same_time(&q.measure, &l->counted))
		forget_figures(l);
	l->counted = q.measure;
	for (unsigned i = 0; i < l->n_kinds; i++) {
		if (l->kinds[i].known)
			continue;
		q.measure.kind = l->kinds[i].name;
		q.measure.rules = l->kinds[i].rules;
		ask_what(l, &q);
		return true;
	}
	return false;
}

bool latency_ask_wait(struct latency *l, unsigned ms)
{
	if (!l->pane.worker)
		return false;
	if (ask_worker_wait(l->pane.worker, &l->pane, ms))
		return true;
	if (l->table == LATENCY_KINDS)
		return ask_figures(l);
	return l->table == LATENCY_CASES && ask_causes(l);
}

void latency_ask_init(struct latency *l)
{
	const struct ana_rules *rules = l->pane.shell->options->rules;
	const char *const *names = ana_latency_kinds();
	unsigned n = g_strv_length((char **)(uintptr_t)names);

	l->n_kinds = n + (rules ? rules->rules->len : 0);
	l->kinds = g_new0(struct latency_kind, l->n_kinds);
	for (unsigned i = 0; i < l->n_kinds; i++) {
		if (i >= n)
			l->kinds[i].rules = rules;
		l->kinds[i].name = i < n
			? names[i]
			: ((const struct ana_rule *)g_ptr_array_index(rules->rules, i - n))->name;
	}
	latency_rows_init(l);
}

void latency_ask_clear(struct latency *l)
{
	forget_list(l);
	g_clear_pointer(&l->marks, g_array_unref);
	forget_figures(l);
	latency_rows_clear(l);
	g_free(l->kinds);
	ask_worker_free(l->pane.worker);
}
