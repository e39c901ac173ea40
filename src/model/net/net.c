/* SPDX-License-Identifier: MIT */
/*
 * How it works: the packet that a level received last is a fact of that level. If this host queued the packet
 * for sending (loopback, a pair of virtual interfaces, a bridge), it comes in with the same kernel buffer:
 * the buffer's address finds the act that queued it. Buffers are reused all the time, so the headers must be
 * the same, too. Without headers this holds for the loopback alone, which passes on every buffer, and the
 * lengths must fit (R5.5). If only TCP's numbers are recorded, they replace the address.
 *
 * The fact lasts until the poll that brought the packet has ended (napi_poll() in net/core/dev.c), or the
 * level has. It is proved only in a level that does nothing but poll: the softirq NET_RX, and the threads
 * that poll instead (napi_threaded_poll(), run_backlog_napi()); and only if the ends of polls are recorded
 * (proofs.md R5.2). Any other thread goes on with something else.
 *
 * A poll may do more after it has received packets: net/room.c.
 *
 * A packet that a bridge or a pair of virtual interfaces passes on is received several times. The first
 * reception is reported: that is when the packet came to the host, where its way from another host ends.
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
	struct mdl_received first; /* how it came to this host; time MDL_NEVER: the host made it */
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

/* Give the packet in E to the sink. */
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

/* The key that finds a packet again; 0: none. Addresses of buffers are even, so numbers are odd. */
static uint64_t net_key_of(const struct mdl_packet *p)
{
	if (mdl_packet_is_numbers(p))
		return ((uint64_t)p->sequence << 32 | p->acknowledgement) * 2 + 1;
	return p->skb;
}

/* The packet that L received last if it is PACKET, otherwise NULL. */
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

/* True if the kernel processes what comes in on the interface of E before it receives the next packet. Cards
 * may deliver many at once. The loopback has no poller of its own (loopback_xmit(), process_backlog()). */
static bool comes_alone(const struct mdl_event *e)
{
	return !g_strcmp0(e->text[0], "lo");
}

/* True if S came back on the loopback as PACKET, where only the address is known. A packet that is too long
 * comes back as several other buffers (skb_gso_segment() in validate_xmit_skb(), net/core/dev.c), at
 * addresses that had any content before. A sent packet has an Ethernet header, which is then removed
 * (eth_type_trans() in loopback_xmit()). */
static bool came_back(const struct sent *s, const struct mdl_packet *packet)
{
	return s->packet.version == 0 && s->packet.length == packet->length + ETHERNET;
}

/* Set in FACT the act that sent its packet on this host, or how the packet had come here, if a queued packet
 * shows it. */
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
		fact->sender = s->by; /* it may be received again, by a bridge */
		fact->handed = fact->packet.skb != 0;
	}
}

/* True if events show until when a packet that L of CPU receives can wake a thread. */
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
		return; /* received again, on the next interface or further up */
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
	mdl_recent_clear(m->net->sent); /* another buffer may have this address now */
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
