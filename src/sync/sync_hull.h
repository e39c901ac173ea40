/* SPDX-License-Identifier: MIT */
/*
 * The messages of one direction as bounds of a line, seen from their own side: the line is above all of them.
 * Upper bounds are put in upside down (−z, −rate).  Memory is that of the convex hull.
 */
#ifndef SYNC_HULL_H
#define SYNC_HULL_H

#include "sync/sync_clock.h"

#include <stdbool.h>

/* A message: x ns after the line's first one, z ns by which the other clock was more ahead than then.  Both
 * are below 2^52. */
struct sync_vertex {
	int64_t x, z;
};

struct sync_hull {
	GArray *vertices; /* of struct sync_vertex: the upper hull; owned */
	guint tangent;    /* the vertex that the line of the greatest rate touches */
	sync_wide num;    /* the greatest rate, NUM / DEN */
	int64_t den;
	bool bounded;   /* by messages, not only by SYNC_RATE_MAX */
	uint64_t count; /* messages added */
	int64_t last;   /* the caller's: time of the latest */
};

void sync_hull_init(struct sync_hull *hull);
void sync_hull_clear(struct sync_hull *hull);
/* As after init. */
void sync_hull_reset(struct sync_hull *hull);

const struct sync_vertex *sync_hull_vertex(const struct sync_hull *hull, guint i);

/* Add a message of the hull's direction, not before any other message. */
void sync_hull_add(struct sync_hull *hull, const struct sync_vertex *v);
/* V, a message of the other direction not before any other message, may bound the greatest rate.  False when
 * no line is above the hull and below V. */
bool sync_hull_limit(struct sync_hull *hull, const struct sync_vertex *v);

/* The greatest rate, 2^-62 ns per ns, rounded down. */
int64_t sync_hull_rate(const struct sync_hull *hull);
/* The vertex on which a line of RATE lies that comes down from above. */
guint sync_hull_touched(const struct sync_hull *hull, int64_t rate);

#endif
