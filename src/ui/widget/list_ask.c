/* SPDX-License-Identifier: MIT */
/* The question of a list, the work of its worker, and the state that is kept. */
#include "ui/widget/list_pane.h"

#include "base/base_time.h"

#include <string.h>

#define SHOW_US 300000 /* µs: show an unfinished list at most this often, if it grew by 1/GROWN since */
#define GROWN 8
#define DELAY_STEP 5 /* ms */

/* ---- in the worker ---- */

struct list_question {
	struct list_kind kind; /* a copy: the pane's kind can change */
	struct table_question ask;
	unsigned delay;
};

/* The rows of C, up to the limits of list_rows.h.  OFFERS: offer parts meanwhile. */
static struct list_part *list_read(struct table_cursor *c, const struct list_kind *kind, bool offers,
	GError **error)
{
	struct list_rows *rows = list_rows_new(c, kind->columns, kind->keys);
	gint64 shown = g_get_monotonic_time();
	struct list_part *part = NULL;
	const void *row;
	guint before = 0;
	int found;

	while ((found = table_next(c, &row, error)) > 0 && list_rows_add(rows, c, row)) {
		if (!offers || rows->n < before + before / GROWN || g_get_monotonic_time() < shown + SHOW_US)
			continue;
		ask_worker_offer(c->ask.progress, list_part_new(rows));
		shown = g_get_monotonic_time();
		before = rows->n;
	}
	if (found >= 0)
		part = list_part_new(rows);
	list_rows_unref(rows);
	return part;
}

struct list_part *list_read_all(const struct list_kind *kind, struct qry *q, const struct table_question *ask,
	GError **error)
{
	struct table_cursor *c = table_open(kind->table, q, ask, error);
	struct list_part *part = c ? list_read(c, kind, false, error) : NULL;

	table_close(c);
	return part;
}

static void *list_answer(struct qry *q, const void *question, struct base_progress *progress, GError **error)
{
	struct list_question asked = *(const struct list_question *)question;
	gint64 shown = g_get_monotonic_time();
	struct list_part *part = NULL;
	struct table_cursor *c;

	for (unsigned ms = 0; ms < asked.delay && !base_progress_cancelled(progress); ms += DELAY_STEP)
		g_usleep(DELAY_STEP * 1000);
	asked.ask.progress = progress;
	c = table_open(asked.kind.table, q, &asked.ask, error);
	while (c && table_work(c)) {
		if (g_get_monotonic_time() < shown + SHOW_US)
			continue;
		part = list_read(c, &asked.kind, false, NULL);
		if (part)
			ask_worker_offer(progress, part);
		shown = g_get_monotonic_time();
	}
	part = c ? list_read(c, &asked.kind, !asked.kind.table->work, error) : NULL;
	table_close(c);
	return part;
}

/* ---- completing rows, in another worker ---- */

struct list_completion {
	const struct list_kind *kind;
	struct table_question ask;
	guint n;
	char *raw; /* N rows; owned */
};

static void list_completion_forget(void *question)
{
	g_free(((struct list_completion *)question)->raw);
}

static void *list_complete(struct qry *q, const void *question, struct base_progress *progress,
	GError **error)
{
	const struct list_completion *asked = question;
	const struct table *table = asked->kind->table;
	struct table_question ask = asked->ask;
	struct list_rows *rows = NULL;
	struct list_part *part = NULL;
	struct table_cursor *c;
	bool fine;

	ask.progress = progress;
	ask.no_rows = true;
	c = table_open(table, q, &ask, error);
	fine = c;
	if (fine)
		rows = list_rows_new(c, asked->kind->columns, asked->kind->keys);
	for (guint i = 0; fine && i < asked->n; i++) {
		void *row = asked->raw + i * table->row_size;

		fine = table->complete(c, row, error) && list_rows_add(rows, c, row);
	}
	if (fine)
		part = list_part_new(rows);
	list_rows_unref(rows);
	table_close(c);
	return part;
}

/* Drop all rows because of ERROR: rows of a damaged index may be incomplete. */
static void list_failed(struct list *l, GError *error)
{
	ask_worker_problem(&l->ask.problem, error);
	g_clear_pointer(&l->part, list_part_free);
	g_array_set_size(l->order, 0);
}

static void list_completed(struct ui_pane *pane, void *answer, GError *error)
{
	struct list *l = (struct list *)pane;
	struct list_part *part = answer;
	guint n;

	if (!part) {
		list_failed(l, error);
		return;
	}
	n = part->n;
	for (guint i = 0; i < n; i++)
		list_rows_complete(l->part, l->completing[i], part, i);
	list_part_free(part);
	list_know_rows(l, l->n_complete + n);
}

static const struct ask_kind list_completing = { .size = sizeof(struct list_completion),
	.forget = list_completion_forget,
	.answer = list_complete,
	.free = list_part_free,
	.taken = list_completed };

/* Note ROW to be completed, unless it is complete. */
static void list_note_row(struct list *l, guint row)
{
	if (l->n_completing < LIST_BATCH && !list_rows_is_complete(l->part->rows, row))
		l->completing[l->n_completing++] = row;
}

/* Ask to complete the visible rows.  If these are complete and the list needs all, other rows follow.  False
 * if there is none to complete. */
static bool list_ask_completion(struct list *l)
{
	gsize size = l->part->rows->row_size;
	struct list_completion question = { l->kind, l->asked, 0, NULL };

	l->n_completing = 0;
	for (guint i = l->view.top; i < MIN(l->view.top + l->view.seen, l->order->len); i++)
		list_note_row(l, g_array_index(l->order, guint, i));
	if (!l->n_completing && l->needs_all)
		for (guint row = 0; l->n_completing < LIST_BATCH && row < l->part->n; row++)
			list_note_row(l, row);
	if (!l->n_completing)
		return false;
	question.n = l->n_completing;
	question.raw = g_malloc(question.n * size);
	for (guint i = 0; i < question.n; i++)
		memcpy(question.raw + i * size, list_rows_raw(l->part->rows, l->completing[i]), size);
	if (!l->completer)
		l->completer = ask_worker_new(l->pane.shell->q, &list_completing);
	ask_worker_ask(l->completer, &question);
	return true;
}

bool list_work(struct ui_pane *pane)
{
	struct list *l = (struct list *)pane;
	bool more = ask_worker_wait(pane->worker, pane, ASK_SLICE);

	if (more || !l->part || !l->part->rows->row_size)
		return more;
	if (!ask_worker_busy(l->completer) && !list_ask_completion(l))
		return false;
	ask_worker_wait(l->completer, pane, ASK_SLICE);
	return true;
}

/* ---- its answer ---- */

/* True if the cells of the kind's keys are equal in row A of X and row B of Y. */
static bool list_is_same(const struct list_kind *kind, const struct list_rows *x, guint a,
	const struct list_rows *y, guint b)
{
	for (const char *const *key = kind->keys; *key; key++) {
		unsigned i = list_rows_find(x, *key), j = list_rows_find(y, *key);
		const struct list_cell *p = list_rows_cell(x, a, i), *q = list_rows_cell(y, b, j);

		if (list_rows_is_text(&x->columns[i]) ? g_strcmp0(p->word, q->word) != 0
						      : p->number != q->number)
			return false;
	}
	return true;
}

/* The row of PART that is the same as row ROW of BEFORE; UINT_MAX: none. */
static guint list_again(const struct list_kind *kind, const struct list_part *before, guint row,
	const struct list_part *part)
{
	if (before->rows == part->rows || !kind->keys)
		return row;
	for (guint i = 0; i < part->n; i++)
		if (list_is_same(kind, before->rows, row, part->rows, i))
			return i;
	return UINT_MAX;
}

/* If the first line was selected, it stays selected, whatever row it is now. */
static void list_offered(struct ui_pane *pane, void *answer)
{
	struct list *l = (struct list *)pane;
	struct list_part *before = l->part;
	guint row = UINT_MAX;

	l->part = answer;
	if (before && l->view.line > 0 && l->view.line < l->order->len)
		row = list_again(l->kind, before, g_array_index(l->order, guint, l->view.line), l->part);
	list_part_free(before);
	l->n_complete = l->part->rows->row_size ? 0 : l->part->n;
	ask_worker_cancel(l->completer);
	list_arrange(l, row);
}

static void list_taken(struct ui_pane *pane, void *answer, GError *error)
{
	if (answer)
		list_offered(pane, answer);
	else
		list_failed((struct list *)pane, error);
}

static const struct ask_kind list_asking = { .size = sizeof(struct list_question),
	.answer = list_answer,
	.free = list_part_free,
	.taken = list_taken,
	.offered = list_offered };

/* ---- the question ---- */

const char *list_ask_threads(const struct list *l, struct table_question *q)
{
	const struct qry_row *row = q->row == MDL_NONE ? NULL : qry_row(l->pane.shell->q, q->row);

	q->user_threads = l->scope == SCOPE_USER;
	q->of_process = l->scope == SCOPE_PROCESS;
	if (scope_of_all(l->scope))
		return NULL;
	if (!row || row->type != MDL_ROW_THREAD)
		return "this row is not a thread: select one";
	if (q->of_process)
		q->row = row->process;
	return NULL;
}

char *list_whose_threads(const struct list *l)
{
	return scope_title_whose(l->pane.shell, l->scope, l->asked.row);
}

static bool list_was_asked(const struct list *l, const struct table_question *q)
{
	const struct table_question *a = &l->asked;

	return l->ask.has_asked && a->row == q->row && a->host == q->host && a->from == q->from &&
		a->to == q->to && a->of_process == q->of_process && a->hide_tracer == q->hide_tracer &&
		a->user_threads == q->user_threads && !g_strcmp0(a->kind, q->kind) &&
		!g_strcmp0(a->by, q->by) && !g_strcmp0(a->query, q->query);
}

/* Ask for ROW in [FROM, TO), unless that was asked already. */
static void list_ask_for(struct list *l, uint32_t row, int64_t from, int64_t to)
{
	const struct list_kind *kind = l->kind;
	struct list_question q = { *kind, TABLE_ALL, l->delay };
	const char *refused;

	q.ask.row = row;
	q.ask.from = from;
	q.ask.to = to;
	q.ask.by = kind->n_ways ? kind->ways[l->way] : NULL;
	q.ask.hide_tracer = row == MDL_NONE && !kind->whole && l->pane.shell->hide_tracer;
	q.ask.format = TABLE_TEXT;
	q.ask.parts = true;
	refused = kind->ask ? kind->ask(l, &q.ask) : NULL;
	if (list_was_asked(l, &q.ask))
		return;
	l->asked = q.ask;
	l->row = row;
	l->from = from;
	l->to = to;
	ask_worker_cancel(l->completer);
	g_clear_pointer(&l->part, list_part_free);
	g_array_set_size(l->order, 0);
	l->view = (struct list_view){ 0 };
	if (kind->forget)
		kind->forget(l);
	if (refused)
		asking_refuse(&l->ask, l->self, refused);
	else
		asking_ask(&l->ask, l->self, &q, l->delay ? 0 : ASK_AT_ONCE);
}

void list_ask(struct list *l)
{
	bool all = l->kind->whole || l->kind->of_all >> l->scope & 1;
	uint32_t row = all ? MDL_NONE : l->row;
	int64_t from = l->from, to = l->to;

	if (l->kind->whole) {
		from = l->pane.shell->span_from;
		to = l->pane.shell->span_to;
	} else {
		asking_what(&l->ask, l->self, all ? NULL : &row, &from, &to);
	}
	list_ask_for(l, row, from, to);
}

void list_ask_again(struct list *l)
{
	struct list_view view = l->view;

	l->ask.has_asked = false;
	list_ask(l);
	l->view = view;
	list_view_go(&l->view, 0, l->order->len);
}

void list_begin(struct list *l)
{
	g_clear_pointer(&l->sort, g_free);
	g_clear_pointer(&l->filter, g_free);
	g_clear_pointer(&l->columns, g_free);
	l->reversed = l->ask.gone = l->ask.has_asked = false;
	ui_shell_show(l->pane.shell, l->self, true);
	list_ask(l);
}

void list_embed(struct list *l, struct ui_pane *pane, const struct list_kind *kind)
{
	l->pane.shell = pane->shell;
	l->pane.ops = pane->ops;
	l->self = pane;
	l->kind = kind;
	l->order = g_array_new(FALSE, FALSE, sizeof(guint));
}

void list_embed_clear(struct list *l)
{
	list_part_free(l->part);
	g_array_unref(l->order);
	g_free(l->sort);
	g_free(l->filter);
	g_free(l->columns);
	g_free(l->find);
}

void list_carry_order(struct list *l, const struct list *before)
{
	l->sort = g_strdup(before->sort);
	l->reversed = before->reversed;
}

void list_show(struct list *l, struct list_part *part)
{
	guint row = UINT_MAX;

	list_selected(l, &row);
	list_part_free(l->part);
	l->part = part;
	l->n_complete = part ? part->n : 0;
	if (part)
		list_arrange(l, row);
	else
		g_array_set_size(l->order, 0);
}

void list_fill(struct list *l, const void *context, const void *data, guint n, gsize size)
{
	struct qry *q = l->pane.shell->q;
	struct table_cursor c = { .table = l->kind->table,
		.q = q,
		.in = { .q = q, .context = context, .format = TABLE_TEXT } };
	struct list_rows *rows = list_rows_new(&c, l->kind->columns, NULL);

	for (guint i = 0; i < n; i++) {
		c.in.number = i;
		list_rows_add(rows, &c, (const char *)data + i * size);
	}
	list_show(l, list_part_new(rows));
	list_rows_unref(rows);
}

void list_init(struct ui_pane *pane)
{
	struct list *l = (struct list *)pane;

	list_embed(l, pane, pane->ops->kind);
	l->row = MDL_NONE;
}

void list_clear(struct ui_pane *pane)
{
	struct list *l = (struct list *)pane;

	if (l->kind->forget)
		l->kind->forget(l);
	asking_clear(&l->ask, pane);
	ask_worker_free(l->completer);
	list_embed_clear(l);
}

void list_changed(struct ui_pane *pane, unsigned changes)
{
	struct list *l = (struct list *)pane;

	if (!ask_worker_start(pane, changes, &list_asking) || !l->kind->table)
		return;
	if (pane->shown)
		list_ask(l);
	else
		asking_leave(&l->ask, pane);
}

/* ---- the view that is kept ---- */

bool list_to_keep(struct ui_pane *pane)
{
	return ((struct list *)pane)->ask.has_asked;
}

void list_carry(struct ui_pane *pane, struct ui_pane *old)
{
	struct list *l = (struct list *)pane, *before = (struct list *)old;

	ui_fields_carry(pane, old);
	list_carry_order(l, before);
	l->filter = g_strdup(before->filter);
	l->columns = g_strdup(before->columns);
}

bool list_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	const struct ui_field *fields = pane->ops->fields;
	struct list *l = (struct list *)pane;

	if (!ui_fields_set(fields, pane, pane->shell, kept, error))
		return false;
	if (l->from == BASE_TIME_NONE || l->to == BASE_TIME_NONE)
		return true;
	list_ask_for(l, l->row, l->from, l->to);
	asking_stay(&l->ask, pane);
	list_arrange(l, UINT_MAX);
	if (!ui_fields_set(fields, pane, pane->shell, kept, error)) /* restore the position in the new list */
		return false;
	list_view_go(&l->view, 0, l->order->len);
	return true;
}
