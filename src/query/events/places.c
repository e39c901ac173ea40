/* SPDX-License-Identifier: MIT */
/*
 * How it works: places are searched in the order of host and time, so each stream is read once, and only its
 * packets that contain one of the times. The index has the CPU and the times of each packet.
 *
 * Name, CPU and time identify an event. If a clock is coarse or steps back, several events may have all three
 * in common. Then the rank decides.
 */
#include "query/events/places.h"

#include "base/base_error.h"
#include "base/base_search.h"
#include "query/events/parts.h"

#include <string.h>

/* A stream, and the packet that was examined last. */
struct cursor {
	uint64_t packet;
	struct idx_packet p;
	bool there; /* false: nothing was searched yet */
};

/* The search in one host's trace. */
struct search {
	struct qry *q;
	struct qry_source *source;
	struct cursor *cursors; /* owned, by stream */
	bool fields;
	GError **error;
};

/* An event that matches. */
struct candidate {
	uint32_t stream;
	uint64_t packet, at;
	uint32_t cpu; /* in the event itself; MDL_NONE: only its packet has it */
};

static int by_host_and_time(const void *a, const void *b)
{
	const struct qry_place *x = *(struct qry_place *const *)a, *y = *(struct qry_place *const *)b;

	return BASE_BY(x, y, host) ?: BASE_BY(x, y, time);
}

/* Go to the first packet of STREAM with an event at or after TIME by the host's own clock. Returns 1; 0 if
 * there is none; -1 with an error. */
static int seek(struct search *s, uint32_t stream, int64_t time)
{
	struct cursor *c = &s->cursors[stream];
	struct idx_reader *index = s->source->reader;

	if (!c->there || (c->packet < idx_reader_stream(index, stream)->packets && time > c->p.last)) {
		c->there = true;
		c->packet = idx_reader_packet_at(index, stream, time);
		if (c->packet < idx_reader_stream(index, stream)->packets &&
			!qry_trace_packet(index, stream, c->packet, &c->p, s->error))
			return -1;
	}
	return c->packet < idx_reader_stream(index, stream)->packets;
}

/* True if PLACE may be on CPU (MDL_NONE: unknown). */
static bool is_of_cpu(const struct qry_place *place, uint32_t cpu)
{
	return cpu == MDL_NONE || place->cpu == MDL_NONE || cpu == place->cpu;
}

/* Find the events that match PLACE in packet number PACKET, which has EVENTS events. *FOUND is the first.
 * Returns their number; -1 with an error. */
static int look_into(struct search *s, const struct qry_place *place, uint32_t stream, uint64_t packet,
	uint64_t events, struct candidate *found)
{
	struct qry_trace *trace = s->source->trace;
	struct qry_trace_event event;
	uint64_t at;
	int n = 0;

	if (!qry_trace_find(trace, stream, packet, qry_source_host(s->source, place->time), &at, s->error))
		return -1;
	for (; at < events; at++) {
		if (!qry_trace_event(trace, stream, packet, at, &event, s->error))
			return -1;
		if (qry_source_shown(s->source, event.time) != place->time)
			break;
		if (!strcmp(event.name, place->event) && is_of_cpu(place, event.cpu) && n++ == 0)
			*found = (struct candidate){ .stream = stream,
				.packet = packet,
				.at = at,
				.cpu = event.cpu };
	}
	return n;
}

/* Like look_into(), in all packets of STREAM, because one instant may be at the end of a packet and at the
 * begin of the next. */
static int look_in_stream(struct search *s, const struct qry_place *place, uint32_t stream,
	struct candidate *found)
{
	int got = seek(s, stream, qry_source_host(s->source, place->time)), n = 0;
	uint64_t packet = s->cursors[stream].packet,
		 packets = idx_reader_stream(s->source->reader, stream)->packets;
	struct idx_packet p = s->cursors[stream].p;

	while (got == 1 && qry_source_shown(s->source, p.first) <= place->time) {
		struct candidate other;
		int more = 0;

		if (is_of_cpu(place, p.cpu))
			more = look_into(s, place, stream, packet, p.events, n ? &other : found);
		if (more < 0)
			return -1;
		n += more;
		if (++packet == packets)
			break;
		if (!qry_trace_packet(s->source->reader, stream, packet, &p, s->error))
			return -1;
	}
	return got < 0 ? -1 : n;
}

/* Set *FOUND to event number RANK of the host if it has the name in PLACE. False with an error. */
static bool take_ranked(struct search *s, const struct qry_place *place, struct candidate *found)
{
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	struct qry_events *e;
	struct qry_event event;
	bool fine;

	filter.host = place->host;
	e = qry_events_new(s->q, &filter, s->error);
	if (!e)
		return false;
	fine = qry_events_seek_rank(e, place->host, place->rank, s->error) &&
		qry_events_step(e, 1, &event, NULL, s->error) == 1;
	if (fine && !strcmp(event.name, place->event))
		*found = (struct candidate){ .stream = e->last->stream,
			.packet = e->last_packet,
			.at = e->last_at,
			.cpu = event.cpu };
	qry_events_free(e);
	return fine;
}

static bool places_answer(struct search *s, struct qry_place *place, const struct candidate *found)
{
	struct idx_packet p;

	if (!qry_trace_packet(s->source->reader, found->stream, found->packet, &p, s->error) ||
		!qry_trace_offset(s->source->trace, found->stream, found->packet, found->at, &place->offset,
			s->error))
		return false;
	place->found = QRY_PLACE_FOUND;
	place->cpu = found->cpu != MDL_NONE ? found->cpu : p.cpu;
	place->stream = idx_reader_stream(s->source->reader, found->stream)->name;
	place->packet = place->offset < 0 ? -1 : (int64_t)p.offset;
	if (s->fields)
		place->fields = qry_trace_fields(s->source->trace, found->stream, found->packet, found->at,
			s->error);
	return !s->fields || place->fields;
}

static bool find_one(struct search *s, struct qry_place *place)
{
	struct candidate found = { 0 }, other;
	int n = 0;

	for (uint32_t stream = 0; stream < idx_reader_stream_count(s->source->reader); stream++) {
		int more = look_in_stream(s, place, stream, n ? &other : &found);

		if (more < 0)
			return false;
		n += more;
	}
	place->found = QRY_PLACE_ABSENT;
	if (n > 1 && place->rank != 0 && !take_ranked(s, place, &found))
		return false;
	return n == 0 || places_answer(s, place, &found);
}

/* Find N places of one host, sorted by time. */
static bool find_in_host(struct qry *q, struct qry_place **places, guint n, bool fields,
	struct base_progress *progress, GError **error)
{
	struct search s = { .q = q,
		.source = qry_source(q, places[0]->host),
		.fields = fields,
		.error = error };
	bool fine = true;

	if (!s.source->recording && !fields)
		return true;
	if (!qry_source_open_trace(q, s.source, error))
		return false;
	s.cursors = g_new0(struct cursor, idx_reader_stream_count(s.source->reader));
	for (guint i = 0; fine && i < n; i++) {
		fine = !base_progress_cancelled(progress) && find_one(&s, places[i]);
		if (!fine && error && !*error)
			g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
	}
	g_free(s.cursors);
	return fine;
}

bool qry_places_find(struct qry *q, GArray *places, bool fields, struct base_progress *progress,
	GError **error)
{
	struct qry_place **order = g_new(struct qry_place *, places->len + 1);
	bool fine = true;

	for (guint i = 0; i < places->len; i++) {
		order[i] = &g_array_index(places, struct qry_place, i);
		order[i]->found = QRY_PLACE_UNKNOWN;
		order[i]->packet = order[i]->offset = -1;
	}
	qsort(order, places->len, sizeof *order, by_host_and_time);
	for (guint i = 0, n; fine && i < places->len; i += n) {
		for (n = 1; i + n < places->len && order[i + n]->host == order[i]->host; n++)
			;
		fine = find_in_host(q, order + i, n, fields, progress, error);
	}
	g_free(order);
	return fine;
}
