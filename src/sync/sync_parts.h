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
	uint16_t zero; /* it is hashed as bytes */
};

/* What kind of name a packet has. */
enum sync_name {
	SYNC_NAMELESS,
	/* Between loopback addresses: no other host has it, though many have one that looks the same. */
	SYNC_LOCAL,
	SYNC_STRETCH, /* TCP with data, SYN or FIN: [first, last] of the stream */
	SYNC_SINGLE   /* known as a whole by the hash */
};

/* 128 bits of hash of all that tells a packet from others. */
struct sync_hash {
	uint64_t low, high;
};

#define SYNC_HASHES 2

struct sync_identity {
	enum sync_name name;
	struct sync_flow_key flow; /* all 0 where no addresses were recorded */
	bool begins;               /* SYNC_STRETCH: the stream begins here (SYN) */
	uint32_t first, length; /* SYNC_STRETCH: sequence number of the first byte, and how many (SYN and FIN
				   are one each) */
	struct sync_hash hashes[SYNC_HASHES]; /* SYNC_SINGLE: the names by which it may be known at the other
						 end, the one that says most first */
	unsigned n_hashes;                    /* a packet that is sent has one */
};

/* The identity of PACKET. */
void sync_identify(const struct mdl_packet *packet, bool received, struct sync_identity *id);

/* Of a stretch or a single one: a hash that is the same at both ends, whichever way the stream is cut. */
uint64_t sync_sample(const struct mdl_packet *packet, const struct sync_identity *id);

/* What came of looking for the sending of a packet that was received. */
enum sync_verdict {
	SYNC_UNKNOWN, /* no other host is known to have sent it */
	SYNC_FOUND,
	/* The host had sent it itself: it came in by a bridge, virtual interfaces or the loopback. */
	SYNC_OWN,
	/* The host had received all of it before: sent twice, or handed from one interface to the next. */
	SYNC_AGAIN,
	SYNC_AMBIGUOUS, /* others that were sent look the same, and nothing tells which one it is */
	SYNC_GIVEN_UP   /* its sending may have been forgotten, as too many waited at once */
};

/* What is to be forgotten, by its time on the walk. */
struct sync_age {
	int64_t upto; /* what is not later than that; … */
	int64_t seen; /* … of which nothing up to this can be received any more: the rest is given up */
};

/* Count a sending by a host that was forgotten at WALKED, and no other host is known to have received. */
static inline void sync_age_count(const struct sync_age *age, int64_t walked, struct sync_counts *counts)
{
	*(walked <= age->seen ? &counts->aged : &counts->given_up) += 1;
}

/* How long what is kept waited: a sample, so that the older half of it can be told without sorting all. */
struct sync_ages {
	GArray *sample; /* of int64_t, times of the walk */
	size_t rest;    /* bytes since the last one */
};

void sync_ages_begin(struct sync_ages *ages);
/* BYTES are kept since AT of the walk. */
void sync_ages_add(struct sync_ages *ages, int64_t at, size_t bytes);
/* The time at or before which half of all bytes are kept since.  INT64_MAX where there are too few to tell.
 * Ends the use of AGES. */
int64_t sync_ages_median(struct sync_ages *ages);

#endif
