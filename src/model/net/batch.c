/* SPDX-License-Identifier: MIT */
/*
 * How it works: a poll may deliver several packets at once, and the events of all come before the first is
 * processed. So a wake-up after several packets is by one of them, most likely by one on the flow on which
 * the thread last sent. Packets are processed in order, so it is the first of these that brings something:
 * the thread does not wait any more at the second. A packet after a wake-up or the end of a poll begins
 * another batch (mdl_net_poll()).
 *
 * That is likely, but only the end of a poll is sure (proofs.md R5.3). With packets of IPv4 and IPv6, or of
 * two interfaces, each run of one kind is processed when the next run has begun. Listeners to all packets
 * (AF_PACKET) are woken before any packet is processed.
 */
#include "model/net/net.h"

#include "model/core/cpu.h"
#include "model/core/thread.h"

#include <string.h>

#define FIN 1u
#define SYN 2u
#define TCP 6
#define FLOWS_MAX 8 /* flows kept on which a thread sent last */

/* A flow on which a thread sent. */
struct flow {
	uint8_t source[16], destination[16];
	uint16_t source_port, destination_port;
	uint8_t version, protocol;
};

struct mdl_flows {
	struct flow flows[FLOWS_MAX]; /* last used first */
	unsigned n;
};

void mdl_batch_leave(struct mdl_cpu *c)
{
	if (c->current && c->batch->level == c->current->softirq)
		c->batch->level = NULL;
}

void mdl_batch_forget(struct mdl_thread *t)
{
	g_clear_pointer(&t->flows, g_free);
}

static bool same_flow(const struct flow *a, const struct flow *b)
{
	return a->version == b->version && a->protocol == b->protocol && a->source_port == b->source_port &&
		a->destination_port == b->destination_port &&
		memcmp(a->source, b->source, sizeof a->source) == 0 &&
		memcmp(a->destination, b->destination, sizeof a->destination) == 0;
}

void mdl_batch_sent(struct mdl_thread *t, const struct mdl_packet *p)
{
	struct flow new = { .source_port = p->source_port,
		.destination_port = p->destination_port,
		.version = p->version,
		.protocol = p->protocol };
	struct mdl_flows *f = t->flows;
	unsigned i;

	if (p->version == 0 || !p->has_ports)
		return;
	memcpy(new.source, p->source, sizeof new.source);
	memcpy(new.destination, p->destination, sizeof new.destination);
	if (!f)
		f = t->flows = g_new0(struct mdl_flows, 1);
	for (i = 0; i < f->n && !same_flow(&f->flows[i], &new); i++)
		;
	if (i == f->n)
		f->n = MIN(f->n + 1, FLOWS_MAX);
	i = MIN(i, FLOWS_MAX - 1);
	memmove(&f->flows[1], &f->flows[0], i * sizeof(struct flow));
	f->flows[0] = new;
}

void mdl_batch_add(struct mdl_batch *b, const struct mdl_level *l, const struct mdl_received *packet,
	bool alone)
{
	bool numbers = mdl_packet_is_numbers(&packet->packet); /* written where each packet is processed */
	bool first = b->level != l || !(l->facts.has & MDL_FACT_PACKET) || alone || (b->alone && !numbers);
	/* One buffer twice: the last packet is passed on, or is over. */
	bool again = !first && !numbers && packet->packet.skb != 0 &&
		packet->packet.skb == l->facts.packet.packet.skb;

	b->several = !first && (b->several || !(numbers || again));
	b->alone = alone || (b->alone && !first);
	if (first || numbers || b->over)
		b->n = 0;
	else if (again)
		b->n--;
	if (b->n == MDL_BATCH_MAX)
		memmove(&b->packets[0], &b->packets[1], --b->n * sizeof b->packets[0]);
	b->level = l;
	b->over = false;
	b->packets[b->n++] = *packet;
}

/* True if P came back on flow F. */
static bool answers(const struct mdl_packet *p, const struct flow *f)
{
	return p->has_ports && p->version == f->version && p->protocol == f->protocol &&
		p->source_port == f->destination_port && p->destination_port == f->source_port &&
		memcmp(p->source, f->destination, sizeof p->source) == 0 &&
		memcmp(p->destination, f->source, sizeof p->source) == 0;
}

/* True if P brings something; an acknowledgement alone does not. */
static bool brings(const struct mdl_packet *p)
{
	return p->protocol != TCP || p->payload == MDL_NONE || p->payload > 0 || p->flags & (SYN | FIN);
}

/* The packet of B on flow F that is processed first and brings something, otherwise the first one; NULL: none
 * is on F. */
static const struct mdl_received *batch_first_of(const struct mdl_batch *b, const struct flow *f)
{
	const struct mdl_received *first = NULL;

	for (unsigned i = 0; i < b->n; i++) {
		if (!answers(&b->packets[i].packet, f))
			continue;
		if (brings(&b->packets[i].packet))
			return &b->packets[i];
		first = first ? first : &b->packets[i];
	}
	return first;
}

bool mdl_batch_is_for(const struct mdl_thread *t, const struct mdl_packet *p)
{
	for (unsigned i = 0; t->flows && i < t->flows->n; i++)
		if (answers(p, &t->flows->flows[i]))
			return brings(p);
	return false;
}

static const struct mdl_received *last_of(const struct mdl_batch *b)
{
	for (unsigned i = b->n; i-- > 0;)
		if (brings(&b->packets[i].packet))
			return &b->packets[i];
	return &b->packets[b->n - 1];
}

void mdl_batch_choose(struct mdl_batch *b, const struct mdl_level *l, const struct mdl_thread *t,
	struct mdl_received *packet)
{
	const struct mdl_received *found = NULL;

	b->over = true;
	if (b->level != l)
		return;
	if (b->several)
		packet->doubts |= MDL_DOUBT(PACKETS);
	if (b->n < 2)
		return;
	for (unsigned i = 0; t->flows && i < t->flows->n && !found; i++)
		found = batch_first_of(b, &t->flows->flows[i]);
	*packet = found ? *found : *last_of(b);
	packet->doubts |= MDL_DOUBT(PACKETS);
}
