/* SPDX-License-Identifier: MIT */
/* A place in one stream of a trace, between two of its events; private to src/query.  Times are those of the
 * host's own clock. */
#ifndef QRY_LANE_H
#define QRY_LANE_H

#include "query/host/parts.h"

struct qry_lane {
	struct qry_source *source; /* weak; its trace is open */
	uint32_t host, stream;
	uint64_t n_packets;
	uint64_t packet;             /* the place is before event AT of this one; n_packets: behind all */
	struct idx_packet at_packet; /* what the index says of it, when there is one */
	uint64_t at;                 /* below its number of events */
	bool known[2]; /* the times of the events before (0) and behind (1) the place are known: */
	bool there[2]; /* there is one */
	int64_t time[2];
	int64_t shown[2]; /* the same as shown */
};

/*
 * Go to the place before the first event at or after TIME.  With CPU not MDL_NONE only exactly where the
 * packet is of that CPU; a packet of another one is not read, and the place is at its beginning.
 */
bool qry_lane_seek(struct qry_lane *l, int64_t time, uint32_t cpu, GError **error);
/* Go to the place behind the last event at or before TIME. */
bool qry_lane_seek_behind(struct qry_lane *l, int64_t time, GError **error);

/* How many events of the stream lie before the place. */
uint64_t qry_lane_before(const struct qry_lane *l);

/*
 * The event behind (BY 1) or before the place: the number of its packet, the number in that, and in *P what
 * the index says of the packet.  1; 0 when there is none; -1 with an error.
 */
int qry_lane_neighbour(const struct qry_lane *l, int by, uint64_t *packet, uint64_t *at, struct idx_packet *p,
	GError **error);

/*
 * Go over packets of other CPUs than CPU behind (BY 1) or before the place, without reading them; not beyond
 * *LIMIT (a shown time; NULL: none): a packet all of whose events are shown later, or with BY -1 earlier, is
 * left.  1: the next event is of CPU; 0: there is none up to the limit; -1 with an error.
 */
int qry_lane_skip(struct qry_lane *l, int by, uint32_t cpu, const int64_t *limit, GError **error);

/* Find out about the event behind (BY 1) or before the place: L->known, there and time. */
bool qry_lane_look(struct qry_lane *l, int by, GError **error);

/* Move the place over the event behind or before it, which is event AT of packet number PACKET, of EVENTS. */
bool qry_lane_pass(struct qry_lane *l, int by, uint64_t packet, uint64_t at, uint64_t events, GError **error);

#endif
