/* SPDX-License-Identifier: MIT */
/*
 * What it costs a host to be observed: the tracer's own threads and packets.  Not in it: the time that
 * recording an event takes inside of every thread, which no trace tells.
 */
#ifndef ANA_COST_H
#define ANA_COST_H

#include "query/host/tracer.h"

struct ana_cost {
	uint32_t threads;          /* the tracer's, that lived within the trace */
	int64_t cpu_time;          /* ns that they were on a CPU, interrupts on top of them included */
	int64_t busy;              /* ns that the host's CPUs were not idle, all together */
	int64_t known;             /* ns that it is known of the CPUs what they did, idle or not */
	bool sees_senders;         /* as of qry_tracer_sees_senders() */
	struct qry_traffic all[2]; /* of the host: sent, received */
	/* Of the tracer: on connections on which a thread of it sent a packet. */
	struct qry_traffic tracer[2];
};

/* The cost of observing HOST; FLOWS are those of Q.  Worth nothing when PROGRESS (NULL: never) is cancelled
 * meanwhile. */
void ana_cost_of(struct qry *q, uint32_t host, const struct qry_tracer_flows *flows,
	struct base_progress *progress, struct ana_cost *cost);

#endif
