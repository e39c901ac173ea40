/* SPDX-License-Identifier: MIT */
/* The messages of two hosts as evidence of their clocks: one fit per direction, fed during matching. */
#ifndef SYNC_EDGES_H
#define SYNC_EDGES_H

#include "sync/sync_fit.h"
#include "sync/sync_order.h"

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

struct sync_edges *sync_edges_new(void);
void sync_edges_free(struct sync_edges *edges);

/* Add a packet that SENDER sent and RECEIVER received, each time by the host's own clock (ns). */
void sync_edges_add(struct sync_edges *edges, unsigned sender, int64_t sent, unsigned receiver,
	int64_t received);
/* Finish all fits: no more packets come. */
void sync_edges_finish(struct sync_edges *edges);

/*
 * Choose between two sets of fits, both finished.  STAYS has those messages of EDGES that cannot be wrong.
 * If the stays of two hosts follow one line and all their messages do not, the two sets swap the fits of
 * these hosts.  True if any were swapped.
 */
bool sync_edges_prefer(struct sync_edges *edges, struct sync_edges *stays);

/* Iterate over all edges, in no order. */
void sync_edges_iter(struct sync_edges *edges, GHashTableIter *iter);
bool sync_edges_next(GHashTableIter *iter, struct sync_edge **edge);

/* The edge of HOST in the clock of REFERENCE; made if there is none. */
struct sync_edge *sync_edges_of(struct sync_edges *edges, unsigned host, unsigned reference);

#endif
