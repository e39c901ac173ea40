/* SPDX-License-Identifier: MIT */
/* The packets of a stream file: reads their headers and contexts, not their events; limits for their
 * times. */
#ifndef TRC_PACKET_H
#define TRC_PACKET_H

#include "trace/ctf/trc_plan.h"

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
	uint32_t known;      /* registers that have a value (struct trc_around): a bit each */
	uint64_t registers[TRC_AROUND_MAX];
};

enum trc_packet_status {
	TRC_PACKET_FINE,
	TRC_PACKET_CUT, /* the file ends within it: SIZE and CONTENT are what is there */
	/* its stream class has a context that is too long or not understood: nothing else is known of the
	 * packet */
	TRC_PACKET_FOREIGN,
	TRC_PACKET_BAD,   /* not a packet of this trace */
	TRC_PACKET_UNREAD /* the file cannot be read: see errno */
};

/* The layout of the packets of each stream class, computed once. */
struct trc_packet_layout;

/* Make the layout for all packets of T, which must outlive it.  NULL if the packet header is not understood
 * (no known tracer writes such). */
struct trc_packet_layout *trc_packet_layout_new(const struct trc_meta *t);
void trc_packet_layout_free(struct trc_packet_layout *layout);

/* Decode the packet at OFFSET (bytes) of a file of FILE_SIZE bytes from its first N bytes at HEAD; N is less
 * than TRC_PACKET_HEAD_MAX only at the end of the file.  *STREAM receives its stream class; if it is not NULL
 * before, only that class is accepted. */
enum trc_packet_status trc_packet_read(const struct trc_packet_layout *layout, const uint8_t *head, size_t n,
	uint64_t offset, uint64_t file_size, struct trc_packet *packet,
	const struct trc_stream_class **stream);

/* Like trc_packet_read(), but reads the packet at OFFSET (bytes) of the file FD. */
enum trc_packet_status trc_packet_read_at(const struct trc_packet_layout *layout, int fd, uint64_t offset,
	uint64_t file_size, struct trc_packet *packet, const struct trc_stream_class **stream);

/* Initialise W, a walk over the events of PACKET, from the packet's head: the clock and the registers. */
static inline void trc_packet_walk(const struct trc_packet *packet, struct trc_walk *w)
{
	w->clock = packet->has_begin ? packet->begin : 0;
	w->before = packet->known;
	memcpy(w->registers, packet->registers, sizeof packet->registers);
}

/* Return the field with ROLE in the packet context of STREAM; NULL if there is none. *AT is its offset in
 * bits from the start of the packet. */
const struct trc_type *trc_packet_field(const struct trc_packet_layout *layout,
	const struct trc_stream_class *stream, enum trc_role role, uint64_t *at);

/* ---- limits for times ---- */

/*
 * One damaged 64-bit time stamp must not become the end of the axis.  So a time that
 * cannot belong to the recording counts as damage: that of a packet far from all other packets, or that of an
 * event outside of its packet.
 *
 * An event may be slightly outside of its packet's times.  In lttng-modules before 2.11.0 (2.10.10, 2.9.13)
 * the last events may be after the packet's end; in barectf before 2.3.1 the first ones may be before its
 * begin.  babeltrace2 treats both as tracer bugs and repairs them (fix_packet_index_tracer_bugs() of its
 * source.ctf.fs), as well as an end of 0, which lttng-crash may write.
 */
#define TRC_BOUNDS_LONGEST (INT64_C(1) << 55) /* ns, 417 days: longest recording that is accepted */
#define TRC_BOUNDS_SLACK INT64_C(1000000000)  /* ns: how far an event may be outside of its packet */

/* Limits for the times of a packet, or of a whole recording. */
struct trc_bounds {
	int64_t from, to; /* ns since the Epoch, both within ±BASE_TIME_FARTHEST */
};

/* Compute the limits for the events of PACKET, of a stream with CLOCK, into *BOUNDS.  An impossible end
 * counts as unknown: PACKET->has_end becomes false.  False if the begin is impossible. */
bool trc_bounds_of_packet(struct trc_packet *packet, const struct trc_clock *clock,
	struct trc_bounds *bounds);

/* Like trc_bounds_of_packet() if only the begin of the packet is known (BEGIN, ns, if KNOWN), and that all
 * packets are between FIRST and LAST (ns; BASE_TIME_NONE: unknown). */
bool trc_bounds_of_begin(bool known, int64_t begin, int64_t first, int64_t last, struct trc_bounds *bounds);

/* Packets of a stream come in the order of their begins.  *NEWEST is the latest begin so far (ns,
 * initially -BASE_TIME_FARTHEST).  False if PACKET begins more than TRC_BOUNDS_SLACK before it; else
 * advances *NEWEST. */
bool trc_bounds_follow(const struct trc_packet *packet, const struct trc_clock *clock, int64_t *newest);

/* Compute the limits of a recording from TIMES (array of int64_t, ns; it gets sorted), most of which are
 * correct. */
struct trc_bounds trc_bounds_of_all(GArray *times);

static inline bool trc_bounds_hold(const struct trc_bounds *bounds, int64_t time)
{
	return time >= bounds->from && time <= bounds->to;
}

#endif
