/* SPDX-License-Identifier: MIT */
/*
 * The decoded events of one stream that are next in line, and the places where
 * the tracer lost some.  A reader fills it, the merge empties it.
 */
#ifndef TRC_QUEUE_H
#define TRC_QUEUE_H

#include "model/mdl_event.h"
#include "trace/core/trc_info.h"

#include <glib.h>
#include <string.h>

#define TRC_QUEUE_SIZE 1024        /* events decoded at once */
#define TRC_TEXT_MAX 4096          /* a longer text of a trace is cut there */
#define TRC_TEXTS_SIZE (64 * 1024) /* two names for each event, and a reserve */
#define TRC_MARKS 8                /* most gap marks that wait at once */
#define TRC_CPU_UNKNOWN UINT32_MAX
#define TRC_CPUS_MAX 65536 /* more than any kernel can have */

struct trc_queue {
	char *name;             /* owned: the stream's file, or what else tells it from others */
	unsigned index;         /* the stream's number */
	unsigned order;         /* place among the streams by name; for events of the same time */
	void *stream;           /* the reader's own; owned by the reader */
	struct trc_info *info;  /* weak */
	struct trc_queue *next; /* weak: it goes on with this stream once this one ended; NULL: none */
	bool is_later;          /* it is that of another one, and waits for its end */
	uint32_t cpu;           /* TRC_CPU_UNKNOWN until a packet tells */
	bool ended;             /* nothing comes after what is in the queue */
	/* Of a trace that grows, empty and not ended: no event to come is earlier. */
	int64_t certain;

	struct mdl_event *events; /* owned: [position, count) are waiting */
	unsigned position, count;
	struct mdl_packet *net_packets; /* owned: of the event at the same place; NULL: none had one so far */
	char *texts;                    /* owned: most texts of EVENTS */
	size_t texts_used;
	GStringChunk *more_texts; /* owned: those that found no room there */

	GArray *packets; /* of struct trc_packet_seen, owned: those that ended and had events */
	/* The current one, which SIZE 0 and EVENTS 0 may be all that is known of. */
	struct trc_packet_seen packet;
	uint64_t n_packets;            /* begun so far */
	int64_t newest, newest_before; /* latest time of all its events, and without the last event */

	int64_t last;         /* time of the stream's last event; BASE_TIME_NONE: none yet */
	int64_t delivered;    /* the same, as the merge delivered it, … */
	uint64_t n_delivered; /* … and how many it delivered of the packets that were not taken yet */
	/* When its first packet began, which may be before the recording did; BASE_TIME_NONE: not told. */
	int64_t opened;
	/* Up to when all its events are there if it ends now, while the recording may go on: the end of its
	 * last packet; BASE_TIME_NONE: as long as that of others. */
	int64_t closed;
	/* From when on all its events are known, set with the first; BASE_TIME_NONE: none yet. */
	int64_t began;
	bool switched;    /* a thread switch was delivered, or events were lost before one */
	bool misses;      /* a switch was missing before its next event */
	int64_t open_end; /* end of a gap that lasts to the end of the packet; BASE_TIME_NONE: none */
	struct trc_mark {
		enum mdl_kind kind;
		int64_t time;
	} marks[TRC_MARKS]; /* wait for the next event, in their order */
	unsigned n_marks;
	struct trc_gap gaps[2]; /* found before the packet that tells the CPU */
	unsigned n_gaps;
};

/* Asked for more events of the empty QUEUE: puts at least one into it, or ends it. */
typedef void (*trc_fill_func)(void *data, struct trc_queue *queue);

/* NAME is copied.  INFO outlives the queue. */
struct trc_queue *trc_queue_new(const char *name, struct trc_info *info);
void trc_queue_free(struct trc_queue *q);

/*
 * A stream of several files has a queue for each.  Let NEXT, which is new, wait for Q to end; it has no
 * memory for events until then.
 */
void trc_queue_chain(struct trc_queue *q, struct trc_queue *next);

/* Q ended and is empty: the next one goes on with what it knew, in its memory.  Returns that; NULL: none. */
struct trc_queue *trc_queue_go_on(struct trc_queue *q);

/* As if it were new: for a stream that is read again from its start. */
void trc_queue_restart(struct trc_queue *q);

/* Forget all events and texts; the merge does so before it asks for more. */
void trc_queue_reset(struct trc_queue *q);

/*
 * Give the events that wait in FROM, which were not touched yet, its packets, and whether it ended, to TO,
 * which is empty; the memory of events changes places.
 */
void trc_queue_hand_over(struct trc_queue *from, struct trc_queue *to);

/* True when there is room for at least ROOM more events, with their marks. */
bool trc_queue_has_room(const struct trc_queue *q, unsigned room);

/*
 * Add an event at TIME; there must be room.  Time and CPU are set, kind is
 * MDL_EV_NONE, label and arguments must be set by the caller when it sets a
 * kind.  The pointer is good until the next call.
 */
struct mdl_event *trc_queue_add(struct trc_queue *q, int64_t time);

/* The same of what is no event of the trace (mdl_event.h, ASIDE), and not one of the packet's; all but time
 * and CPU is unset. */
struct mdl_event *trc_queue_aside(struct trc_queue *q, int64_t time);
/* One of these: from TIME on nothing is known of CPU, which was not recorded. */
void trc_queue_unknown_from(struct trc_queue *q, uint32_t cpu, int64_t time);

/* Take back the event that was added last; LAST is what Q->last was before. */
void trc_queue_drop(struct trc_queue *q, int64_t last);

/* Room for the packet of EVENT, which is in Q; good as long as that. */
struct mdl_packet *trc_queue_net(struct trc_queue *q, const struct mdl_event *event);

/* A copy of the text of LENGTH bytes at TEXT (up to a NUL), for an event in the queue: padded as
 * mdl_event.h says. */
const char *trc_queue_text(struct trc_queue *q, const char *text, size_t length);

/* The bytes of V, the first of which is the lowest, up to the first that is 0. */
static inline uint64_t trc_queue_up_to_zero(uint64_t v)
{
	uint64_t zero = (v - UINT64_C(0x0101010101010101)) & ~v & UINT64_C(0x8080808080808080);

	return v & (zero ^ (zero - 1)); /* the lowest bit of ZERO is that of the first, and true */
}

/* The same for a field of fixed LENGTH.  Most are names of threads: without a branch on how long they are. */
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
 * Packets.  For each, in this order: what was lost before or in it, its
 * beginning, its events, its end.  COUNT 0: unknown.  Lost packets: all events
 * between FROM and TO are missing.  Lost events: some between FROM and TO, the
 * end of the packet that follows.  BEGIN as the packet tells it, BASE_TIME_NONE: it does not.
 */
void trc_queue_lost_packets(struct trc_queue *q, int64_t from, int64_t to, uint64_t count);
void trc_queue_lost_events(struct trc_queue *q, int64_t from, int64_t to, uint64_t count);
/* Events lost between the packet before, which ended at FROM, and the next, which begins at TO. */
void trc_queue_lost_between(struct trc_queue *q, int64_t from, int64_t to, uint64_t count);
/* Events lost in the current packet, whose CPU is known, between its last event so far and the next. */
void trc_queue_lost_inside(struct trc_queue *q, int64_t from, int64_t to, uint64_t count);
/* CPU: TRC_CPU_UNKNOWN where only events tell it. */
void trc_queue_packet_begin(struct trc_queue *q, uint32_t cpu, int64_t begin);
/* Where the packet just begun is in the stream's file, in bytes; without it that stays unknown. */
void trc_queue_packet_place(struct trc_queue *q, uint64_t offset, uint64_t size);
void trc_queue_packet_end(struct trc_queue *q);

/* The stream is damaged after its last event, or COUNT events (0: unknown) were lost there: what comes later,
 * up to the end of the trace, is not known, nor read. */
void trc_queue_lost_rest(struct trc_queue *q, uint64_t count);

/* Let marks out that wait for the next event: Q, which is empty, is not read any more. */
void trc_queue_let_out(struct trc_queue *q);

/* No more events: let marks out that still wait (where the stream does not go on), and end the queue.  There
 * must be room. */
void trc_queue_end(struct trc_queue *q);

#endif
