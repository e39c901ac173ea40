/* SPDX-License-Identifier: MIT */
/* Events that were not recorded and would have proved more. */
#ifndef ANA_ADVICE_H
#define ANA_ADVICE_H

#include "query/qry.h"

struct ana_advice {
	const char *event;   /* as in the index's missing events: "ipi_send_cpu"; owned by the experiment */
	const char *why;     /* static: what it would show */
	const char *command; /* static: what to type, by who recorded it: "lttng enable-event -k
				ipi_send_cpu", "perf record -a -k mono -e 'ipi:*'" */
};

/* What the recording of HOST lacks: a new array of struct ana_advice, most useful first; unref it. */
GArray *ana_advice_new(const struct qry *q, uint32_t host);
/* Whether EVENT ("ipi_send_cpu", or a group as above) was not recorded on HOST at all; false: it was, or
 * nothing is known of it. */
bool ana_advice_is_missing(const struct qry *q, uint32_t host, const char *event);
/*
 * Which of the two events that show packets HOST's recording lacks: "net_dev_queue and net_if_receive_skb",
 * or one of them; NULL: none, and a host without packets sent and received none.  Static.
 */
const char *ana_advice_packets(const struct qry *q, uint32_t host);
/* What to type so that HOST's tracer records EVENT (one of the events that are named as missing, or of a
 * group of them); NULL for another.  Static. */
const char *ana_advice_command(const struct qry *q, uint32_t host, const char *event);
/* The same for what nobody knows of HOST for lack of sched_switch: which thread ran or waited when; NULL: it
 * was recorded. */
const char *ana_advice_switches(const struct qry *q, uint32_t host);
/* What to type so that HOST's tracer records what virtual machines do.  Static. */
const char *ana_advice_machines(const struct qry *q, uint32_t host);

#endif
