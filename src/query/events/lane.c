/* SPDX-License-Identifier: MIT */
/* How it works: the index has times and counts at both ends of each packet, so only one packet is read. */
#include "query/events/parts.h"

/* Get packet number PACKET of L, from the index unless L has it. */
static bool get_packet(const struct qry_lane *l, uint64_t packet, struct idx_packet *p, GError **error)
{
	if (packet == l->packet && packet < l->n_packets) {
		*p = l->at_packet;
		return true;
	}
	return qry_trace_packet(l->source->reader, l->stream, packet, p, error);
}

/* Move L to the begin of PACKET, or to the end of the stream. */
static bool set_place(struct qry_lane *l, uint64_t packet, GError **error)
{
	struct idx_packet p;

	if (packet < l->n_packets && !get_packet(l, packet, &p, error))
		return false;
	l->known[0] = l->known[1] = false;
	l->packet = packet;
	l->at = 0;
	if (packet < l->n_packets)
		l->at_packet = p;
	return true;
}

uint64_t qry_lane_before(const struct qry_lane *l)
{
	return l->packet == l->n_packets ? idx_reader_stream(l->source->reader, l->stream)->events
					 : l->at_packet.before + l->at;
}

bool qry_lane_seek(struct qry_lane *l, int64_t time, uint32_t cpu, GError **error)
{
	if (!set_place(l, idx_reader_packet_at(l->source->reader, l->stream, time), error))
		return false;
	if (l->packet == l->n_packets || time <= l->at_packet.first ||
		(cpu != MDL_NONE && l->at_packet.cpu != MDL_NONE && cpu != l->at_packet.cpu))
		return true;
	return qry_trace_find(l->source->trace, l->stream, l->packet, time, &l->at, error);
}

bool qry_lane_seek_behind(struct qry_lane *l, int64_t time, GError **error)
{
	return time == INT64_MAX ? set_place(l, l->n_packets, error)
				 : qry_lane_seek(l, time + 1, MDL_NONE, error);
}

int qry_lane_neighbour(const struct qry_lane *l, int by, uint64_t *packet, uint64_t *at, struct idx_packet *p,
	GError **error)
{
	bool within = by > 0 || (l->at > 0 && l->packet < l->n_packets);

	if (by > 0 ? l->packet == l->n_packets : l->packet == 0 && l->at == 0)
		return 0;
	*packet = within ? l->packet : l->packet - 1;
	if (!get_packet(l, *packet, p, error))
		return -1;
	*at = by > 0 ? l->at : within ? l->at - 1 : p->events - 1;
	return 1;
}

int qry_lane_skip(struct qry_lane *l, int by, uint32_t cpu, const int64_t *limit, GError **error)
{
	struct idx_packet p;
	uint64_t packet, at;

	for (;;) {
		int got = qry_lane_neighbour(l, by, &packet, &at, &p, error);

		if (got <= 0 || p.cpu == cpu || p.cpu == MDL_NONE)
			return got;
		if (limit &&
			(by > 0 ? qry_source_shown(l->source, p.first) > *limit
				: qry_source_shown(l->source, p.last) < *limit))
			return 0;
		if (!set_place(l, by > 0 ? packet + 1 : packet, error))
			return -1;
	}
}

/* Set *TIME to the time of event AT of packet number PACKET, which is *P; from the index if possible. */
static bool lane_time_of(const struct qry_lane *l, uint64_t packet, uint64_t at, const struct idx_packet *p,
	int64_t *time, GError **error)
{
	struct qry_trace_event event;

	if (at == 0 || at == p->events - 1) {
		*time = at == 0 ? p->first : p->last;
		return true;
	}
	if (!qry_trace_event(l->source->trace, l->stream, packet, at, &event, error))
		return false;
	*time = event.time;
	return true;
}

bool qry_lane_look(struct qry_lane *l, int by, GError **error)
{
	unsigned side = by > 0;
	struct idx_packet p;
	uint64_t packet, at;
	int got;

	if (l->known[side])
		return true;
	got = qry_lane_neighbour(l, by, &packet, &at, &p, error);
	if (got < 0 || (got > 0 && !lane_time_of(l, packet, at, &p, &l->time[side], error)))
		return false;
	if (got > 0)
		l->shown[side] = qry_source_shown(l->source, l->time[side]);
	l->there[side] = got > 0;
	l->known[side] = true;
	return true;
}

bool qry_lane_place(const struct qry_lane *l, int by, uint64_t *place, GError **error)
{
	struct idx_packet p;
	uint64_t packet, at;
	int64_t offset;

	if (qry_lane_neighbour(l, by, &packet, &at, &p, error) < 1 ||
		!qry_trace_offset(l->source->trace, l->stream, packet, at, &offset, error))
		return false;
	*place = p.offset + (uint64_t)offset;
	return true;
}

bool qry_lane_pass(struct qry_lane *l, int by, uint64_t packet, uint64_t at, uint64_t events, GError **error)
{
	unsigned side = by > 0;
	int64_t time = l->time[side], shown = l->shown[side];

	if (by > 0 && ++at == events) {
		packet++;
		at = 0;
	}
	if (packet != l->packet && !set_place(l, packet, error))
		return false;
	l->at = at;
	l->known[side] = false;
	l->known[!side] = l->there[!side] = true;
	l->time[!side] = time;
	l->shown[!side] = shown;
	return true;
}
