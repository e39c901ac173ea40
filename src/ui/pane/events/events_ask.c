/* SPDX-License-Identifier: MIT */
/* Reading a part of the list of events, in the worker's thread. */
#include "ui/pane/events/events.h"

#include "base/base_error.h"

static struct qry_events *open_list(struct qry *q, const struct events_question *asked, const char *needle,
	GError **error)
{
	struct qry_events_filter f = QRY_EVENTS_ALL;

	f.host = asked->only_host;
	f.cpu = asked->only_cpu;
	f.thread = asked->only_thread;
	f.name = needle;
	return qry_events_new(q, &f, error);
}

/* The event that NEEDLE finds; false with an error. */
static bool search(struct qry *q, const struct events_question *asked, struct qry_event *found,
	struct base_progress *progress, GError **error)
{
	struct qry_events *e = open_list(q, asked, asked->needle, error);
	bool fine = e && qry_events_seek_rank(e, asked->host, asked->rank, error);
	int got = fine ? qry_events_step(e, asked->by, found, progress, error) : -1;

	/* The place is before the event one comes from. */
	if (got == 1 && asked->by > 0 && found->host == asked->host && found->rank == asked->rank)
		got = qry_events_step(e, 1, found, progress, error);
	if (got == 0)
		g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER, "no event \"%s\" %s this one",
			asked->needle, asked->by > 0 ? "after" : "before");
	qry_events_free(e);
	return got == 1;
}

/* Go to the place before what is asked for, which becomes *TARGET; *TARGET keeps host MDL_NONE when the list
 * is empty. */
static bool find(struct qry *q, struct qry_events *e, const struct events_question *asked,
	struct qry_event *target, struct base_progress *progress, GError **error)
{
	struct qry_event found = { .host = asked->host, .rank = asked->rank };
	bool fine = asked->want != EVENTS_SEARCH || search(q, asked, &found, progress, error);
	int got = 0;

	target->host = MDL_NONE;
	if (!fine)
		return false;
	if (asked->want == EVENTS_AT_TIME) {
		fine = qry_events_seek(e, asked->time == INT64_MAX ? INT64_MAX : asked->time + 1, error);
		got = fine ? qry_events_step(e, -1, target, progress, error) : -1;
		if (got != 0)
			return got > 0;
	} else if (asked->want == EVENTS_AT_EVENT) {
		fine = qry_events_seek_exact(e, asked->host, asked->time, asked->cpu, error);
	} else {
		fine = qry_events_seek_rank(e, found.host, found.rank, error);
	}
	got = fine ? qry_events_step(e, 1, target, progress, error) : -1;
	if (got == 0) /* nothing behind: the last one */
		return qry_events_step(e, -1, target, progress, error) >= 0;
	return got > 0 && qry_events_step(e, -1, target, progress, error) == 1;
}

static void *answer(struct qry *q, const void *question, struct base_progress *progress, GError **error)
{
	const struct events_question *asked = question;
	struct qry_events *e = open_list(q, asked, NULL, error);
	struct events_page *page = g_new0(struct events_page, 1);
	const GPtrArray *warnings = qry_warnings(q);
	guint warned = warnings->len;
	struct qry_event target;

	if (e && find(q, e, asked, &target, progress, error))
		page->lines = qry_events_list(e, asked->room, asked->room + 1, progress, error);
	qry_events_free(e);
	if (!page->lines) {
		events_page_free(page);
		return NULL;
	}
	for (guint i = 0; i < page->lines->len; i++) {
		const struct qry_event *event = &g_array_index(page->lines, struct qry_events_line, i).event;

		if (event->host == target.host && event->rank == target.rank)
			page->selected = i;
	}
	if (warnings->len > warned)
		page->notice = g_strdup(g_ptr_array_index(warnings, warnings->len - 1));
	page->at_start = page->selected < asked->room;
	page->at_end = page->lines->len - page->selected < asked->room + 1;
	return page;
}

static void answer_free(void *page)
{
	events_page_free(page);
}

const struct ask_kind events_kind = { .size = sizeof(struct events_question),
	.answer = answer,
	.free = answer_free,
	.taken = events_list_taken };
