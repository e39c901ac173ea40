/* SPDX-License-Identifier: MIT */
/*
 * How it works: a place is a place in each stream.  The next event is the earliest of those behind it, the one before the latest of
 * those in front of it; of one time the stream with the lower number comes first, as in the merge of the reader, so the number of an
 * event is one more than all that lies before the place in the streams of its host.
 *
 * The index tells times and counts at both ends of a packet, so only packets with the place inside are read.
 */
#include "query/qry_events.h"

#include "base/base_error.h"
#include "query/qry_parts.h"

#include <string.h>

#define LOOK_EVERY 4096		/* events passed by between two looks at the progress */

/* The place in one stream: before event AT of packet number PACKET. */
struct lane {
	uint32_t host, stream;
	uint64_t n_packets;
	uint64_t packet;	/* n_packets: behind all */
	struct idx_packet at_packet;	/* what the index says of it, when there is one */
	uint64_t at;		/* below its number of events */
	bool known[2];		/* the times of the events before (0) and behind (1) the place are known: */
	bool there[2];		/* there is one */
	int64_t time[2];
};

struct qry_events {
	struct qry *q;			/* weak */
	struct qry_events_filter filter;	/* its name is owned */
	struct lane *lanes;		/* owned, by host and stream */
	uint32_t n_lanes;
	GHashTable *passes;		/* name as of qry_trace_name() → whether the filter lets it pass; owned */
	struct lane *last;		/* of the event stepped over last; weak, NULL: none */
	uint64_t last_packet, last_at;
	uint32_t last_cpu;
};

bool qry_events_match(const char *pattern, const char *name)
{
	char *p = g_ascii_strdown(pattern, -1), *n = g_ascii_strdown(name, -1);
	bool match = strpbrk(p, "*?") != NULL ? g_pattern_match_simple(p, n) : strstr(n, p) != NULL;

	g_free(p);
	g_free(n);
	return match;
}

/* ---- one stream ---- */

static struct qry_source *source_of(const struct qry_events *e, const struct lane *l)
{
	return qry_source(e->q, l->host);
}

/* What the index says of packet number PACKET, the one at the place of L or another. */
static bool get_packet(const struct qry_events *e, const struct lane *l, uint64_t packet, struct idx_packet *p, GError **error)
{
	struct idx_reader *index = source_of(e, l)->reader;

	if (packet == l->packet && packet < l->n_packets) {
		*p = l->at_packet;
		return true;
	}
	if (idx_reader_packet(index, l->stream, packet, p))
		return true;
	if (idx_reader_damage(index) != NULL)
		g_propagate_error(error, g_error_copy(idx_reader_damage(index)));
	else
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "%s: no such packet", idx_reader_path(index));
	return false;
}

/* Put the place of L at the beginning of PACKET, or behind all. */
static bool set_place(const struct qry_events *e, struct lane *l, uint64_t packet, GError **error)
{
	struct idx_packet p;

	if (packet < l->n_packets && !get_packet(e, l, packet, &p, error))
		return false;
	l->known[0] = l->known[1] = false;
	l->packet = packet;
	l->at = 0;
	if (packet < l->n_packets)
		l->at_packet = p;
	return true;
}

/* How many events of the stream lie before the place. */
static uint64_t count_before(const struct qry_events *e, const struct lane *l)
{
	return l->packet == l->n_packets ? idx_reader_stream(source_of(e, l)->reader, l->stream)->events : l->at_packet.before + l->at;
}

static bool seek_lane(const struct qry_events *e, struct lane *l, int64_t time, GError **error)
{
	const struct qry_source *s = source_of(e, l);

	if (!set_place(e, l, idx_reader_packet_at(s->reader, l->stream, time), error))
		return false;
	if (l->packet == l->n_packets || time <= l->at_packet.first)
		return true;
	return qry_trace_find(s->trace, l->stream, l->packet, time, &l->at, error);
}

/*
 * The event behind (BY 1) or before the place: the number of its packet, the number in that, and in *P what the index says of the
 * packet.  1; 0 when there is none; -1 with an error.
 */
static int neighbour(const struct qry_events *e, const struct lane *l, int by, uint64_t *packet, uint64_t *at, struct idx_packet *p,
		     GError **error)
{
	bool within = by > 0 || (l->at > 0 && l->packet < l->n_packets);

	if (by > 0 ? l->packet == l->n_packets : l->packet == 0 && l->at == 0)
		return 0;
	*packet = within ? l->packet : l->packet - 1;
	if (!get_packet(e, l, *packet, p, error))
		return -1;
	*at = by > 0 ? l->at : within ? l->at - 1 : p->events - 1;
	return 1;
}

/* The time of event AT of packet number PACKET, which is *P; from the index where that is enough. */
static bool time_of(const struct qry_events *e, const struct lane *l, uint64_t packet, uint64_t at, const struct idx_packet *p,
		    int64_t *time, GError **error)
{
	struct qry_trace_event event;

	if (at == 0 || at == p->events - 1) {
		*time = at == 0 ? p->first : p->last;
		return true;
	}
	if (!qry_trace_event(source_of(e, l)->trace, l->stream, packet, at, &event, error))
		return false;
	*time = event.time;
	return true;
}

/* Find out about the event behind (BY 1) or before the place of L. */
static bool look(const struct qry_events *e, struct lane *l, int by, GError **error)
{
	unsigned side = by > 0;
	struct idx_packet p;
	uint64_t packet, at;
	int got;

	if (l->known[side])
		return true;
	got = neighbour(e, l, by, &packet, &at, &p, error);
	if (got < 0 || (got > 0 && !time_of(e, l, packet, at, &p, &l->time[side], error)))
		return false;
	l->there[side] = got > 0;
	l->known[side] = true;
	return true;
}

/* Move the place of L over the event behind or before it, which is event AT of packet number PACKET, of EVENTS. */
static bool pass(const struct qry_events *e, struct lane *l, int by, uint64_t packet, uint64_t at, uint64_t events, GError **error)
{
	unsigned side = by > 0;
	int64_t time = l->time[side];

	if (by > 0 && ++at == events) {
		packet++;
		at = 0;
	}
	if (packet != l->packet && !set_place(e, l, packet, error))
		return false;
	l->at = at;
	l->known[side] = false;
	l->known[!side] = l->there[!side] = true;
	l->time[!side] = time;
	return true;
}

/* ---- life ---- */

static void add_lanes(struct qry_events *e, uint32_t host)
{
	struct idx_reader *index = qry_source(e->q, host)->reader;

	for (uint32_t i = 0; i < idx_reader_stream_count(index); i++) {
		const struct idx_stream *s = idx_reader_stream(index, i);

		if (s->packets == 0)
			continue;
		e->lanes = g_renew(struct lane, e->lanes, e->n_lanes + 1);
		e->lanes[e->n_lanes++] = (struct lane){ .host = host, .stream = i, .n_packets = s->packets, .packet = s->packets };
	}
}

static bool open_trace(struct qry *q, struct qry_source *s, GError **error)
{
	if (s->trace == NULL)
		s->trace = qry_trace_open(s->folder, s->reader, q->warnings, error);
	return s->trace != NULL;
}

struct qry_events *qry_events_new(struct qry *q, const struct qry_events_filter *filter, GError **error)
{
	struct qry_events *e = g_new0(struct qry_events, 1);
	bool fine = true;

	e->q = q;
	e->filter = *filter;
	e->filter.name = g_strdup(filter->name);
	e->passes = g_hash_table_new(NULL, NULL);
	for (uint32_t host = 0; fine && host < q->sources->len; host++) {
		if (filter->host != MDL_NONE && filter->host != host)
			continue;
		fine = open_trace(q, qry_source(q, host), error);
		if (fine)
			add_lanes(e, host);
	}
	if (!fine || !qry_events_seek(e, filter->from, error))
		g_clear_pointer(&e, qry_events_free);
	return e;
}

void qry_events_free(struct qry_events *e)
{
	if (e == NULL)
		return;
	g_hash_table_unref(e->passes);
	g_free((char *)(uintptr_t)e->filter.name);
	g_free(e->lanes);
	g_free(e);
}

/* ---- all streams ---- */

bool qry_events_seek(struct qry_events *e, int64_t time, GError **error)
{
	bool fine = true;

	e->last = NULL;
	for (uint32_t i = 0; fine && i < e->n_lanes; i++)
		fine = seek_lane(e, &e->lanes[i], time, error);
	return fine;
}

/* Events of HOST before the place. */
static uint64_t host_before(const struct qry_events *e, uint32_t host)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < e->n_lanes; i++)
		if (e->lanes[i].host == host)
			n += count_before(e, &e->lanes[i]);
	return n;
}

/* The stream of the event behind (BY 1) or before the place in *FOUND, NULL: none. */
static bool choose(struct qry_events *e, int by, struct lane **found, GError **error)
{
	unsigned side = by > 0;

	*found = NULL;
	for (uint32_t i = 0; i < e->n_lanes; i++) {
		struct lane *l = &e->lanes[i];

		if (!look(e, l, by, error))
			return false;
		if (l->there[side] && (*found == NULL || (by > 0 ? l->time[1] < (*found)->time[1] : l->time[0] >= (*found)->time[0])))
			*found = l;
	}
	return true;
}

/* Step over any event; 1, 0, -1 as qry_events_step(). */
static int step_any(struct qry_events *e, int by, GError **error)
{
	struct idx_packet p;
	struct lane *l;

	if (!choose(e, by, &l, error))
		return -1;
	if (l == NULL)
		return 0;
	if (neighbour(e, l, by, &e->last_packet, &e->last_at, &p, error) < 1 ||
	    !pass(e, l, by, e->last_packet, e->last_at, p.events, error))
		return -1;
	e->last = l;
	e->last_cpu = p.cpu;
	return 1;
}

bool qry_events_seek_rank(struct qry_events *e, uint32_t host, uint64_t rank, GError **error)
{
	uint32_t first = MDL_NONE;
	int64_t time;

	for (uint32_t i = 0; i < e->n_lanes && first == MDL_NONE; i++)
		if (e->lanes[i].host == host)
			first = i;
	if (first == MDL_NONE || !idx_reader_event_time(qry_source(e->q, host)->reader, rank, &time)) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER, "%s has no event %" G_GUINT64_FORMAT ": the last one is %" G_GUINT64_FORMAT,
			    qry_source(e->q, host)->name, rank, qry_source(e->q, host)->host.meta->events);
		return false;
	}
	if (!qry_events_seek(e, time, error))
		return false;
	while (host_before(e, host) + 1 < rank)
		if (step_any(e, 1, error) != 1)
			return false;
	/* Other hosts' events of the same time, up to the first of this one. */
	for (;;) {
		struct lane *l;

		if (!choose(e, 1, &l, error))
			return false;
		if (l == NULL || l->host == host)
			return true;
		if (step_any(e, 1, error) != 1)
			return false;
	}
}

/* The thread on CPU of HOST when an event NAME came at TIME: a switch still belongs to the thread that goes. */
static uint32_t thread_at(struct qry *q, uint32_t host, uint32_t cpu, int64_t time, const char *name)
{
	uint32_t row = cpu == MDL_NONE ? MDL_NONE : qry_cpu_row(q, host, cpu);
	struct mdl_interval i;

	if (row == MDL_NONE)
		return MDL_NONE;
	if (g_str_has_suffix(name, "sched_switch") || !qry_state_at(q, row, time, &i))
		return qry_state_before(q, row, time, &i) ? i.aux : MDL_NONE;
	return i.aux;
}

/* The event stepped over last, into *EVENT; the place is behind it when BY is 1. */
static bool describe(struct qry_events *e, int by, struct qry_event *event, GError **error)
{
	struct qry_trace_event source;

	if (!qry_trace_event(source_of(e, e->last)->trace, e->last->stream, e->last_packet, e->last_at, &source, error))
		return false;
	event->host = e->last->host;
	event->rank = host_before(e, event->host) + (by > 0 ? 0 : 1);
	event->time = source.time;
	event->cpu = e->last_cpu;
	event->name = source.name;
	event->thread = thread_at(e->q, event->host, event->cpu, event->time, event->name);
	return true;
}

bool qry_events_seek_exact(struct qry_events *e, uint32_t host, int64_t time, uint32_t cpu, GError **error)
{
	struct qry_event event;

	if (!qry_events_seek(e, time, error))
		return false;
	for (;;) {
		int got = step_any(e, 1, error);

		if (got < 0 || (got > 0 && !describe(e, 1, &event, error)))
			return false;
		if (got == 0 || event.time != time)
			break;
		if (event.host == host && event.cpu == cpu)
			return step_any(e, -1, error) == 1;
	}
	g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER, "%s has no event on CPU %u at %" G_GINT64_FORMAT, qry_source(e->q, host)->name, cpu, time);
	return false;
}

/* ---- the filter ---- */

static bool name_passes(struct qry_events *e, const char *name)
{
	gpointer value;

	if (e->filter.name == NULL)
		return true;
	if (!g_hash_table_lookup_extended(e->passes, name, NULL, &value)) {
		value = GINT_TO_POINTER(qry_events_match(e->filter.name, name));
		g_hash_table_insert(e->passes, (gpointer)name, value);
	}
	return GPOINTER_TO_INT(value);
}

static bool passes(struct qry_events *e, const struct qry_event *event)
{
	return event->time >= e->filter.from && (event->time < e->filter.to || e->filter.to == INT64_MAX) &&
	       (e->filter.cpu == MDL_NONE || event->cpu == e->filter.cpu) &&
	       (e->filter.thread == MDL_NONE || event->thread == e->filter.thread) && name_passes(e, event->name);
}

static bool is_on_cpu(const struct mdl_interval *i)
{
	return i->state == MDL_ST_USERMODE || i->state == MDL_ST_SYSCALL || i->state == MDL_ST_RUNNING || i->state == MDL_ST_INTERRUPTED ||
	       i->state == MDL_ST_UNKNOWN;
}

/*
 * With a filter for a thread: where it does not run for long there is nothing to find.  TIME is that of an event that did not pass;
 * when the thread is off its CPU there, go to where it runs next.
 */
static bool skip_idle(struct qry_events *e, int by, int64_t time, GError **error)
{
	const struct qry_row *r = qry_row(e->q, e->filter.thread);
	struct mdl_interval i;
	int64_t at = time;

	if (by > 0 && time < r->first)
		return qry_events_seek(e, r->first, error);
	if (by < 0 && time > r->last)
		return r->last == INT64_MAX || qry_events_seek(e, r->last + 1, error);
	if ((qry_state_before(e->q, r->id, time, &i) && is_on_cpu(&i)) || (qry_state_at(e->q, r->id, time, &i) && is_on_cpu(&i)))
		return true;
	if (by > 0) {
		while (qry_state_at(e->q, r->id, at, &i) && !is_on_cpu(&i))
			at = i.to;
		return at <= time || qry_events_seek(e, at, error);
	}
	while (qry_state_before(e->q, r->id, at, &i) && !is_on_cpu(&i))
		at = i.from;
	return at >= time || at == INT64_MAX || qry_events_seek(e, at + 1, error);
}

/* TIME is beyond what the filter lets through: behind it when BY is 1, else before it. */
static bool is_over(const struct qry_events *e, int by, int64_t time)
{
	const struct qry_row *r = e->filter.thread == MDL_NONE ? NULL : qry_row(e->q, e->filter.thread);

	if (by > 0 ? time >= e->filter.to && e->filter.to != INT64_MAX : time < e->filter.from)
		return true;
	return r != NULL && (by > 0 ? time > r->last : time < r->first);
}

int qry_events_step(struct qry_events *e, int by, struct qry_event *event, struct base_progress *progress, GError **error)
{
	for (unsigned n = 1;; n++) {
		int got = step_any(e, by, error);

		if (got <= 0)
			return got;
		if (!describe(e, by, event, error))
			return -1;
		if (is_over(e, by, event->time))
			return step_any(e, -by, error) < 0 ? -1 : 0;
		if (passes(e, event))
			return 1;
		if (e->filter.thread != MDL_NONE && !skip_idle(e, by, event->time, error))
			return -1;
		if (n % LOOK_EVERY == 0 && base_progress_cancelled(progress)) {
			g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
			return -1;
		}
	}
}

char *qry_events_fields(struct qry_events *e, GError **error)
{
	return e->last != NULL ? qry_trace_fields(source_of(e, e->last)->trace, e->last->stream, e->last_packet, e->last_at, error) : NULL;
}
