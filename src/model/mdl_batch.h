/* SPDX-License-Identifier: MIT */
/* Which packet woke: private to src/model. */
#ifndef MDL_BATCH_H
#define MDL_BATCH_H

#include "model/mdl_fact.h"

struct mdl_level;
struct mdl_thread;

#define MDL_BATCH_MAX 16 /* twice what a poll hands up at once (gro_normal_batch) */

/* Packets that were received one after the other, the last ones if there are many. */
struct mdl_batch {
	struct mdl_received packets[MDL_BATCH_MAX];
	unsigned n;
	/* weak: where; it has a packet as a fact, else this is of one that has ended. */
	const struct mdl_level *level;
	bool over;    /* somebody was woken since */
	bool several; /* the poll handed up others before, which may not have been worked on */
	bool alone;   /* the last one is worked on before anything else is received */
};

/* T sent P, itself. */
void mdl_batch_sent(struct mdl_thread *t, const struct mdl_packet *p);
/* Level L, which has yet the facts from before, received PACKET; ALONE: it is worked on before the next. */
void mdl_batch_add(struct mdl_batch *b, const struct mdl_level *l, const struct mdl_received *packet,
	bool alone);
/* L wakes T: put the packet that did it in place of the last one that L received, PACKET. */
void mdl_batch_choose(struct mdl_batch *b, const struct mdl_level *l, const struct mdl_thread *t,
	struct mdl_received *packet);
/* Does P bring something on a connection that T sent on? */
bool mdl_batch_is_for(const struct mdl_thread *t, const struct mdl_packet *p);
/* T is over. */
void mdl_batch_forget(struct mdl_thread *t);

#endif
