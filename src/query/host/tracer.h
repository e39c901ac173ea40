/* SPDX-License-Identifier: MIT */
/*
 * The tracer itself, which is in every trace that was recorded on its own host: its threads, and the packets
 * in which it sends what it records.  Known by the names of LTTng's programs.
 */
#ifndef QRY_TRACER_H
#define QRY_TRACER_H

#include "query/qry.h"

struct base_progress;

/* Whether ROW is a thread of a process that was, at any time, lttng-relayd, lttng-consumerd, lttng-sessiond,
 * lttng-runas or lttng. */
bool qry_is_tracer(const struct qry *q, uint32_t row);
/* Whether any row of Q is one. */
bool qry_has_tracer(const struct qry *q);

/*
 * The connections (addresses and ports, both directions) on which a thread of
 * the tracer sent a packet, on whatever host: what comes back on them, and
 * what the kernel acknowledges, is the tracer's too.
 */
struct qry_tracer_flows;

/* Go once through the packets of all hosts.  Ends early when PROGRESS (NULL: never) is cancelled.  Q must
 * outlive them. */
struct qry_tracer_flows *qry_tracer_flows_new(struct qry *q, struct base_progress *progress);
void qry_tracer_flows_free(struct qry_tracer_flows *flows);

/*
 * Whether T, a transfer of HOST whose thread is a row of the experiment, is on such a connection.  A packet
 * without ports is on none: it is the tracer's when its thread sent it.
 */
bool qry_tracer_flows_have(const struct qry_tracer_flows *flows, uint32_t host, const struct mdl_transfer *t);

/*
 * Whether HOST tells which packets its threads sent.  Not where softirqs are not recorded: in them the kernel
 * sends on behalf of others, whatever thread is on the CPU, so there only the connections that other hosts
 * know are the tracer's.
 */
bool qry_tracer_sees_senders(const struct qry *q, uint32_t host);

/* Packets and their bytes, as the events tell their length. */
struct qry_traffic {
	uint64_t packets, bytes;
};

/* Count the packets of HOST: ALL, and those of FLOWS; sent [0] and received [1].  Ends early when PROGRESS
 * (NULL: never) is cancelled. */
void qry_tracer_traffic(const struct qry_tracer_flows *flows, uint32_t host, struct base_progress *progress,
	struct qry_traffic all[2], struct qry_traffic tracer[2]);

#endif
