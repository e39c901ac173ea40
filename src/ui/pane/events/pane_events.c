/* SPDX-License-Identifier: MIT */
/*
 * The events around the cursor, with all their fields.  A worker reads a part of the list around a time or
 * an event.  Moves within that part ask nothing; near its ends the next part is asked for while the old one
 * stays (events_list.c).  A move from event to event puts the cursor at the event's exact time (own_cursor);
 * if the cursor moves in another way, the list follows.  A second worker searches the list, from the
 * selected event outward (events_find.c).  Other panes show an event here by ui_shell_lead().
 *
 * A line has columns for number, time, time since the line before, CPU, thread and name.  Fields may be
 * long; they can be moved to the left, and then begin with a mark.
 */
#include "ui/pane/pane.h"

#include "base/base_error.h"
#include "base/base_time.h"
#include "query/events/lines.h"
#include "ui/core/ui_config.h"
#include "ui/core/ui_fields.h"
#include "ui/pane/events/events.h"
#include "ui/widget/host_look.h"
#include "ui/widget/subject.h"

/* Columns given to names, where that is not more than half of the room; fields of longer ones begin later. */
#define NAME_FULL 34
#define NAME_MIN 16
#define THREAD_MIN 12
#define THREAD_MAX 24
#define AFTER 8 /* and to the time since the line before */

/* ---- title ---- */

static void events_draw_title(struct ui_pane *pane, GString *title)
{
	const struct events *e = (const struct events *)pane;
	const struct qry_event *event = events_selected(e);
	const struct qry *q = pane->shell->q;
	uint32_t row = e->asked.only_thread;

	if (row == MDL_NONE && e->asked.only_cpu != MDL_NONE)
		row = qry_cpu_row(q, e->asked.only_host, e->asked.only_cpu);
	scope_title_whole(pane->shell, title, "Events",
		row == MDL_NONE ? g_strdup("all CPUs") : qry_row_label(q, row));
	events_find_title(e, title);
	if (event)
		g_string_append_printf(title, "  #%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT "",
			event->rank, qry_host(pane->shell->q, event->host)->meta->events);
	if (event && qry_host_count(pane->shell->q) > 1)
		g_string_append_printf(title, " on %s", qry_host(pane->shell->q, event->host)->name);
	if (ask_worker_busy(e->pane.worker))
		g_string_append(title, "  reading");
}

/* ---- the list ---- */

/* Where columns stand. */
struct columns {
	struct ui_column cells[UI_EVENTS_N];
	unsigned names; /* columns that names of events are given */
};

static const struct ui_column *event_cell(const struct columns *c)
{
	return &c->cells[UI_EVENTS_EVENT];
}

static struct columns events_draw_columns_of(const struct events *e, unsigned width)
{
	struct columns c = { .names = 0 };
	const struct base_time_way *times = e->pane.shell->times;
	uint64_t most = 1;
	unsigned number = 1;

	for (uint32_t i = 0; i < qry_host_count(e->pane.shell->q); i++)
		most = MAX(most, qry_host(e->pane.shell->q, i)->meta->events);
	for (; most >= 10; most /= 10)
		number++;
	const unsigned widths[UI_EVENTS_N] = { number + 1,
		MAX(times->width - (unsigned)strlen(times->unit), 15), AFTER + 1, 4,
		CLAMP(width / 7, THREAD_MIN, THREAD_MAX) + 1, UI_COLUMN_REST };

	ui_columns_place(&e->pane.shell->config->columns, UI_LIST_EVENTS, widths, 0, width, c.cells);
	for (unsigned i = e->view.top; i < e->view.top + e->view.seen; i++)
		c.names = MAX(c.names, term_text_width(events_line(e, i)->event.name));
	c.names = MIN(c.names, CLAMP(event_cell(&c)->w / 2, NAME_MIN, NAME_FULL));
	return c;
}

/* TEXT without its first SKIP columns. */
static const char *skip(const char *text, unsigned skip)
{
	while (*text && skip > 0) {
		gunichar ch = g_utf8_get_char(text);

		skip -= MIN(skip, g_unichar_iszerowidth(ch) ? 0 : g_unichar_iswide(ch) ? 2 : 1);
		text = g_utf8_next_char(text);
	}
	return text;
}

static void events_draw_draw_heading(const struct events *e, const struct columns *c,
	const struct term_area *area)
{
	static const char *const texts
		[] = { [UI_EVENTS_TIME] = "time", [UI_EVENTS_CPU] = "CPU", [UI_EVENTS_THREAD] = "thread" };
	g_autofree char *text = e->scrolled
		? g_strdup_printf("event and fields from column %u on", e->scrolled + 1)
		: g_strdup("event and fields");

	term_area_fill(area, 0, 0, area->w, 1, TERM_ROLE_TITLE, ' ');
	list_cell_number(area, &c->cells[UI_EVENTS_NUMBER], 1, 0, TERM_ROLE_TITLE, "#");
	list_cell_number(area, &c->cells[UI_EVENTS_AFTER], 1, 0, TERM_ROLE_TITLE, "after");
	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
		if (texts[i])
			list_cell_text(area, &c->cells[i], 0, 0, TERM_ROLE_TITLE, texts[i]);
	list_cell_text(area, event_cell(c), 0, 0, TERM_ROLE_TITLE, text);
}

/* The column at which the fields of LINE begin.  A name that is longer than others leaves less to the fields,
 * until these are moved; then its end is cut. */
static unsigned fields_at(const struct events *e, const struct columns *c, const struct qry_events_line *line)
{
	unsigned names = e->scrolled ? c->names : MAX(c->names, term_text_width(line->event.name));

	return event_cell(c)->x + names + 1;
}

static void draw_text(const struct events *e, const struct columns *c, const struct term_area *area,
	unsigned y, const struct qry_events_line *line)
{
	const struct ui_column *cell = event_cell(c);
	unsigned x = fields_at(e, c, line), end = cell->x + ui_column_room(cell, area->w);

	if (!cell->w)
		return;
	term_area_fit(area, cell->x, y, MIN(x - 1, end) - cell->x, TERM_ROLE_NAME_THREAD, line->event.name);
	term_area_fit(area, x, y, end > x ? end - x : 0, TERM_ROLE_TEXT, skip(line->fields, e->scrolled));
	if (e->scrolled && x < end && *line->fields)
		term_area_char(area, x, y, TERM_ROLE_DIM, 0x2026);
}

static void events_draw_draw_line(const struct events *e, const struct columns *c,
	const struct term_area *area, unsigned y, unsigned i)
{
	const struct qry_events_line *line = events_line(e, i);
	const struct qry_event *event = &line->event;
	const struct ui_shell *shell = e->pane.shell;
	const struct ui_column *thread = &c->cells[UI_EVENTS_THREAD], *after = &c->cells[UI_EVENTS_AFTER];
	g_autofree char *label = event->thread != MDL_NONE ? qry_row_label(shell->q, event->thread)
		: qry_host_count(shell->q) > 1
		? g_strdup_printf("%s/?", qry_host(shell->q, event->host)->name)
		: g_strdup("?");
	g_autofree char *number = g_strdup_printf("%" G_GUINT64_FORMAT, event->rank),
			*time = ui_shell_time_text(shell, event->time), *delta = NULL;
	bool here = event->thread != MDL_NONE && event->thread == shell->view->row;

	list_cell_number(area, &c->cells[UI_EVENTS_NUMBER], 1, y, TERM_ROLE_DIM, number);
	if (g_str_has_suffix(time, shell->times->unit)) /* for which there is little room */
		time[strlen(time) - strlen(shell->times->unit)] = '\0';
	list_cell_text(area, &c->cells[UI_EVENTS_TIME], 0, y, TERM_ROLE_TEXT, time);
	if (i && after->w) {
		delta = ui_shell_duration_text(shell, event->time - events_line(e, i - 1)->event.time);
		term_area_text(area, after->x + AFTER - MIN(term_text_width(delta), AFTER), y, TERM_ROLE_DIM,
			delta);
	}
	if (event->cpu != MDL_NONE && c->cells[UI_EVENTS_CPU].w)
		term_area_printf(area, c->cells[UI_EVENTS_CPU].x, y, TERM_ROLE_TEXT, "%3u", event->cpu);
	if (thread->w)
		host_look_label(area, thread->x, y, ui_column_room(thread, area->w),
			here ? TERM_ROLE_STRONG : TERM_ROLE_TEXT, shell->q, event->host, label);
	draw_text(e, c, area, y, line);
}

/* ---- matches ---- */

/* Highlight the bytes [FROM, TO) of TEXT, which is shown without its first SKIPPED columns from X to END on
 * line Y. */
static void light(const struct term_area *area, unsigned x, unsigned end, unsigned y, const char *text,
	int from, int to, unsigned skipped)
{
	g_autofree char *before = g_strndup(text, (gsize)MAX(from, 0)),
			*found = g_strndup(text + MAX(from, 0), (gsize)MAX(to - MAX(from, 0), 0));
	unsigned a = term_text_width(before), b = a + term_text_width(found);

	a = x + a - MIN(a, skipped);
	b = MIN(x + b - MIN(b, skipped), end);
	if (a < b)
		term_area_over(area, a, y, b - a, 1, TERM_ROLE_OVER_FOUND);
}

static void light_found(const struct events *e, const struct columns *c, const struct term_area *area,
	unsigned y, const struct qry_events_line *line)
{
	g_autofree char *text = g_strdup_printf("%s %s", line->event.name, line->fields);
	int from, to, name = (int)strlen(line->event.name);
	unsigned x = fields_at(e, c, line), first = event_cell(c)->x,
		 end = first + ui_column_room(event_cell(c), area->w);
	GMatchInfo *info;

	g_regex_match(e->find.regex, text, 0, &info);
	for (; g_match_info_fetch_pos(info, 0, &from, &to); g_match_info_next(info, NULL)) {
		if (from < name)
			light(area, first, MIN(x - 1, end), y, line->event.name, from, MIN(to, name), 0);
		if (to > name + 1)
			light(area, x, end, y, line->fields, from - name - 1, to - name - 1, e->scrolled);
	}
	g_match_info_free(info);
}

/* Move the fields so that the match in those of the selected event is in view. */
static void bring_into_view(struct events *e, const struct columns *c)
{
	const struct qry_events_line *line = events_line(e, e->view.line);
	g_autofree char *text = g_strdup_printf("%s %s", line->event.name, line->fields), *before = NULL;
	int from, to, fields = (int)strlen(line->event.name) + 1;
	unsigned width = event_cell(c)->x + event_cell(c)->w,
		 room = width - MIN(width, fields_at(e, c, line)), a, b;
	GMatchInfo *info;

	e->find.into_view = false;
	g_regex_match(e->find.regex, text, 0, &info);
	if (g_match_info_fetch_pos(info, 0, &from, &to) && to > fields) {
		before = g_strndup(text + fields, (gsize)(to - fields));
		b = term_text_width(before);
		before[MAX(from - fields, 0)] = '\0';
		a = term_text_width(before);
		if (b > e->scrolled + room)
			e->scrolled = MIN(a, b - MIN(b, room / 2));
		if (a < e->scrolled + 1)
			e->scrolled = a - MIN(a, 1);
	}
	g_match_info_free(info);
}

static void events_draw(struct events *e, const struct term_area *area)
{
	struct term_area list = list_view_area(&e->view, area, 1, 0, e->page->lines->len);
	struct columns c = events_draw_columns_of(e, area->w);
	const struct qry_event *event = events_selected(e);

	if (e->find.into_view && event && events_find_has(e, event))
		bring_into_view(e, &c);
	if (!list.h)
		return;
	events_draw_draw_heading(e, &c, area);
	if (!e->page->lines->len)
		term_area_text(area, 1, 1, TERM_ROLE_DIM, "no events here");
	for (unsigned i = 0; i < e->view.seen; i++)
		events_draw_draw_line(e, &c, &list, i, e->view.top + i);
	list_view_mark(&e->view, &e->pane, &list);
	for (unsigned i = e->view.top; i < e->view.top + e->view.seen; i++)
		if (events_find_has(e, &events_line(e, i)->event))
			light_found(e, &c, &list, i - e->view.top, events_line(e, i));
}

#define SCROLL 8     /* columns */
#define MOST 1000000 /* events that are written to a file: they are held in memory */

/* ---- hooks ---- */

static void events_init(struct ui_pane *pane)
{
	struct events *e = (struct events *)pane;

	e->own_cursor = BASE_TIME_NONE;
	e->cpu = MDL_NONE;
}

static void events_clear(struct ui_pane *pane)
{
	struct events *e = (struct events *)pane;

	events_list_forget(e);
	ask_worker_free(e->pane.worker);
	events_find_clear(&e->find);
	g_free(e->kept.find);
}

static void events_changed(struct ui_pane *pane, unsigned changes)
{
	struct events *e = (struct events *)pane;
	const struct ui_shell *shell = pane->shell;

	if (changes & UI_CHANGED_EXPERIMENT && shell->q && !e->pane.worker) {
		e->pane.worker = ask_worker_new(shell->q, &events_kind);
		e->find.worker = ask_worker_new(shell->q, &events_search_kind);
	}
	if (!e->pane.worker)
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
	UI_FIELD(TIME, "at-cursor", events, own_cursor),
	UI_FIELD_PLACE(TEXT, "find", events, kept.find),
	UI_FIELD_PLACE(MOST, "host", events, kept.host),
	UI_FIELD_PLACE(LENGTH, "event", events, kept.rank),
	UI_FIELD_PLACE(NUMBER, "above", events, kept.above),
	UI_FIELD_PLACE(NUMBER, "columns", events, scrolled),
	UI_FIELD_END,
};

static bool events_to_keep(struct ui_pane *pane)
{
	struct events *e = (struct events *)pane;

	if (!e->has_asked)
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
		     ask_worker_busy(e->pane.worker) ? 0 : ASK_SLICE),
	     reads = ask_worker_wait(e->pane.worker, pane, ASK_SLICE);

	events_find_check(e);
	return reads || searches || ask_worker_busy(e->find.worker);
}

static void events_pane_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct events *e = (struct events *)pane;

	if (e->page)
		events_draw(e, area);
	else if (e->problem)
		term_area_fit(area, 1, 0, area->w - 1, TERM_ROLE_DIM, e->problem);
	else
		term_area_text(area, 1, 0, TERM_ROLE_MESSAGE, "reading events");
}

/* ---- commands ---- */

static bool pane_events_list_command(struct events *e, enum ui_command command)
{
	int by = list_view_step(&e->view, command, e->page->lines->len);

	switch (command) {
	case UI_CMD_ROW_FIRST:
	case UI_CMD_ROW_LAST: /* of all events, not of the part at hand */
		events_list_end(e, command == UI_CMD_ROW_FIRST);
		return true;
	case UI_CMD_TIME_LEFT: e->scrolled -= MIN(e->scrolled, SCROLL); return true;
	case UI_CMD_TIME_RIGHT: e->scrolled += SCROLL; return true;
	case UI_CMD_ACTIVATE:
		if (events_selected(e) && events_selected(e)->thread != MDL_NONE) {
			ui_shell_go(e->pane.shell, e->pane.shell->view->cursor, events_selected(e)->thread);
			e->own_cursor = e->pane.shell->view->cursor;
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
		ui_shell_ask(e->pane.shell, &e->pane, "event number, or time (8.5s 50% 10:03:04 +2ms)", NULL,
			events_list_go_to, NULL);
		return true;
	case UI_CMD_SEARCH:
		ui_shell_ask(e->pane.shell, &e->pane, "find in names and fields (regular expression)", NULL,
			events_find_text, NULL);
		return true;
	case UI_CMD_SEARCH_NEXT:
	case UI_CMD_SEARCH_PREV: events_find_step(e, command == UI_CMD_SEARCH_NEXT ? 1 : -1); return true;
	case UI_CMD_CHANGE_NEXT:
	case UI_CMD_CHANGE_PREV: events_list_same(e, command == UI_CMD_CHANGE_NEXT ? 1 : -1); return true;
	case UI_CMD_CLEAR:
		if (ask_worker_busy(e->pane.worker))
			ask_worker_cancel(e->pane.worker);
		else if (!events_find_stop(e))
			ui_shell_show(e->pane.shell, &e->pane, false);
		return true;
	default: return e->page && e->page->lines->len && pane_events_list_command(e, command);
	}
}

static bool events_command(struct ui_pane *pane, enum ui_command command)
{
	struct events *e = (struct events *)pane;

	if (!e->pane.worker || !pane->shown)
		return false;
	if (command == UI_CMD_SCOPE) {
		events_list_scope(e);
		return true;
	}
	return ui_pane_focused(pane) && pane_events_focused_command(e, command);
}

/* ---- to a file ---- */

static void *make_result(struct qry *q, void *data, struct base_progress *progress, GError **error)
{
	struct qry_events *e = qry_events_new(q, data, error);
	GArray *lines = e ? qry_events_list(e, 0, MOST + 1, progress, error) : NULL;

	qry_events_free(e);
	if (lines && lines->len > MOST) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_REFUSED,
			"there are more than %d events: select a shorter time", MOST);
		g_clear_pointer(&lines, g_array_unref);
	}
	return lines ? qry_lines_new_list(lines) : NULL;
}

/* Those of the selection or the window, not only of the part at hand. */
static bool events_result(struct ui_pane *pane, struct ui_result *result)
{
	const struct events *e = (const struct events *)pane;
	struct qry_events_filter f = events_filter(&e->asked);
	int64_t begin, end;

	if (!e->page)
		return false;
	qry_span(pane->shell->q, &begin, &end);
	ui_shell_selection(pane->shell, &f.from, &f.to);
	*result = (struct ui_result){ .name = "events",
		.file = "events.txt",
		.what = g_strdup("events"),
		.from = f.from,
		.to = f.to,
		.row = f.thread,
		.free = g_free,
		.make = make_result,
		.free_made = (GDestroyNotify)qry_lines_free };
	if (f.to >= end) /* with those of the last instant */
		f.to = INT64_MAX;
	result->data = g_memdup2(&f, sizeof f);
	return true;
}

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
	{ UI_CMD_EXPORT, "export" },
	{ UI_CMD_NONE, NULL },
};

const struct ui_pane_ops pane_events = {
	.name = "events",
	.place = UI_PLACE_LOWER,
	.hints = pane_events_hints,
	.show = UI_CMD_EVENTS,
	.drill = true,
	.size = sizeof(struct events),
	.init = events_init,
	.clear = events_clear,
	.changed = events_changed,
	.work = events_work,
	.fields = pane_events_fields,
	.to_keep = events_to_keep,
	.restore = events_restore,
	.command = events_command,
	.result = events_result,
	.title = events_draw_title,
	.draw = events_pane_draw,
};
