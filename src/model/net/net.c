/* SPDX-License-Identifier: MIT */
/*
 * How it works: a packet that a level received last is a fact of that level. One that was queued on this same
 * host for sending (loopback, a pair of virtual interfaces, a bridge) comes in with the same kernel buffer:
 * its address finds who queued it.  Buffers are used again all the time, so the headers must be the same too;
 * where headers were not recorded that holds for the loopback alone, which hands on every buffer it gets, and
 * the lengths must fit (R5.5).  Where TCP's numbers are all there is, they stand for the address.
 *
 * It is a fact until the poll that brought it has ended (napi_poll() in net/core/dev.c), or its level has. It
 * proves what its level does then only where that is to poll: the softirq NET_RX, and the threads that poll
 * instead (napi_threaded_poll(), run_backlog_napi()), and where the ends of polls are recorded (proofs.md
 * R5.2).  Any other thread goes on with what it was about.
 *
 * What else a poll may do, behind what it received: net/room.c.
 *
 * A packet that a bridge or a pair of virtual interfaces hands on is received several times: what is told of
 * it is the first time, when it came to the host, as that is when another host's packet ended its way.
 */
#include "model/net/net.h"

#include "model/core/cpu.h"
#include "model/cause/irqthread.h"
#include "model/core/recent.h"

#define ETHERNET 14 /* bytes of its header */

/* A packet on its way. */
struct sent {
	struct mdl_packet packet;
	struct mdl_act by;
	struct mdl_received first; /* how it had come to this host; time MDL_NEVER: it is the host's own */
};

static void read_packet(const struct mdl_event *e, struct mdl_packet *packet)
{
	int64_t length = e->arg[MDL_NET_LENGTH];

	if (e->packet)
		*packet = *e->packet;
	else
		*packet = (struct mdl_packet){ .payload = MDL_NONE };
	packet->skb = mdl_event_address(e, MDL_NET_SKB);
	packet->length = length >= 0 && length <= UINT32_MAX ? (uint32_t)length : 0;
}

static uint32_t device_of(struct mdl_machine *m, const struct mdl_event *e)
{
	return e->text[0] ? base_strings_add_hostile(m->strings, e->text[0], -1) : 0;
}

/* Tell the sink of the packet in E. */
static void give_transfer(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_packet *packet,
	uint32_t device)
{
	struct mdl_transfer t;

	if (!m->sink->transfer)
		return;
	t = (struct mdl_transfer){ .packet = *packet,
		.by = mdl_cpu_act(m, e->cpu),
		.device = device,
		.received = e->kind == MDL_EV_NET_RECEIVE };
	m->sink->transfer(m->data, &t);
}

/* By what a packet is found again; 0: by nothing.  Addresses of buffers are even, so numbers are odd. */
static uint64_t net_key_of(const struct mdl_packet *p)
{
	if (mdl_packet_is_numbers(p))
		return ((uint64_t)p->sequence << 32 | p->acknowledgement) * 2 + 1;
	return p->skb;
}

/* What L received last, if it is PACKET. */
static const struct mdl_received *received_by(const struct mdl_level *l, const struct mdl_packet *packet)
{
	const struct mdl_received *last = &l->facts.packet;

	if (!(l->facts.has & MDL_FACT_PACKET) || packet->version == 0 || last->packet.skb != packet->skb ||
		!mdl_packet_same(&last->packet, packet))
		return NULL;
	return last;
}

void mdl_net_queue(struct mdl_machine *m, const struct mdl_event *e)
{
	struct sent s = { .first = { .time = MDL_NEVER } };
	const struct mdl_received *first;

	read_packet(e, &s.packet);
	s.by = mdl_cpu_act(m, e->cpu);
	if (s.by.context == MDL_NONE && mdl_cpu_get(m, e->cpu)->current)
		mdl_batch_sent(mdl_cpu_get(m, e->cpu)->current, &s.packet);
	first = received_by(mdl_cpu_level(m, e->cpu), &s.packet);
	if (first)
		s.first = *first;
	if (net_key_of(&s.packet) != 0)
		*(struct sent *)mdl_recent_put(m->net->sent, net_key_of(&s.packet)) = s;
	give_transfer(m, e, &s.packet, device_of(m, e));
}

/*
 * Is what comes in on the interface of E worked on before the next packet is received?  Cards may hand up
 * many at once, the loopback has no poller of its own (loopback_xmit(), process_backlog()).
 */
static bool comes_alone(const struct mdl_event *e)
{
	return !g_strcmp0(e->text[0], "lo");
}

/*
 * Did S come back on the loopback as PACKET, where the address is all there is?  What is too long comes back
 * as several other buffers (skb_gso_segment() in validate_xmit_skb(), net/core/dev.c), at addresses where
 * anything may have been before.  What is sent has a header of Ethernet, which is taken off (eth_type_trans()
 * in loopback_xmit()).
 */
static bool came_back(const struct sent *s, const struct mdl_packet *packet)
{
	return s->packet.version == 0 && s->packet.length == packet->length + ETHERNET;
}

/* Say in FACT who sent its packet on this host, or how it had come there, as far as the packet S tells. */
static void take_sent(struct mdl_machine *m, const struct mdl_event *e, struct mdl_received *fact)
{
	uint64_t key = net_key_of(&fact->packet);
	const struct sent *s = mdl_recent_find(m->net->sent, key);
	bool known = fact->packet.version != 0 || mdl_packet_is_numbers(&fact->packet);

	if (!s)
		return;
	if (!known) {
		if (comes_alone(e) && came_back(s, &fact->packet))
			fact->sender = s->by;
		mdl_recent_drop(m->net->sent, key);
	} else if (!mdl_packet_same(&s->packet, &fact->packet)) {
		mdl_recent_drop(m->net->sent, key);
	} else if (s->first.time != MDL_NEVER) {
		*fact = s->first;
		fact->handed = true;
	} else {
		fact->sender = s->by; /* it may be received once more, by a bridge */
		fact->handed = fact->packet.skb != 0;
	}
}

/* Is it known for how long what L of CPU receives may wake somebody? */
static bool ends(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l)
{
	const struct mdl_thread *t = mdl_cpu_get(m, cpu)->current;

	if (!m->net->has_polls)
		return false;
	if (l->context == MDL_NONE)
		return t && mdl_irqthread_polls(t);
	return l->type == MDL_CTX_SOFTIRQ && l->nr == MDL_SOFTIRQ_NET_RX;
}

void mdl_net_receive(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_level *l = mdl_cpu_level(m, e->cpu);
	bool any = (l->facts.has & MDL_FACT_PACKET) != 0;
	struct mdl_received fact = { .device = device_of(m, e), .time = m->now, .sender.time = MDL_NEVER };

	fact.doubts = ends(m, e->cpu, l) ? 0 : MDL_DOUBT(NO_POLL);
	read_packet(e, &fact.packet);
	give_transfer(m, e, &fact.packet, fact.device);
	if (received_by(l, &fact.packet) ||
		(any && l->facts.packet.packet.version != 0 && mdl_packet_is_numbers(&fact.packet)))
		return; /* once more, on the next interface or further up */
	if (any && !e->text[0])
		fact.device = l->facts.packet.device;
	take_sent(m, e, &fact);
	mdl_batch_add(mdl_cpu_get(m, e->cpu)->batch, l, &fact, comes_alone(e));
	l->facts.packet = fact;
	l->facts.has |= MDL_FACT_PACKET;
}

void mdl_net_poll(struct mdl_machine *m, uint32_t cpu)
{
	m->net->has_polls = true;
	mdl_cpu_level(m, cpu)->facts.has &= ~(unsigned)MDL_FACT_PACKET;
}

static void choose_packet(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	const struct mdl_thread *t, struct mdl_facts *facts)
{
	if (!(facts->has & MDL_FACT_PACKET))
		return;
	mdl_batch_choose(mdl_cpu_get(m, cpu)->batch, l, t, &facts->packet);
	mdl_room_doubt(m, l, t, &facts->packet);
	mdl_room_settle(m, cpu, l, &facts->packet);
}

static void net_init(struct mdl_machine *m, G_GNUC_UNUSED const char *release)
{
	m->net->sent = mdl_recent_new(sizeof(struct sent), 8192);
}

static void net_clear(struct mdl_machine *m)
{
	mdl_recent_free(m->net->sent);
}

static void net_lose(struct mdl_machine *m, G_GNUC_UNUSED uint32_t cpu, G_GNUC_UNUSED int64_t since)
{
	mdl_recent_clear(m->net->sent); /* an address may be that of another by now */
}

const struct mdl_part mdl_part_net = {
	.machine = MDL_KEPT(struct mdl_machine, net),
	.cpu = MDL_KEPT(struct mdl_cpu, batch),
	.init = net_init,
	.clear = net_clear,
	.clear_thread = mdl_batch_forget,
	.lose = net_lose,
	.collect = choose_packet,
};
