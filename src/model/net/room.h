/* SPDX-License-Identifier: MIT */
/* Decides between two reasons of a wake-up: room to send, or a packet.  Private to src/model. */
#ifndef MDL_ROOM_H
#define MDL_ROOM_H

#include "model/event/fact.h"

struct mdl_level;
struct mdl_machine;
struct mdl_thread;

/* L, which received PACKET, wakes T: doubt PACKET if other work of the poll may have done it. */
void mdl_room_doubt(const struct mdl_machine *m, const struct mdl_level *l, const struct mdl_thread *t,
	struct mdl_received *packet);

/* Take back the doubt about PACKET, which L of CPU received, if L can have polled nothing else. */
void mdl_room_settle(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	struct mdl_received *packet);

#endif
