/* SPDX-License-Identifier: MIT */
/* How far apart the hosts' clocks are, roughly: near enough that packets can be looked for. */
#ifndef SYNC_ROUGH_H
#define SYNC_ROUGH_H

#include <glib.h>
#include <stdint.h>

/* From FROM on, by its own clock, a host's clock is AHEAD of that of the first host, both ns. */
struct sync_rough_piece {
	int64_t from; /* INT64_MIN for the first */
	int64_t ahead;
};

/* How far one host's clock is ahead, roughly. */
struct sync_rough {
	GArray *pieces; /* owned: of struct sync_rough_piece in order of time, at least one */
};

struct sync_source;

/*
 * How far the clock of each of N hosts is ahead, roughly, from that of the first among the hosts that have
 * packets in common, if only by way of others: a first look at the packets of all.  A new array of N.
 */
struct sync_rough *sync_rough_new(const struct sync_source *sources, unsigned n);
void sync_rough_free(struct sync_rough *hosts, unsigned n);

/*
 * What the first host's clock shows, roughly, when that of ROUGH shows TIME; where this was set, not beyond
 * what it showed then.  *PIECE is where TIME was last, any number at first: times that follow each other cost
 * no search.
 */
int64_t sync_rough_reference(const struct sync_rough *rough, int64_t time, guint *piece);

#endif
