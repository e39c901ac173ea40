/* SPDX-License-Identifier: MIT */
/* Which interrupts of a chain a packet may have come with, by the time at which it was sent. */
#ifndef ANA_ARRIVAL_H
#define ANA_ARRIVAL_H

#include "analysis/wait/source.h"

struct ana_arrival {
	int64_t from;         /* the time from which the packet was in CHAIN; MDL_NEVER unknown */
	enum ana_grade grade; /* that it was on its way until FROM */
	enum ana_grade first; /* that CHAIN began after the packet was sent */
};

/* Remove from CHAIN, which ends with HOST receiving PACKET, the hops that began before the packet was sent,
 * by the clocks in use: it did not come with them.  The last hop, the reception, stays.  A hop that may be
 * too early within the error of the clocks is at most inferred. */
void ana_arrival_cut(struct qry *q, uint32_t host, const struct mdl_received *packet,
	struct mdl_chain *chain);

/* When PACKET entered CHAIN, after ana_arrival_cut(). */
struct ana_arrival ana_arrival_of(struct qry *q, uint32_t host, const struct mdl_received *packet,
	const struct mdl_chain *chain);

#endif
