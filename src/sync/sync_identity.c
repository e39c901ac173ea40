/* SPDX-License-Identifier: MIT */
/*
 * How it works: the identity of a packet has only what does not change on the way. The sender's checksum of
 * TCP covers the addresses alone, because the interface adds the rest (struct sk_buff, CHECKSUM_PARTIAL). So
 * it is not part of the identity. With UDP this depends on the sender. A checksum that covers just the
 * addresses is ignored, and a received packet is looked up with its checksum first, then without.
 */
#include "sync/sync_match_parts.h"

#include <string.h>
#include <xxhash.h>

#define FIN 1u
#define SYN 2u
#define PSH 8u
#define CWR 0x80u
#define UDP_HEADER 8

static void add_hash(struct sync_identity *id, const uint32_t *parts, size_t n)
{
	XXH128_hash_t hash = XXH3_128bits_withSeed(parts, n * sizeof *parts,
		XXH3_64bits(&id->flow, sizeof id->flow));

	id->name = SYNC_SINGLE;
	id->hashes[id->n_hashes++] = (struct sync_hash){ hash.low64, hash.high64 };
}

static void identify_tcp(const struct mdl_packet *p, struct sync_identity *id)
{
	uint32_t extra = (p->flags & SYN ? 1 : 0) + (p->flags & FIN ? 1 : 0);
	uint32_t parts[] = { p->sequence, p->acknowledgement, p->flags };

	if (p->payload == MDL_NONE)
		return;
	if (p->payload == 0 && extra == 0) {
		add_hash(id, parts, G_N_ELEMENTS(parts));
		return;
	}
	id->name = SYNC_STRETCH;
	id->begins = p->flags & SYN;
	id->first = p->sequence;
	id->length = p->payload + extra;
}

/* The one's complement sum of the addresses, protocol and length, with which the checksum begins (RFC 768,
 * RFC 8200, 8.1). */
static uint16_t address_sum(const struct mdl_packet *p)
{
	uint64_t sum = (uint64_t)p->protocol + p->payload + UDP_HEADER;

	for (size_t i = 0; i < sizeof p->source; i += 2)
		sum += (uint64_t)(p->source[i] << 8 | p->source[i + 1]) +
			(uint64_t)(p->destination[i] << 8 | p->destination[i + 1]);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static void identify_udp(const struct mdl_packet *p, bool received, struct sync_identity *id)
{
	uint32_t parts[] = { p->id, p->payload, p->checksum };
	bool summed = p->payload == MDL_NONE || (p->checksum != 0 && p->checksum != address_sum(p));

	if (summed)
		add_hash(id, parts, 3);
	if (received || !summed)
		add_hash(id, parts, 2); /* as recorded at a sender that leaves the sum to its interface */
}

static bool is_loopback(const struct sync_flow_key *flow)
{
	static const uint8_t one[16] = { [15] = 1 };

	return flow->version == 4 ? flow->source[0] == 127 || flow->destination[0] == 127
				  : memcmp(flow->source, one, sizeof one) == 0;
}

void sync_identify(const struct mdl_packet *p, bool received, struct sync_identity *id)
{
	size_t size = p->version == 4 ? 4 : 16;
	/* If only TCP's numbers were recorded: flags that only the first or last piece of a cut stream has do
	 * not identify it. */
	uint32_t numbers[] = { p->sequence, p->acknowledgement, p->flags & ~(PSH | CWR) };

	id->name = SYNC_NAMELESS;
	id->n_hashes = 0;
	id->begins = false;
	memset(&id->flow, 0, sizeof id->flow);
	if (mdl_packet_is_numbers(p))
		add_hash(id, numbers, G_N_ELEMENTS(numbers));
	if ((p->version != 4 && p->version != 6) || !p->has_ports)
		return;
	memcpy(id->flow.source, p->source, size);
	memcpy(id->flow.destination, p->destination, size);
	id->flow.source_port = p->source_port;
	id->flow.destination_port = p->destination_port;
	id->flow.version = p->version;
	id->flow.protocol = p->protocol;
	if (is_loopback(&id->flow))
		id->name = SYNC_LOCAL;
	else if (p->protocol == SYNC_TCP)
		identify_tcp(p, id);
	else if (p->protocol == SYNC_UDP)
		identify_udp(p, received, id);
}

uint64_t sync_sample(const struct mdl_packet *p, const struct sync_identity *id)
{
	uint32_t parts[] = { p->id, p->payload };

	if (id->name == SYNC_STRETCH)
		return XXH3_64bits_withSeed(&p->sequence, sizeof p->sequence,
			XXH3_64bits(&id->flow, sizeof id->flow));
	if (p->protocol == SYNC_TCP)
		return id->hashes[0].low;
	return XXH3_64bits_withSeed(parts, sizeof parts, XXH3_64bits(&id->flow, sizeof id->flow));
}
