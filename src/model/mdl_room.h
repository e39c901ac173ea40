/* SPDX-License-Identifier: MIT */
/* Whether it was room to send that somebody waited for, and no packet: private to src/model. */
#ifndef MDL_ROOM_H
#define MDL_ROOM_H

#include "model/mdl_fact.h"

struct mdl_level;
struct mdl_machine;
struct mdl_thread;

/* L, which received PACKET, wakes T: what else its poll does may have done that. */
void mdl_room_doubt(const struct mdl_machine *m, const struct mdl_level *l, const struct mdl_thread *t,
	struct mdl_received *packet);

#endif
