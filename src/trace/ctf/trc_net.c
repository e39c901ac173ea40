/* SPDX-License-Identifier: MIT */
/*
 * How it works: a field is known by its name and by the variant's option around it, at any depth. LTTng since
 * 2.9 has the transport header within the network header. An earlier layout had it beside, with the names of
 * the kernel's struct tcphdr ("source", "check"), and the header's length together with the flags. The addons
 * of LTTng 2.0 (lttng-modules, addons.h: inet_sock_local_in, inet_sock_local_out) have only TCP's numbers, as
 * fields of the event. A branch of that time has them in an option "thtype_tcp".
 */
#include "trace/ctf/trc_net.h"

#include "trace/meta/trc_meta.h"

#include <netinet/in.h>
#include <string.h>

#define FLAGS_MASK 0x1ff     /* of 16 bits: header length, reserved, flags (RFC 9293, 3.1) */
#define FRAGMENT_MASK 0x1fff /* the offset (RFC 791, 3.1) */
#define UDP_HEADER 8

static const struct {
	const char *option, *name;
	enum trc_net_field field;
} fields[] = {
	{ "ipv4", "version", TRC_NET_VERSION },
	{ "ipv4", "ihl", TRC_NET_HEADER_WORDS },
	{ "ipv4", "tot_len", TRC_NET_TOTAL },
	{ "ipv4", "id", TRC_NET_ID },
	{ "ipv4", "frag_off", TRC_NET_FRAGMENT },
	{ "ipv4", "protocol", TRC_NET_PROTOCOL },
	{ "ipv4", "saddr", TRC_NET_SOURCE },
	{ "ipv4", "daddr", TRC_NET_DESTINATION },
	{ "ipv6", "version", TRC_NET_VERSION },
	{ "ipv6", "payload_len", TRC_NET_PAYLOAD },
	{ "ipv6", "nexthdr", TRC_NET_PROTOCOL },
	{ "ipv6", "saddr", TRC_NET_SOURCE },
	{ "ipv6", "daddr", TRC_NET_DESTINATION },
	{ "tcp", "source_port", TRC_NET_SOURCE_PORT },
	{ "tcp", "dest_port", TRC_NET_DESTINATION_PORT },
	{ "tcp", "source", TRC_NET_SOURCE_PORT },
	{ "tcp", "dest", TRC_NET_DESTINATION_PORT },
	{ "tcp", "seq", TRC_NET_SEQUENCE },
	{ "tcp", "ack_seq", TRC_NET_ACKNOWLEDGEMENT },
	{ "tcp", "data_offset", TRC_NET_DATA_WORDS },
	{ "tcp", "flags", TRC_NET_FLAGS },
	{ "tcp", "checksum", TRC_NET_CHECKSUM },
	{ "tcp", "check", TRC_NET_CHECKSUM },
	{ "udp", "source_port", TRC_NET_SOURCE_PORT },
	{ "udp", "dest_port", TRC_NET_DESTINATION_PORT },
	{ "udp", "check", TRC_NET_CHECKSUM },
	{ "thtype_tcp", "seq", TRC_NET_SEQUENCE },
	{ "thtype_tcp", "ack_seq", TRC_NET_ACKNOWLEDGEMENT },
	{ "thtype_tcp", "flags", TRC_NET_FLAGS },
	{ "", "seq", TRC_NET_SEQUENCE },
	{ "", "ack_seq", TRC_NET_ACKNOWLEDGEMENT },
	{ "", "flags", TRC_NET_FLAGS },
	{ "", "check", TRC_NET_CHECKSUM },
};

bool trc_net_has(enum mdl_kind kind)
{
	return kind == MDL_EV_NET_QUEUE || kind == MDL_EV_NET_RECEIVE;
}

enum trc_net_field trc_net_field_of(const char *option, const char *name)
{
	option = trc_type_bare(option);
	name = trc_type_bare(name);
	for (size_t i = 0; i < G_N_ELEMENTS(fields); i++)
		if (!strcmp(fields[i].option, option) && !strcmp(fields[i].name, name))
			return fields[i].field;
	return TRC_NET_FIELDS;
}

unsigned trc_net_put(uint8_t *to, size_t room, unsigned bits, uint64_t value)
{
	unsigned used = 0;

	for (unsigned left = bits; left >= 8 && used < room; left -= 8)
		to[used++] = (uint8_t)(value >> (left - 8));
	return used;
}

void trc_net_set_address(struct trc_net *n, enum trc_net_field field, const void *bytes, size_t length)
{
	uint8_t *address = n->address[field];

	memset(address, 0, TRC_NET_ADDRESS_MAX);
	memcpy(address, bytes, MIN(length, TRC_NET_ADDRESS_MAX));
	n->seen |= 1u << field;
}

static bool has(const struct trc_net *n, enum trc_net_field field)
{
	return (n->seen & 1u << field) != 0;
}

/* Return the number FIELD; 0 if it is absent. */
static uint64_t get(const struct trc_net *n, enum trc_net_field field)
{
	return has(n, field) ? n->number[field] : 0;
}

/* Return the bytes of the transport's data; MDL_NONE: unknown. */
static uint32_t payload_of(const struct trc_net *n, const struct mdl_packet *packet)
{
	int64_t bytes;

	if (packet->version == 4 && has(n, TRC_NET_TOTAL))
		bytes = (int64_t)(get(n, TRC_NET_TOTAL) & UINT16_MAX) -
			4 * (int64_t)(get(n, TRC_NET_HEADER_WORDS) & 15);
	else if (packet->version == 6 && has(n, TRC_NET_PAYLOAD))
		bytes = (int64_t)(get(n, TRC_NET_PAYLOAD) & UINT16_MAX);
	else
		return MDL_NONE;
	if (packet->protocol == IPPROTO_TCP && has(n, TRC_NET_DATA_WORDS))
		bytes -= 4 * (int64_t)(get(n, TRC_NET_DATA_WORDS) & 15);
	else if (packet->protocol == IPPROTO_TCP)
		bytes -= 4 * (int64_t)(get(n, TRC_NET_FLAGS) >> 12 & 15);
	else if (packet->protocol == IPPROTO_UDP)
		bytes -= UDP_HEADER;
	else
		return MDL_NONE;
	return bytes >= 0 ? (uint32_t)bytes : MDL_NONE; /* the field is 0 if the packet is too large for it */
}

static void set_numbers(const struct trc_net *n, struct mdl_packet *packet)
{
	packet->sequence = (uint32_t)get(n, TRC_NET_SEQUENCE);
	packet->acknowledgement = (uint32_t)get(n, TRC_NET_ACKNOWLEDGEMENT);
	packet->flags = (uint16_t)get(n, TRC_NET_FLAGS) & FLAGS_MASK;
	packet->checksum = (uint16_t)get(n, TRC_NET_CHECKSUM);
}

bool trc_net_finish(const struct trc_net *n, struct mdl_packet *packet)
{
	uint64_t version = get(n, TRC_NET_VERSION);

	if (version != 4 && version != 6) {
		/* Without an IP header, TCP's numbers alone must be there. */
		if (has(n, TRC_NET_VERSION) || !has(n, TRC_NET_SEQUENCE) ||
			!has(n, TRC_NET_ACKNOWLEDGEMENT) || !has(n, TRC_NET_FLAGS))
			return false;
		*packet = (struct mdl_packet){ .protocol = IPPROTO_TCP, .payload = MDL_NONE };
		set_numbers(n, packet);
		return true;
	}
	*packet = (struct mdl_packet){ .version = (uint8_t)version,
		.protocol = (uint8_t)get(n, TRC_NET_PROTOCOL),
		.id = (uint16_t)get(n, TRC_NET_ID),
		.payload = MDL_NONE };
	if (has(n, TRC_NET_SOURCE))
		memcpy(packet->source, n->address[TRC_NET_SOURCE], sizeof(packet->source));
	if (has(n, TRC_NET_DESTINATION))
		memcpy(packet->destination, n->address[TRC_NET_DESTINATION], sizeof(packet->destination));
	if (!has(n, TRC_NET_SOURCE_PORT) || !has(n, TRC_NET_DESTINATION_PORT) ||
		get(n, TRC_NET_FRAGMENT) & FRAGMENT_MASK)
		return true; /* a later fragment has data at the place of the ports */
	packet->has_ports = true;
	packet->source_port = (uint16_t)get(n, TRC_NET_SOURCE_PORT);
	packet->destination_port = (uint16_t)get(n, TRC_NET_DESTINATION_PORT);
	set_numbers(n, packet);
	packet->payload = payload_of(n, packet);
	return true;
}
