/* SPDX-License-Identifier: MIT */
/* Finds the packets of a stream file: reads their headers and contexts, but not their events. */
#ifndef TRC_PACKET_H
#define TRC_PACKET_H

#include "trace/tsdl/trc_tsdl.h"

#include <glib.h>

#define TRC_PACKET_HEAD_MAX 512 /* bytes of header and context together; LTTng uses 76 */

/* Header and context of one packet. */
struct trc_packet {
	uint64_t offset;  /* bytes: of the packet in the file */
	uint64_t size;    /* bytes, of the packet */
	uint64_t content; /* bits, from the packet's start to the end of its last event */
	uint64_t events;  /* bits, from the packet's start to its first event */
	uint32_t cpu;     /* TRC_CPU_UNKNOWN if not in the packet */
	bool has_begin, has_end, has_discarded, has_sequence, has_instance;
	uint64_t begin, end; /* cycles of the stream's clock */
	uint64_t discarded;  /* lost events of this stream so far */
	uint64_t sequence;   /* number of the packet in its stream */
	uint64_t instance;   /* number of its stream among those of one class */
};

enum trc_packet_status {
	TRC_PACKET_FINE,
	TRC_PACKET_CUT,     /* the file ends within it: SIZE and CONTENT are what is there */
	TRC_PACKET_FOREIGN, /* of a stream class without a fixed layout: nothing else is known of it */
	TRC_PACKET_BAD,     /* no packet of this trace */
	TRC_PACKET_UNREAD   /* the file cannot be read: errno tells why */
};

/* The layout of the packets of each stream class, computed once. */
struct trc_packet_layout;

/* Make the layout for all packets of T, which must outlive it.  NULL if the packet header has no fixed layout
 * (no known tracer writes such).  Free with g_free(). */
struct trc_packet_layout *trc_packet_layout_new(const struct trc_tsdl *t);

/* Decode the packet at OFFSET (bytes) of a file of FILE_SIZE bytes from its first N bytes at HEAD; N is less
 * than TRC_PACKET_HEAD_MAX only at the end of the file.  *STREAM receives its stream class; if it is not NULL
 * before, only that class is accepted. */
enum trc_packet_status trc_packet_read(const struct trc_packet_layout *layout, const uint8_t *head, size_t n,
	uint64_t offset, uint64_t file_size, struct trc_packet *packet,
	const struct trc_stream_class **stream);

/* As trc_packet_read(), of what is at OFFSET of the file FD. */
enum trc_packet_status trc_packet_read_at(const struct trc_packet_layout *layout, int fd, uint64_t offset,
	uint64_t file_size, struct trc_packet *packet, const struct trc_stream_class **stream);

/* Return the field NAME in the packet context of STREAM; NULL if there is none.  *AT is its offset in bits
 * from the start of the packet. */
const struct trc_type *trc_packet_field(const struct trc_packet_layout *layout,
	const struct trc_stream_class *stream, const char *name, uint64_t *at);

#endif
