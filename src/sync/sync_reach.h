/* SPDX-License-Identifier: MIT */
/* Which host's clock is known by way of which: from the reference outwards, the host that can be reached with
 * the least error next (E. Dijkstra, 1959). */
#ifndef SYNC_REACH_H
#define SYNC_REACH_H

#include "sync/sync_edges.h"
#include "sync/sync_hosts.h"

/* Fill in clocks, bounds, ways, errors and qualities of all hosts.  Fits are finished.  Whose clock a host
 * has by its recording alone (HAS_PEER of SOURCES) is taken where nothing else reaches it. */
void sync_reach(struct sync_hosts *hosts, const struct sync_source *sources, const struct sync_span *spans,
	struct sync_edges *edges);

#endif
