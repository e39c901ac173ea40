/* SPDX-License-Identifier: MIT */
/* Reading a part of the list of events, in the worker's thread. */
#include "ui/pane/events/events.h"

#include "base/base_error.h"

#include <string.h>

struct qry_events_filter events_filter(const struct events_question *asked)
{
	struct qry_events_filter f = QRY_EVENTS_ALL;

	f.host = asked->only_host;
	f.cpu = asked->only_cpu;
	f.thread = asked->only_thread;
	return f;
}

/* Event RANK of HOST into *EVENT, and one step BY from there on among those of FILTER, which it is one of: 1,
 * 0 when there is none, -1 with an error. */
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

static bool is_same(void *data, const char *name)
{
	return !strcmp(data, name);
}

/* What is asked for becomes the next or previous event of the list called as that one, of its thread; false
 * with an error. */
static bool find_same(struct qry *q, struct events_question *asked, struct base_progress *progress,
	GError **error)
{
	struct qry_events_filter f = events_filter(asked);
	g_autofree char *thread = NULL;
	struct qry_event event, found;
	int got = step_from(q, &f, asked, 0, &event, progress, error);

	if (got < 1)
		return false;
	if (event.thread == MDL_NONE)
		return base_error_false(error, BASE_ERROR_NO_ANSWER,
			"it is not known which thread had the CPU then");
	f.thread = event.thread;
	f.wants = is_same;
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
		asked->by > 0 ? "after" : "before", asked->only_cpu == MDL_NONE ? "" : " on this CPU");
}

/* Go to the place before what is asked for, which becomes *TARGET; *TARGET keeps host MDL_NONE when the list
 * is empty. */
static bool find(struct qry_events *e, const struct events_question *asked, struct qry_event *target,
	struct base_progress *progress, GError **error)
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
	if (got == 0) /* nothing behind: the last one */
		return qry_events_step(e, -1, target, progress, error) >= 0;
	return got > 0 && qry_events_step(e, -1, target, progress, error) == 1;
}

static void *answer(struct qry *q, const void *question, struct base_progress *progress, GError **error)
{
	struct events_question asked = *(const struct events_question *)question;
	struct events_page *page = g_new0(struct events_page, 1);
	const GPtrArray *warnings = qry_warnings(q);
	guint warned = warnings->len;
	struct qry_event target;
	bool fine = asked.want != EVENTS_SAME || find_same(q, &asked, progress, error);
	struct qry_events_filter f = events_filter(&asked);
	struct qry_events *e = fine ? qry_events_new(q, &f, error) : NULL;

	if (e && find(e, &asked, &target, progress, error))
		page->lines = qry_events_list(e, asked.room, asked.room + 1, progress, error);
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
	page->at_start = page->selected < asked.room;
	page->at_end = page->lines->len - page->selected < asked.room + 1;
	return page;
}

const struct ask_kind events_kind = { .size = sizeof(struct events_question),
	.answer = answer,
	.free = (GDestroyNotify)events_page_free,
	.taken = events_list_taken };
