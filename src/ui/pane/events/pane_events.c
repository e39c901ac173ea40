/* SPDX-License-Identifier: MIT */
/*
 * The events themselves around the cursor, with all their fields.  A worker
 * reads a part of the list around an instant or event; moving about in that part asks nothing, and
 * near its ends the next part is asked for while the old one stays.  Going from event to event puts the
 * cursor at the event's exact time (own_cursor); where the cursor goes otherwise, the list follows.
 *
 * A second worker searches the list (events_search.c), from the selected event outward.
 *
 * Other panes show an event in this list by ui_shell_open_event().
 */
#include "ui/pane/pane.h"

#include "base/base_error.h"
#include "base/base_time.h"
#include "ui/core/ui_fields.h"
#include "ui/pane/events/events.h"

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
	return lines;
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
		.free_made = (GDestroyNotify)g_array_unref };
	if (f.to >= end) /* with those of the last instant */
		f.to = INT64_MAX;
	result->data = g_memdup2(&f, sizeof f);
	return true;
}

static const struct ui_hint pane_events_hints[] = {
	{ UI_CMD_GOTO, "number" },
	{ UI_CMD_SEARCH_NEXT, "next found" },
	{ UI_CMD_CHANGE_NEXT, "same event's next" },
	{ UI_CMD_SCOPE, "whose" },
	{ UI_CMD_TIME_RIGHT, "fields" },
	{ UI_CMD_ACTIVATE, "its thread" },
	{ UI_CMD_MAXIMISE, "large" },
	{ UI_CMD_CLEAR, "close" },
	{ UI_CMD_FOCUS, "other pane" },
	{ UI_CMD_CLOCK, "clock" },
	{ UI_CMD_SEARCH, "find" },
	{ UI_CMD_SEARCH_PREV, "last found" },
	{ UI_CMD_CHANGE_PREV, "same, before" },
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
