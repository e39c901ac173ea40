/* SPDX-License-Identifier: MIT */
/* The steps from the origin of a wake-up to the wake-up itself, and the sender of a packet. */
#ifndef ANA_CHAIN_H
#define ANA_CHAIN_H

#include "query/qry.h"

/* The chain that leads to the wake-up W of thread ROW: that of CAUSE (NULL: none), or else the one that W's
 * own contexts show.  Its last hop sent the wake-up. n is 0 if the sender is unknown. */
struct mdl_chain ana_chain_of(const struct qry *q, uint32_t row, const struct mdl_wakeup *w,
	const struct mdl_cause *cause);

/* The time at which the first context of CHAIN was entered, or at which a thread started the chain.
 * MDL_NEVER if there is none or it was not recorded. */
int64_t ana_chain_begin(const struct mdl_chain *chain);

/* True if ROW is a thread that can act for others: neither an idle thread nor MDL_NONE. */
bool ana_chain_is_worker(const struct qry *q, uint32_t row);
/* The thread that did ACT.  MDL_NONE for an interrupt, an idle thread, or an unknown actor. */
uint32_t ana_chain_actor(const struct qry *q, const struct mdl_act *act);
/*
 * The doubts about the actor that ACT names on HOST: an unrecorded interrupt, or one whose exit was not
 * recorded, may have acted instead. UNKNOWN if there was no act. WAITER is the thread that waited for the
 * result of ACT: ACT by WAITER itself is proved. MDL_NONE: no such thread.
 */
mdl_doubts ana_chain_act_doubts(const struct qry *q, uint32_t host, const struct mdl_act *act,
	uint32_t waiter);
/* The doubts about a thread of HOST that has its CPU at TIME: contexts without events may run on top of
 * it. */
mdl_doubts ana_chain_hidden(const struct qry *q, uint32_t host, int64_t time);
/* The event or group (static) that HOST lacks and that would settle the first of DOUBTS that an event can
 * settle; NULL: there is none. */
const char *ana_chain_settles(const struct qry *q, uint32_t host, mdl_doubts doubts);
/* True if thread ROW is a ksoftirqd or ktimers thread. */
bool ana_chain_is_softirq_daemon(const struct qry *q, uint32_t row);

/* The name of the first IRQ in CHAIN, on HOST; NULL if it has none.  Owned by the experiment. */
const char *ana_chain_line(const struct qry *q, uint32_t host, const struct mdl_chain *chain);

/* The sender of a packet that ended a wait, on the same host (loopback, bridge) or on another one. */
struct ana_sender {
	uint32_t host;     /* host that sent it; contexts in BY are this host's */
	struct mdl_act by; /* sender and time */
	/* Row of the thread that caused it; MDL_NONE: no thread; the kernel acknowledged, forwarded or paced
	 * it. */
	uint32_t thread;
	bool remote; /* HOST is not the receiver */
	/* REMOTE, and the clocks of both hosts cannot be related: times of one mean nothing on the other. */
	bool apart;
	/* About THREAD: an unrecorded softirq on top of it may have sent the packet, or an interrupt whose
	 * exit was not recorded. */
	mdl_doubts doubts;
	/* ns; possible error between times of both hosts at that time; 0 on one host; INT64_MAX: unknown */
	int64_t error;
};

/* Find the sender of PACKET, which HOST received.  False if it is unknown. */
bool ana_sender_of(struct qry *q, uint32_t host, const struct mdl_received *packet,
	struct ana_sender *sender);

/* The thread that caused BY, the act that sent a packet; MDL_NONE: none. */
uint32_t ana_sender_thread(const struct qry *q, const struct mdl_act *by);

#endif
