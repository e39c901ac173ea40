/* SPDX-License-Identifier: MIT */
/*
 * The events around the cursor, with all their fields.  A worker reads a part of the list around a time or an
 * event.  Moves within that part read nothing; near its ends the next part is read while the old one stays
 * (events_list.c).  A move from event to event puts the cursor at the event's exact time (own_cursor); if the
 * cursor moves in another way, the list follows.  A second worker searches the list outward from the selected
 * event (events_find.c).  Other panes show an event here by ui_shell_lead().
 *
 * The part in memory is the rows of a list pane, which draws them.  Sorting and searching are different here:
 * a list pane does both in memory, and a trace has too many events for that.
 */
#include "ui/pane/pane.h"

#include "base/base_error.h"
#include "query/events/lines.h"
#include "ui/pane/events/events.h"

#include <string.h>

/* ---- title ---- */

static void events_title(struct ui_pane *pane, GString *title)
{
	const struct events *e = (const struct events *)pane;
	const struct qry_event *event = events_selected(e);
	const struct qry *q = pane->shell->q;
	uint32_t row = e->asked.only.thread;

	if (row == MDL_NONE && e->asked.only.cpu != MDL_NONE)
		row = qry_cpu_row(q, e->asked.only.host, e->asked.only.cpu);
	scope_title_whole(pane->shell, title, "Events",
		row == MDL_NONE ? g_strdup("all CPUs") : qry_row_label(q, row));
	if (*e->asked.only.name)
		g_string_append_printf(title, "  only %s", e->asked.only.name);
	events_find_title(e, title);
	if (event)
		g_string_append_printf(title, "  #%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT "",
			event->rank, qry_host(pane->shell->q, event->host)->meta->events);
	if (event && qry_host_count(pane->shell->q) > 1)
		g_string_append_printf(title, " on %s", qry_host(pane->shell->q, event->host)->name);
	if (ask_worker_busy(e->list.pane.worker))
		g_string_append(title, "  reading");
}

/* ---- the list ---- */

/* Events of the selected thread are bold. */
static enum term_role role(const struct list *l, guint row, G_GNUC_UNUSED unsigned column)
{
	uint32_t thread = list_rows_place(l->part->rows, row)->row;

	return thread != MDL_NONE && thread == l->pane.shell->view->row ? TERM_ROLE_STRONG : TERM_ROLE_TEXT;
}

/* The expression matches the text "NAME FIELDS", which is shown in two columns. */
static bool found(const struct list *l, guint row, unsigned column, const char *shown, int *from, int *to)
{
	const struct events *e = (const struct events *)l;
	const struct qry_events_line *line = events_line(e, row);
	const char *name = l->part->rows->columns[column].name;
	int before = *to, begin = strcmp(name, "fields") ? 0 : (int)strlen(line->event.name) + 1;
	g_autofree char *text = NULL;
	GMatchInfo *info;
	bool is = false;

	if ((begin == 0 && strcmp(name, "name") != 0) || !events_find_has(e, &line->event))
		return false;
	text = g_strdup_printf("%s %s", line->event.name, line->fields);
	g_regex_match(e->find.regex, text, 0, &info);
	while (!is && g_match_info_fetch_pos(info, 0, from, to)) {
		*from = MAX(*from - begin, before);
		*to = MIN(*to - begin, (int)strlen(shown));
		is = *from < *to;
		g_match_info_next(info, NULL);
	}
	g_match_info_free(info);
	return is;
}

/* Scroll the fields so that the match in the selected event is in view, in the columns of the last draw. */
static void bring_into_view(struct events *e)
{
	struct list *l = &e->list;
	const struct list_place *last = l->n_places ? &l->places[l->n_places - 1] : NULL;
	const char *fields = events_line(e, l->view.line)->fields;
	int from = 0, to = 0;

	e->find.into_view = false;
	if (!last || strcmp(l->part->rows->columns[last->column].name, "fields") != 0 ||
		!found(l, l->view.line, last->column, fields, &from, &to))
		return;
	g_autofree char *upto = g_strndup(fields, (gsize)to), *before = g_strndup(fields, (gsize)from);
	unsigned a = term_text_width(before), b = term_text_width(upto);

	if (b > l->scrolled + last->w)
		l->scrolled = MIN(a, b - MIN(b, last->w / 2));
	if (a < l->scrolled + 1)
		l->scrolled = a - MIN(a, 1);
}

static void events_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct events *e = (struct events *)pane;

	if (!e->page) {
		asking_draw(&e->list.ask, pane, area, "reading events", false);
		return;
	}
	if (e->find.into_view && events_selected(e))
		bring_into_view(e);
	list_draw_at(&e->list, area, 0);
}

static void events_point(struct ui_pane *pane, unsigned x, unsigned y)
{
	struct events *e = (struct events *)pane;

	if (list_point_at(&e->list, x, y) && !e->list.on_heading)
		events_list_step(e, 0);
}

#define SCROLL 8 /* columns */

/* ---- hooks ---- */

static void events_init(struct ui_pane *pane)
{
	struct events *e = (struct events *)pane;

	list_init(pane);
	e->own_cursor = BASE_TIME_NONE;
	e->cpu = MDL_NONE;
}

static void events_clear(struct ui_pane *pane)
{
	struct events *e = (struct events *)pane;

	events_list_forget(e);
	events_find_clear(&e->find);
	g_free(e->kept.find);
	list_clear(pane);
}

static void events_changed(struct ui_pane *pane, unsigned changes)
{
	struct events *e = (struct events *)pane;
	const struct ui_shell *shell = pane->shell;

	if (changes & UI_CHANGED_EXPERIMENT && shell->q && !e->list.pane.worker) {
		e->list.pane.worker = ask_worker_new(shell->q, &events_kind);
		e->find.worker = ask_worker_new(shell->q, &events_search_kind);
	}
	if (!e->list.pane.worker)
		return;
	if (changes & UI_CHANGED_EVENT) {
		events_list_open(e);
		return;
	}
	if (pane->shown)
		events_list_check(e);
	else
		events_find_stop(e);
}

static const struct ui_field pane_events_fields[] = {
	UI_FIELD_CHOICE(SCOPE, "scope", events, scope, events_scopes, EVENTS_SCOPE_N),
	UI_FIELD(NUMBER, "cpu-host", events, cpu_host),
	UI_FIELD(MOST, "cpu", events, cpu),
	UI_FIELD(TEXT, "filter", events, list.filter),
	UI_FIELD(TEXT, "columns", events, list.columns),
	UI_FIELD(TIME, "at-cursor", events, own_cursor),
	UI_FIELD_PLACE(TEXT, "find", events, kept.find),
	UI_FIELD_PLACE(MOST, "host", events, kept.host),
	UI_FIELD_PLACE(LENGTH, "event", events, kept.rank),
	UI_FIELD_PLACE(NUMBER, "above", events, kept.above),
	UI_FIELD_PLACE(NUMBER, "scrolled", events, list.scrolled),
	UI_FIELD_END,
};

static bool events_to_keep(struct ui_pane *pane)
{
	struct events *e = (struct events *)pane;

	if (!e->list.ask.has_asked)
		return false;
	events_list_keep(e);
	return true;
}

static bool events_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct events *e = (struct events *)pane;
	uint32_t n = qry_host_count(pane->shell->q);

	if (!ui_fields_set(pane_events_fields, pane, pane->shell, kept, error))
		return false;
	if (e->cpu_host >= n)
		e->cpu_host = 0;
	if (e->kept.host >= n)
		e->kept.host = MDL_NONE;
	if (events_list_restore(e))
		events_find_again(e, e->kept.find);
	return true;
}

static bool events_work(struct ui_pane *pane)
{
	struct events *e = (struct events *)pane;
	bool searches = ask_worker_wait(e->find.worker, pane,
		     ask_worker_busy(e->list.pane.worker) ? 0 : ASK_SLICE),
	     reads = ask_worker_wait(e->list.pane.worker, pane, ASK_SLICE);

	events_find_check(e);
	return reads || searches || ask_worker_busy(e->find.worker);
}

/* ---- commands ---- */

static bool pane_events_list_command(struct events *e, enum ui_command command)
{
	int by = list_view_step(&e->list.view, command, e->page->lines->len);

	switch (command) {
	case UI_CMD_ROW_FIRST:
	case UI_CMD_ROW_LAST: /* of all events, not of the part in memory */
		events_list_end(e, command == UI_CMD_ROW_FIRST);
		return true;
	case UI_CMD_TIME_LEFT: e->list.scrolled -= MIN(e->list.scrolled, SCROLL); return true;
	case UI_CMD_TIME_RIGHT: e->list.scrolled += SCROLL; return true;
	case UI_CMD_ACTIVATE:
		if (events_selected(e) && events_selected(e)->thread != MDL_NONE) {
			ui_shell_go(e->list.pane.shell, e->list.pane.shell->view->cursor,
				events_selected(e)->thread);
			e->own_cursor = e->list.pane.shell->view->cursor;
		}
		return true;
	default:
		if (by)
			events_list_step(e, by);
		return by != 0;
	}
}

static bool pane_events_focused_command(struct events *e, enum ui_command command)
{
	switch (command) {
	case UI_CMD_GOTO:
		ui_shell_ask(e->list.pane.shell, &e->list.pane,
			"event number, or time (8.5s 50% 10:03:04 +2ms)", NULL, events_list_go_to, NULL);
		return true;
	case UI_CMD_SEARCH:
		ui_shell_ask(e->list.pane.shell, &e->list.pane,
			"find in names and fields (regular expression)", NULL, events_find_text, NULL);
		return true;
	case UI_CMD_FILTER:
		ui_shell_ask(e->list.pane.shell, &e->list.pane,
			"only events called (irq, sched_*; empty: all)", e->list.filter, events_list_filter,
			NULL);
		return true;
	case UI_CMD_COLUMNS: return list_part_command(&e->list, command);
	case UI_CMD_SEARCH_NEXT:
	case UI_CMD_SEARCH_PREV: events_find_step(e, command == UI_CMD_SEARCH_NEXT ? 1 : -1); return true;
	case UI_CMD_CHANGE_NEXT:
	case UI_CMD_CHANGE_PREV: events_list_same(e, command == UI_CMD_CHANGE_NEXT ? 1 : -1); return true;
	case UI_CMD_CLEAR:
		if (ask_worker_busy(e->list.pane.worker))
			ask_worker_cancel(e->list.pane.worker);
		else if (events_find_stop(e))
			return true;
		else if (e->list.filter)
			events_list_filter(&e->list.pane, "");
		else
			ui_shell_show(e->list.pane.shell, &e->list.pane, false);
		return true;
	default: return e->page && e->page->lines->len && pane_events_list_command(e, command);
	}
}

static bool events_command(struct ui_pane *pane, enum ui_command command)
{
	struct events *e = (struct events *)pane;

	if (!e->list.pane.worker || !pane->shown)
		return false;
	if (command == UI_CMD_SCOPE) {
		events_list_scope(e);
		return true;
	}
	return ui_pane_focused(pane) && pane_events_focused_command(e, command);
}

/* ---- to a file ---- */

struct selected_events {
	struct events_only only;
	int64_t from, to;
};

static void *make_result(struct qry *q, void *data, struct base_progress *progress, GError **error)
{
	const struct selected_events *of = data;
	struct qry_events_filter f = events_filter(&of->only);

	f.from = of->from;
	f.to = of->to;
	return qry_lines_new(q, &f, UINT_MAX - 1, progress, error);
}

/* The result has all events of the selection or the window, not only the part in memory. */
static bool events_result(struct ui_pane *pane, struct ui_result *result)
{
	const struct events *e = (const struct events *)pane;
	struct selected_events of = { .only = e->asked.only };
	int64_t begin, end;

	if (!e->page)
		return false;
	qry_span(pane->shell->q, &begin, &end);
	ui_shell_selection(pane->shell, &of.from, &of.to);
	*result = (struct ui_result){ .name = "events",
		.file = "events.txt",
		.what = g_strdup("events"),
		.from = of.from,
		.to = of.to,
		.row = of.only.thread,
		.free = g_free,
		.make = make_result,
		.free_made = (GDestroyNotify)qry_lines_free };
	if (of.to >= end) /* include events at the last instant */
		of.to = INT64_MAX;
	result->data = g_memdup2(&of, sizeof of);
	return true;
}

static const struct list_kind kind = {
	.table = &table_events,
	.columns = "rank=#? time host after cpu thread tid? name=EVENT fields",
	.none = "no events here",
	.is_part = true,
	.role = role,
	.found = found,
};

static const struct ui_hint pane_events_hints[] = {
	{ UI_CMD_GOTO, "number" },
	{ UI_CMD_SEARCH_NEXT, "next match" },
	{ UI_CMD_CHANGE_NEXT, "next alike" },
	{ UI_CMD_SCOPE, "whose" },
	{ UI_CMD_TIME_RIGHT, "fields" },
	{ UI_CMD_ACTIVATE, "its thread" },
	{ UI_CMD_MAXIMISE, "large" },
	{ UI_CMD_CLEAR, "close" },
	{ UI_CMD_FOCUS, "other pane" },
	{ UI_CMD_CLOCK, "clock" },
	{ UI_CMD_SEARCH, "find" },
	{ UI_CMD_SEARCH_PREV, "last match" },
	{ UI_CMD_CHANGE_PREV, "last alike" },
	{ UI_CMD_FILTER, "only" },
	{ UI_CMD_COLUMNS, "columns" },
	{ UI_CMD_EXPORT, "export" },
	{ UI_CMD_NONE, NULL },
};

const struct ui_pane_ops pane_events = {
	.name = "events",
	.place = UI_PLACE_LOWER,
	.kind = &kind,
	.hints = pane_events_hints,
	.show = UI_CMD_EVENTS,
	.drill = true,
	.size = sizeof(struct events),
	.init = events_init,
	.clear = events_clear,
	.carry = list_carry,
	.changed = events_changed,
	.work = events_work,
	.columns = list_columns,
	.fields = pane_events_fields,
	.to_keep = events_to_keep,
	.restore = events_restore,
	.command = events_command,
	.point = events_point,
	.result = events_result,
	.title = events_title,
	.draw = events_draw,
};
