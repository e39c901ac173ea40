/* SPDX-License-Identifier: MIT */
/* The next decoded events of one stream, and the marks of lost events between them. A reader fills the queue,
 * the merge empties it. */
#ifndef TRC_QUEUE_H
#define TRC_QUEUE_H

#include "model/event/event.h"
#include "trace/core/trc_info.h"

#include <glib.h>
#include <string.h>

#define TRC_QUEUE_SIZE 1024        /* events decoded at once */
#define TRC_TEXT_MAX 4096          /* bytes; a longer text is cut */
#define TRC_TEXTS_SIZE (64 * 1024) /* bytes: two names per event, and a reserve */
#define TRC_MARKS 8                /* most gap marks that can wait */
#define TRC_CPU_UNKNOWN UINT32_MAX
#define TRC_CPU_NONE (UINT32_MAX - 1) /* of a packet: its events are of no CPU */
#define TRC_CPUS_MAX 65536            /* more than any kernel supports */

struct trc_queue {
	char *name;             /* owned: the stream's file, or another unique name */
	unsigned index;         /* number of the stream */
	unsigned order;         /* rank of the stream by name; breaks ties between events of the same time */
	void *stream;           /* private to the reader, which owns it */
	struct trc_info *info;  /* weak */
	struct trc_queue *next; /* weak: the queue that continues this stream after its end; NULL: none */
	/* Each event of the trace has its place in RANK, which decides among events of one time. */
	bool ranked;
	/* The stream is of a trace of user programs. Its packets have CPUs, but for the model its events have
	 * none, and their loss changes no state. */
	bool beside;
	bool is_later; /* true if this queue is the NEXT of another one and waits for its end */
	uint32_t cpu;  /* TRC_CPU_UNKNOWN until a packet gives it */
	bool ended;    /* no events follow the queued ones */
	/* ns.  If the trace grows and the queue is empty but not ended: no later event is before this
	 * time. */
	int64_t certain;

	struct mdl_event *events; /* owned: [position, count) wait */
	unsigned position, count;
	/* owned: network packet of the event at the same index; NULL: none so far */
	struct mdl_packet *net_packets;
	/* owned: counters that were read with the event at the same index; NULL: none so far */
	struct mdl_counts *counts;
	char *texts; /* owned, TRC_TEXTS_SIZE bytes: most texts of EVENTS */
	size_t texts_used;
	GStringChunk *more_texts; /* owned: texts that did not fit there */

	GArray *packets; /* of struct trc_packet_seen, owned: packets that ended and have events */
	/* The current packet; SIZE and EVENTS may be 0. */
	struct trc_packet_seen packet;
	uint64_t n_packets; /* packets begun so far */
	/* ns: latest time of all its events, and the same without the last event */
	int64_t newest, newest_before;

	int64_t last;         /* ns: time of the stream's last event; BASE_TIME_NONE: none yet */
	int64_t delivered;    /* ns: time of the last event that the merge delivered, … */
	uint64_t n_delivered; /* … and the number of delivered events whose packets were not taken yet */
	/* ns: begin of its first packet, which may be before the recording's; BASE_TIME_NONE: unknown. */
	int64_t opened;
	/* ns: if the stream ends here while the recording goes on, its events are complete up to this time,
	 * the end of its last packet; BASE_TIME_NONE: it ends with the others. */
	int64_t closed;
	/* ns: its events are complete from this time on; set with the first event; BASE_TIME_NONE: none
	 * yet. */
	int64_t began;
	bool switched;    /* a thread switch, or a loss of events before the first one, was delivered */
	bool misses;      /* a switch is missing before its next event */
	int64_t open_end; /* ns: end of a gap that lasts to the end of the packet; BASE_TIME_NONE: none */
	struct trc_mark {
		enum mdl_kind kind;
		int64_t time;
	} marks[TRC_MARKS]; /* marks that wait for the next event, in this order */
	unsigned n_marks;
	struct trc_gap gaps[2]; /* gaps that were found before a packet gave the CPU */
	unsigned n_gaps;
};

/* Called for the empty QUEUE: adds at least one event, or ends it. */
typedef void (*trc_fill_func)(void *data, struct trc_queue *queue);

/* NAME is copied.  INFO must outlive the queue. */
struct trc_queue *trc_queue_new(const char *name, struct trc_info *info);
void trc_queue_free(struct trc_queue *q);

/* A stream of several files has one queue per file.  NEXT, a new queue, waits until Q ends, and has no memory
 * for events until then. */
void trc_queue_chain(struct trc_queue *q, struct trc_queue *next);

/* Q has ended and is empty: move its memory and state to the next queue of the stream.  Returns that queue;
 * NULL if there is none. */
struct trc_queue *trc_queue_go_on(struct trc_queue *q);

/* Reset Q to a new queue, to read its stream again from the start. */
void trc_queue_restart(struct trc_queue *q);

/* Discard all events and texts.  The merge calls this before it asks for more. */
void trc_queue_reset(struct trc_queue *q);

/* Move the waiting events of FROM (none delivered yet), its packets and its end to the empty queue TO.  The
 * two exchange their memory for events. */
void trc_queue_hand_over(struct trc_queue *from, struct trc_queue *to);

/* True if there is room for ROOM more events and their marks. */
bool trc_queue_has_room(const struct trc_queue *q, unsigned room);

/* Add an event at TIME (ns); there must be room.  Sets time and CPU; the kind is MDL_EV_NONE.  A caller that
 * sets a kind must also set label and arguments.  The pointer is valid until the next call. */
struct mdl_event *trc_queue_add(struct trc_queue *q, int64_t time);

/* Like trc_queue_add() for a record that is no event of the trace (model/event/event.h, ASIDE) and not
 * counted in the packet. Everything except time and CPU is unset. */
struct mdl_event *trc_queue_aside(struct trc_queue *q, int64_t time);
/* Add a record (trc_queue_aside()) that CPU was not recorded, so its state is unknown from TIME (ns) on. */
void trc_queue_unknown_from(struct trc_queue *q, uint32_t cpu, int64_t time);

/* Remove the event added last; LAST is the value of Q->last before it. */
void trc_queue_drop(struct trc_queue *q, int64_t last);

/* Return the room for the network packet of EVENT, which is in Q; valid as long as EVENT. */
struct mdl_packet *trc_queue_net(struct trc_queue *q, const struct mdl_event *event);

/* Return the room for the counters of EVENT, which is in Q, and give them to EVENT. They are zeros; valid as
 * long as EVENT. */
struct mdl_counts *trc_queue_counts(struct trc_queue *q, struct mdl_event *event);

/* Copy the text at TEXT, LENGTH bytes or up to a NUL, for an event in the queue. It is padded as
 * model/event/event.h says. */
const char *trc_queue_text(struct trc_queue *q, const char *text, size_t length);

/* Keep the bytes of V, lowest first, that come before the first 0 byte. */
static inline uint64_t trc_queue_up_to_zero(uint64_t v)
{
	uint64_t zero = (v - UINT64_C(0x0101010101010101)) & ~v & UINT64_C(0x8080808080808080);

	/* the lowest bit of ZERO marks the first 0 byte; higher ones may be wrong */
	return v & (zero ^ (zero - 1));
}

/* Like trc_queue_text(), for an array of fixed LENGTH.  Most are thread names: those are copied without a
 * branch on their length. */
static inline const char *trc_queue_chars(struct trc_queue *q, const char *text, size_t length)
{
	char *copy = q->texts + q->texts_used;
	uint64_t v[2];

	if (length != sizeof v || sizeof v > TRC_TEXTS_SIZE - q->texts_used)
		return trc_queue_text(q, text, length);
	memcpy(v, text, sizeof v);
	v[0] = trc_queue_up_to_zero(GUINT64_FROM_LE(v[0]));
	v[1] = v[0] >> 56 == 0 ? 0 : trc_queue_up_to_zero(GUINT64_FROM_LE(v[1]));
	if (G_UNLIKELY(v[1] >> 56 != 0))
		return trc_queue_text(q, text, length);
	v[0] = GUINT64_TO_LE(v[0]);
	v[1] = GUINT64_TO_LE(v[1]);
	memcpy(copy, v, sizeof v);
	q->texts_used += sizeof v;
	return copy;
}
G_STATIC_ASSERT(sizeof(uint64_t[2]) == MDL_COMM);

/*
 * Packets.  Call for each packet, in this order: its losses (before it or in it), its begin, its events, its
 * end.  Times in ns; COUNT 0: unknown.
 *
 * Lost packets: all events between FROM and TO are missing.  Lost events: some events between FROM and TO,
 * the end of the packet that follows, are missing.  BEGIN as in the packet; BASE_TIME_NONE: unknown.
 */
void trc_queue_lost_packets(struct trc_queue *q, int64_t from, int64_t to, uint64_t count);
void trc_queue_lost_events(struct trc_queue *q, int64_t from, int64_t to, uint64_t count);
/* Events were lost between the packet before, which ended at FROM, and the next, which begins at TO. */
void trc_queue_lost_between(struct trc_queue *q, int64_t from, int64_t to, uint64_t count);
/* Events were lost in the current packet (its CPU is known), between its last event so far and the next. */
void trc_queue_lost_inside(struct trc_queue *q, int64_t from, int64_t to, uint64_t count);
/* CPU: TRC_CPU_UNKNOWN if only events have it. */
void trc_queue_packet_begin(struct trc_queue *q, uint32_t cpu, int64_t begin);
/* Set the place, in bytes, of the packet just begun in the stream's file; unknown without this call. */
void trc_queue_packet_place(struct trc_queue *q, uint64_t offset, uint64_t size);
void trc_queue_packet_end(struct trc_queue *q);

/* The stream is damaged after its last event, or COUNT events (0: unknown) were lost there: the rest up to
 * the end of the trace is unknown and not read. */
void trc_queue_lost_rest(struct trc_queue *q, uint64_t count);

/* Emit the marks that wait for the next event: Q is empty and not read any more. */
void trc_queue_let_out(struct trc_queue *q);

/* End the queue; emits waiting marks unless the stream continues in another queue.  There must be room. */
void trc_queue_end(struct trc_queue *q);

#endif
