/* SPDX-License-Identifier: MIT */
/* The packets of all hosts side by side, in order of time corrected by rough offsets.  A reception comes
 * twice: as an arrival at its time, and again SYNC_LAG later. */
#ifndef SYNC_WALK_H
#define SYNC_WALK_H

#include "sync/sync_match.h"

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

#endif
