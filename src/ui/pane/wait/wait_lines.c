/* SPDX-License-Identifier: MIT */
/* The lines of an explained wait: hops, the events of open hops, and the woken thread.  A worker reads from
 * the trace the fields of the events, and where in the kernel the thread waited; the screen does not wait for
 * the worker. */
#include "ui/pane/wait/wait.h"

#include "analysis/wait/blocked.h"
#include "query/events/places.h"
#include "ui/core/ui_fields.h"

#include <string.h>

/* ---- the fields of the events ---- */

#define EVENTS_MAX 64 /* maximum per wait; later events have no fields */
#define AT_ONCE 40    /* ms; fields read within this time are in the first draw */

/* The events to read.  Plain data; the screen's experiment owns the names and outlives the worker. */
struct fields_question {
	/* the thread that waited; below, the start of its wait (ns) and the wake-up that ended it */
	uint32_t row;
	int64_t from;
	struct mdl_wakeup wakeup;
	unsigned n;
	struct ana_evidence events[EVENTS_MAX];
};

struct fields_answer {
	char *within;              /* owned: see struct wait */
	char **fields;             /* owned; "": none */
	uint32_t cpus[EVENTS_MAX]; /* MDL_NONE: not found */
};

static void wait_fields_answer_free(void *answer)
{
	struct fields_answer *a = answer;

	g_free(a->within);
	g_strfreev(a->fields);
	g_free(a);
}

static void *wait_fields_answer(struct qry *q, const void *question, struct base_progress *progress,
	GError **error)
{
	const struct fields_question *asked = question;
	g_autoptr(GArray) places = g_array_new(FALSE, TRUE, sizeof(struct qry_place));
	struct fields_answer *a = g_new0(struct fields_answer, 1);
	struct ana_blocked blocked;
	bool fine = ana_blocked_find(q, asked->row, asked->from, &asked->wakeup, &blocked, error);

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
	a->within = ana_blocked_text(&blocked);
	g_free(blocked.function);
	fine = fine && qry_places_find(q, places, true, progress, error);
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
	w->within = a ? g_steal_pointer(&a->within) : NULL;
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
	struct fields_question q = { .row = w->why->row,
		.from = w->why->from,
		.wakeup = w->why->source.wakeup,
		.n = MIN(w->why->evidence->len, EVENTS_MAX) };

	wait_fields_drop(w);
	memcpy(q.events, w->why->evidence->data, q.n * sizeof q.events[0]);
	/* Moves in the control flow must not wait for the fields. */
	ask_worker_for(&w->pane, &wait_fields_kind, &q, ui_pane_focused(&w->pane) ? AT_ONCE : 0);
}

void wait_fields_drop(struct wait *w)
{
	ask_worker_cancel(w->pane.worker);
	g_clear_pointer(&w->fields, g_strfreev);
	g_clear_pointer(&w->within, g_free);
	g_clear_error(&w->no_fields);
}

const char *wait_fields_of(const struct wait *w, unsigned event)
{
	if (!w->fields || event >= g_strv_length(w->fields) || !*w->fields[event])
		return NULL;
	return w->fields[event];
}

/* ---- the lines ---- */

static void wait_lines_add(struct wait *w, enum wait_line_kind kind, unsigned hop, unsigned event)
{
	struct wait_line line = { kind, hop, event };

	g_array_append_val(w->lines, line);
}

static void add_hop(struct wait *w, unsigned i)
{
	const struct ana_why_hop *hop = wait_hop(w, i);

	wait_lines_add(w, WAIT_HOP, i, 0);
	if (!w->open[i])
		return;
	for (unsigned e = 0; e < hop->n_evidence; e++)
		wait_lines_add(w, WAIT_EVENT, i, hop->first_evidence + e);
	if (wait_doubts(w, i))
		wait_lines_add(w, WAIT_REASON, i, 0);
	if (hop->missing)
		wait_lines_add(w, WAIT_MISSING, i, 0);
}

/* List the hops, and the events below each open hop.  The selected line stays with its hop. */
static void make_lines(struct wait *w)
{
	bool begun = w->lines->len > 0;
	struct wait_line selected = { WAIT_HOP, 0, 0 };

	if (begun)
		selected = *wait_line(w, MIN(w->list.view.line, w->lines->len - 1));
	g_array_set_size(w->lines, 0);
	for (unsigned i = 0; i < w->why->hops->len; i++)
		add_hop(w, i);
	wait_lines_add(w, WAIT_WOKEN, w->why->hops->len, 0);
	for (w->list.view.line = 0; w->list.view.line + 1 < w->lines->len; w->list.view.line++) {
		const struct wait_line *line = wait_line(w, w->list.view.line);

		if (line->hop != selected.hop)
			continue;
		if (line->kind == selected.kind && line->event == selected.event)
			break;
		if (line->kind == WAIT_HOP && !w->open[line->hop])
			break; /* the selected line is folded into this one */
	}
}

static void open_all(struct wait *w, bool open)
{
	for (unsigned i = 0; i < w->why->hops->len; i++)
		w->open[i] = open;
	make_lines(w);
}

void wait_lines_start(struct wait *w, unsigned room)
{
	g_array_set_size(w->lines, 0);
	open_all(w, true);
	if (w->lines->len > room)
		open_all(w, false);
	w->list.view.line = 0;
}

void wait_lines_toggle(struct wait *w)
{
	unsigned hop = wait_line(w, w->list.view.line)->hop;

	if (hop >= w->why->hops->len)
		return;
	w->open[hop] = !w->open[hop];
	make_lines(w);
}

void wait_lines_toggle_all(struct wait *w)
{
	bool closed = false;

	for (unsigned i = 0; i < w->why->hops->len; i++)
		closed |= !w->open[i];
	open_all(w, closed);
}

char *wait_lines_open_text(const struct wait *w)
{
	g_autoptr(GArray) hops = g_array_new(FALSE, FALSE, sizeof(gint64));

	for (gint64 i = 0; i < w->why->hops->len; i++)
		if (w->open[i])
			g_array_append_val(hops, i);
	return ui_fields_numbers_text(hops);
}

void wait_lines_set_open(struct wait *w, const char *text)
{
	g_autoptr(GArray) hops = ui_fields_numbers(text);

	for (unsigned i = 0; i < w->why->hops->len; i++)
		w->open[i] = false;
	for (guint i = 0; i < hops->len; i++) {
		gint64 hop = g_array_index(hops, gint64, i);

		if (hop >= 0 && hop < w->why->hops->len)
			w->open[hop] = true;
	}
	make_lines(w);
}

unsigned wait_lines_words(const struct term_area *area, unsigned x, unsigned room, unsigned lines,
	const char *text)
{
	g_autoptr(GPtrArray) first = term_text_rows(text, MAX(room, 1), 0), others = NULL;
	struct term_area below = term_area_part(area, x, 1, area->w, lines - 1);

	if (lines < 2 || first->len < 2 || !below.w) {
		term_area_fit(area, x, 0, room, TERM_ROLE_STRONG, text);
		return 1;
	}
	term_area_fit(area, x, 0, room, TERM_ROLE_STRONG, g_ptr_array_index(first, 0));
	text += strlen(g_ptr_array_index(first, 0));
	text += strspn(text, " ");
	others = term_text_rows(text, below.w, 0);
	term_area_rows(&below, TERM_ROLE_STRONG, text);
	return 1 + MIN(others->len, lines - 1);
}
