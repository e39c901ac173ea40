/* SPDX-License-Identifier: MIT */
/* What is known only when the clocks are: packets that are still too early, and how far clocks of several
 * lines wander.  It takes all packets a second time. */
#ifndef SYNC_RECOUNT_H
#define SYNC_RECOUNT_H

#include "sync/sync_edges.h"
#include "sync/sync_hosts.h"

struct sync_recount;

/* True when nothing new can come of that: all clocks are single lines that hold for all packets in EDGES. */
bool sync_recount_is_settled(const struct sync_hosts *hosts, struct sync_edges *edges);

/* Begin; SOURCES and EDGES outlive it. */
struct sync_recount *sync_recount_new(struct sync_hosts *hosts, const struct sync_source *sources,
	struct sync_edges *edges);
/* A packet, as sync_match() calls it; RECOUNT is a struct sync_recount. */
void sync_recount_pair(void *recount, const struct sync_pair *pair);
/* No more come: set bounds and errors of clocks that wander, and of all that are reached by way of them.
 * JOINED: as of sync_twins_spans().  Frees RECOUNT. */
void sync_recount_finish(struct sync_recount *recount, const struct sync_span *joined,
	const struct sync_span *spans);

#endif
