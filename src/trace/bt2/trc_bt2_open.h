/* SPDX-License-Identifier: MIT */
/*
 * A trace, or some of its streams, opened in graphs of babeltrace2; a repaired copy of it if needed.
 *
 * babeltrace2 prints nothing: its components get the log level "none", and its errors are taken from the
 * thread and become warnings or a GError.
 *
 * Several threads may use its library.  However, loading a plugin, and making or destroying classes and
 * graphs, use lists that all threads share, so open and free hold a lock.
 */
#ifndef TRC_BT2_OPEN_H
#define TRC_BT2_OPEN_H

#include "trace/bt2/trc_bt2.h"
#include "trace/ctf/trc_survey.h"

#include <babeltrace2/babeltrace.h>
#include <glib.h>

/* ---- events as model events; which fields to read is determined once per event class ---- */

struct trc_bt2_class;

/* Determine what the model needs from events of EVENT_CLASS.  Free with g_free(). */
struct trc_bt2_class *trc_bt2_class_new(const bt_event_class *event_class);

/* Fill in kind, label, arguments and texts of EVENT, which was just added to Q, from SOURCE. */
void trc_bt2_class_read(const struct trc_bt2_class *c, struct trc_queue *q, struct mdl_event *event,
	const bt_event *source);

/* ---- a graph that reads some streams of a trace into queues; one thread uses it at a time ---- */

/* Data that the streams of a graph share. */
struct trc_bt2_trace {
	/* weak: of the trace. Only its name and classes are used; each stream has an info of its own for all
	 * else */
	struct trc_info *info;
	GHashTable *classes; /* const bt_event_class * → struct trc_bt2_class *, owned */
	/* weak: name (char *) of a file in the folder that is read → its name in the trace (char *), if the
	 * two differ */
	GHashTable *names;
	GHashTable *cut; /* set of names of damaged stream files, weak */
	bool learned;    /* INFO has the facts of the trace */
	/* Called for every event, whose time is Q->newest, with DATA; may be NULL. */
	void (*see)(void *data, const struct trc_queue *q, const bt_message *message);
	void *data;
};

/* Clear this thread's babeltrace2 error and return its first cause, cleaned and in one line; the caller
 * frees. */
char *trc_bt2_stream_error(void);
/* True if REASON, from trc_bt2_stream_error(), reports a failed system call and not damage. babeltrace2
 * reports both as errors, but for a system call it quotes the system's error. */
bool trc_bt2_stream_is_io(const char *reason);

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

/* ---- streams dealt to graphs, so that all have about equal work ---- */

/* Assign the streams that babeltrace2 calls NAMES (of char *) to graphs 0 to N_GRAPHS - 1.  STREAMS (of
 * struct trc_stream_file *) gives the sizes of those that are known.  Returns the number of the graph for
 * each name; the caller frees. */
unsigned *trc_bt2_deal(const GPtrArray *names, const GPtrArray *streams, unsigned n_graphs);

/* ---- all graphs of a trace ---- */

#define TRC_BT2_GRAPHS_MAX 8

struct trc_bt2_open {
	struct trc_bt2_guard *guard; /* owned */
	const bt_plugin *plugin;     /* owned */
	unsigned n_graphs;
	struct trc_bt2_graph *graphs[TRC_BT2_GRAPHS_MAX]; /* owned */
	struct trc_info *info;                            /* weak */
	/* of struct trc_queue *, owned: filled by the graphs; their index is the number of the graph */
	GPtrArray *backs;
	GPtrArray *infos;  /* of struct trc_info *, owned: one per queue of BACKS */
	GHashTable *names; /* as in struct trc_bt2_trace, owned */
	GHashTable *cut;   /* set of names of damaged stream files, owned */
	char *repaired;    /* owned: folder of the repaired or partial copy of the trace; NULL: none */
};

/* Open STREAMS (of struct trc_stream_file *) of the trace that SURVEY examined, distributed over up to
 * N_GRAPHS graphs.  If SURVEY has no layout, open all streams there are.  INFO gets facts about the trace and
 * must outlive the result.  NULL with BASE_ERROR_DATA, _REFUSED or _IO. */
struct trc_bt2_open *trc_bt2_open_new(const struct trc_survey *survey, const GPtrArray *streams,
	struct trc_info *info, unsigned n_graphs, GError **error);
void trc_bt2_open_free(struct trc_bt2_open *b);

/* Fill each queue once: a stream's name is known only with its first message.  The first stream gives the
 * facts about the trace. */
void trc_bt2_open_begin(struct trc_bt2_open *b);

/* Fill Q, one of the backs, from its graph. */
void trc_bt2_open_fill(const struct trc_bt2_open *b, struct trc_queue *q);

/* Restart the stream of Q, one of the backs, at its start, and empty Q. */
void trc_bt2_open_rewind(const struct trc_bt2_open *b, struct trc_queue *q);

#endif
