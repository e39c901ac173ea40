/* SPDX-License-Identifier: MIT */
/* Who sent a packet that ended a wait: on the same host (loopback, bridge) or on another one. */
#ifndef ANA_SENDER_H
#define ANA_SENDER_H

#include "query/qry.h"

struct ana_sender {
	uint32_t host;     /* where it was sent; contexts in BY are this host's */
	struct mdl_act by; /* who sent it, and when */
	uint32_t thread;   /* row of the thread whose doing that was; MDL_NONE: nobody's, it was acknowledged,
			      forwarded or clocked out by the kernel */
	bool remote;       /* HOST is another host than the receiver */
	bool apart;        /* and nothing is known of how the clocks of both go together: the times of one say
			      nothing on the other */
	bool sure; /* by THREAD: no softirq that was not recorded may have done it upon that; and no interrupt
		      whose exit was not seems to have */
	int64_t error; /* ns by which the times of both hosts may be off against each other then; 0 on one
			  host; INT64_MAX unknown */
};

/* Who sent PACKET, which HOST received.  False: nobody is known to have. */
bool ana_sender_of(struct qry *q, uint32_t host, const struct mdl_received *packet,
	struct ana_sender *sender);

/* The thread whose doing it was that a packet was sent BY; MDL_NONE: nobody's. */
uint32_t ana_sender_thread(const struct qry *q, const struct mdl_act *by);

#endif
