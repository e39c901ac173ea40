/* SPDX-License-Identifier: MIT */
/* Brings the messages between two hosts into the order of one host's clock.  They come in the order in which
 * they are matched: a packet with a long way is sent before others, but matched after them. */
#ifndef SYNC_ORDER_H
#define SYNC_ORDER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A message in the clocks of both hosts, ns.  With FROM_HOST the host sent it and the other one received it,
 * otherwise the other way round. */
struct sync_message {
	int64_t host, other;
	bool from_host;
};

struct sync_order {
	GArray *buffer; /* owned: of struct sync_message */
	int64_t given;  /* ns of the host: the last message given */
	bool whole;     /* no message was left out */
	void (*give)(void *data, const struct sync_message *message);
	void *data;
};

/* GIVE is called with DATA for each message in the order of HOST.  A message that comes too late for its
 * place is left out: it was on its way longer than all others. */
void sync_order_init(struct sync_order *order, void (*give)(void *data, const struct sync_message *message),
	void *data);
void sync_order_add(struct sync_order *order, const struct sync_message *message);
/* Give the messages that are left: no more come. */
void sync_order_finish(struct sync_order *order);
void sync_order_clear(struct sync_order *order);

#endif
