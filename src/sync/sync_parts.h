/* SPDX-License-Identifier: MIT */
/* The parts of matching, private to src/sync. */
#ifndef SYNC_PARTS_H
#define SYNC_PARTS_H

#include "sync/sync_match.h"

#define SYNC_TCP 6
#define SYNC_UDP 17

/* Who talks to whom: one direction of a connection. */
struct sync_flow_key {
	uint8_t source[16], destination[16];
	uint16_t source_port, destination_port;
	uint8_t version, protocol;
	uint16_t zero;			/* it is hashed as bytes */
};

/* What kind of name a packet has. */
enum sync_name {
	SYNC_NAMELESS,
	SYNC_STRETCH,		/* TCP with data, SYN or FIN: [first, last] of the stream */
	SYNC_SINGLE		/* known as a whole by the hash */
};

struct sync_identity {
	enum sync_name name;
	struct sync_flow_key flow;
	bool begins;		/* SYNC_STRETCH: the stream begins here (SYN) */
	uint32_t first, length;	/* SYNC_STRETCH: sequence number of the first byte, and how many (SYN and FIN are one each) */
	uint64_t low, high;	/* SYNC_SINGLE: 128 bits of hash of all that tells it from others */
	uint64_t sample;	/* a hash that is the same at both ends, whichever way the stream is cut */
};

/* The identity of PACKET. */
void sync_identify(const struct mdl_packet *packet, struct sync_identity *id);

#endif
