/* SPDX-License-Identifier: MIT */
/* The sender of a packet that ended a wait, on the same host (loopback, bridge) or on another one. */
#ifndef ANA_SENDER_H
#define ANA_SENDER_H

#include "query/qry.h"

struct ana_sender {
	uint32_t host;     /* host that sent it; contexts in BY are this host's */
	struct mdl_act by; /* sender and time */
	/* Row of the thread that caused it; MDL_NONE: the kernel acknowledged, forwarded or paced it for
	 * nobody. */
	uint32_t thread;
	bool remote; /* HOST is not the receiver */
	/* REMOTE, and the clocks of both hosts cannot be related: times of one mean nothing on the other. */
	bool apart;
	/* It was THREAD: neither an unrecorded softirq on top of it, nor code after an interrupt without
	 * recorded exit, can have sent it. */
	bool sure;
	/* ns by which times of both hosts may be off against each other then; 0 on one host; INT64_MAX
	 * unknown */
	int64_t error;
};

/* Find the sender of PACKET, which HOST received.  False if it is unknown. */
bool ana_sender_of(struct qry *q, uint32_t host, const struct mdl_received *packet,
	struct ana_sender *sender);

/* The thread that caused BY, the act that sent a packet; MDL_NONE: none. */
uint32_t ana_sender_thread(const struct qry *q, const struct mdl_act *by);

#endif
