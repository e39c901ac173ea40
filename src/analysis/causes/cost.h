/* SPDX-License-Identifier: MIT */
/* The cost of observing a host: the tracer's own threads and packets.  It excludes the time that recording an
 * event takes inside every thread, which no trace shows. */
#ifndef ANA_COST_H
#define ANA_COST_H

#include "query/host/tracer.h"

struct ana_cost {
	uint32_t threads;          /* of the tracer, alive within the trace */
	int64_t cpu_time;          /* ns that they were on a CPU, interrupts on top of them included */
	int64_t busy;              /* ns that the host's CPUs were not idle, summed over CPUs */
	int64_t known;             /* ns for which the state of the host's CPUs is known, summed over CPUs */
	bool sees_senders;         /* see qry_tracer_sees_senders() */
	struct qry_traffic all[2]; /* of the host: sent, received */
	/* Of the tracer: on connections on which one of its threads sent a packet. */
	struct qry_traffic tracer[2];
};

/* Set COST to the cost of observing HOST; FLOWS are those of Q.  It is invalid if PROGRESS (NULL: never) is
 * cancelled. */
void ana_cost_of(struct qry *q, uint32_t host, const struct qry_tracer_flows *flows,
	struct base_progress *progress, struct ana_cost *cost);

#endif
