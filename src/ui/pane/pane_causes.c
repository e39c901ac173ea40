/* SPDX-License-Identifier: MIT */
/*
 * The causes of the waits of the selected thread, its process, or all threads, within the selection or the
 * window.  A move from here does not change the list, so the user can go from one longest wait to the next.
 *
 * The list grows while a worker looks at waits; it is drawn a few times a second, for the sake of slow
 * lines.  A line for each cause: the sum of its waits, its share of all waiting, how many waits, the
 * longest, how many are proved.  Below the list, if there is room: what was not recorded, and how to record
 * it.
 */
#include "ui/pane/pane.h"

#include "analysis/causes/causes.h"
#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_time.h"
#include "query/host/tracer.h"
#include "ui/core/ui_argument.h"
#include "ui/core/ui_config.h"
#include "ui/widget/subject.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/host_look.h"
#include "ui/widget/looks.h"
#include "ui/widget/list_view.h"

#include <string.h>

#define HEIGHT 11      /* lines that the list wants on a small screen */
#define STEPS 1024     /* of the work, between two looks at the clock and at whether to stop */
#define SHOW_US 300000 /* between two shows of an unfinished list */
#define BAR_FROM 5     /* lines from which on the selected line is told in full below */
#define WIDE 110       /* columns from which on each grade has one of its own */

enum order { BY_TIME, BY_LONGEST, BY_COUNT, BY_GRADE, ORDER_N };

static const char *const order_names[ORDER_N] = { "time", "longest wait", "number of waits",
	"what is not proved" };

/* The question of the list. */
struct question {
	enum scope scope; /* whose waits, always within the selection or the window */
	uint32_t row;     /* MDL_NONE: all threads */
	int64_t from, to;
	bool hide_tracer; /* of all threads, without the tracer's own */
	enum ana_causes_by by;
};

struct causes {
	struct ui_pane pane;
	enum scope scope;
	enum order order;
	enum ana_causes_by by;
	struct asking ask;
	struct question asked;
	GArray *entries; /* of struct ana_causes_entry as sorted here; owned, with their names and labels */
	int64_t total;   /* ns of all entries */
	struct list_view view;
};

static const struct ana_causes_entry *pane_causes_nth(const struct causes *c, unsigned i)
{
	return &g_array_index(c->entries, struct ana_causes_entry, i);
}

/* ---- in the worker ---- */

static void clear_entry(gpointer data)
{
	struct ana_causes_entry *entry = data;

	g_free(entry->name);
	g_free(entry->label);
}

static GArray *entries_new(void)
{
	GArray *entries = g_array_new(FALSE, FALSE, sizeof(struct ana_causes_entry));

	g_array_set_clear_func(entries, clear_entry);
	return entries;
}

/* Copies of the entries found so far: their labels change with each thread that a cause gets. */
static GArray *found_so_far(struct ana_causes *work)
{
	const GArray *found = ana_causes_entries(work);
	GArray *entries = entries_new();

	g_array_append_vals(entries, found->data, found->len);
	for (guint i = 0; i < entries->len; i++) {
		struct ana_causes_entry *e = &g_array_index(entries, struct ana_causes_entry, i);

		e->name = g_strdup(e->name);
		e->label = g_strdup(e->label);
	}
	return entries;
}

static bool belongs(const struct qry *q, uint32_t row, const struct question *asked)
{
	const struct qry_row *r = qry_row(q, row);

	if (r->type != MDL_ROW_THREAD)
		return false;
	if (scope_of_all(asked->scope))
		return !(asked->hide_tracer && qry_is_tracer(q, row)) &&
			(asked->scope == SCOPE_ALL || !qry_is_kernel_thread(q, row));
	return row == asked->row || (asked->scope == SCOPE_PROCESS && r->process == asked->row);
}

/* The causes of the waits that ASKED is about.  OFFERED: offer the part found so far (ask_worker_offer()). */
static GArray *pane_causes_look(struct qry *q, const struct question *asked, bool offered,
	struct base_progress *progress, GError **error)
{
	g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	GArray *entries = NULL;
	struct ana_causes *work;
	uint64_t all = 0;
	int64_t shown = 0;

	for (uint32_t row = 0; row < qry_row_count(q); row++) {
		if (!belongs(q, row, asked))
			continue;
		g_array_append_val(rows, row);
		all += qry_wakeup_seek(q, row, asked->to) - qry_wakeup_seek(q, row, asked->from) + 1;
	}
	work = ana_causes_new(q, (const uint32_t *)(const void *)rows->data, rows->len, asked->by,
		asked->from, asked->to);
	while (ana_causes_work(work, STEPS) && !base_progress_cancelled(progress)) {
		base_progress_set(progress, (double)ana_causes_looked(work) / (double)MAX(all, 1), 0);
		if (!offered || g_get_monotonic_time() - shown < SHOW_US)
			continue;
		ask_worker_offer(progress, found_so_far(work));
		shown = g_get_monotonic_time();
	}
	if (base_progress_cancelled(progress))
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "stopped");
	else
		entries = found_so_far(work);
	ana_causes_free(work);
	return entries;
}

static void *pane_causes_make_answer(struct qry *q, const void *question, struct base_progress *progress,
	GError **error)
{
	return pane_causes_look(q, question, true, progress, error);
}

/* ---- the list ---- */

static int pane_causes_compare(const void *a, const void *b, void *data)
{
	const struct ana_causes_entry *x = a, *y = b;
	const enum order *order = data;
	int cmp = 0;

	if (*order == BY_LONGEST)
		cmp = BASE_BY(y, x, longest);
	else if (*order == BY_COUNT)
		cmp = BASE_BY(y, x, count);
	else if (*order == BY_GRADE) /* waits that are not proved, and of those first the unknown ones */
		cmp = BASE_BY(y, x, grades[MDL_UNSURE]) ?: BASE_BY(y, x, grades[MDL_INFERRED]);
	return cmp ?: BASE_BY(y, x, total) ?: BASE_BY(x, y, kind) ?: strcmp(x->label, y->label);
}

/* Sort the list as C->order says; the selected cause stays so. */
static void pane_causes_sort(struct causes *c, const struct ana_causes_entry *selected)
{
	g_array_sort_with_data(c->entries, pane_causes_compare, &c->order);
	c->total = 0;
	for (unsigned i = 0; i < c->entries->len; i++) {
		const struct ana_causes_entry *e = pane_causes_nth(c, i);

		c->total = base_time_sum(c->total, e->total);
		if (selected && e->kind == selected->kind && e->host == selected->host &&
			!strcmp(e->name, selected->name) &&
			(e->threads != 1 || selected->threads != 1 || e->row == selected->row))
			c->view.line = i;
	}
}

static void offered(struct ui_pane *pane, void *answer)
{
	struct causes *c = (struct causes *)pane;
	g_autoptr(GArray) before = c->entries;
	bool keep = c->view.line > 0 && c->view.line < before->len;

	c->entries = answer;
	pane_causes_sort(c, keep ? &g_array_index(before, struct ana_causes_entry, c->view.line) : NULL);
}

static void pane_causes_taken(struct ui_pane *pane, void *answer, GError *error)
{
	struct causes *c = (struct causes *)pane;

	ask_worker_problem(&c->ask.problem, error);
	offered(pane, answer ? answer : entries_new()); /* what comes of a damaged index may lack something */
}

static const struct ask_kind looking = { .size = sizeof(struct question),
	.answer = pane_causes_make_answer,
	.free = (GDestroyNotify)g_array_unref,
	.taken = pane_causes_taken,
	.offered = offered };

/* ---- the question ---- */

/* Ask Q, unless it was. */
static void pane_causes_ask_for(struct causes *c, const struct question *q)
{
	if (c->ask.has_asked && q->scope == c->asked.scope && q->row == c->asked.row &&
		q->from == c->asked.from && q->to == c->asked.to && q->hide_tracer == c->asked.hide_tracer &&
		q->by == c->asked.by)
		return;
	g_array_set_size(c->entries, 0);
	c->asked = *q;
	c->view.line = c->view.top = 0;
	if (scope_of_all(q->scope) ||
		(q->row != MDL_NONE && qry_row(c->pane.shell->q, q->row)->type == MDL_ROW_THREAD))
		asking_ask(&c->ask, &c->pane, q);
	else
		asking_refuse(&c->ask, &c->pane,
			"this row is not a thread: select one to see what it waited for");
}

/* Ask what is wanted now, unless it was. */
static void pane_causes_ask(struct causes *c)
{
	const struct ui_shell *shell = c->pane.shell;
	bool all = scope_of_all(c->scope);
	struct question q = { .scope = c->scope,
		.row = all ? MDL_NONE : c->asked.row,
		.from = c->asked.from,
		.to = c->asked.to,
		.hide_tracer = shell->hide_tracer && all,
		.by = c->by };

	asking_what(&c->ask, &c->pane, all ? NULL : &q.row, &q.from, &q.to);
	if (c->scope == SCOPE_PROCESS && q.row != MDL_NONE &&
		qry_row(shell->q, q.row)->type == MDL_ROW_THREAD)
		q.row = qry_row(shell->q, q.row)->process;
	pane_causes_ask_for(c, &q);
}

static void causes_init(struct ui_pane *pane)
{
	struct causes *c = (struct causes *)pane;

	c->entries = entries_new();
	c->asked.row = MDL_NONE;
}

static void causes_clear(struct ui_pane *pane)
{
	struct causes *c = (struct causes *)pane;

	g_array_unref(c->entries);
	asking_clear(&c->ask, pane);
}

static void causes_changed(struct ui_pane *pane, unsigned changes)
{
	struct causes *c = (struct causes *)pane;

	if (!ask_worker_start(pane, changes, &looking))
		return;
	if (pane->shown)
		pane_causes_ask(c);
	else
		asking_leave(&c->ask, pane);
}

static const char *const groups[] = { "name", "thread" };

static const struct ui_field pane_causes_fields[] = {
	UI_FIELD_CHOICE(SCOPE, "scope", causes, scope, scope_words, SCOPE_N),
	UI_FIELD_CHOICE(SORT, "sort", causes, order, order_names, ORDER_N),
	UI_FIELD_WORDS("by", causes, by, groups, G_N_ELEMENTS(groups)),
	UI_FIELD(ROW, "row", causes, asked.row),
	UI_FIELD(TIME, "from", causes, asked.from),
	UI_FIELD(END, "to", causes, asked.to),
	ASKING_FIELDS(causes),
	UI_FIELD_LIST(causes, view),
};

static bool causes_to_keep(struct ui_pane *pane)
{
	return ((struct causes *)pane)->ask.has_asked;
}

static bool causes_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct causes *c = (struct causes *)pane;
	struct question before = c->asked, asked;

	if (!ui_fields_set(pane_causes_fields, pane, pane->shell, kept, error))
		return false;
	asked = c->asked;
	c->asked = before;
	if (asked.from == BASE_TIME_NONE || asked.to == BASE_TIME_NONE)
		return true;
	asked.scope = c->scope;
	asked.by = c->by;
	asked.hide_tracer = pane->shell->hide_tracer && scope_of_all(c->scope);
	pane_causes_ask_for(c, &asked);
	asking_stay(&c->ask, pane);
	pane_causes_sort(c, NULL);
	if (!ui_fields_set(pane_causes_fields, pane, pane->shell, kept, error)) /* where one was */
		return false;
	list_view_go(&c->view, 0, c->entries->len);
	return true;
}

/* ---- drawing ---- */

static void causes_title(struct ui_pane *pane, GString *title)
{
	const struct causes *c = (const struct causes *)pane;
	struct ui_shell *shell = pane->shell;

	scope_title(shell, title, c->pane.w < WIDE ? "Waiting" : "Causes of waiting",
		scope_title_whose(shell, c->asked.scope, c->asked.row), c->asked.from, c->asked.to);
	if (ask_worker_busy(pane->worker))
		g_string_append_printf(title, "  %.0f%% done",
			100.0 * MIN(ask_worker_share(pane->worker), 0.99));
	else if (c->ask.has_asked && !c->ask.problem)
		g_string_append_printf(title, "  by %s", order_names[c->order]);
}

/* ---- columns ---- */

#define KIND_GAP 2 /* blanks before the kind */

static void pane_causes_put_count(const struct term_area *area, const struct ui_column *cell, unsigned y,
	enum term_role role, unsigned count)
{
	char text[16];

	g_snprintf(text, sizeof text, "%u", count);
	list_cell_number(area, cell, 0, y, role, text);
}

static void pane_causes_draw_heading(const struct ui_column *cells, const struct term_area *area)
{
	static const char *const numbers[] = { "waited", "share", "waits", "longest", "proved", "inferred",
		"unknown" };

	term_area_fill(area, 0, 0, area->w, 1, TERM_ROLE_TITLE, ' ');
	for (unsigned i = 0; i < G_N_ELEMENTS(numbers); i++)
		list_cell_number(area, &cells[i], 0, 0, TERM_ROLE_TITLE, numbers[i]);
	list_cell_text(area, &cells[UI_CAUSES_KIND], KIND_GAP, 0, TERM_ROLE_TITLE, "kind");
	list_cell_text(area, &cells[UI_CAUSES_WHAT], 1, 0, TERM_ROLE_TITLE, "cause");
}

/* How many waits are proved; if no other grade has a column, in per cent, in the colour of the worst
 * grade. */
static void draw_grades(const struct ui_column *cells, const struct term_area *area, unsigned y,
	const struct ana_causes_entry *e)
{
	enum mdl_grade worst = e->grades[MDL_UNSURE] ? MDL_UNSURE
		: e->grades[MDL_INFERRED]            ? MDL_INFERRED
						     : MDL_PROVED;
	const struct ui_column *inferred = &cells[UI_CAUSES_INFERRED], *unknown = &cells[UI_CAUSES_UNKNOWN];
	char text[16];

	if (inferred->w || unknown->w) {
		pane_causes_put_count(area, &cells[UI_CAUSES_PROVED], y, kind_look_grade(MDL_PROVED),
			e->grades[MDL_PROVED]);
		pane_causes_put_count(area, inferred, y,
			e->grades[MDL_INFERRED] ? kind_look_grade(MDL_INFERRED) : TERM_ROLE_DIM,
			e->grades[MDL_INFERRED]);
		pane_causes_put_count(area, unknown, y,
			e->grades[MDL_UNSURE] ? kind_look_grade(MDL_UNSURE) : TERM_ROLE_DIM,
			e->grades[MDL_UNSURE]);
		return;
	}
	g_snprintf(text, sizeof text, "%u%%",
		(unsigned)((uint64_t)e->grades[MDL_PROVED] * 100 / MAX(e->count, 1)));
	list_cell_number(area, &cells[UI_CAUSES_PROVED], 0, y, kind_look_grade(worst), text);
}

static void draw_entry(const struct causes *c, const struct ui_column *cells, const struct term_area *area,
	unsigned y, unsigned i)
{
	struct ui_shell *shell = c->pane.shell;
	const struct ana_causes_entry *e = pane_causes_nth(c, i);
	const struct ui_column *kind = &cells[UI_CAUSES_KIND], *what = &cells[UI_CAUSES_WHAT];
	g_autofree char *time = ui_shell_duration_text(shell, e->total),
			*longest = ui_shell_duration_text(shell, e->longest);
	char share[16];

	g_snprintf(share, sizeof share, "%.1f%%", c->total ? 100 * (double)e->total / (double)c->total : 0.0);
	list_cell_number(area, &cells[UI_CAUSES_WAITED], 0, y, TERM_ROLE_STRONG, time);
	list_cell_number(area, &cells[UI_CAUSES_SHARE], 0, y, TERM_ROLE_TEXT, share);
	pane_causes_put_count(area, &cells[UI_CAUSES_WAITS], y, TERM_ROLE_TEXT, e->count);
	list_cell_number(area, &cells[UI_CAUSES_LONGEST], 0, y, TERM_ROLE_TEXT, longest);
	draw_grades(cells, area, y, e);
	if (kind->w > KIND_GAP)
		term_area_char(area, kind->x + KIND_GAP, y, kind_look_role(e->kind),
			(gunichar)kind_look_letter(e->kind));
	list_cell_text(area, kind, KIND_GAP + 2, y, TERM_ROLE_TEXT, ana_kind_name(e->kind));
	if (what->w > 1) /* with its host where there are several */
		host_look_label(area, what->x + 1, y, what->w - 1, TERM_ROLE_NAME_THREAD, shell->q, e->host,
			e->label);
}

/* ---- below the list ---- */

/* The thread of the longest wait of the selected cause. */
static void pane_causes_draw_bar(const struct causes *c, const struct term_area *area, unsigned y)
{
	struct ui_shell *shell = c->pane.shell;
	const struct ana_causes_entry *e = pane_causes_nth(c, c->view.line);
	g_autofree char *label = NULL, *length = NULL, *end = NULL;

	term_area_fill(area, 0, y, area->w, 1, TERM_ROLE_TITLE, ' ');
	if (e->longest_row == MDL_NONE)
		return;
	label = qry_row_label(shell->q, e->longest_row);
	length = ui_shell_duration_text(shell, e->longest);
	end = ui_shell_time_text(shell, e->longest_end);
	term_area_printf(area, 1, y, TERM_ROLE_TITLE,
		"longest: %s of %s until %s  %u proved, %u inferred, %u unknown", length, label, end,
		e->grades[MDL_PROVED], e->grades[MDL_INFERRED], e->grades[MDL_UNSURE]);
}

static void draw_advice(const struct causes *c, const struct term_area *area, unsigned y)
{
	const struct qry *q = c->pane.shell->q;
	uint32_t host = c->asked.row == MDL_NONE ? 0 : qry_row(q, c->asked.row)->host;
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);

	advice_text_add(lines, q, host, area->w - MIN(area->w, 4));
	if (lines->len && y + 2 < area->h)
		term_area_printf(area, 1, ++y, TERM_ROLE_DIM,
			"not recorded on %s; it would prove more:", qry_host(q, host)->name);
	for (unsigned i = 0; i < lines->len && ++y < area->h; i++)
		term_area_fit(area, 3, y, area->w - 3, TERM_ROLE_TEXT, g_ptr_array_index(lines, i));
}

/* The list, scrolled so that the selected line is in view, and what was not recorded. */
static void draw_list(struct causes *c, const struct term_area *area)
{
	struct ui_column cells[UI_CAUSES_N];
	unsigned bar = area->h >= BAR_FROM && c->entries->len, y = 0,
		 spared = area->w >= WIDE ? 0 : UI_COLUMN_SPARED;
	const unsigned widths[UI_CAUSES_N] = { 10, 7, 8, 10, 8, 10 + spared, 9 + spared, KIND_GAP + 13,
		UI_COLUMN_REST };
	struct term_area list;

	ui_columns_place(&c->pane.shell->config->columns, UI_LIST_CAUSES, widths, 0, area->w, cells);
	pane_causes_draw_heading(cells, area);
	list_view_go(&c->view, 0, c->entries->len); /* there may be fewer lines than before */
	list = list_view_area(&c->view, area, 1, bar, c->entries->len);
	for (; y < c->view.seen; y++)
		draw_entry(c, cells, &list, y, c->view.top + y);
	list_view_mark(&c->view, &c->pane, &list);
	if (!c->entries->len && !ask_worker_busy(c->pane.worker))
		term_area_text(&list, 1, y++, TERM_ROLE_DIM, "no wait ended here");
	draw_advice(c, &list, y);
	if (bar)
		pane_causes_draw_bar(c, area, area->h - 1);
}

static void causes_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct causes *c = (struct causes *)pane;

	if (c->ask.problem)
		term_area_fit(area, 1, 0, area->w - 1, TERM_ROLE_DIM, c->ask.problem);
	else if (c->ask.has_asked)
		draw_list(c, area);
}

/* ---- commands ---- */

/* Go to where the longest wait of the selected cause ended. */
static bool pane_causes_go(struct causes *c)
{
	struct ui_shell *shell = c->pane.shell;
	const struct ana_causes_entry *e = c->view.line < c->entries->len ? pane_causes_nth(c, c->view.line)
									  : NULL;

	if (!e || e->longest_row == MDL_NONE)
		return false;
	ui_shell_go(shell, e->longest_end, e->longest_row);
	asking_stay(&c->ask, &c->pane);
	return true;
}

static void pane_causes_next_scope(struct causes *c)
{
	static const char *const said[SCOPE_N] = { "causes of waits of the selected thread",
		"causes of waits of its process", "causes of waits of all user threads",
		"causes of waits of all threads" };

	if (!ui_argument_turn(&c->pane, UI_CMD_SCOPE))
		return;
	c->ask.gone = false;
	pane_causes_ask(c);
	ui_shell_message(c->pane.shell, "%s", said[c->scope]);
}

static bool pane_causes_focused_command(struct causes *c, enum ui_command command)
{
	struct ui_shell *shell = c->pane.shell;

	switch (command) {
	case UI_CMD_FOLLOW: pane_causes_go(c); return true;
	case UI_CMD_FOLD:
		c->by = c->by == ANA_CAUSES_BY_NAME ? ANA_CAUSES_BY_THREAD : ANA_CAUSES_BY_NAME;
		pane_causes_ask(c);
		ui_shell_message(shell, "%s",
			c->by == ANA_CAUSES_BY_NAME ? "a line for all threads of a name"
						    : "a line for each thread");
		return true;
	case UI_CMD_ACTIVATE:
	case UI_CMD_WHY:
		if (pane_causes_go(c))
			ui_shell_open_wait(shell, pane_causes_nth(c, c->view.line)->longest_row,
				pane_causes_nth(c, c->view.line)->longest_end);
		return true;
	default: return list_view_move(&c->view, command, c->entries->len);
	}
}

static bool causes_command(struct ui_pane *pane, enum ui_command command)
{
	struct causes *c = (struct causes *)pane;

	if (!pane->shown)
		return false;
	if (command == UI_CMD_CLEAR && ask_worker_busy(pane->worker)) {
		ask_worker_cancel(pane->worker);
		ui_shell_message(pane->shell, "stopped: causes of a part of the waits");
		return true;
	}
	if (command == UI_CMD_SCOPE) {
		pane_causes_next_scope(c);
		return true;
	}
	if (command == UI_CMD_SORT && c->ask.has_asked && !c->ask.problem) {
		if (ui_argument_turn(pane, UI_CMD_SORT)) {
			c->view.line = c->view.top = 0;
			pane_causes_sort(c, NULL);
		}
		return true;
	}
	return ui_pane_focused(pane) && pane_causes_focused_command(c, command);
}

/* ---- to a file ---- */

static void *make_result(struct qry *q, void *data, struct base_progress *progress, GError **error)
{
	return pane_causes_look(q, data, false, progress, error);
}

static bool causes_result(struct ui_pane *pane, struct ui_result *result)
{
	const struct causes *c = (const struct causes *)pane;

	if (!c->ask.has_asked || c->ask.problem)
		return false;
	*result = (struct ui_result){ .name = "causes",
		.file = "causes.txt",
		.what = g_strdup("causes of waiting"),
		.from = c->asked.from,
		.to = c->asked.to,
		.row = c->asked.row,
		.data = g_memdup2(&c->asked, sizeof c->asked),
		.free = g_free,
		.make = make_result,
		.free_made = (GDestroyNotify)g_array_unref };
	return true;
}

static void causes_point(struct ui_pane *pane, G_GNUC_UNUSED unsigned x, unsigned y)
{
	struct causes *c = (struct causes *)pane;

	list_view_point(&c->view, y, c->entries->len);
}

static const struct ui_hint pane_causes_hints[] = {
	{ UI_CMD_ACTIVATE, "longest" },
	{ UI_CMD_FOLLOW, "go there" },
	{ UI_CMD_BACK, "back" },
	{ UI_CMD_SCOPE, "whose" },
	{ UI_CMD_SORT, "order" },
	{ UI_CMD_FOLD, "each thread" },
	{ UI_CMD_MAXIMISE, "large" },
	{ UI_CMD_CAUSES, "close" },
	{ UI_CMD_FOCUS, "other pane" },
	{ UI_CMD_MARK, "mark" },
	{ UI_CMD_ZOOM_FIT, "whole trace" },
	{ UI_CMD_WHY, "why" },
	{ UI_CMD_EXPORT, "export" },
	{ UI_CMD_NONE, NULL },
};

const struct ui_pane_ops pane_causes = {
	.name = "causes",
	.place = UI_PLACE_LOWER,
	.hints = pane_causes_hints,
	.show = UI_CMD_CAUSES,
	.size = sizeof(struct causes),
	.init = causes_init,
	.clear = causes_clear,
	.changed = causes_changed,
	.work = ask_worker_work,
	.fields = pane_causes_fields,
	.to_keep = causes_to_keep,
	.carry = ui_fields_carry,
	.restore = causes_restore,
	.command = causes_command,
	.point = causes_point,
	.result = causes_result,
	.title = causes_title,
	.lines = HEIGHT,
	.draw = causes_draw,
};
