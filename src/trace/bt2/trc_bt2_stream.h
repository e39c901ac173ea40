/* SPDX-License-Identifier: MIT */
/* One stream of babeltrace2: its messages into a queue. */
#ifndef TRC_BT2_STREAM_H
#define TRC_BT2_STREAM_H

#include "trace/bt2/trc_bt2_class.h"
#include "trace/ctf/trc_bounds.h"

#define TRC_BT2_MESSAGES_MAX 64 /* more than babeltrace2 2.0 returns at once (15) */
#define TRC_BT2_RECENT 64       /* event classes remembered by address per stream */

/* What the streams of a graph share. */
struct trc_bt2_trace {
	struct trc_info *info; /* weak: of the trace; streams have one of their own for all else than its name
				  and classes */
	GHashTable *classes;   /* const bt_event_class * → struct trc_bt2_class *, owned */
	GHashTable *names; /* name (char *) of a file in the folder that is read → its name in the trace (char
			    *) where that is another; weak */
	GHashTable *cut;   /* set of names of damaged stream files, weak */
	bool learned;      /* INFO has what the trace says of itself */
	/* Gets every event, whose time is Q->newest, with DATA of its own; NULL: nobody does. */
	void (*see)(void *data, const struct trc_queue *q, const bt_message *message);
	void *data;
};

/* The stream behind a queue. */
struct trc_bt2_stream {
	bt_message_iterator *iterator; /* owned; NULL before the graph started */
	/* times: are told with lost events, with the begin of packets. */
	bool has_clock, has_gap_times, has_begin_times, has_end_times;
	struct trc_bounds bounds; /* of the events of its packet */
	bool is_cut;              /* that it ends early has been said */
	struct {
		const bt_event_class *key;
		const struct trc_bt2_class *value;
	} recent[TRC_BT2_RECENT];
};

void trc_bt2_trace_init(struct trc_bt2_trace *trace, struct trc_info *info, GHashTable *names,
	GHashTable *cut);
void trc_bt2_trace_clear(struct trc_bt2_trace *trace);

/*
 * Take the next few messages of Q's stream, which has not ended.  There must
 * be room for TRC_BT2_MESSAGES_MAX events.  At the end, and where it is
 * damaged, ends Q.
 */
void trc_bt2_stream_take(struct trc_bt2_trace *trace, struct trc_queue *q);

/* Go back to the beginning of Q's stream, as if nothing had been read; its name is known then.  A failure
 * ends Q as damaged. */
void trc_bt2_stream_rewind(struct trc_queue *q);

/* End Q with a warning that holds babeltrace2's error. */
void trc_bt2_stream_end_damaged(struct trc_queue *q);

/* Free the stream behind Q. */
void trc_bt2_stream_free(struct trc_queue *q);

/* Take this thread's error of babeltrace2 away and return its first cause, cleaned and in one line; the
 * caller frees. */
char *trc_bt2_stream_error(void);

#endif
