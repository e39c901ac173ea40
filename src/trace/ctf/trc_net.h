/* SPDX-License-Identifier: MIT */
/* The headers of network packets in events: LTTng's nested structs and variants, read field by field into a
 * struct mdl_packet. */
#ifndef TRC_NET_H
#define TRC_NET_H

#include "model/mdl_event.h"

#include <stddef.h>

/* The fields that are read.  The two addresses are bytes in the order of the net, the rest are numbers. */
enum trc_net_field {
	TRC_NET_SOURCE,
	TRC_NET_DESTINATION,
	TRC_NET_VERSION,
	TRC_NET_HEADER_WORDS,
	TRC_NET_TOTAL,
	TRC_NET_PAYLOAD,
	TRC_NET_ID,
	TRC_NET_FRAGMENT,
	TRC_NET_PROTOCOL,
	TRC_NET_SOURCE_PORT,
	TRC_NET_DESTINATION_PORT,
	TRC_NET_SEQUENCE,
	TRC_NET_ACKNOWLEDGEMENT,
	TRC_NET_DATA_WORDS,
	TRC_NET_FLAGS,
	TRC_NET_CHECKSUM,
	TRC_NET_FIELDS /* none of them */
};

#define TRC_NET_ADDRESS_MAX 16

/* What of a packet has been read so far. */
struct trc_net {
	unsigned seen; /* bit 1 << FIELD */
	uint64_t number[TRC_NET_FIELDS];
	uint8_t address[2][TRC_NET_ADDRESS_MAX]; /* TRC_NET_SOURCE, TRC_NET_DESTINATION */
};

/* True for events of KIND: they may have headers. */
bool trc_net_has(enum mdl_kind kind);

/* Which field NAME in the option OPTION of a header variant is, both with or without LTTng's leading "_". */
enum trc_net_field trc_net_field_of(const char *option, const char *name);

/* Note that FIELD, a number, is VALUE. */
static inline void trc_net_set(struct trc_net *n, enum trc_net_field field, uint64_t value)
{
	n->number[field] = value;
	n->seen |= 1u << field;
}

/* Write VALUE of BITS bits to the ROOM bytes at TO, in the order of the net.  Returns how many it took. */
unsigned trc_net_put(uint8_t *to, size_t room, unsigned bits, uint64_t value);

/* Note that FIELD, an address, is the LENGTH bytes at BYTES; what is longer than an address is left out. */
void trc_net_set_address(struct trc_net *n, enum trc_net_field field, const void *bytes, size_t length);

/* Fill in PACKET, but for skb and length, from what was read.  False when there was no IP header. */
bool trc_net_finish(const struct trc_net *n, struct mdl_packet *packet);

#endif
