/* SPDX-License-Identifier: MIT */
/*
 * Which times can be.  One damaged 64-bit time stamp must not become the end of the axis, so times that
 * cannot belong to the recording are damage: those of packets far from all other packets, and those of events
 * outside of their packet.
 *
 * An event may be a little outside of what its packet says.  Of lttng-modules before 2.11.0 (2.10.10, 2.9.13)
 * the last ones may be after the packet's end, of barectf before 2.3.1 the first ones before its begin:
 * babeltrace2 knows both as bugs of theirs, and mends them (fix_packet_index_tracer_bugs() of its
 * source.ctf.fs), as it does an end of 0, which what lttng-crash saves may have.
 */
#ifndef TRC_BOUNDS_H
#define TRC_BOUNDS_H

#include "trace/ctf/trc_packet.h"

#define TRC_BOUNDS_LONGEST (INT64_C(1) << 55) /* ns, 417 days: no recording is longer */
#define TRC_BOUNDS_SLACK INT64_C(1000000000)  /* ns outside of its packet that an event may be */

/* Times of a packet, or of a whole recording. */
struct trc_bounds {
	int64_t from, to; /* ns since the Epoch, both within ±BASE_TIME_FARTHEST */
};

/*
 * Which times events of PACKET, of a stream with CLOCK, may have: into *BOUNDS.  An end that cannot be is
 * taken as not told: PACKET->has_end becomes false.  False when the begin cannot be.
 */
bool trc_bounds_of_packet(struct trc_packet *packet, const struct trc_clock *clock,
	struct trc_bounds *bounds);

/*
 * The same for a packet of which no more is known than its BEGIN (ns), if that (KNOWN), and that all packets
 * lie between FIRST and LAST (BASE_TIME_NONE: not known).
 */
bool trc_bounds_of_begin(bool known, int64_t begin, int64_t first, int64_t last, struct trc_bounds *bounds);

/*
 * Packets of a stream come in the order in which they began: false when PACKET began before *NEWEST (ns, the
 * latest begin before it, at first -BASE_TIME_FARTHEST), which is carried forward.
 */
bool trc_bounds_follow(const struct trc_packet *packet, const struct trc_clock *clock, int64_t *newest);

/* The bounds of a recording around TIMES (array of int64_t, which is sorted), of which most are true. */
struct trc_bounds trc_bounds_of_all(GArray *times);

static inline bool trc_bounds_hold(const struct trc_bounds *bounds, int64_t time)
{
	return time >= bounds->from && time <= bounds->to;
}

#endif
