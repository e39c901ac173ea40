/* SPDX-License-Identifier: MIT */
/* The parts of matching: private to src/sync. */
#ifndef SYNC_PARTS_H
#define SYNC_PARTS_H

#include "sync/sync_match.h"

#define SYNC_TCP 6
#define SYNC_UDP 17

/* One direction of a connection.  All bytes are hashed, so ZERO is 0. */
struct sync_flow_key {
	uint8_t source[16], destination[16];
	uint16_t source_port, destination_port;
	uint8_t version, protocol;
	uint16_t zero;
};

/* How a packet is identified. */
enum sync_name {
	SYNC_NAMELESS,
	/* Between loopback addresses: no other host has it, though many have a packet that looks the same. */
	SYNC_LOCAL,
	SYNC_STRETCH, /* TCP with data, SYN or FIN: a range of the stream */
	SYNC_SINGLE   /* as a whole, by its hash */
};

/* 128-bit hash of everything that distinguishes a packet from others. */
struct sync_hash {
	uint64_t low, high;
};

#define SYNC_HASHES 2

struct sync_identity {
	enum sync_name name;
	struct sync_flow_key flow; /* all 0 if no addresses were recorded */
	bool begins;               /* SYNC_STRETCH: the stream begins here (SYN) */
	/* SYNC_STRETCH: sequence number of the first byte, and number of bytes (SYN and FIN count as one
	 * each) */
	uint32_t first, length;
	/* SYNC_SINGLE: the hashes that the other end may have for it, the most specific first */
	struct sync_hash hashes[SYNC_HASHES];
	unsigned n_hashes; /* 1 for a packet that was sent */
};

/* Set *ID to the identity of PACKET. */
void sync_identify(const struct mdl_packet *packet, bool received, struct sync_identity *id);

/* A hash of a SYNC_STRETCH or SYNC_SINGLE packet for sampling.  It is the same at both ends, wherever the
 * stream is cut. */
uint64_t sync_sample(const struct mdl_packet *packet, const struct sync_identity *id);

/* Result of the search for the sending of a received packet. */
enum sync_verdict {
	SYNC_UNKNOWN, /* no other host is known to have sent it */
	SYNC_FOUND,
	/* The host itself had sent it: it came in through a bridge, virtual interfaces or the loopback. */
	SYNC_OWN,
	/* The host had received all of it before: it was sent twice, or one interface passed it to the
	 * next. */
	SYNC_AGAIN,
	SYNC_AMBIGUOUS, /* several sent packets look the same and nothing identifies the right one */
	SYNC_GIVEN_UP   /* its sending may have been forgotten because too much waited at once */
};

/* Limits for forgetting sendings, in ns of the walk. */
struct sync_age {
	int64_t upto; /* forget what is not later than this */
	/* nothing up to here can be received any more, so it has aged; what is later is given up */
	int64_t seen;
};

/* Count a sending that a host forgot at WALKED, and that no other host is known to have received. */
static inline void sync_age_count(const struct sync_age *age, int64_t walked, struct sync_counts *counts)
{
	*(walked <= age->seen ? &counts->aged : &counts->given_up) += 1;
}

/* How long the kept data have waited: a sample that gives the age of the older half without sorting all of
 * it. */
struct sync_ages {
	GArray *sample; /* of int64_t, ns of the walk */
	size_t rest;    /* bytes since the last sample */
};

void sync_ages_begin(struct sync_ages *ages);
/* Add BYTES that are kept since AT of the walk. */
void sync_ages_add(struct sync_ages *ages, int64_t at, size_t bytes);
/* The median: half of all bytes are kept since this time or longer.  INT64_MAX if there are too few bytes.
 * Frees the sample. */
int64_t sync_ages_median(struct sync_ages *ages);

#endif
