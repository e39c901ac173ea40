/* SPDX-License-Identifier: MIT */
/* Packets: private to src/model. */
#ifndef MDL_NET_H
#define MDL_NET_H

#include "model/core/part.h"

struct mdl_machine;
struct mdl_recent;

struct mdl_net {
	struct mdl_recent *sent; /* owned: packets of this host that may come in again */
	bool has_polls;          /* napi_poll is recorded */
};

void mdl_net_queue(struct mdl_machine *m, const struct mdl_event *e);
void mdl_net_receive(struct mdl_machine *m, const struct mdl_event *e);
/* A poll of a network device ended on CPU: its packets wake no thread from now on. */
void mdl_net_poll(struct mdl_machine *m, uint32_t cpu);

extern const struct mdl_part mdl_part_net;

#endif
