/* SPDX-License-Identifier: MIT */
/*
 * All hosts' packets side by side, in order of time after rough offsets.  Receptions come twice: when they
 * were, as arrivals, and a while later.
 */
#ifndef SYNC_WALK_H
#define SYNC_WALK_H

#include "sync/sync_match.h"

/* ns by which receptions come later: more than rough offsets are off, drift and time on the way included. */
#define SYNC_LAG (INT64_C(5) * 1000000000)
/* ns between packets that look the same and have nothing to do with each other: more than they are on their
 * way, and rough offsets off. */
#define SYNC_SILENCE (INT64_C(1) * 1000000000)

/* ns from FROM to TO of the walk, which is not before; they may be further apart than an int64_t can tell. */
static inline uint64_t sync_walk_passed(int64_t from, int64_t to)
{
	return (uint64_t)to - (uint64_t)from;
}

struct sync_walk;

/* One packet on the walk. */
struct sync_step {
	unsigned host;
	bool late;  /* the second time: all that was sent until then has been on the walk */
	int64_t at; /* ns of the walk: never decreases */
	struct sync_packet packet;
};

/* ROUGH: how far each of the N hosts' clocks is ahead.  SOURCES and ROUGH outlive the walk. */
struct sync_walk *sync_walk_new(const struct sync_source *sources, unsigned n,
	const struct sync_rough *rough);
void sync_walk_free(struct sync_walk *walk);

/* The next packet of all; false at the end. */
bool sync_walk_next(struct sync_walk *walk, struct sync_step *step);

#endif
