/* SPDX-License-Identifier: MIT */
/*
 * The search.
 *
 * The worker's thread searches outward from an event, in stretches of equal length: one forward, one back,
 * two forward, two back, four forward, and so on.  It finds near matches first, and rarely reads a packet
 * twice although the two sides alternate.
 *
 * The screen goes from match to match, and counts them.  If the next match is unknown, because the search has
 * not reached it or was stopped, the screen waits for it, or searches from the selected event on.
 */
#include "ui/pane/events/events.h"

#include "base/base_search.h"

#include <string.h>

#define STRETCHES 512         /* stretches of time in the list */
#define HITS_MAX 1000000      /* maximum matches; then the search stops */
#define OFFER_EVERY_US 200000 /* µs between updates of the matches */

/* Indices into events_hits.side. */
#define BACK 0
#define ON 1

struct search {
	struct qry *q;
	const struct events_search *asked;
	struct qry_events_filter filter; /* its expression is owned */
	struct events_hits hits;
	int64_t begin, end, length; /* BEGIN, END: of the trace; LENGTH: of a stretch */
	struct base_progress *progress;
	gint64 offered; /* time of the last offer of matches */
};

/* ---- hits ---- */

/* Three-way comparison by the order of the list: <0, 0, >0. */
static int events_place_order(const struct events_place *a, const struct events_place *b)
{
	return BASE_BY(a, b, time) ?: BASE_BY(a, b, host) ?: BASE_BY(a, b, rank);
}

static void events_hits_free(struct events_hits *hits)
{
	if (!hits)
		return;
	g_array_unref(hits->side[0]);
	g_array_unref(hits->side[1]);
	g_free(hits);
}

/* True if all events after (BY 1) or before (BY -1) the place of the search were searched. */
static bool events_find_is_whole(const struct events_hits *hits, int by)
{
	return by > 0 ? hits->high.time == INT64_MAX : hits->low.time == INT64_MIN;
}

/* Offer the matches found so far, unless the last offer was a moment ago; NOW: offer them anyway. */
static void offer(struct search *s, bool now)
{
	gint64 time = g_get_monotonic_time();
	struct events_hits *copy;

	if (!now && time < s->offered + OFFER_EVERY_US)
		return;
	s->offered = time;
	copy = g_memdup2(&s->hits, sizeof s->hits);
	for (unsigned i = 0; i < 2; i++)
		copy->side[i] = g_array_copy(s->hits.side[i]);
	ask_worker_offer(s->progress, copy);
}

static void found(struct search *s, int by, const struct qry_event *event)
{
	struct events_place place = { event->time, event->rank, event->host };
	GArray *side = s->hits.side[by > 0];

	g_array_append_val(side, place);
	*(by > 0 ? &s->hits.high : &s->hits.low) = place;
	s->hits.full = s->hits.side[BACK]->len + s->hits.side[ON]->len >= HITS_MAX;
	offer(s, side->len == 1);
}

/* ---- stretches ---- */

/* The end of the stretch next to the searched part.  The last stretch ends with the list. */
static struct events_place edge(const struct search *s, int by)
{
	struct events_place p = { .time = by > 0 ? s->hits.high.time : s->hits.low.time };

	if (by > 0 ? p.time >= s->end - s->length : p.time <= s->begin + s->length)
		return by > 0 ? (struct events_place){ INT64_MAX, UINT64_MAX, UINT32_MAX }
			      : (struct events_place){ .time = INT64_MIN };
	p.time += by * s->length;
	return p;
}

/* Search the next stretch; false with an error. */
static bool search_stretch(struct search *s, int by, GError **error)
{
	struct events_place from = by > 0 ? s->hits.high : s->hits.low, to = edge(s, by);
	bool first = !events_place_order(&from, &s->asked->from);
	struct qry_events *e;
	struct qry_event event;
	int got = -1;

	s->filter.from = by > 0 ? (first ? INT64_MIN : from.time) : to.time;
	s->filter.to = by > 0 ? to.time : INT64_MAX;
	e = qry_events_new(s->q, &s->filter, error);
	if (e &&
		(first ? qry_events_seek_rank(e, from.host, from.rank, error)
		       : qry_events_seek(e, from.time, error)))
		while (!s->hits.full && (got = qry_events_step(e, by, &event, s->progress, error)) == 1)
			found(s, by, &event);
	qry_events_free(e);
	if (got == 0)
		*(by > 0 ? &s->hits.high : &s->hits.low) = to;
	return got >= 0;
}

static bool search_all(struct search *s, GError **error)
{
	int64_t low, high;

	for (unsigned run = 1; !events_find_is_whole(&s->hits, 1) || !events_find_is_whole(&s->hits, -1);
		run = MIN(run * 2, STRETCHES)) {
		for (unsigned turn = 0; turn < 2; turn++) {
			int by = turn ? -s->asked->first : s->asked->first;

			for (unsigned i = 0; i < run && !events_find_is_whole(&s->hits, by) && !s->hits.full;
				i++) {
				if (!search_stretch(s, by, error))
					return false;
				low = MAX(s->hits.low.time, s->begin);
				high = MIN(s->hits.high.time, s->end);
				base_progress_set(s->progress,
					s->end > s->begin ? (double)(high - low) / (double)(s->end - s->begin)
							  : 1,
					0);
				offer(s, events_find_is_whole(&s->hits, by));
			}
		}
		if (s->hits.full)
			break;
	}
	return true;
}

static void *events_search_answer(struct qry *q, const void *question, struct base_progress *progress,
	GError **error)
{
	const struct events_search *asked = question;
	struct search s = { .q = q,
		.asked = asked,
		.filter = events_filter(&asked->only),
		.progress = progress };
	GRegex *regex = qry_events_regex(asked->text, error);
	bool fine = regex;

	s.filter.match = regex;
	s.hits.side[BACK] = g_array_new(FALSE, FALSE, sizeof(struct events_place));
	s.hits.side[ON] = g_array_new(FALSE, FALSE, sizeof(struct events_place));
	s.hits.low = s.hits.high = asked->from;
	qry_span(q, &s.begin, &s.end);
	s.length = (s.end - s.begin) / STRETCHES + 1;
	fine = fine && search_all(&s, error);
	if (regex)
		g_regex_unref(regex);
	if (fine)
		return g_memdup2(&s.hits, sizeof s.hits);
	g_array_unref(s.hits.side[BACK]);
	g_array_unref(s.hits.side[ON]);
	return NULL;
}

/* ---- the screen: asking ---- */

static void events_find_forget(struct events_finder *f)
{
	events_hits_free(f->hits);
	f->hits = NULL;
	f->wanted = 0;
}

void events_find_clear(struct events_finder *f)
{
	events_find_forget(f);
	if (f->regex)
		g_regex_unref(f->regex);
	f->regex = NULL;
	ask_worker_free(f->worker);
	f->worker = NULL;
}

static struct events_place events_find_place_of(const struct qry_event *event)
{
	return (struct events_place){ event->time, event->rank, event->host };
}

/* Search from the selected event on, and go to the next match (WANTED 1), the previous one (-1), or stay
 * (0). */
static void events_find_search(struct events *e, int wanted)
{
	struct events_finder *f = &e->find;
	const struct qry_event *event = events_selected(e);

	events_find_forget(f);
	if (!event)
		return;
	f->asked.only = e->asked.only;
	f->asked.from = events_find_place_of(event);
	f->asked.first = wanted < 0 ? -1 : 1;
	f->wanted = wanted;
	ask_worker_ask(f->worker, &f->asked);
	ask_worker_wait(f->worker, &e->list.pane, ASK_AT_ONCE);
}

/* Search for REGEX, made from TEXT; takes ownership. */
static void set_regex(struct events_finder *f, GRegex *regex, const char *text)
{
	if (f->regex)
		g_regex_unref(f->regex);
	f->regex = regex;
	g_strlcpy(f->asked.text, text, sizeof f->asked.text);
	ask_worker_cancel(f->worker);
	events_find_forget(f);
}

void events_find_again(struct events *e, const char *text)
{
	struct events_finder *f = &e->find;
	GRegex *regex;

	if (!g_strcmp0(text, f->regex ? f->asked.text : NULL))
		return;
	regex = text && strlen(text) < sizeof f->asked.text ? qry_events_regex(text, NULL) : NULL;
	set_regex(f, regex, regex ? text : "");
	if (regex)
		events_find_search(e, 0);
}

void events_find_text(struct ui_pane *pane, const char *text)
{
	struct events *e = (struct events *)pane;
	struct events_finder *f = &e->find;
	GError *error = NULL;
	GRegex *regex;

	if (strlen(text) >= sizeof f->asked.text) {
		ui_shell_error(pane->shell, "the expression is longer than %zu bytes",
			sizeof f->asked.text - 1);
		return;
	}
	regex = *text ? qry_events_regex(text, &error) : NULL;
	if (error) {
		ui_shell_take_error(pane->shell, error);
		return;
	}
	set_regex(f, regex, text);
	if (regex)
		events_find_search(e, 1);
}

static bool is_of_list(const struct events *e)
{
	return events_only_same(&e->find.asked.only, &e->asked.only);
}

void events_find_check(struct events *e)
{
	if (e->find.regex && !is_of_list(e) && !ask_worker_busy(e->list.pane.worker))
		events_find_search(e, 0);
}

bool events_find_stop(struct events *e)
{
	if (!ask_worker_busy(e->find.worker))
		return false;
	ask_worker_cancel(e->find.worker);
	e->find.wanted = 0;
	ui_shell_message(e->list.pane.shell, "the search is stopped");
	return true;
}

/* ---- the screen: matches ---- */

static unsigned events_find_count(const struct events_hits *hits)
{
	return hits->side[0]->len + hits->side[1]->len;
}

/* Match number I in the order of the list. */
static const struct events_place *events_find_nth(const struct events_hits *hits, uint64_t i)
{
	guint before = hits->side[0]->len;

	return i < before ? &g_array_index(hits->side[0], struct events_place, before - 1 - i)
			  : &g_array_index(hits->side[1], struct events_place, i - before);
}

struct looked_for {
	const struct events_hits *hits;
	struct events_place place;
};

static bool events_find_is_before(const void *data, uint64_t i)
{
	const struct looked_for *l = data;

	return events_place_order(events_find_nth(l->hits, i), &l->place) < 0;
}

/* The number of matches before PLACE. */
static unsigned before(const struct events_hits *hits, struct events_place place)
{
	struct looked_for l = { hits, place };

	return (unsigned)base_search(0, events_find_count(hits), events_find_is_before, &l);
}

/* True if match number I is at PLACE. */
static bool is_at(const struct events_hits *hits, unsigned i, struct events_place place)
{
	return i < events_find_count(hits) && !events_place_order(events_find_nth(hits, i), &place);
}

bool events_find_has(const struct events *e, const struct qry_event *event)
{
	const struct events_hits *hits = e->find.hits;

	return hits && is_of_list(e) &&
		is_at(hits, before(hits, events_find_place_of(event)), events_find_place_of(event));
}

/* True if PLACE is in the searched part of the list. */
static bool is_covered(const struct events_hits *hits, struct events_place place)
{
	return events_place_order(&hits->low, &place) <= 0 && events_place_order(&place, &hits->high) <= 0;
}

/* The next match after (BY 1) or before (BY -1) the selected event, if it was searched; NULL if none is
 * known. */
static const struct events_place *next(const struct events *e, int by)
{
	const struct events_hits *hits = e->find.hits;
	struct events_place here = events_find_place_of(events_selected(e));
	unsigned i = before(hits, here);

	if (by > 0)
		i += is_at(hits, i, here);
	else if (i-- == 0)
		return NULL;
	return i < events_find_count(hits) ? events_find_nth(hits, i) : NULL;
}

/* Go to the wanted match if it is known.  Otherwise wait if the search is BUSY near it, or search again. */
static void try_wanted(struct events *e, bool busy)
{
	struct events_finder *f = &e->find;
	int by = f->wanted;
	bool here = f->hits && is_of_list(e) && is_covered(f->hits, events_find_place_of(events_selected(e)));
	const struct events_place *place = here ? next(e, by) : NULL;

	if (!place && !(here && events_find_is_whole(f->hits, by))) {
		if (!busy || (f->hits && !here))
			events_find_search(e, by);
		return;
	}
	f->wanted = 0;
	f->into_view = place;
	if (place)
		events_list_jump(e, place->host, place->rank);
	else
		ui_shell_message(e->list.pane.shell, "no event %s this one matches \"%s\"",
			by > 0 ? "after" : "before", f->asked.text);
}

static void events_find_take(struct events *e, struct events_hits *hits, bool busy)
{
	events_hits_free(e->find.hits);
	e->find.hits = hits;
	if (e->find.wanted && events_selected(e))
		try_wanted(e, busy);
}

static void events_find_offered(struct ui_pane *pane, void *hits)
{
	events_find_take((struct events *)pane, hits, true);
}

static void events_find_taken(struct ui_pane *pane, void *hits, GError *error)
{
	struct events *e = (struct events *)pane;

	if (hits) {
		events_find_take(e, hits, false);
		return;
	}
	e->find.wanted = 0;
	ui_shell_take_error(pane->shell, error);
}

const struct ask_kind events_search_kind = { .size = sizeof(struct events_search),
	.answer = events_search_answer,
	.free = (GDestroyNotify)events_hits_free,
	.taken = events_find_taken,
	.offered = events_find_offered };

void events_find_step(struct events *e, int by)
{
	ask_worker_wait(e->list.pane.worker, &e->list.pane, ASK_AT_ONCE);
	if (!e->find.regex) {
		ui_shell_message(e->list.pane.shell, "no search yet: search for a text first");
	} else if (ask_worker_busy(e->list.pane.worker)) {
		ui_shell_message(e->list.pane.shell, "the list is still being read");
	} else if (events_selected(e)) {
		e->find.wanted = by;
		try_wanted(e, ask_worker_busy(e->find.worker));
	}
}

/* ---- the title ---- */

/* Append ", 14 in view". */
static void put_seen(const struct events *e, GString *title)
{
	const struct ui_shell *shell = e->list.pane.shell;
	const struct events_hits *hits = e->find.hits;
	struct events_place from = { 0 }, to = { 0 };
	bool selected = ui_shell_selection(shell, &from.time, &to.time);

	if ((from.time == shell->span_from && to.time == shell->span_to) || !is_covered(hits, from) ||
		!is_covered(hits, to))
		return;
	g_string_append_printf(title, ", %u %s", before(hits, to) - before(hits, from),
		selected ? "selected" : "in view");
}

void events_find_title(const struct events *e, GString *title)
{
	const struct events_finder *f = &e->find;
	const struct events_hits *hits = f->hits;
	const struct qry_event *event = events_selected(e);
	bool busy = ask_worker_busy(f->worker), all;

	if (!f->regex || !is_of_list(e))
		return;
	all = hits && events_find_is_whole(hits, 1) && events_find_is_whole(hits, -1);
	g_string_append(title, "  ");
	if (all && event && events_find_has(e, event))
		g_string_append_printf(title, "%u of ", before(hits, events_find_place_of(event)) + 1);
	g_string_append_printf(title, "%u match", hits ? events_find_count(hits) : 0);
	if (busy) {
		g_autofree char *stop = ui_keymap_first(e->list.pane.shell->keys, UI_CMD_CLEAR);

		g_string_append_printf(title, " so far, %.0f%%, %s stops", 100 * ask_worker_share(f->worker),
			stop);
	} else if (!all) {
		g_string_append(title, hits && hits->full ? " and more" : ", stopped");
	} else {
		put_seen(e, title);
	}
}
