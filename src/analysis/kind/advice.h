/* SPDX-License-Identifier: MIT */
/* Events that were not recorded and would have proved more. */
#ifndef ANA_ADVICE_H
#define ANA_ADVICE_H

#include "query/qry.h"

struct ana_advice {
	/* An event or group, as in the index's missing events: "ipi_send_cpu"; for ana_advice_questions() the
	 * name of a question. Owned by the experiment. */
	const char *event;
	const char *why; /* static: the facts that it would show */
	/* Static: the command that records it, for the tracer of HOST: "lttng enable-event -k ipi_send_cpu",
	 * "perf record -a -k mono -e 'ipi:*'". */
	const char *command;
};

/* Returns the events that the recording of HOST lacks: an array of struct ana_advice, most useful first.  The
 * caller unrefs. */
GArray *ana_advice_new(const struct qry *q, uint32_t host);
/* Like ana_advice_new(), for the questions that a recording of HOST by wakepath itself would answer and this
 * one does not. */
GArray *ana_advice_questions(const struct qry *q, uint32_t host);
/* The gaps in the recordings of Q, a line each: first its warnings, then events that its tracers could have
 * recorded, and, if HIDE_TRACER, the number of hidden threads of the tracer. The explorer and `record` show
 * these lines. Of char *, owned; the caller unrefs. */
GPtrArray *ana_advice_lacks(const struct qry *q, bool hide_tracer);
/* True if EVENT ("ipi_send_cpu", or a group like "ipi:*") was not recorded on HOST at all.  False if it was,
 * or if that is unknown. */
bool ana_advice_is_missing(const struct qry *q, uint32_t host, const char *event);
/* The events that show packets and that HOST's recording lacks: "net_dev_queue and net_if_receive_skb", or
 * one of them (static text).  NULL: it lacks none; then a host without packets sent and received none. */
const char *ana_advice_packets(const struct qry *q, uint32_t host);
/* The command that makes HOST's tracer record EVENT, an event or group that is reported as missing (static).
 * NULL for any other event. */
const char *ana_advice_command(const struct qry *q, uint32_t host, const char *event);
/* Like ana_advice_command(), for sched_switch, which shows when threads run and wait. NULL if it was
 * recorded. */
const char *ana_advice_switches(const struct qry *q, uint32_t host);
/* The command that makes HOST's tracer record the events of virtual machines (static). */
const char *ana_advice_machines(const struct qry *q, uint32_t host);

#endif
