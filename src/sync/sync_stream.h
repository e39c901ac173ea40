/* SPDX-License-Identifier: MIT */
/* One direction of TCP connections as one host saw it: the bytes that it sent and received, connection after
 * connection. */
#ifndef SYNC_STREAM_H
#define SYNC_STREAM_H

#include "sync/sync_parts.h"
#include "sync/sync_walk.h"

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

#endif
