/* SPDX-License-Identifier: MIT */
/* Where the packets of a stream file are: their headers and contexts, read without the events in them. */
#ifndef TRC_PACKET_H
#define TRC_PACKET_H

#include "trace/tsdl/trc_tsdl.h"

#include <glib.h>

#define TRC_PACKET_HEAD_MAX 512 /* bytes of header and context together; LTTng has 76 */

/* Header and context of one packet. */
struct trc_packet {
	uint64_t offset;  /* of the packet in the file, bytes */
	uint64_t size;    /* of the packet, bytes */
	uint64_t content; /* bits from the packet's start to the end of its last event */
	uint64_t events;  /* bits from the packet's start to its first event */
	uint32_t cpu;     /* TRC_CPU_UNKNOWN: not told */
	bool has_begin, has_end, has_discarded, has_sequence, has_instance;
	uint64_t begin, end; /* cycles of the stream's clock */
	uint64_t discarded;  /* events lost in this stream so far */
	uint64_t sequence;   /* number of the packet in its stream */
	uint64_t instance;   /* number of its stream among those of one class */
};

enum trc_packet_status {
	TRC_PACKET_FINE,
	TRC_PACKET_CUT,     /* the file ends within it: SIZE and CONTENT are what is there */
	TRC_PACKET_FOREIGN, /* of a stream class without a fixed layout: nothing else is known of it */
	TRC_PACKET_BAD      /* no packet of this trace */
};

/* The layout of the packets of one stream class: found once. */
struct trc_packet_layout;

/*
 * The layout for all packets of T; keeps T, which must outlive it.  NULL when
 * the packet header has no fixed layout (no known tracer writes such).
 */
struct trc_packet_layout *trc_packet_layout_new(const struct trc_tsdl *t);
void trc_packet_layout_free(struct trc_packet_layout *layout);

/*
 * Understand the packet at OFFSET of a file of FILE_SIZE bytes, from the N
 * bytes HEAD that are there (N less than TRC_PACKET_HEAD_MAX only at the end of
 * the file).  *STREAM is its stream class; NULL in it before: any.
 */
enum trc_packet_status trc_packet_read(const struct trc_packet_layout *layout, const uint8_t *head, size_t n,
	uint64_t offset, uint64_t file_size, struct trc_packet *packet,
	const struct trc_stream_class **stream);

/* The same of what is at OFFSET of the file FD. */
enum trc_packet_status trc_packet_read_at(const struct trc_packet_layout *layout, int fd, uint64_t offset,
	uint64_t file_size, struct trc_packet *packet, const struct trc_stream_class **stream);

/* The field of the packet context of STREAM called NAME, and in *AT its bit from the start of the packet;
 * NULL: none. */
const struct trc_type *trc_packet_field(const struct trc_packet_layout *layout,
	const struct trc_stream_class *stream, const char *name, uint64_t *at);

#endif
