/* SPDX-License-Identifier: MIT */
#include "sync/sync_parts.h"

#include <string.h>
#include <xxhash.h>

#define FIN 1u
#define SYN 2u

static void set_flow(const struct mdl_packet *p, struct sync_flow_key *flow)
{
	size_t size = p->version == 4 ? 4 : 16;

	memset(flow, 0, sizeof *flow);
	memcpy(flow->source, p->source, size);
	memcpy(flow->destination, p->destination, size);
	flow->source_port = p->source_port;
	flow->destination_port = p->destination_port;
	flow->version = p->version;
	flow->protocol = p->protocol;
}

static void set_single(struct sync_identity *id, const uint32_t *parts, size_t n)
{
	XXH128_hash_t hash = XXH3_128bits_withSeed(parts, n * sizeof *parts, XXH3_64bits(&id->flow, sizeof id->flow));

	id->name = SYNC_SINGLE;
	id->low = hash.low64;
	id->high = hash.high64;
	id->sample = hash.low64;
}

static void identify_tcp(const struct mdl_packet *p, struct sync_identity *id)
{
	uint32_t extra = (p->flags & SYN ? 1 : 0) + (p->flags & FIN ? 1 : 0);
	uint32_t parts[] = { p->sequence, p->acknowledgement, p->flags };

	if (p->payload == MDL_NONE)
		return;
	if (p->payload == 0 && extra == 0) {
		set_single(id, parts, G_N_ELEMENTS(parts));
		return;
	}
	id->name = SYNC_STRETCH;
	id->begins = p->flags & SYN;
	id->first = p->sequence;
	id->length = p->payload + extra;
	id->sample = XXH3_64bits_withSeed(&p->sequence, sizeof p->sequence, XXH3_64bits(&id->flow, sizeof id->flow));
}

static void identify_udp(const struct mdl_packet *p, struct sync_identity *id)
{
	uint32_t parts[] = { p->id, p->payload, p->checksum };

	set_single(id, parts, G_N_ELEMENTS(parts));
}

void sync_identify(const struct mdl_packet *p, struct sync_identity *id)
{
	id->name = SYNC_NAMELESS;
	if ((p->version != 4 && p->version != 6) || !p->has_ports)
		return;
	set_flow(p, &id->flow);
	if (p->protocol == SYNC_TCP)
		identify_tcp(p, id);
	else if (p->protocol == SYNC_UDP)
		identify_udp(p, id);
}
