/* SPDX-License-Identifier: MIT */
/* What two hosts tell of each other's clocks: a fit for either direction, fed while packets are matched. */
#ifndef SYNC_EDGES_H
#define SYNC_EDGES_H

#include "sync/sync_fit.h"
#include "sync/sync_order.h"

/* HOST in the clock of REFERENCE, any two hosts that exchanged packets. */
struct sync_edge {
	unsigned host, reference;
	struct sync_fit *fit;
	bool guest;              /* one runs the other: it has what stays tell, too */
	struct sync_order order; /* through which messages go into the fit */
	int64_t half; /* ns, the most in the host's span by which the fit may be off; -1: it tells no clock.
			 Set by sync_reach() */
};

struct sync_edges;

struct sync_edges *sync_edges_new(void);
void sync_edges_free(struct sync_edges *edges);

/* A packet that SENDER sent and RECEIVER received, each at its own time. */
void sync_edges_add(struct sync_edges *edges, unsigned sender, int64_t sent, unsigned receiver,
	int64_t received);
/* No more come: fits are finished. */
void sync_edges_finish(struct sync_edges *edges);

/*
 * STAYS has some of the messages of EDGES, those that cannot be wrong; both are finished.  Where they follow
 * one line, and all messages of two hosts do not, EDGES has their fit then, and STAYS the other one.  True if
 * there are such hosts.
 */
bool sync_edges_prefer(struct sync_edges *edges, struct sync_edges *stays);

/* Go through all, in no order. */
void sync_edges_iter(struct sync_edges *edges, GHashTableIter *iter);
bool sync_edges_next(GHashTableIter *iter, struct sync_edge **edge);

/* HOST in the clock of REFERENCE; made when there is none. */
struct sync_edge *sync_edges_of(struct sync_edges *edges, unsigned host, unsigned reference);

#endif
