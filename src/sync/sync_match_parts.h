/* SPDX-License-Identifier: MIT */
/* The parts of matching: private to src/sync. */
#ifndef SYNC_MATCH_PARTS_H
#define SYNC_MATCH_PARTS_H

#include "sync/sync_match.h"

/* ---- how a packet is identified ---- */

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

/* ---- the walk: the packets of all hosts side by side, in order of time corrected by rough offsets. A
 * reception comes twice: as an arrival at its time, and again SYNC_LAG later ---- */

/* ns by which receptions come later: more than rough offsets are off, including drift and time on the way. */
#define SYNC_LAG (INT64_C(5) * 1000000000)
/* ns between packets that look the same but are unrelated: more than their time on the way plus the error of
 * rough offsets. */
#define SYNC_SILENCE (INT64_C(1) * 1000000000)

/* ns of the walk from FROM to TO, which is not before FROM.  The difference may exceed an int64_t. */
static inline uint64_t sync_walk_passed(int64_t from, int64_t to)
{
	return (uint64_t)to - (uint64_t)from;
}

struct sync_walk;

/* One packet on the walk. */
struct sync_step {
	unsigned host;
	bool late;  /* the second time: everything sent up to then has been on the walk */
	int64_t at; /* ns of the walk; never decreases */
	struct sync_packet packet;
};

/* ROUGH says how far each of the N hosts' clocks is ahead.  SOURCES and ROUGH must outlive the walk. */
struct sync_walk *sync_walk_new(const struct sync_source *sources, unsigned n,
	const struct sync_rough *rough);
void sync_walk_free(struct sync_walk *walk);

/* The next packet of all hosts; false at the end. */
bool sync_walk_next(struct sync_walk *walk, struct sync_step *step);

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

/* ---- one direction of TCP connections as one host saw it: the bytes that it sent and received, connection
 * after connection ---- */

/* A range of a stream that was sent for the first time. */
struct sync_stretch {
	uint32_t first, length;
	int64_t time, walked; /* TIME: ns of the host; WALKED: ns of the walk */
	uint64_t number;
	bool found; /* part of it was received */
};

/* The part of one host in a flow.  All 0 at first. */
struct sync_end {
	unsigned host;
	GArray *sent;            /* owned: of struct sync_sent_stream, oldest first; NULL: none */
	GArray *received;        /* owned: received ranges of the connection; NULL: none */
	uint32_t received_begin; /* sequence number of its SYN, valid if RECEIVED_BEGAN */
	bool received_began;
};

void sync_end_clear(struct sync_end *end);

/* Note that STEP, identified by ID, was sent.  False if nothing in it is new.  Whatever is given up to make
 * room is added to COUNTS. */
bool sync_end_send(struct sync_end *end, const struct sync_identity *id, const struct sync_step *step,
	struct sync_counts *counts);

/* Note that the packet identified by ID was received.  False if all of it had been received before; otherwise
 * *LAST is the last byte of the new part. */
bool sync_end_receive(struct sync_end *end, const struct sync_identity *id, uint32_t *last);

/* The stretch of END with byte AT, which RECEIVER receives now; NULL if none waits. */
struct sync_stretch *sync_end_find(const struct sync_end *end, const struct sync_end *receiver, uint32_t at);

/* Forget what was sent up to the time in AGE, and add it to COUNTS.  Returns the number of stretches that
 * still wait. */
unsigned sync_end_sweep(struct sync_end *end, const struct sync_age *age, struct sync_counts *counts);

/* Approximate number of bytes that END occupies. */
size_t sync_end_bytes(const struct sync_end *end);
/* Add the bytes of END to AGES: stretches since they were sent, the rest since USED (ns of the walk). */
void sync_end_ages(const struct sync_end *end, int64_t used, struct sync_ages *ages);

/* ---- packets that are identified as a whole: all that look the same, on any host, in the order of the walk
 * ---- */

struct sync_lookalikes;
struct sync_lookalikes *sync_lookalikes_new(struct sync_counts *counts /* one per host; outlives this */);
void sync_lookalikes_free(struct sync_lookalikes *all);

/* Approximate number of bytes kept; and their ages, added to AGES. */
size_t sync_lookalikes_bytes(const struct sync_lookalikes *all);
void sync_lookalikes_ages(const struct sync_lookalikes *all, struct sync_ages *ages);

/* Note that STEP, identified by ID, was sent or arrived.  (The walk has an arrival again later, as received.)
 * False if another interface of the host has just seen it. */
bool sync_lookalikes_see(struct sync_lookalikes *all, const struct sync_identity *id,
	const struct sync_step *step);

/* STEP, which arrived before, is received: call PAIR with DATA for each other host that sent it.  Sightings
 * up to CUT of the walk may be missing (INT64_MIN: none are). */
enum sync_verdict sync_lookalikes_receive(struct sync_lookalikes *all, const struct sync_identity *id,
	const struct sync_step *step, int64_t cut, sync_pair_func *pair, void *data);

/* Forget the sightings that AGE selects, and count them. */
void sync_lookalikes_sweep(struct sync_lookalikes *all, const struct sync_age *age);

#endif
