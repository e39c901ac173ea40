// SPDX-License-Identifier: MIT
/* The fields of the events behind a wait: read from the trace by a worker, so that the screen does not wait for it. */
#include "ui/pane/wait.h"

#include "query/qry_events.h"

#include <string.h>

#define EVENTS_MAX 64		/* of one wait; the rest stays without fields */
#define AT_ONCE 40		/* ms: fields that come within this are there at the first draw */

/* Which events: plain data; names are owned by the screen's experiment, which outlives the worker. */
struct fields_question {
	unsigned n;
	struct ana_evidence events[EVENTS_MAX];
};

/* The fields of the event that E names; NULL when it is not found. */
static char *fields_of(struct qry_events *cursor, const struct ana_evidence *e, struct base_progress *progress)
{
	struct qry_event event;

	if (e->cpu == MDL_NONE || !qry_events_seek_exact(cursor, e->host, e->time, e->cpu, NULL))
		return NULL;
	while (qry_events_step(cursor, 1, &event, progress, NULL) == 1 && event.time == e->time)
		if (event.host == e->host && event.cpu == e->cpu && g_str_has_suffix(event.name, e->event))
			return qry_events_fields(cursor, NULL);
	return NULL;
}

/* The cursor for events of HOST in place of *CURSOR (NULL: none), which is for *AT; false with an error. */
static bool turn_to(struct qry *q, uint32_t host, struct qry_events **cursor, uint32_t *at, GError **error)
{
	struct qry_events_filter filter = QRY_EVENTS_ALL;

	if (*cursor && *at == host)
		return true;
	g_clear_pointer(cursor, qry_events_free);
	filter.host = *at = host;
	*cursor = qry_events_new(q, &filter, error);
	return *cursor != NULL;
}

static void *answer(struct qry *q, const void *question, struct base_progress *progress, GError **error)
{
	const struct fields_question *asked = question;
	struct qry_events *cursor = NULL;
	char **fields = g_new0(char *, asked->n + 1);
	uint32_t host = MDL_NONE;

	for (unsigned i = 0; i < asked->n && !base_progress_cancelled(progress); i++) {
		if (!turn_to(q, asked->events[i].host, &cursor, &host, error)) {
			g_clear_pointer(&fields, g_strfreev);
			break;
		}
		fields[i] = fields_of(cursor, &asked->events[i], progress);
		if (!fields[i])
			fields[i] = g_strdup("");
	}
	g_clear_pointer(&cursor, qry_events_free);
	return fields;
}

static void answer_free(void *fields)
{
	g_strfreev(fields);
}

static const struct ask_kind kind = { .size = sizeof(struct fields_question), .answer = answer, .free = answer_free };

void wait_fields_ask(struct wait *w)
{
	struct fields_question q = { .n = MIN(w->why->evidence->len, EVENTS_MAX) };

	wait_fields_drop(w);
	if (!q.n)
		return;
	if (!w->worker)
		w->worker = ask_worker_new(w->pane.shell->q, &kind);
	memcpy(q.events, w->why->evidence->data, q.n * sizeof q.events[0]);
	ask_worker_ask(w->worker, &q);
	wait_fields_take(w, ui_pane_focused(&w->pane) ? AT_ONCE : 0);	/* moving along in the control flow must not wait for them */
}

bool wait_fields_take(struct wait *w, unsigned ms)
{
	GError *error = NULL;
	void *fields = NULL;

	if (!w->worker || !ask_worker_busy(w->worker))
		return false;
	if (!ask_worker_take(w->worker, ms, &fields, &error))
		return true;
	w->fields = fields;
	if (error)
		w->no_fields = error;
	ui_shell_redraw(w->pane.shell);
	return false;
}

void wait_fields_drop(struct wait *w)
{
	if (w->worker && ask_worker_busy(w->worker))
		ask_worker_cancel(w->worker);
	g_clear_pointer(&w->fields, g_strfreev);
	g_clear_error(&w->no_fields);
}

const char *wait_fields_of(const struct wait *w, unsigned event)
{
	if (!w->fields || event >= g_strv_length(w->fields) || !*w->fields[event])
		return NULL;
	return w->fields[event];
}
