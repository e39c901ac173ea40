/* SPDX-License-Identifier: MIT */
/*
 * A graph of babeltrace2 that reads some streams of a trace.  It is used by one
 * thread at a time.  Making and freeing graphs is not: see trc_bt2.c.
 */
#ifndef TRC_BT2_GRAPH_H
#define TRC_BT2_GRAPH_H

#include "trace/bt2/trc_bt2_stream.h"

struct trc_bt2_graph;

/*
 * A graph with the trace in DIRECTORY, read by PLUGIN ("ctf").  INFO, NAMES and CUT are
 * as in struct trc_bt2_trace.  NULL with babeltrace2's error set for this thread.
 */
struct trc_bt2_graph *trc_bt2_graph_new(const bt_plugin *plugin, const char *directory, struct trc_info *info,
	GHashTable *names, GHashTable *cut);
/* Its queues live on, without their streams. */
void trc_bt2_graph_free(struct trc_bt2_graph *g);

/* The names of all streams (until they tell better ones), of char *; the caller unrefs. */
GPtrArray *trc_bt2_graph_streams(const struct trc_bt2_graph *g);

/* Have the graph read the stream called Q->name, of those above, into Q. */
void trc_bt2_graph_add(struct trc_bt2_graph *g, struct trc_queue *q);

/* Make ready to read what was added.  False with babeltrace2's error. */
bool trc_bt2_graph_start(struct trc_bt2_graph *g);

/* Put more of its stream into Q, one of those added; nothing when that takes long, so that the caller can see
 * whether to stop. */
void trc_bt2_graph_fill(struct trc_bt2_graph *g, struct trc_queue *q);

/* Go back to the beginning of the stream of Q, one of those added, which is emptied. */
void trc_bt2_graph_rewind(struct trc_bt2_graph *g, struct trc_queue *q);

/* What its streams share. */
struct trc_bt2_trace *trc_bt2_graph_trace(struct trc_bt2_graph *g);

#endif
