/* SPDX-License-Identifier: MIT */
/* The question of a list, what its worker does, and its commands. */
#include "ui/widget/list_pane.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "ui/core/ui_argument.h"

#include <inttypes.h>
#include <string.h>

#define SHOW_US 300000 /* between two shows of an unfinished list, which has also grown by: */
#define GROWN 8        /* 1/GROWN */
#define WIDE 110       /* columns from which on a title has room */

/* ---- in the worker ---- */

struct list_question {
	struct list_kind kind; /* a copy: that of a pane can change */
	struct table_question ask;
};

/* All rows of C, as far as there is room; offers parts if OFFERS. */
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

static void *list_answer(struct qry *q, const void *question, struct base_progress *progress, GError **error)
{
	struct list_question asked = *(const struct list_question *)question;
	gint64 shown = g_get_monotonic_time();
	struct list_part *part = NULL;
	struct table_cursor *c;

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

static void list_completed(struct ui_pane *pane, void *answer, GError *error)
{
	struct list *l = (struct list *)pane;
	struct list_part *part = answer;
	guint row = UINT_MAX;

	ask_worker_problem(&l->ask.problem, error);
	if (!part) { /* what comes of a damaged index may lack something */
		g_clear_pointer(&l->part, list_part_free);
		g_array_set_size(l->order, 0);
		return;
	}
	for (guint i = 0; i < part->n; i++)
		list_rows_complete(l->part, l->completing[i], part, i);
	l->n_complete += part->n;
	list_part_free(part);
	if (l->view.line > 0)
		list_selected(l, &row);
	if (l->needs_all && l->n_complete == l->part->n)
		list_arrange(l, row);
}

static const struct ask_kind list_completing = { .size = sizeof(struct list_completion),
	.forget = list_completion_forget,
	.answer = list_complete,
	.free = list_part_free,
	.taken = list_completed };

/* Note ROW as one to complete, unless it is complete. */
static void list_note_row(struct list *l, guint row)
{
	if (l->n_completing < LIST_BATCH && !list_rows_is_complete(l->part->rows, row))
		l->completing[l->n_completing++] = row;
}

/* Ask for rows in view, or of all if they are needed.  False if there is none to complete. */
static bool list_ask_completion(struct list *l)
{
	gsize size = l->part->rows->row_size;
	struct list_completion question = { list_kind(l), l->asked, 0, NULL };

	l->n_completing = 0;
	for (guint i = l->view.top; i < MIN(l->view.top + l->view.seen, l->order->len); i++)
		list_note_row(l, g_array_index(l->order, guint, i));
	for (guint row = 0; !l->n_completing && l->needs_all && row < l->part->n; row++)
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

/* The row of PART that is row ROW of BEFORE; UINT_MAX: none. */
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

/* The first line stays the first, whatever row it is. */
static void list_offered(struct ui_pane *pane, void *answer)
{
	struct list *l = (struct list *)pane;
	struct list_part *before = l->part;
	guint row = UINT_MAX;

	l->part = answer;
	if (before && l->view.line > 0 && l->view.line < l->order->len)
		row = list_again(list_kind(l), before, g_array_index(l->order, guint, l->view.line), l->part);
	list_part_free(before);
	l->n_complete = 0;
	ask_worker_cancel(l->completer);
	list_arrange(l, row);
}

static void list_taken(struct ui_pane *pane, void *answer, GError *error)
{
	struct list *l = (struct list *)pane;

	ask_worker_problem(&l->ask.problem, error);
	if (answer) {
		list_offered(pane, answer);
		return;
	}
	g_clear_pointer(&l->part, list_part_free); /* what comes of a damaged index may lack something */
	g_array_set_size(l->order, 0);
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
	return scope_title_whose(l->pane.shell, l->scope, l->row);
}

static bool list_was_asked(const struct list *l, const struct table_question *q)
{
	const struct table_question *a = &l->asked;

	return l->ask.has_asked && a->row == q->row && a->host == q->host && a->from == q->from &&
		a->to == q->to && a->of_process == q->of_process && a->hide_tracer == q->hide_tracer &&
		a->user_threads == q->user_threads && !g_strcmp0(a->kind, q->kind) &&
		!g_strcmp0(a->by, q->by);
}

/* Ask for ROW in [FROM, TO), unless it was. */
static void list_ask_for(struct list *l, uint32_t row, int64_t from, int64_t to)
{
	const struct list_kind *kind = list_kind(l);
	struct list_question q = { *kind, TABLE_ALL };
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
	l->row = q.ask.row;
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
		asking_ask(&l->ask, l->self, &q);
}

/* Ask what is wanted now, unless it was. */
static void list_ask(struct list *l)
{
	bool all = list_kind(l)->whole || list_kind(l)->of_all >> l->scope & 1;
	uint32_t row = all ? MDL_NONE : l->row;
	int64_t from = l->from, to = l->to;

	if (list_kind(l)->whole) {
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

void list_show(struct list *l, struct list_part *part)
{
	guint row = UINT_MAX;

	list_selected(l, &row);
	list_part_free(l->part);
	l->part = part;
	if (part)
		list_arrange(l, row);
	else
		g_array_set_size(l->order, 0);
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

	if (list_kind(l)->forget)
		list_kind(l)->forget(l);
	asking_clear(&l->ask, pane);
	ask_worker_free(l->completer);
	list_embed_clear(l);
}

void list_changed(struct ui_pane *pane, unsigned changes)
{
	struct list *l = (struct list *)pane;

	if (!ask_worker_start(pane, changes, &list_asking) || !list_kind(l)->table)
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
	l->sort = g_strdup(before->sort);
	l->reversed = before->reversed;
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
	if (!ui_fields_set(fields, pane, pane->shell, kept, error)) /* where one was */
		return false;
	list_view_go(&l->view, 0, l->order->len);
	return true;
}

/* ---- texts ---- */

void list_title(struct ui_pane *pane, GString *title)
{
	const struct list *l = (const struct list *)pane;
	const struct list_kind *kind = list_kind(l);
	guint n = l->part ? l->part->n : 0, seen = l->order->len;

	if (!l->ask.has_asked)
		return;
	scope_title(pane->shell, title, pane->w < WIDE && kind->narrow ? kind->narrow : kind->title,
		kind->whose ? kind->whose(l) : NULL, l->from, l->to);
	if (!l->part)
		return;
	g_string_append(title, "  ");
	if (l->part->full)
		g_string_append(title, "the first ");
	if (l->filter)
		g_string_append_printf(title, "%u of ", seen);
	g_string_append_printf(title, "%u %.*s", n,
		(int)strlen(kind->table->list) - (n == 1 && g_str_has_suffix(kind->table->list, "s")),
		kind->table->list);
	if (ask_worker_busy(pane->worker))
		g_string_append_printf(title, " (%.0f%% done)",
			100.0 * MIN(ask_worker_share(pane->worker), 0.99));
	if (l->needs_all && l->n_complete < n)
		g_string_append_printf(title, " (%u looked at)", l->n_complete);
	if (l->filter)
		g_string_append_printf(title, "  only %s", l->filter);
}

/* ---- order and columns ---- */

static void list_say_order(struct list *l)
{
	unsigned column = list_sorted_by(l);
	const struct table_column *c = &l->part->rows->columns[column];
	bool falls = list_falls(c) != l->reversed;

	ui_shell_message(l->pane.shell, "sorted by %s, %s", list_heading(c),
		list_rows_is_text(c)            ? falls ? "Z to A" : "A to Z"
			: c->type == TABLE_TIME ? falls ? "latest first" : "earliest first"
			: falls                 ? "largest first"
						: "smallest first");
}

/* Sort by COLUMN, REVERSED or as it is at first. */
static void list_sort(struct list *l, unsigned column, bool reversed)
{
	char *name = g_strdup(l->part->rows->columns[column].name);

	l->reversed = reversed;
	g_free(l->sort);
	l->sort = name;
	l->view.line = l->view.top = 0;
	list_arrange(l, UINT_MAX);
	list_say_order(l);
}

/* By the column that is named, else by the next one that is wanted. */
static void list_next_order(struct list *l)
{
	struct ui_shell *shell = l->pane.shell;
	g_autofree char *name = ui_argument_take(shell);
	struct list_choice chosen[TABLE_COLUMNS_MAX];
	unsigned i = 0, column, n = list_choose(l, chosen);

	if (name) {
		column = list_rows_find(l->part->rows, name);
		if (column == l->part->rows->n_columns)
			ui_argument_refuse(shell, UI_CMD_SORT, name);
		else
			list_sort(l, column, false);
		return;
	}
	while (i < n && chosen[i].column != list_sorted_by(l))
		i++;
	if (n)
		list_sort(l, chosen[i + 1 < n ? i + 1 : 0].column, false);
}

static void list_reverse(struct list *l)
{
	if (list_sorted_by(l) < l->part->rows->n_columns)
		list_sort(l, list_sorted_by(l), !l->reversed);
	else
		ui_shell_message(l->pane.shell, "the list has its own order: sort it by a column first");
}

void list_words(struct ui_pane *pane, enum ui_command command, GPtrArray *words)
{
	const struct list *l = list_of(pane);

	if (command != UI_CMD_SORT || !pane->shown || !ui_pane_focused(pane) || !l->part)
		return;
	for (unsigned i = 0; i < l->part->rows->n_columns; i++)
		if (l->part->rows->columns[i].heading)
			g_ptr_array_add(words, (char *)(uintptr_t)l->part->rows->columns[i].name);
}

void list_columns(const struct ui_pane_ops *ops, GPtrArray *names)
{
	const struct list_kind *kind = ops->kind;
	if (!kind->table)
		return;
	const struct table_cursor cursor = { .table = kind->table, .in = { .format = TABLE_TEXT } };
	struct list_rows *rows = list_rows_new(&cursor, kind->columns, NULL);

	for (unsigned i = 0; i < rows->n_columns; i++)
		if (*rows->columns[i].name)
			g_ptr_array_add(names, g_strdup(rows->columns[i].name));
	list_rows_unref(rows);
}

static void columns_answered(struct ui_pane *pane, const char *text)
{
	struct list *l = list_of(pane);
	g_auto(GStrv) words = g_strsplit_set(text, " ", -1);
	g_autoptr(GString) chosen = g_string_new(NULL), known = g_string_new(NULL);
	const char *wrong = NULL;

	if (!l->part)
		return;
	for (char **word = words; *word; word++) {
		if (**word && list_rows_find(l->part->rows, *word) == l->part->rows->n_columns)
			wrong = *word;
		if (**word)
			g_string_append_printf(chosen, "%s%s", chosen->len ? " " : "", *word);
	}
	for (unsigned i = 0; i < l->part->rows->n_columns; i++)
		g_string_append_printf(known, " %s", l->part->rows->columns[i].name);
	if (wrong) {
		ui_shell_error(pane->shell, "no column is called \"%s\": there are%s", wrong, known->str);
		return;
	}
	g_free(l->columns);
	l->columns = chosen->len ? g_strdup(chosen->str) : NULL;
	ui_shell_message(pane->shell, "columns:%s%s; of%s", chosen->len ? " " : " those that fit",
		chosen->str, known->str);
}

static void list_ask_columns(struct list *l)
{
	struct list_choice chosen[TABLE_COLUMNS_MAX];
	unsigned n = list_choose(l, chosen);
	g_autoptr(GString) now = g_string_new(NULL);

	for (unsigned i = 0; i < n; i++)
		g_string_append_printf(now, "%s%s", i ? " " : "",
			l->part->rows->columns[chosen[i].column].name);
	ui_shell_ask(l->pane.shell, l->self, "columns, in order (empty: as at first)", now->str,
		columns_answered, NULL);
}

/* ---- going ---- */

/* Go to the place of the selected row.  OPENS: and show the wait that it is.  False if there is no place. */
static bool list_go(struct list *l, bool opens)
{
	struct ui_shell *shell = l->pane.shell;
	struct table_place place;
	guint row;

	if (!list_selected(l, &row))
		return false;
	place = *list_rows_place(l->part->rows, row);
	if (place.row == MDL_NONE && place.to == BASE_TIME_NONE) {
		ui_shell_message(shell, "this line leads nowhere");
		return true;
	}
	ui_shell_go(shell, place.is_wait ? place.to : place.from,
		place.row == MDL_NONE ? shell->view->row : place.row);
	asking_stay(&l->ask, l->self);
	if (opens && place.is_wait)
		ui_shell_lead(shell, UI_LEAD(WAIT, .row = place.row, .to = place.to));
	return true;
}

/* ---- commands ---- */

static void list_next_scope(struct list *l)
{
	if (!ui_argument_turn(l->self, UI_CMD_SCOPE))
		return;
	l->ask.gone = false;
	list_ask(l);
	ui_shell_message(l->pane.shell, "%s", list_kind(l)->scopes_said[l->scope]);
}

static void list_next_way(struct list *l)
{
	const struct list_kind *kind = list_kind(l);

	l->way = (l->way + 1) % kind->n_ways;
	list_ask(l);
	ui_shell_message(l->pane.shell, "%s", kind->ways_said[l->way]);
}

bool list_leave_search(struct list *l)
{
	guint row = UINT_MAX;

	if (l->find) {
		g_clear_pointer(&l->find, g_free);
		return true;
	}
	if (!l->filter)
		return false;
	list_selected(l, &row);
	g_clear_pointer(&l->filter, g_free);
	list_arrange(l, row);
	return true;
}

/* Esc: what the user did last is undone first. */
static bool list_leave(struct list *l)
{
	if (ask_worker_busy(l->pane.worker)) {
		ask_worker_cancel(l->pane.worker);
		ui_shell_message(l->pane.shell, "stopped: the list is not whole");
	} else if (l->needs_all && l->n_complete < l->part->n) {
		g_clear_pointer(&l->sort, g_free);
		g_clear_pointer(&l->filter, g_free);
		l->reversed = false;
		list_arrange(l, UINT_MAX);
		ui_shell_message(l->pane.shell, "stopped: the list has its first order");
	} else {
		return list_leave_search(l);
	}
	return true;
}

/* Commands that need rows. */
static bool list_rows_command(struct list *l, enum ui_command command)
{
	switch (command) {
	case UI_CMD_SORT: list_next_order(l); return true;
	case UI_CMD_REVERSE: list_reverse(l); return true;
	case UI_CMD_COLUMNS: list_ask_columns(l); return true;
	case UI_CMD_FILTER: list_filter_ask(l); return true;
	case UI_CMD_SEARCH: list_find_ask(l); return true;
	case UI_CMD_SEARCH_NEXT:
	case UI_CMD_SEARCH_PREV: list_find_step(l, command == UI_CMD_SEARCH_NEXT ? 1 : -1); return true;
	default: return false;
	}
}

bool list_part_command(struct list *l, enum ui_command command)
{
	return (l->part && list_rows_command(l, command)) || list_view_move(&l->view, command, l->order->len);
}

static bool list_focused_command(struct list *l, enum ui_command command)
{
	bool goes = command == UI_CMD_FOLLOW || command == UI_CMD_ACTIVATE || command == UI_CMD_WHY;

	if (l->on_heading && command == UI_CMD_ACTIVATE)
		return true; /* a double click on a heading sorts */
	if (command == UI_CMD_CLEAR && list_leave(l))
		return true;
	if (command == UI_CMD_FOLD && list_kind(l)->n_ways) {
		list_next_way(l);
		return true;
	}
	if (goes)
		return list_go(l, command != UI_CMD_FOLLOW) || ask_worker_holds(l->self, command);
	return list_part_command(l, command);
}

bool list_command(struct ui_pane *pane, enum ui_command command)
{
	struct list *l = (struct list *)pane;
	bool taken;

	if (list_kind(l)->command && list_kind(l)->command(l, command))
		return true;
	if (!pane->shown)
		return false;
	if (command == UI_CMD_SCOPE && list_kind(l)->scopes_said) {
		list_next_scope(l);
		return true;
	}
	taken = ui_pane_focused(pane) && list_focused_command(l, command);
	l->on_heading = false;
	return taken;
}

bool list_point_at(struct list *l, unsigned x, unsigned y)
{
	l->on_heading = l->part && y == l->heading_y;
	if (!l->on_heading)
		return list_view_point(&l->view, y, l->order->len);
	for (unsigned i = 0; i < l->n_places; i++)
		if (x >= l->places[i].x && x < l->places[i].x + l->places[i].w + l->places[i].bar + 1)
			list_sort(l, l->places[i].column,
				l->places[i].column == list_sorted_by(l) && !l->reversed);
	return true;
}

void list_point(struct ui_pane *pane, unsigned x, unsigned y)
{
	list_point_at((struct list *)pane, x, y);
}

/* ---- to a file ---- */

static void *list_make_result(G_GNUC_UNUSED struct qry *q, void *data, struct base_progress *progress,
	G_GNUC_UNUSED GError **error)
{
	struct table_asked *asked = g_memdup2(data, sizeof(struct table_asked));

	asked->ask.progress = progress;
	return asked;
}

bool list_result(struct ui_pane *pane, struct ui_result *result)
{
	const struct list *l = (const struct list *)pane;
	struct table_asked asked = { list_kind(l)->table, l->asked };

	if (!l->part)
		return false;
	asked.ask.parts = false;
	g_autofree char *file = g_strconcat(pane->ops->name, ".txt", NULL);

	*result = (struct ui_result){ .name = "table",
		.file = g_intern_string(file),
		.what = g_strdup_printf("%u %s", l->part->n, list_kind(l)->table->list),
		.from = l->from,
		.to = l->to,
		.row = l->row,
		.data = g_memdup2(&asked, sizeof asked),
		.free = g_free,
		.make = list_make_result,
		.free_made = g_free };
	return true;
}
