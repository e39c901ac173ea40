/* SPDX-License-Identifier: MIT */
/* A graph of babeltrace2 that reads some streams of a trace.  One thread uses it at a time.  Making and
 * freeing graphs needs a lock: see trc_bt2_open.h. */
#ifndef TRC_BT2_GRAPH_H
#define TRC_BT2_GRAPH_H

#include "trace/bt2/trc_bt2_stream.h"

struct trc_bt2_graph;

/* Make a graph for the trace in DIRECTORY, read by PLUGIN ("ctf").  INFO, NAMES and CUT as in struct
 * trc_bt2_trace.  NULL with babeltrace2's error set for this thread. */
struct trc_bt2_graph *trc_bt2_graph_new(const bt_plugin *plugin, const char *directory, struct trc_info *info,
	GHashTable *names, GHashTable *cut);
/* The queues survive, without their streams. */
void trc_bt2_graph_free(struct trc_bt2_graph *g);

/* Return the names of all streams (of char *), as far as known before the first message; the caller
 * unrefs. */
GPtrArray *trc_bt2_graph_streams(const struct trc_bt2_graph *g);

/* Make the graph read the stream Q->name (one of those names) into Q. */
void trc_bt2_graph_add(struct trc_bt2_graph *g, struct trc_queue *q);

/* Prepare to read the added streams.  False with babeltrace2's error. */
bool trc_bt2_graph_start(struct trc_bt2_graph *g);

/* Put more events of its stream into Q, one of the added queues.  Adds none if that takes long, so that the
 * caller can check whether to stop. */
void trc_bt2_graph_fill(struct trc_bt2_graph *g, struct trc_queue *q);

/* Restart the stream of Q, one of the added queues, at its start, and empty Q. */
void trc_bt2_graph_rewind(struct trc_bt2_graph *g, struct trc_queue *q);

/* Return the data that its streams share. */
struct trc_bt2_trace *trc_bt2_graph_trace(struct trc_bt2_graph *g);

#endif
