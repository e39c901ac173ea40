/* SPDX-License-Identifier: MIT */
/* Packets: private to src/model. */
#ifndef MDL_NET_H
#define MDL_NET_H

#include "model/event/fact.h"
#include "model/core/part.h"

struct mdl_cpu;
struct mdl_thread;
struct mdl_level;
struct mdl_machine;
struct mdl_recent;

#define MDL_BATCH_MAX 16 /* twice the packets that a poll delivers at once (gro_normal_batch) */

/* Packets that were received one after the other; if they are many, the last ones. */
struct mdl_batch {
	struct mdl_received packets[MDL_BATCH_MAX];
	unsigned n;
	/* Weak: the level that received them.  If it has no packet as a fact, the batch belongs to a level
	 * that has ended. */
	const struct mdl_level *level;
	bool over; /* the level has woken a thread since */
	/* the poll delivered other packets before, which the kernel may not have processed yet */
	bool several;
	bool alone; /* the kernel processes the last packet before it receives another one */
};

/* T itself sent P. */
void mdl_batch_sent(struct mdl_thread *t, const struct mdl_packet *p);
/* Level L, which still has the facts from before, received PACKET.  ALONE: the kernel processes it before the
 * next one. */
void mdl_batch_add(struct mdl_batch *b, const struct mdl_level *l, const struct mdl_received *packet,
	bool alone);
/* L wakes T. Replace PACKET, the last packet that L received, by the one that did it. */
void mdl_batch_choose(struct mdl_batch *b, const struct mdl_level *l, const struct mdl_thread *t,
	struct mdl_received *packet);
/* True if P brings something on a flow on which T has sent. */
bool mdl_batch_is_for(const struct mdl_thread *t, const struct mdl_packet *p);
/* The softirq that the thread of C runs ends, or another one begins: its batch is over. */
void mdl_batch_leave(struct mdl_cpu *c);
/* T is over: forget its flows. */
void mdl_batch_forget(struct mdl_thread *t);

struct mdl_net {
	struct mdl_recent *sent; /* owned: packets of this host that may come in again */
	bool has_polls;          /* napi_poll is recorded */
};

/* E: a packet is given to an interface for sending; or it was received from one. */
void mdl_net_queue(struct mdl_machine *m, const struct mdl_event *e);
void mdl_net_receive(struct mdl_machine *m, const struct mdl_event *e);
/* A poll of a network device ended on CPU: its packets wake no thread from now on. */
void mdl_net_poll(struct mdl_machine *m, uint32_t cpu);

/* ---- room.c ---- */

/* L, which received PACKET, wakes T. Doubt PACKET if other work of the poll may have done it. */
void mdl_room_doubt(const struct mdl_machine *m, const struct mdl_level *l, const struct mdl_thread *t,
	struct mdl_received *packet);

/* Take back the doubt about PACKET, which L of CPU received, if L can have polled nothing else. */
void mdl_room_settle(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	struct mdl_received *packet);

extern const struct mdl_part mdl_part_net;

#endif
