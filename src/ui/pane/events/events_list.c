/* SPDX-License-Identifier: MIT */
/* The part of the list in memory: reading it, moving in it, and reading the next part near its ends. */
#include "ui/pane/events/events.h"

#include "base/base_error.h"
#include "query/events/lines.h"
#include "ui/core/ui_argument.h"

#include <string.h>

#define ROOM_MIN 60 /* lines read each way */
#define PAGES 4     /* minimum screens read each way */

/* ---- in the worker ---- */

static void page_free(void *data)
{
	struct events_page *page = data;

	if (!page)
		return;
	if (page->lines)
		g_array_unref(page->lines);
	list_part_free(page->part);
	g_free(page->notice);
	g_free(page);
}

struct qry_events_filter events_filter(const struct events_only *only)
{
	struct qry_events_filter f = QRY_EVENTS_ALL;

	f.host = only->host;
	f.cpu = only->cpu;
	f.thread = only->thread;
	f.name = *only->name ? only->name : NULL;
	return f;
}

bool events_only_same(const struct events_only *a, const struct events_only *b)
{
	return a->host == b->host && a->cpu == b->cpu && a->thread == b->thread && !strcmp(a->name, b->name);
}

/* Set *EVENT to event RANK of HOST if it passes FILTER; with BY, to the next or previous one that passes.
 * Returns 1, 0 if there is none, -1 with an error. */
static int step_from(struct qry *q, const struct qry_events_filter *filter,
	const struct events_question *asked, int by, struct qry_event *event, struct base_progress *progress,
	GError **error)
{
	struct qry_events *e = qry_events_new(q, filter, error);
	bool fine = e && qry_events_seek_rank(e, asked->host, asked->rank, error);
	int got = fine && by >= 0 ? qry_events_step(e, 1, event, progress, error) : fine ? 1 : -1;

	if (got == 1 && by)
		got = qry_events_step(e, by, event, progress, error);
	qry_events_free(e);
	return got;
}

static bool events_list_is_same(void *data, const char *name)
{
	return !strcmp(data, name);
}

/* Turn *ASKED into a question for the next or previous event with the same name and thread.  False with an
 * error. */
static bool find_same(struct qry *q, struct events_question *asked, struct base_progress *progress,
	GError **error)
{
	struct qry_events_filter f = events_filter(&asked->only);
	g_autofree char *thread = NULL;
	struct qry_event event, found;
	int got = step_from(q, &f, asked, 0, &event, progress, error);

	if (got < 1)
		return false;
	if (event.thread == MDL_NONE)
		return base_error_false(error, BASE_ERROR_NO_ANSWER, "the thread of this event is unknown");
	f.thread = event.thread;
	f.wants = events_list_is_same;
	f.data = (void *)(uintptr_t)event.name;
	got = step_from(q, &f, asked, asked->by, &found, progress, error);
	if (got == 1) {
		asked->host = found.host;
		asked->rank = found.rank;
	}
	if (got)
		return got == 1;
	thread = qry_row_label(q, event.thread);
	return base_error_false(error, BASE_ERROR_NO_ANSWER, "no %s of %s %s this one%s", event.name, thread,
		asked->by > 0 ? "after" : "before", asked->only.cpu == MDL_NONE ? "" : " on this CPU");
}

/* Set *TARGET to the requested event, and leave E before it.  If the list is empty, TARGET's host is
 * MDL_NONE.  False with an error. */
static bool events_list_find(struct qry_events *e, const struct events_question *asked,
	struct qry_event *target, struct base_progress *progress, GError **error)
{
	bool fine;
	int got;

	target->host = MDL_NONE;
	if (asked->want == EVENTS_AT_TIME) {
		fine = qry_events_seek(e, asked->time == INT64_MAX ? INT64_MAX : asked->time + 1, error);
		got = fine ? qry_events_step(e, -1, target, progress, error) : -1;
		if (got != 0)
			return got > 0;
	} else if (asked->want == EVENTS_AT_EVENT) {
		fine = qry_events_seek_exact(e, asked->host, asked->time, asked->cpu, error);
	} else {
		fine = qry_events_seek_rank(e, asked->host, asked->rank, error);
	}
	got = fine ? qry_events_step(e, 1, target, progress, error) : -1;
	if (got == 0) /* past the end: take the last event */
		return qry_events_step(e, -1, target, progress, error) >= 0;
	return got > 0 && qry_events_step(e, -1, target, progress, error) == 1;
}

/* The lines of PAGE as rows of the list.  False with an error. */
static bool make_rows(struct qry *q, const struct list_kind *kind, struct events_page *page, GError **error)
{
	struct table_question ask = TABLE_ALL;
	struct qry_lines *lines = qry_lines_new_list(g_array_ref(page->lines));

	ask.result = lines;
	page->part = list_read_all(kind, q, &ask, error);
	qry_lines_free(lines);
	if (page->part &&
		page->part->n < page->lines->len) { /* the fields did not all fit: keep fewer lines */
		page->at_end = false;
		g_array_set_size(page->lines, page->part->n);
	}
	return page->part;
}

/* The line of PAGE with event RANK of HOST; the number of lines if there is none. */
static unsigned line_of(const struct events_page *page, uint32_t host, uint64_t rank)
{
	unsigned i = 0;

	for (; i < page->lines->len; i++) {
		const struct qry_event *event = &g_array_index(page->lines, struct qry_events_line, i).event;

		if (event->host == host && event->rank == rank)
			break;
	}
	return i;
}

static void *events_list_answer(struct qry *q, const void *question, struct base_progress *progress,
	GError **error)
{
	struct events_question asked = *(const struct events_question *)question;
	struct events_page *page = g_new0(struct events_page, 1);
	const GPtrArray *warnings = qry_warnings(q);
	guint warned = warnings->len;
	struct qry_event target;
	bool fine = asked.want != EVENTS_SAME || find_same(q, &asked, progress, error);
	struct qry_events_filter f = events_filter(&asked.only);
	struct qry_events *e = fine ? qry_events_new(q, &f, error) : NULL;

	if (e && events_list_find(e, &asked, &target, progress, error))
		page->lines = qry_events_list(e, asked.room, asked.room + 1, progress, error);
	qry_events_free(e);
	if (page->lines) {
		page->selected = line_of(page, target.host, target.rank); /* 0 for an empty list */
		page->at_start = page->selected < asked.room;
		page->at_end = page->lines->len - page->selected < asked.room + 1;
	}
	if (!page->lines || !make_rows(q, asked.kind, page, error)) {
		page_free(page);
		return NULL;
	}
	page->selected = MIN(page->selected, MAX(page->lines->len, 1) - 1);
	if (warnings->len > warned)
		page->notice = g_strdup(g_ptr_array_index(warnings, warnings->len - 1));
	return page;
}

/* ---- asking ---- */

void events_list_forget(struct events *e)
{
	page_free(e->page);
	e->page = NULL;
	list_show(&e->list, NULL);
	g_clear_pointer(&e->list.ask.problem, g_free);
	e->list.view.line = e->list.view.top = 0;
}

const struct qry_event *events_selected(const struct events *e)
{
	return e->page && e->list.view.line < e->page->lines->len ? &events_line(e, e->list.view.line)->event
								  : NULL;
}

/* A question with the filter of the scope. */
static struct events_question question(const struct events *e, enum events_want want)
{
	const struct ui_shell *shell = e->list.pane.shell;
	struct events_question q = { .kind = e->list.kind,
		.want = want,
		.room = MAX(ROOM_MIN, e->list.view.height * PAGES),
		.only = { .host = MDL_NONE, .cpu = MDL_NONE, .thread = MDL_NONE } };
	const struct qry_row *row = shell->view->row == UI_NO_ROW ? NULL
								  : qry_row(shell->q, shell->view->row);

	if (e->list.filter)
		g_strlcpy(q.only.name, e->list.filter, sizeof q.only.name);
	if (e->scope == EVENTS_CPU) {
		q.only.host = e->cpu_host;
		q.only.cpu = e->cpu;
	} else if (e->scope == EVENTS_ROW && row && row->type == MDL_ROW_THREAD) {
		q.only.host = row->host;
		q.only.thread = row->id;
	} else if (e->scope == EVENTS_ROW && row && row->type == MDL_ROW_CPU) {
		q.only.host = row->host;
		q.only.cpu = (uint32_t)row->nr;
	}
	return q;
}

/* Put the cursor at the selected event; JUMP: record the old place for "back". */
static void put_cursor(struct events *e, bool jump)
{
	struct ui_shell *shell = e->list.pane.shell;
	const struct qry_event *event = events_selected(e);

	if (!event)
		return;
	if (jump)
		ui_shell_go(shell, event->time, shell->view->row);
	else
		ui_shell_set_cursor(shell, event->time);
	e->own_cursor = shell->view->cursor;
}

/* Replace the page by PAGE.  KEEP: if the selected event is in both, it stays on its screen line. */
static void turn(struct events *e, struct events_page *page, bool keep)
{
	const struct qry_event *event = keep ? events_selected(e) : NULL;
	unsigned above = e->list.view.line - MIN(e->list.view.line, e->list.view.top),
		 line = event ? line_of(page, event->host, event->rank) : page->lines->len;

	if (line == page->lines->len)
		line = page->selected;
	events_list_forget(e);
	e->page = page;
	list_show(&e->list, g_steal_pointer(&page->part));
	e->list.view.line = line;
	e->list.view.centre = !event;
	e->list.view.top = line > above ? line - above : 0;
}

/* The worker answered with PAGE, NULL with ERROR. */
static void events_list_taken(struct ui_pane *pane, void *page, GError *error)
{
	struct events *e = (struct events *)pane;

	if (page) {
		turn(e, page, e->asked.want == EVENTS_AT_RANK && !e->asked.jump);
		if (e->page->notice)
			ui_shell_note(e->list.pane.shell, e->page->notice);
		if (e->asked.jump)
			put_cursor(e, true);
	} else if (g_error_matches(error, BASE_ERROR, BASE_ERROR_NO_ANSWER) && e->page) {
		ui_shell_message(e->list.pane.shell, "%s", error->message);
	} else {
		events_list_forget(e);
		e->list.ask.problem = g_strdup(error->message);
	}
	g_clear_error(&error);
}

const struct ask_kind events_kind = { .size = sizeof(struct events_question),
	.answer = events_list_answer,
	.free = page_free,
	.taken = events_list_taken };

/* Ask the worker Q; an immediate answer is used at once. */
static void events_list_ask(struct events *e, const struct events_question *q)
{
	e->asked = *q;
	e->list.ask.has_asked = true;
	ask_worker_ask(e->list.pane.worker, q);
	ask_worker_wait(e->list.pane.worker, &e->list.pane, ASK_AT_ONCE);
}

/* Ask for the list around the cursor. */
static void ask_around_cursor(struct events *e)
{
	struct events_question q = question(e, EVENTS_AT_TIME);

	q.time = e->own_cursor = e->list.pane.shell->view->cursor;
	events_list_ask(e, &q);
}

/* Ask again for the events near the selected one, or around the cursor: the filter changed, or more of the
 * list is needed. */
static void refill(struct events *e)
{
	struct events_question q = question(e, EVENTS_AT_RANK);
	const struct qry_event *event = events_selected(e);

	if (!event) {
		ask_around_cursor(e);
		return;
	}
	q.host = event->host;
	q.rank = event->rank;
	events_list_ask(e, &q);
}

/* ---- moving ---- */

void events_list_step(struct events *e, int by)
{
	int last = (int)e->page->lines->len - 1, line = (int)e->list.view.line + by;
	unsigned reach = MAX(e->list.view.height, 2);

	if (line < 0 || line > last)
		ask_worker_wait(e->list.pane.worker, &e->list.pane, ASK_AT_ONCE);
	if (!events_selected(e))
		return;
	last = (int)e->page->lines->len - 1;
	line = CLAMP((int)e->list.view.line + by, 0, last);
	if ((unsigned)line == e->list.view.line && by)
		ui_shell_message(e->list.pane.shell,
			by < 0 ? "this is the first event" : "this is the last event");
	e->list.view.line = (unsigned)line;
	put_cursor(e, false);
	if (((e->list.view.line < reach && !e->page->at_start) ||
		    (e->list.view.line + reach >= e->page->lines->len && !e->page->at_end)) &&
		!ask_worker_busy(e->list.pane.worker))
		refill(e);
}

void events_list_end(struct events *e, bool first)
{
	struct events_question q = question(e, EVENTS_AT_TIME);

	q.time = first ? INT64_MIN : INT64_MAX;
	q.jump = true;
	events_list_ask(e, &q);
}

/* ---- going to another event ---- */

void events_list_go_to(struct ui_pane *pane, const char *text)
{
	struct events *e = (struct events *)pane;
	struct ui_shell *shell = pane->shell;
	struct events_question q = question(e, EVENTS_AT_RANK);
	const struct qry_event *event = events_selected(e);
	g_autofree char *number = g_strdup_printf("#%s", text);
	GError *error = NULL;

	q.host = event ? event->host : 0;
	q.jump = true;
	if (!*text)
		return;
	if (!qry_event_parse(shell->q, text, &q.host, &q.rank) &&
		(strlen(text) > 15 || !qry_event_parse(shell->q, number, &q.host, &q.rank))) {
		/* 16 or more digits are a time */
		q.want = EVENTS_AT_TIME;
		if (!ui_when_parse(shell, text, &q.time, &error))
			ui_shell_take_error(shell, error);
	}
	if (!error)
		events_list_ask(e, &q);
}

void events_list_jump(struct events *e, uint32_t host, uint64_t rank)
{
	struct events_question q = question(e, EVENTS_AT_RANK);

	q.host = host;
	q.rank = rank;
	q.jump = true;
	events_list_ask(e, &q);
}

void events_list_same(struct events *e, int by)
{
	struct events_question q = question(e, EVENTS_SAME);
	const struct qry_event *event = events_selected(e);

	if (!event)
		return;
	q.host = event->host;
	q.rank = event->rank;
	q.by = by;
	q.jump = true;
	events_list_ask(e, &q);
}

/* ---- the scope ---- */

const char *const events_scopes[EVENTS_SCOPE_N] = { "all", "row", "cpu" };

/* The reason why the list cannot have SCOPE; NULL if it can. */
static const char *missing(const struct events *e, enum events_scope scope)
{
	const struct ui_shell *shell = e->list.pane.shell;

	if (scope == EVENTS_ROW &&
		(shell->view->row == UI_NO_ROW || qry_row(shell->q, shell->view->row)->type > MDL_ROW_CPU))
		return "only threads and CPUs have events: select one";
	return scope == EVENTS_CPU && e->cpu == MDL_NONE ? "no event is selected: select one of that CPU"
							 : NULL;
}

void events_list_scope(struct events *e)
{
	static const char *const said[EVENTS_SCOPE_N] = { "events of all CPUs", "events of the selected row",
		"events of this CPU" };
	const struct qry_event *event = events_selected(e);
	unsigned scope = e->scope;

	if (event) {
		e->cpu_host = event->host;
		e->cpu = event->cpu;
	}
	do
		scope = (scope + 1) % EVENTS_SCOPE_N;
	while (missing(e, scope));
	scope = ui_argument_of(e->list.pane.shell, UI_CMD_SCOPE, events_scopes, EVENTS_SCOPE_N, scope);
	if (scope == EVENTS_SCOPE_N)
		return;
	if (missing(e, scope)) {
		ui_shell_error(e->list.pane.shell, "%s", missing(e, scope));
		return;
	}
	e->scope = scope;
	/* The selected event may not pass the new scope: use the cursor. */
	ask_around_cursor(e);
	ui_shell_message(e->list.pane.shell, "%s", said[scope]);
}

void events_list_filter(struct ui_pane *pane, const char *name)
{
	struct events *e = (struct events *)pane;

	if (strlen(name) >= EVENTS_TEXT) {
		ui_shell_error(pane->shell, "the filter is longer than %d bytes", EVENTS_TEXT - 1);
		return;
	}
	g_free(e->list.filter);
	e->list.filter = *name ? g_strdup(name) : NULL;
	ask_around_cursor(e);
}

void events_list_open(struct events *e)
{
	struct ui_shell *shell = e->list.pane.shell;
	struct events_question q;

	e->scope = EVENTS_ALL;
	g_clear_pointer(&e->list.filter, g_free);
	q = question(e, shell->leads[UI_LEAD_EVENT].cpu == MDL_NONE ? EVENTS_AT_TIME : EVENTS_AT_EVENT);
	q.host = shell->leads[UI_LEAD_EVENT].host;
	q.time = shell->leads[UI_LEAD_EVENT].from;
	q.cpu = shell->leads[UI_LEAD_EVENT].cpu;
	q.jump = true;
	e->own_cursor = shell->view->cursor;
	ui_shell_show(shell, &e->list.pane, true);
	ui_shell_focus(shell, &e->list.pane);
	events_list_ask(e, &q);
}

void events_list_check(struct events *e)
{
	const struct ui_shell *shell = e->list.pane.shell;
	struct events_question q = question(e, EVENTS_AT_TIME);

	if (!e->list.ask.has_asked || shell->view->cursor != e->own_cursor ||
		(!e->page && !ask_worker_busy(e->list.pane.worker)) ||
		!events_only_same(&q.only, &e->asked.only))
		ask_around_cursor(e);
}

/* ---- views ---- */

void events_list_keep(struct events *e)
{
	const struct qry_event *event = events_selected(e);

	g_free(e->kept.find);
	e->kept.find = e->find.regex ? g_strdup(e->find.asked.text) : NULL;
	e->kept.host = event ? event->host : MDL_NONE;
	e->kept.rank = event ? event->rank : 0;
	e->kept.above = e->list.view.line - MIN(e->list.view.line, e->list.view.top);
}

/* Select the line of the kept event; false if it is not in the part in memory. */
static bool find_kept(struct events *e)
{
	unsigned line = e->page ? line_of(e->page, e->kept.host, e->kept.rank) : 0;

	if (!e->page || line == e->page->lines->len)
		return false;
	e->list.view.line = line;
	e->list.view.top = line - MIN(line, e->kept.above);
	e->list.view.centre = false;
	return true;
}

bool events_list_restore(struct events *e)
{
	struct events_question q = question(e, EVENTS_AT_RANK);
	bool there = e->list.ask.has_asked && events_only_same(&q.only, &e->asked.only) && find_kept(e);

	q.host = e->kept.host;
	q.rank = e->kept.rank;
	if (e->kept.host == MDL_NONE)
		events_list_check(e);
	else if (!there)
		events_list_ask(e, &q);
	return !ask_worker_busy(e->list.pane.worker) && find_kept(e);
}
