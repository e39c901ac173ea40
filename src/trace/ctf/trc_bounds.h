/* SPDX-License-Identifier: MIT */
/*
 * Limits for times.  One damaged 64-bit time stamp must not become the end of the axis.  So a time that
 * cannot belong to the recording counts as damage: that of a packet far from all other packets, or that of an
 * event outside of its packet.
 *
 * An event may be slightly outside of its packet's times.  In lttng-modules before 2.11.0 (2.10.10, 2.9.13)
 * the last events may be after the packet's end; in barectf before 2.3.1 the first ones may be before its
 * begin.  babeltrace2 treats both as tracer bugs and repairs them (fix_packet_index_tracer_bugs() of its
 * source.ctf.fs), as well as an end of 0, which lttng-crash may write.
 */
#ifndef TRC_BOUNDS_H
#define TRC_BOUNDS_H

#include "trace/ctf/trc_packet.h"

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
