/* SPDX-License-Identifier: MIT */
/*
 * Matches each packet that a host received with the packet that another host sent.
 *
 * A TCP segment is identified by its connection and its bytes.  Bytes of a stream that a host receives for
 * the first time match the first sending of the last of these bytes.  So it does not matter how segmentation
 * at the sender (TSO, GSO) and merging at the receiver (GRO) cut the stream, and a retransmission is never
 * taken for an arrival that is earlier than possible.  A segment without data is identified by its numbers
 * and flags, a UDP packet by addresses, ports, IP identification, length and checksum.  Packets that look the
 * same are matched only if as many were received as were sent; they are then in order.
 *
 * One host may see a packet several times on its way; its first sending and its first reception count.  A
 * host does not receive from another host what it sent itself.  A host that forwards a packet has a match
 * with the sender, and the receiver has a match with both.
 *
 * The hosts' clocks are not known yet.  A first pass takes a sample of the packets, the same on all hosts,
 * and finds how far apart the clocks are.  A second pass walks all hosts side by side, so a packet waits for
 * its other end only for a bounded time.  Time is linear in the number of packets, and memory is bounded: if
 * too much waits, the older half is given up, and no reception that may belong to that half is matched.
 */
#ifndef SYNC_MATCH_H
#define SYNC_MATCH_H

#include "model/event/types.h"

#include <glib.h>
#include <stdbool.h>

/* A packet as one host saw it. */
struct sync_packet {
	int64_t time;    /* ns by the host's own clock */
	uint64_t number; /* the caller's own identifier */
	bool received;
	uint32_t device; /* number of the interface on that host; 0 unknown */
	struct mdl_packet packet;
};

/* The packets of one host in order of time.  Several cursors may be open at once. */
struct sync_source {
	void *data;
	void *(*open)(void *data);
	bool (*next)(void *cursor, struct sync_packet *packet); /* false at the end */
	void (*close)(void *cursor);
	/* the trace is of the same boot of the same host as that of host TWIN: they share a clock */
	bool has_twin;
	unsigned twin; /* index of an earlier host, which has no twin itself */
	int64_t ahead; /* ns by which times of this trace are ahead of TWIN's */
	bool has_peer; /* the recording says that its times are by the clock of host PEER */
	unsigned peer;
};

/* ---- how far apart the clocks are, roughly: close enough to search for packets ---- */

/* A host's clock is AHEAD ns of the first host's clock, from FROM on (ns of its own clock). */
struct sync_rough_piece {
	int64_t from; /* INT64_MIN for the first piece */
	int64_t ahead;
};

/* How far one host's clock is ahead, roughly. */
struct sync_rough {
	GArray *pieces; /* owned: of struct sync_rough_piece in order of time, at least one */
};

/* Find roughly how far the clock of each of N hosts is ahead. The base is the first of those hosts that have
 * packets in common, directly or by way of others. Reads the packets of all hosts. A new array of N; free it
 * with sync_rough_free(). */
struct sync_rough *sync_rough_new(const struct sync_source *sources, unsigned n);
void sync_rough_free(struct sync_rough *hosts, unsigned n);

/* The time of the first host's clock, roughly, when the clock of ROUGH shows TIME. If that clock was set, the
 * result does not exceed the time at the setting. *PIECE keeps the place of the last call (any number at
 * first), so times in sequence cost no search. */
int64_t sync_rough_reference(const struct sync_rough *rough, int64_t time, guint *piece);

/* ---- matching ---- */

/* A packet at both ends; times in ns of the two hosts' own clocks. */
struct sync_pair {
	unsigned sender, receiver;
	int64_t sent, received;
	uint64_t sent_number, received_number;
};

/* Called with the DATA of its caller for each match. */
typedef void sync_pair_func(void *data, const struct sync_pair *pair);

/* Fate of the packets of one host.  Each received packet is in exactly one of the counts, not regarding
 * `resent', `nameless_received' and `aged'. */
struct sync_counts {
	uint64_t sent, received;
	uint64_t matched; /* received, and sent by another host */
	/* received; several sent packets look the same and nothing identifies the right one */
	uint64_t ambiguous;
	uint64_t unmatched; /* received, and no other host is known to have sent it */
	/* received, but the host had received all of it before: it was sent twice, or one interface passed it
	 * to the next */
	uint64_t again;
	uint64_t resent;   /* sent, but the host had sent all of it before, for the same reasons */
	uint64_t own;      /* stays on the host: sent and received by it, or between loopback addresses */
	uint64_t nameless; /* without headers, or of a protocol whose packets cannot be distinguished */
	uint64_t nameless_received; /* of NAMELESS: the received ones */
	/* sent, and no other host is known to have received it after a minute or at the end */
	uint64_t aged;
	/* sent or received; its other end was dropped because more waited at once than is kept */
	uint64_t given_up;
};

/* Match the packets of N hosts whose clocks are ahead by ROUGH, as from sync_rough_new(). Calls PAIR with
 * DATA for each match: for one receiver in the order of reception, for different receivers roughly in order
 * of time. A packet that several hosts sent on its way has a match with each, one after the other. COUNTS has
 * N entries. */
void sync_match(const struct sync_source *sources, unsigned n, const struct sync_rough *rough,
	sync_pair_func *pair, void *data, struct sync_counts *counts);

#endif
