/* SPDX-License-Identifier: MIT */
/* One direction of TCP connections as one host saw it: the bytes that it sent and that it received,
 * connection after connection. */
#ifndef SYNC_STREAM_H
#define SYNC_STREAM_H

#include "sync/sync_parts.h"
#include "sync/sync_walk.h"

/* A stretch of a stream that was sent for the first time. */
struct sync_stretch {
	uint32_t first, length;
	int64_t time, walked; /* of the host; of the walk */
	uint64_t number;
	bool found; /* some of it was received */
};

/* What a host has to do with a flow.  All 0 at first. */
struct sync_end {
	unsigned host;
	GArray *sent;            /* of struct sync_sent_stream, the oldest first; NULL none */
	GArray *received;        /* ranges of the connection that were received; NULL none */
	uint32_t received_begin; /* where that begins; known: */
	bool received_began;
};

void sync_end_clear(struct sync_end *end);

/* Note that STEP, known as ID, was sent.  False when nothing of it is new.  What is given up for it is added
 * to COUNTS. */
bool sync_end_send(struct sync_end *end, const struct sync_identity *id, const struct sync_step *step,
	struct sync_counts *counts);

/*
 * Note that the packet known as ID was received.  False when all of it had been received before, else *LAST
 * is the last byte of what is new.
 */
bool sync_end_receive(struct sync_end *end, const struct sync_identity *id, uint32_t *last);

/* The sending by END of the byte AT of what RECEIVER receives now; NULL when none waits. */
struct sync_stretch *sync_end_find(const struct sync_end *end, const struct sync_end *receiver, uint32_t at);

/* Forget what was sent up to when AGE says, and add it to COUNTS.  Returns how many stretches still wait. */
unsigned sync_end_sweep(struct sync_end *end, const struct sync_age *age, struct sync_counts *counts);

/* About how many bytes END takes. */
size_t sync_end_bytes(const struct sync_end *end);
/* The same bytes by age: those of stretches since they were sent, the rest since USED. */
void sync_end_ages(const struct sync_end *end, int64_t used, struct sync_ages *ages);

#endif
