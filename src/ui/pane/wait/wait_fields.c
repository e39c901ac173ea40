/* SPDX-License-Identifier: MIT */
/* The fields of the events behind a wait: read from the trace by a worker; the screen does not wait. */
#include "ui/pane/wait/wait.h"

#include "query/events/places.h"

#include <string.h>

#define EVENTS_MAX 64 /* of one wait; the rest stays without fields */
#define AT_ONCE 40    /* ms: fields that come within this are there at the first draw */

/* Which events: plain data; names are owned by the screen's experiment, which outlives the worker. */
struct fields_question {
	unsigned n;
	struct ana_evidence events[EVENTS_MAX];
};

struct fields_answer {
	char **fields;             /* owned; "": none */
	uint32_t cpus[EVENTS_MAX]; /* MDL_NONE: not found */
};

static void wait_fields_answer_free(void *answer)
{
	struct fields_answer *a = answer;

	g_strfreev(a->fields);
	g_free(a);
}

static void *wait_fields_answer(struct qry *q, const void *question, struct base_progress *progress,
	GError **error)
{
	const struct fields_question *asked = question;
	g_autoptr(GArray) places = g_array_new(FALSE, TRUE, sizeof(struct qry_place));
	struct fields_answer *a = g_new0(struct fields_answer, 1);
	bool fine;

	a->fields = g_new0(char *, asked->n + 1);
	for (unsigned i = 0; i < asked->n; i++) {
		const struct ana_evidence *e = &asked->events[i];
		struct qry_place place = { .host = e->host,
			.cpu = e->cpu,
			.time = e->time,
			.event = e->event,
			.rank = e->rank };

		g_array_append_val(places, place);
	}
	fine = qry_places_find(q, places, true, progress, error);
	for (unsigned i = 0; i < asked->n; i++) {
		const struct qry_place *place = &g_array_index(places, struct qry_place, i);

		a->fields[i] = place->fields ? place->fields : g_strdup("");
		a->cpus[i] = place->cpu;
	}
	if (!fine)
		g_clear_pointer(&a, wait_fields_answer_free);
	return a;
}

static void wait_fields_taken(struct ui_pane *pane, void *answer, GError *error)
{
	struct wait *w = (struct wait *)pane;
	struct fields_answer *a = answer;

	for (unsigned i = 0; a && a->fields[i]; i++)
		g_array_index(w->why->evidence, struct ana_evidence, i).cpu = a->cpus[i];
	w->fields = a ? g_steal_pointer(&a->fields) : NULL;
	w->no_fields = error;
	g_clear_pointer(&a, wait_fields_answer_free);
}

static const struct ask_kind wait_fields_kind = { .size = sizeof(struct fields_question),
	.answer = wait_fields_answer,
	.free = wait_fields_answer_free,
	.taken = wait_fields_taken };

void wait_fields_ask(struct wait *w)
{
	struct fields_question q = { .n = MIN(w->why->evidence->len, EVENTS_MAX) };

	wait_fields_drop(w);
	if (!q.n)
		return;
	memcpy(q.events, w->why->evidence->data, q.n * sizeof q.events[0]);
	/* Moving along in the control flow must not wait for them. */
	ask_worker_for(&w->pane, &wait_fields_kind, &q, ui_pane_focused(&w->pane) ? AT_ONCE : 0);
}

void wait_fields_drop(struct wait *w)
{
	ask_worker_cancel(w->pane.worker);
	g_clear_pointer(&w->fields, g_strfreev);
	g_clear_error(&w->no_fields);
}

const char *wait_fields_of(const struct wait *w, unsigned event)
{
	if (!w->fields || event >= g_strv_length(w->fields) || !*w->fields[event])
		return NULL;
	return w->fields[event];
}
