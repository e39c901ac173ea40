/* SPDX-License-Identifier: MIT */
/* How far apart the hosts' clocks are, roughly: close enough to search for packets. */
#ifndef SYNC_ROUGH_H
#define SYNC_ROUGH_H

#include <glib.h>
#include <stdint.h>

/* A host's clock is AHEAD ns of the first host's clock, from FROM on (ns of its own clock). */
struct sync_rough_piece {
	int64_t from; /* INT64_MIN for the first piece */
	int64_t ahead;
};

/* How far one host's clock is ahead, roughly. */
struct sync_rough {
	GArray *pieces; /* owned: of struct sync_rough_piece in order of time, at least one */
};

struct sync_source;

/*
 * Find roughly how far the clock of each of N hosts is ahead.  The base is the first of those hosts that have
 * packets in common, directly or by way of others.  Reads the packets of all hosts.  A new array of N; free
 * it with sync_rough_free().
 */
struct sync_rough *sync_rough_new(const struct sync_source *sources, unsigned n);
void sync_rough_free(struct sync_rough *hosts, unsigned n);

/*
 * The time of the first host's clock, roughly, when the clock of ROUGH shows TIME.  If that clock was set,
 * the result does not exceed the time at the setting. *PIECE keeps the place of the last call (any number at
 * first), so times in sequence cost no search.
 */
int64_t sync_rough_reference(const struct sync_rough *rough, int64_t time, guint *piece);

#endif
