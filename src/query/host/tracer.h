/* SPDX-License-Identifier: MIT */
/* The tracer itself, which is in every trace that is recorded on its own host: its threads, and the packets
 * in which it sends the recording. It is known by the names of its programs, or by what readers of ftrace's
 * buffers do. */
#ifndef QRY_TRACER_H
#define QRY_TRACER_H

#include "query/qry.h"

struct base_progress;

/* True if ROW is a thread of a process that ever was one of LTTng's programs or wakepath's, or that is
 * trace-cmd or perf by its last name, or that reads a buffer of ftrace by what it does (deeds.c). */
bool qry_is_tracer(const struct qry *q, uint32_t row);
/* True if ROW is known by what it does and not by its name. */
bool qry_tracer_is_by_deeds(const struct qry *q, uint32_t row);
/* Why ROW is of the tracer: "recorder, by its name", "recorder, by its deeds: …"; or NULL. Caller frees. */
char *qry_tracer_text(struct qry *q, uint32_t row);
/* True if ROW is a thread of the program that the tracer started to record it ("perf record CMD", "wakepath
 * record -- CMD"), or of a process that descends from it. */
bool qry_is_recorded(struct qry *q, uint32_t row);
/* True if Q has a row of the tracer (qry_is_tracer()). */
bool qry_has_tracer(const struct qry *q);

/* The connections (addresses and ports, both directions) on which a thread of the tracer sent a packet, on
 * any host.  All packets on them are the tracer's, also answers and the kernel's acknowledgements. */
struct qry_tracer_flows;

/* Read the packets of all hosts once.  Ends early if PROGRESS (NULL: never) is cancelled.  Q must outlive the
 * result. */
struct qry_tracer_flows *qry_tracer_flows_new(struct qry *q, struct base_progress *progress);
void qry_tracer_flows_free(struct qry_tracer_flows *flows);

/* True if T, a transfer of HOST whose thread is a row of the experiment, is on one of FLOWS.  A packet
 * without ports is on none; it is the tracer's if a thread of the tracer sent it. */
bool qry_tracer_flows_have(const struct qry_tracer_flows *flows, uint32_t host, const struct mdl_transfer *t);

/* True if the trace of HOST shows which thread sent a packet.  False if softirqs are not recorded: in them
 * the kernel sends for others, whatever thread is on the CPU.  Then only connections that other hosts
 * identify are the tracer's. */
bool qry_tracer_sees_senders(const struct qry *q, uint32_t host);

/* Numbers of packets and bytes, with lengths as in the events. */
struct qry_traffic {
	uint64_t packets, bytes;
};

/* Count the packets of HOST into ALL, and those on FLOWS into TRACER: sent [0] and received [1].  Ends early
 * if PROGRESS (NULL: never) is cancelled. */
void qry_tracer_traffic(const struct qry_tracer_flows *flows, uint32_t host, struct base_progress *progress,
	struct qry_traffic all[2], struct qry_traffic tracer[2]);

#endif
