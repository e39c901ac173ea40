/* SPDX-License-Identifier: MIT */
/*
 * Which packet that a host received is which one that another host sent.
 *
 * A TCP segment is known by its connection and its bytes: what a host receives for the first time of a stream
 * matches the first sending of its last byte, so it does not matter how the
 * sender's segmentation (TSO, GSO) and the receiver's merging (GRO) cut the
 * stream, and a retransmission is never taken for an earlier arrival than was
 * possible.  A segment without data is known by its numbers and flags, a UDP
 * packet by addresses, ports, IP identification, length and checksum.  Of those that look the same, none is
 * matched unless as many were received as were sent: they are then in order.
 *
 * A packet may be seen several times on its way through one host: its first sending and its first reception
 * count.  What a host sent itself it does not receive from another.  A host that forwards has a match with
 * the one that sent, and the one that received a match with both.
 *
 * The hosts' clocks are not known yet.  A first pass takes a sample of the
 * packets, the same on all hosts, and finds how far apart the clocks are; a second one walks all hosts side
 * by side, so that a packet waits for its other end only for a bounded time.
 * Time is linear in the number of packets, memory is bounded: where more would wait, the older half is given
 * up, and no reception that could be one of that is matched.
 */
#ifndef SYNC_MATCH_H
#define SYNC_MATCH_H

#include "model/mdl_types.h"
#include "sync/sync_rough.h"

#include <glib.h>
#include <stdbool.h>

/* A packet as one host saw it. */
struct sync_packet {
	int64_t time;    /* ns, the host's own clock */
	uint64_t number; /* the caller's own */
	bool received;
	uint32_t device; /* the interface, as the host numbers them; 0 unknown */
	struct mdl_packet packet;
};

/* The packets of one host in order of time.  Opened several times at once. */
struct sync_source {
	void *data;
	void *(*open)(void *data);
	bool (*next)(void *cursor, struct sync_packet *packet); /* false at the end */
	void (*close)(void *cursor);
	bool has_twin; /* the trace is of the same boot of the same host as that of … */
	unsigned twin; /* … this host before it, which has none: one clock, … */
	int64_t ahead; /* … whose time is this many ns more here */
	bool has_peer; /* the recording says that its times are by the clock of … */
	unsigned peer; /* … this host */
};

/* A packet at both ends; times in the clocks of the two hosts. */
struct sync_pair {
	unsigned sender, receiver;
	int64_t sent, received;
	uint64_t sent_number, received_number;
};

/* What became of the packets of one host.  Each that was received is counted in one of the others, but for
 * `resent', `nameless_received' and `aged'. */
struct sync_counts {
	uint64_t sent, received;
	uint64_t matched;   /* of those received: sent by another host */
	uint64_t ambiguous; /* of those received: several that were sent look the same, and nothing tells
			       which one it is */
	uint64_t unmatched; /* of those received: no other host is known to have sent it */
	uint64_t again;    /* of those received: all of it had been received before: it was sent twice, or one
			      interface handed it to the next */
	uint64_t resent;   /* of those sent: all of it had been sent before, likewise */
	uint64_t own;      /* stays on the host: sent and received by it, or between loopback addresses */
	uint64_t nameless; /* without headers, or of a protocol that does not tell one packet from another */
	uint64_t nameless_received; /* of these, those received */
	/* Of those sent: no other host is known to have received it, after a minute or at the end. */
	uint64_t aged;
	uint64_t given_up; /* of all: the other end was not waited for, as more waited at once than is kept */
};

/*
 * Match the packets of N hosts, whose clocks are ahead by ROUGH as of
 * sync_rough_new(); PAIR is called for each match: those of one receiver in the order in which they were
 * received (a packet that several hosts sent on its way has a match with each, one after the other), those of
 * different receivers roughly in order of time.  COUNTS has N entries.
 */
void sync_match(const struct sync_source *sources, unsigned n, const struct sync_rough *rough,
	void (*pair)(void *data, const struct sync_pair *pair), void *data, struct sync_counts *counts);

#endif
