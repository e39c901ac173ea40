/* SPDX-License-Identifier: MIT */
/*
 * The reader on top of babeltrace2
 *
 * Most of the time goes into babeltrace2's decoder, which uses one thread.  So
 * the streams are dealt out by size to as many graphs as there are processors, each
 * with a thread of its own (trc_lanes.c).  A graph has the whole trace open, but asks
 * only for its own streams.  trc_merge.c puts the streams together.
 *
 * babeltrace2 prints nothing: its components get the log level "none", and
 * errors are taken from the thread and become warnings or a GError.
 *
 * Its library may be used from several threads, but loading a plugin and making
 * or destroying classes and graphs touch lists that all threads share, so open
 * and free hold a lock.
 */
#include "base/base_error.h"
#include "trace/trc_bt2_deal.h"
#include "trace/trc_bt2_error.h"
#include "trace/trc_bt2_graph.h"
#include "trace/trc_info.h"
#include "trace/trc_lanes.h"
#include "trace/trc_repair.h"
#include "trace/trc_source.h"

#define GRAPHS_MAX 8

struct bt2 {
	const bt_plugin *plugin;	/* owned */
	unsigned n_graphs;
	struct trc_bt2_graph *graphs[GRAPHS_MAX];	/* owned */
	struct trc_info *info;		/* weak */
	GPtrArray *fronts;		/* weak: the reader's queues */
	GPtrArray *backs;		/* of struct trc_queue *, owned: those that the graphs fill; their index is the number of the graph */
	GPtrArray *infos;		/* of struct trc_info *, owned: of each of these */
	GHashTable *cut;		/* set of names of damaged stream files, owned */
	struct trc_lanes *lanes;	/* owned */
	char *repaired;			/* owned: folder of the repaired copy, or of a part of the trace; NULL: none */
};

static GMutex lock;	/* see above */

/* ---- opening ---- */

/* A queue for the stream NAME, filled by graph number GRAPH. */
static void add_stream(struct bt2 *b, const char *name, unsigned graph)
{
	struct trc_info *info = trc_info_new(b->info->path);
	struct trc_queue *q = trc_queue_new(name, info);

	info->begin = b->info->begin;
	info->end = b->info->end;
	q->index = graph;
	trc_bt2_graph_add(b->graphs[graph], q);
	g_ptr_array_add(b->infos, info);
	g_ptr_array_add(b->backs, q);
}

/* Deal the streams called NAMES out to the graphs. */
static void add_streams(struct bt2 *b, const GPtrArray *names, const GPtrArray *streams)
{
	unsigned *graphs = trc_bt2_deal(names, streams, b->n_graphs), i;

	for (i = 0; i < names->len; i++)
		add_stream(b, g_ptr_array_index(names, i), graphs[i]);
	g_free(graphs);
}

/* Make graphs for all streams of the trace in DIRECTORY, of which STREAMS are known; false with babeltrace2's error. */
static bool open_graphs(struct bt2 *b, const char *directory, const GPtrArray *streams)
{
	GPtrArray *names;
	bool fine = true;
	unsigned i;

	if (bt_plugin_find("ctf", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &b->plugin) !=
	    BT_PLUGIN_FIND_STATUS_OK)
		return false;
	b->graphs[0] = trc_bt2_graph_new(b->plugin, directory, b->info, b->cut);
	if (!b->graphs[0])
		return false;
	names = trc_bt2_graph_streams(b->graphs[0]);
	b->n_graphs = CLAMP(MIN(names->len, g_get_num_processors()), 1, GRAPHS_MAX);
	for (i = 1; fine && i < b->n_graphs; i++) {
		b->graphs[i] = trc_bt2_graph_new(b->plugin, directory, b->info, b->cut);
		fine = b->graphs[i] != NULL;
	}
	if (fine)
		add_streams(b, names, streams);
	for (i = 0; fine && names->len && i < b->n_graphs; i++)
		fine = trc_bt2_graph_start(b->graphs[i]);
	g_ptr_array_unref(names);
	return fine;
}

static void bt2_free(void *source);

/* Fill Q, one of the backs, with its graph. */
static void fill_back(void *data, struct trc_queue *q)
{
	const struct bt2 *b = data;

	trc_bt2_graph_fill(b->graphs[q->index], q);
}

/*
 * Fill each queue once: a stream tells its name only with its first message, and
 * streams are sorted by name.  The first stream tells about the trace.
 */
static void begin_streams(struct bt2 *b)
{
	bool learned = false;
	unsigned i;

	for (i = 0; i < b->backs->len; i++) {
		struct trc_queue *q = g_ptr_array_index(b->backs, i);
		struct trc_bt2_trace *trace = trc_bt2_graph_trace(b->graphs[q->index]);

		trace->learned = learned;
		fill_back(b, q);
		learned = trace->learned;
		g_ptr_array_add(b->fronts, trc_queue_new(q->name, b->info));
	}
	b->lanes = trc_lanes_new(b->backs, b->fronts, b->info, b->n_graphs, fill_back, b);
}

static void bt2_fill(void *source, struct trc_queue *queue)
{
	struct bt2 *b = source;

	trc_lanes_fill(b->lanes, queue);
}

/* Remember which of STREAMS are damaged. */
static void find_cut(struct bt2 *b, const GPtrArray *streams)
{
	unsigned i;

	for (i = 0; i < streams->len; i++) {
		const struct trc_stream_file *f = g_ptr_array_index(streams, i);
		bool whole = trc_stream_file_is_whole(f);

		while (f->before)	/* babeltrace2 calls a stream by its first file */
			f = f->before;
		if (!whole)
			g_hash_table_add(b->cut, g_strdup(f->file->name));
	}
}

/* Why the trace cannot be opened: what our own parser says of the metadata is clearer. */
static void set_open_error(const struct trc_survey *survey, GError **error)
{
	char *reason = trc_bt2_error_take();

	if (survey->tsdl_error)
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "cannot read %s/metadata: %s: it is damaged or cut "
			    "short; copy the trace again", survey->directory, survey->tsdl_error->message);
	else
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "cannot read the trace %s: %s", survey->directory,
			    reason);
	g_free(reason);
}

/* True when the folder of the trace cannot be given to babeltrace2: it is damaged, or others read a part of it. */
static bool needs_folder(const struct trc_survey *survey, const GPtrArray *streams)
{
	return survey->layout && (trc_repair_is_needed(survey) || streams->len < survey->streams->len);
}

/* Free all graphs and their streams. */
static void close_graphs(struct bt2 *b)
{
	unsigned i;

	g_mutex_lock(&lock);
	for (i = 0; i < GRAPHS_MAX; i++)
		g_clear_pointer(&b->graphs[i], trc_bt2_graph_free);
	if (b->plugin)
		bt_plugin_put_ref(b->plugin);
	b->plugin = NULL;
	g_mutex_unlock(&lock);
	g_ptr_array_set_size(b->backs, 0);
	g_ptr_array_set_size(b->infos, 0);
}

/* Open the trace itself, or a copy of STREAMS where that is needed.  False, with ERROR or babeltrace2's error. */
static bool try_open(struct bt2 *b, const struct trc_survey *survey, const GPtrArray *streams, bool whole_packets,
		     GError **error)
{
	bool fine;

	if (needs_folder(survey, streams)) {
		b->repaired = trc_repair_new(survey, streams, whole_packets, error);
		if (!b->repaired)
			return false;
	}
	g_mutex_lock(&lock);
	fine = open_graphs(b, b->repaired ? b->repaired : survey->directory, streams);
	g_mutex_unlock(&lock);
	return fine;
}

/* Open again, without the last packets of files that are cut there. */
static bool try_whole_packets(struct bt2 *b, const struct trc_survey *survey, const GPtrArray *streams, GError **error)
{
	unsigned i;

	bt_current_thread_clear_error();
	close_graphs(b);
	trc_repair_remove(b->repaired);
	b->repaired = NULL;
	for (i = 0; i < streams->len; i++) {
		const struct trc_stream_file *f = g_ptr_array_index(streams, i);

		if (f->state == TRC_FILE_CUT)
			trc_info_warn(b->info, "%s: its last packet is left out: babeltrace2 cannot read parts of it",
				      f->file->name);
	}
	return try_open(b, survey, streams, true, error);
}

static bool open_streams(struct bt2 *b, const struct trc_survey *survey, const GPtrArray *streams, GError **error)
{
	GError *local = NULL;
	bool fine;

	find_cut(b, streams);
	fine = try_open(b, survey, streams, false, &local);
	if (!fine && !local && g_hash_table_size(b->cut))
		fine = try_whole_packets(b, survey, streams, &local);
	if (local) {
		g_propagate_error(error, local);
	} else if (!fine) {
		set_open_error(survey, error);
	} else if (!b->backs->len) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "cannot read the trace %s: there is no stream file in "
			    "it; copy the trace again", survey->directory);
		fine = false;
	} else {
		begin_streams(b);
	}
	return fine;
}

static void queue_free(gpointer queue)
{
	trc_queue_free(queue);
}

static void info_free(gpointer info)
{
	trc_info_free(info);
}

static void *bt2_open(const struct trc_survey *survey, const GPtrArray *streams, GPtrArray *rest, struct trc_info *info,
		      GPtrArray *queues, GError **error)
{
	struct bt2 *b = g_new0(struct bt2, 1);

	(void)rest;	/* what it does not understand nobody does */
	b->info = info;
	b->fronts = queues;
	b->backs = g_ptr_array_new_with_free_func(queue_free);
	b->infos = g_ptr_array_new_with_free_func(info_free);
	b->cut = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	if (!open_streams(b, survey, streams, error))
		g_clear_pointer(&b, bt2_free);
	return b;
}

static void bt2_free(void *source)
{
	struct bt2 *b = source;

	trc_lanes_free(b->lanes);
	close_graphs(b);
	trc_repair_remove(b->repaired);
	g_ptr_array_unref(b->backs);
	g_ptr_array_unref(b->infos);
	g_hash_table_unref(b->cut);
	g_free(b);
}

const struct trc_source_ops trc_bt2_ops = {
	.name = "babeltrace2",
	.open = bt2_open,
	.fill = bt2_fill,
	.free = bt2_free,
};
