/* SPDX-License-Identifier: MIT */
/* The parts of finding clocks: private to src/sync. */
#ifndef SYNC_HOSTS_PARTS_H
#define SYNC_HOSTS_PARTS_H

#include "sync/sync_hosts.h"

/* ---- the messages of two hosts as evidence of their clocks: one fit per direction ---- */

/* The clock of HOST in that of REFERENCE: any two hosts that exchanged packets. */
struct sync_edge {
	unsigned host, reference;
	struct sync_fit *fit;
	bool guest; /* one host runs the other as a guest: the fit also has the messages of its stays */
	/* brings messages into the order of HOST's clock before they enter the fit */
	struct sync_order order;
	/* ns: the largest error of the fit in the host's span; -1: the fit gives no clock.  Set by
	 * sync_reach(). */
	int64_t half;
};

struct sync_edges;

/* Return an empty set of edges. */
struct sync_edges *sync_edges_new(void);
void sync_edges_free(struct sync_edges *edges);

/* Add a packet that SENDER sent and RECEIVER received, each time by the host's own clock (ns). */
void sync_edges_add(struct sync_edges *edges, unsigned sender, int64_t sent, unsigned receiver,
	int64_t received);
/* Finish all fits: no more packets come. */
void sync_edges_finish(struct sync_edges *edges);

/* Choose between two sets of fits, both finished. STAYS has those messages of EDGES that cannot be wrong. If
 * the stays of two hosts follow one line and all their messages do not, the two sets swap the fits of these
 * hosts. True if any were swapped. */
bool sync_edges_prefer(struct sync_edges *edges, struct sync_edges *stays);

/* Iterate over all edges, in no order. */
void sync_edges_iter(struct sync_edges *edges, GHashTableIter *iter);
bool sync_edges_next(GHashTableIter *iter, struct sync_edge **edge);

/* The edge of HOST in the clock of REFERENCE; made if there is none. */
struct sync_edge *sync_edges_of(struct sync_edges *edges, unsigned host, unsigned reference);

/* ---- traces of one boot of one host share a clock, so one of them represents all (sync_twins.c) ---- */

/* PAIR in terms of the representing hosts: the first trace of each boot, often the host itself.  Times are by
 * the clocks of those, cut to the range of int64_t. */
struct sync_pair sync_twins_pair(const struct sync_source *sources, const struct sync_pair *pair);
/* The spans of N hosts.  The span of a host that represents others covers theirs, too; every other span is
 * the host's own.  The caller frees. */
struct sync_span *sync_twins_spans(const struct sync_source *sources, const struct sync_span *spans,
	unsigned n);

/* Like sync_twins_spans(), if HOSTS say which traces are of one boot (sync_bounds_are_exact()). */
struct sync_span *sync_twins_spans_of(const struct sync_hosts *hosts, const struct sync_span *spans);

/* Give HOST, which has a twin, the clock of that twin, and errors over its own SPAN. */
void sync_twins_set(struct sync_hosts *hosts, const struct sync_source *sources, unsigned host,
	const struct sync_span *span);

/* ---- the way of each host to the reference: from the reference outwards, always the host with the smallest
 * error next (E. Dijkstra, 1959; sync_reach.c) ---- */

/* Fill in clocks, bounds, ways, errors and qualities of all hosts; fits must be finished.  A clock that is
 * known from the recording alone (HAS_PEER of SOURCES) is used only if nothing else reaches the host. */
void sync_reach(struct sync_hosts *hosts, const struct sync_source *sources, const struct sync_span *spans,
	struct sync_edges *edges);

/* ---- results that need the clocks and a second pass over all packets: packets that are still too early, and
 * how far clocks of several lines wander (sync_recount.c) ---- */

struct sync_recount;

/* True if a second pass would change nothing: all clocks are single lines that hold for all packets in
 * EDGES. */
bool sync_recount_is_settled(const struct sync_hosts *hosts, struct sync_edges *edges);

/* Begin a second pass.  SOURCES and EDGES must outlive the result. */
struct sync_recount *sync_recount_new(struct sync_hosts *hosts, const struct sync_source *sources,
	struct sync_edges *edges);
/* Add a packet; a callback for sync_match().  RECOUNT is a struct sync_recount. */
void sync_recount_pair(void *recount, const struct sync_pair *pair);
/* Finish the pass: set bounds and errors of clocks that wander, and of all hosts that are reached by way of
 * them.  SPANS are those of sync_twins_spans().  Frees RECOUNT. */
void sync_recount_finish(struct sync_recount *recount, const struct sync_span *spans);

#endif
