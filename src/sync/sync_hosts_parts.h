/* SPDX-License-Identifier: MIT */
/* The parts of finding clocks, private to src/sync. */
#ifndef SYNC_HOSTS_PARTS_H
#define SYNC_HOSTS_PARTS_H

#include "sync/sync_edges.h"
#include "sync/sync_hosts.h"

/* ---- traces of one boot of one host: with one clock, so one of them stands for all (sync_twins.c) ---- */

/* PAIR as of the hosts that stand for its own: the first of the traces of their boots, often themselves.
 * Times are by the clocks of those, cut to the range of int64_t. */
struct sync_pair sync_twins_pair(const struct sync_source *sources, const struct sync_pair *pair);
/* The spans of N hosts; that of one that stands for several covers them all, and that of another is its own.
 * The caller frees. */
struct sync_span *sync_twins_spans(const struct sync_source *sources, const struct sync_span *spans,
	unsigned n);

/* The same, where HOSTS tell which traces are of one boot (sync_bounds_are_exact()). */
struct sync_span *sync_twins_spans_of(const struct sync_hosts *hosts, const struct sync_span *spans);

/* Give HOST, which has a twin, the clock of that, and the errors over its own SPAN. */
void sync_twins_set(struct sync_hosts *hosts, const struct sync_source *sources, unsigned host,
	const struct sync_span *span);

/*
 * ---- which host's clock is known by way of which: from the reference outwards, the host that can be reached
 * with the least error next (E. Dijkstra, 1959; sync_reach.c) ----
 */

/* Fill in clocks, bounds, ways, errors and qualities of all hosts.  Fits are finished.  Whose clock a host
 * has by its recording alone (HAS_PEER of SOURCES) is taken where nothing else reaches it. */
void sync_reach(struct sync_hosts *hosts, const struct sync_source *sources, const struct sync_span *spans,
	struct sync_edges *edges);

/*
 * ---- what is known only when the clocks are: packets that are still too early, and how far clocks of
 * several lines wander; it takes all packets a second time (sync_recount.c) ----
 */

struct sync_recount;

/* True when nothing new can come of that: all clocks are single lines that hold for all packets in EDGES. */
bool sync_recount_is_settled(const struct sync_hosts *hosts, struct sync_edges *edges);

/* Begin; SOURCES and EDGES outlive it. */
struct sync_recount *sync_recount_new(struct sync_hosts *hosts, const struct sync_source *sources,
	struct sync_edges *edges);
/* A packet, as sync_match() calls it; RECOUNT is a struct sync_recount. */
void sync_recount_pair(void *recount, const struct sync_pair *pair);
/* No more come: set bounds and errors of clocks that wander, and of all that are reached by way of them.
 * SPANS: as of sync_twins_spans().  Frees RECOUNT. */
void sync_recount_finish(struct sync_recount *recount, const struct sync_span *spans);

#endif
