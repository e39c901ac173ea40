/* SPDX-License-Identifier: MIT */
/*
 * How it works: a packet that a level received last is a fact of that level.
 * One that was queued on this same host for sending (loopback, a pair of
 * virtual interfaces, a bridge) comes in with the same kernel buffer: its
 * address finds who queued it.  Buffers are used again all the time, so the
 * headers must be the same too; where headers were not recorded that holds for the
 * loopback alone, which hands on every buffer it gets.
 */
#include "model/mdl_parts.h"

#include <string.h>

/* A packet on its way. */
struct sent {
	struct mdl_packet packet;
	struct mdl_act by;
};

struct mdl_recent *mdl_net_table_new(void)
{
	return mdl_recent_new(sizeof(struct sent), 8192);
}

static void read_packet(const struct mdl_event *e, struct mdl_packet *packet)
{
	int64_t length = e->arg[MDL_NET_LENGTH];

	if (e->packet != NULL)
		*packet = *e->packet;
	else
		*packet = (struct mdl_packet){ .payload = MDL_NONE };
	packet->skb = mdl_event_address(e, MDL_NET_SKB);
	packet->length = length >= 0 && length <= UINT32_MAX ? (uint32_t)length : 0;
}

static uint32_t device_of(struct mdl_machine *m, const struct mdl_event *e)
{
	return e->text[0] != NULL ? base_strings_add_hostile(m->strings, e->text[0], -1) : 0;
}

/* Tell the sink of the packet in E. */
static void give_transfer(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_packet *packet, uint32_t device)
{
	struct mdl_transfer t;

	if (m->sink->transfer == NULL)
		return;
	t = (struct mdl_transfer){
		.packet = *packet, .by = mdl_cpu_act(m, e->cpu), .device = device, .received = e->kind == MDL_EV_NET_RECEIVE,
	};
	m->sink->transfer(m->data, &t);
}

void mdl_net_queue(struct mdl_machine *m, const struct mdl_event *e)
{
	struct sent s;

	read_packet(e, &s.packet);
	s.by = mdl_cpu_act(m, e->cpu);
	if (s.packet.skb != 0)
		*(struct sent *)mdl_recent_put(m->packets, s.packet.skb) = s;
	give_transfer(m, e, &s.packet, device_of(m, e));
}

void mdl_net_receive(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_level *l = mdl_cpu_level(m, e->cpu);
	struct mdl_received *fact = &l->facts.packet;
	const struct sent *s;

	memset(fact, 0, sizeof *fact);
	read_packet(e, &fact->packet);
	fact->device = device_of(m, e);
	fact->time = m->now;
	fact->sender.time = MDL_NEVER;
	l->facts.has |= MDL_FACT_PACKET;
	give_transfer(m, e, &fact->packet, fact->device);
	s = mdl_recent_find(m->packets, fact->packet.skb);
	if (s == NULL)
		return;
	if (mdl_packet_same(&s->packet, &fact->packet) && (fact->packet.version != 0 || g_strcmp0(e->text[0], "lo") == 0))
		fact->sender = s->by;	/* it may be received once more, by a bridge */
	else
		mdl_recent_drop(m->packets, fact->packet.skb);
}
