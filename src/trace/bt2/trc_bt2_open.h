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

#include "trace/bt2/trc_bt2_graph.h"
#include "trace/bt2/trc_bt2_guard.h"
#include "trace/ctf/trc_survey.h"

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
