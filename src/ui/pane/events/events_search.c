/* SPDX-License-Identifier: MIT */
/*
 * Searching the list of events, in the worker's thread: outward from an event, in stretches of equal length,
 * one on, one back, two on, two back, and so on.  So what is near is found first, and packets are read few
 * times although the two sides take turns.
 */
#include "ui/pane/events/events.h"

#define STRETCHES 512         /* the list, in stretches of time */
#define HITS_MAX 1000000      /* events found before the search is given up */
#define OFFER_EVERY_US 200000 /* what was found is shown this often */

/* Of struct events_hits: */
#define BACK 0
#define ON 1

struct search {
	struct qry *q;
	const struct events_search *asked;
	struct qry_events_filter filter; /* its expression is owned */
	struct events_hits hits;
	int64_t begin, end, length; /* of the trace; of a stretch */
	struct base_progress *progress;
	gint64 offered; /* when what was found was offered last */
};

/* ---- what was found ---- */

static struct events_hits *events_search_copy(const struct events_hits *hits)
{
	struct events_hits *c = g_memdup2(hits, sizeof *hits);

	for (unsigned i = 0; i < 2; i++)
		c->side[i] = g_array_copy(hits->side[i]);
	return c;
}

/* Offer what there is, unless that was done a moment ago; NOW: do it. */
static void offer(struct search *s, bool now)
{
	gint64 time = g_get_monotonic_time();

	if (!now && time < s->offered + OFFER_EVERY_US)
		return;
	s->offered = time;
	ask_worker_offer(s->progress, events_search_copy(&s->hits));
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

static bool events_search_is_whole(const struct search *s, int by)
{
	return by > 0 ? s->hits.high.time == INT64_MAX : s->hits.low.time == INT64_MIN;
}

/* Where the stretch next to what was looked at ends: up to the end of the list it is the last one. */
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

static void set_progress(struct search *s)
{
	int64_t low = MAX(s->hits.low.time, s->begin), high = MIN(s->hits.high.time, s->end);

	base_progress_set(s->progress,
		s->end > s->begin ? (double)(high - low) / (double)(s->end - s->begin) : 1, 0);
}

static bool search_all(struct search *s, GError **error)
{
	for (unsigned run = 1; !events_search_is_whole(s, 1) || !events_search_is_whole(s, -1);
		run = MIN(run * 2, STRETCHES)) {
		for (unsigned turn = 0; turn < 2; turn++) {
			int by = turn ? -s->asked->first : s->asked->first;

			for (unsigned i = 0; i < run && !events_search_is_whole(s, by) && !s->hits.full;
				i++) {
				if (!search_stretch(s, by, error))
					return false;
				set_progress(s);
				offer(s, events_search_is_whole(s, by));
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
	struct search s = { .q = q, .asked = asked, .filter = QRY_EVENTS_ALL, .progress = progress };
	GRegex *regex = qry_events_regex(asked->text, error);
	bool fine = regex;

	s.filter.host = asked->only_host;
	s.filter.cpu = asked->only_cpu;
	s.filter.thread = asked->only_thread;
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

const struct ask_kind events_search_kind = { .size = sizeof(struct events_search),
	.answer = events_search_answer,
	.free = (GDestroyNotify)events_hits_free,
	.taken = events_find_taken,
	.offered = events_find_offered };
