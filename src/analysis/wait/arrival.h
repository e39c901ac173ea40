/* SPDX-License-Identifier: MIT */
/* Which interrupts of a chain a packet can have come with, by when it was sent. */
#ifndef ANA_ARRIVAL_H
#define ANA_ARRIVAL_H

#include "analysis/wait/source.h"

struct ana_arrival {
	int64_t from;         /* since when the packet was in what CHAIN tells; MDL_NEVER: not known */
	enum ana_grade grade; /* that it was on its way up to then, */
	enum ana_grade first; /* and that what then began is not older than the packet */
};

/*
 * Take from CHAIN, which ends with HOST receiving PACKET, the hops that began before the packet was sent by
 * the clocks in use: it did not come with them. The last hop stays: there it was received.  What may be so by
 * the error of the clocks is inferred at most.
 */
void ana_arrival_cut(struct qry *q, uint32_t host, const struct mdl_received *packet,
	struct mdl_chain *chain);

/* How PACKET got into CHAIN, which has been cut. */
struct ana_arrival ana_arrival_of(struct qry *q, uint32_t host, const struct mdl_received *packet,
	const struct mdl_chain *chain);

#endif
