/* SPDX-License-Identifier: MIT */
/* Messages between two hosts as they are found, brought into the order of the host's clock: a packet that was
 * long on its way is sent before, but found after, others. */
#ifndef SYNC_ORDER_H
#define SYNC_ORDER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* One in the clocks of both hosts, ns.  FROM_HOST: the host sent it and the other one received it; else the
 * other way round. */
struct sync_message {
	int64_t host, other;
	bool from_host;
};

struct sync_order {
	GArray *buffer; /* of struct sync_message; owned */
	int64_t given;  /* ns of the host: the last one given */
	bool whole;     /* none was left out */
	void (*give)(void *data, const struct sync_message *message);
	void *data;
};

/* GIVE is called with DATA for each message in the order of HOST; one that comes too late for its place is
 * left out, it was on its way longer than all others. */
void sync_order_init(struct sync_order *order, void (*give)(void *data, const struct sync_message *message),
	void *data);
void sync_order_add(struct sync_order *order, const struct sync_message *message);
/* No more come: give the rest. */
void sync_order_finish(struct sync_order *order);
void sync_order_clear(struct sync_order *order);

#endif
