/* SPDX-License-Identifier: MIT */
/* One stream of babeltrace2: moves its messages into a queue. */
#ifndef TRC_BT2_STREAM_H
#define TRC_BT2_STREAM_H

#include "trace/bt2/trc_bt2_class.h"
#include "trace/ctf/trc_bounds.h"

#define TRC_BT2_MESSAGES_MAX 64 /* more than babeltrace2 2.0 returns at once (15) */
#define TRC_BT2_RECENT 64       /* event classes cached by address, per stream */

/* Data that the streams of a graph share. */
struct trc_bt2_trace {
	/* weak: of the trace; used for its name and classes; each stream has an info of its own for the
	 * rest */
	struct trc_info *info;
	GHashTable *classes; /* const bt_event_class * → struct trc_bt2_class *, owned */
	/* weak: name (char *) of a file in the folder that is read → its name in the trace (char *), if the
	 * two differ */
	GHashTable *names;
	GHashTable *cut; /* set of names of damaged stream files, weak */
	bool learned;    /* INFO already has the facts that the trace gives */
	/* Called for every event, whose time is Q->newest, with DATA; may be NULL. */
	void (*see)(void *data, const struct trc_queue *q, const bt_message *message);
	void *data;
};

/* The babeltrace2 side of a queue. */
struct trc_bt2_stream {
	bt_message_iterator *iterator; /* owned; NULL before the graph is started */
	/* true if lost events, and the begins and ends of packets, have times */
	bool has_clock, has_gap_times, has_begin_times, has_end_times;
	struct trc_bounds bounds; /* of the events of its current packet */
	bool is_cut;              /* the warning that it ends early was given */
	struct {
		const bt_event_class *key;
		const struct trc_bt2_class *value;
	} recent[TRC_BT2_RECENT];
};

void trc_bt2_trace_init(struct trc_bt2_trace *trace, struct trc_info *info, GHashTable *names,
	GHashTable *cut);
void trc_bt2_trace_clear(struct trc_bt2_trace *trace);

/* Take the next few messages of Q's stream, which has not ended.  There must be room for TRC_BT2_MESSAGES_MAX
 * events.  Ends Q at the end of the stream, and where it is damaged. */
void trc_bt2_stream_take(struct trc_bt2_trace *trace, struct trc_queue *q);

/* Restart Q's stream at its start, as if nothing had been read, except that its name is known.  A failure
 * ends Q as damaged. */
void trc_bt2_stream_rewind(struct trc_queue *q);

/* End Q with a warning that contains babeltrace2's error. */
void trc_bt2_stream_end_damaged(struct trc_queue *q);

/* Free the babeltrace2 side of Q. */
void trc_bt2_stream_free(struct trc_queue *q);

/* Clear this thread's babeltrace2 error and return its first cause, cleaned and in one line; the caller
 * frees. */
char *trc_bt2_stream_error(void);
/* True when REASON, of that, is a call of the system that failed, and no damage: babeltrace2 tells both
 * alike, but quotes the system. */
bool trc_bt2_stream_is_io(const char *reason);

#endif
