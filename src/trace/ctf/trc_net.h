/* SPDX-License-Identifier: MIT */
/* Headers of network packets in events: reads LTTng's nested structs and variants field by field into a
 * struct mdl_packet. */
#ifndef TRC_NET_H
#define TRC_NET_H

#include "model/event/event.h"

#include <stddef.h>

/* The fields that are read: two addresses, as bytes in network order, and numbers. */
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
	TRC_NET_FIELDS /* any other field */
};

#define TRC_NET_ADDRESS_MAX 16

/* The fields of one packet that were read so far. */
struct trc_net {
	unsigned seen; /* 1 << FIELD for each field that was read */
	uint64_t number[TRC_NET_FIELDS];
	uint8_t address[2][TRC_NET_ADDRESS_MAX]; /* index TRC_NET_SOURCE or TRC_NET_DESTINATION */
};

/* True if events of KIND may have packet headers. */
bool trc_net_has(enum mdl_kind kind);

/* Return the field called NAME in the option OPTION of a header variant, both with or without LTTng's leading
 * "_". */
enum trc_net_field trc_net_field_of(const char *option, const char *name);

/* Set FIELD, a number, to VALUE. */
static inline void trc_net_set(struct trc_net *n, enum trc_net_field field, uint64_t value)
{
	n->number[field] = value;
	n->seen |= 1u << field;
}

/* Write VALUE, of BITS bits, in network order to the ROOM bytes at TO.  Returns the number of bytes
 * written. */
unsigned trc_net_put(uint8_t *to, size_t room, unsigned bits, uint64_t value);

/* Set FIELD, an address, to the LENGTH bytes at BYTES; ignored if longer than an address. */
void trc_net_set_address(struct trc_net *n, enum trc_net_field field, const void *bytes, size_t length);

/* Fill in PACKET, except skb and length, from N.  False if there was no IP header. */
bool trc_net_finish(const struct trc_net *n, struct mdl_packet *packet);

#endif
