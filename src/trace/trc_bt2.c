/* SPDX-License-Identifier: MIT */
/*
 * The reader on top of babeltrace2
 *
 * The graph is as small as can be: one src.ctf.fs component, which has an output
 * port per stream, and a sink of our own with as many input ports.  There is no
 * flt.utils.muxer between: it gives up on traces whose packets overlap in time
 * and its cost grows with the number of streams.  The sink pulls only from the
 * stream whose queue is empty, and trc_merge.c puts the streams together.
 *
 * babeltrace2 prints nothing: its components get the log level "none", and
 * errors are taken from the thread and become warnings or a GError.
 *
 * Its library may be used from several threads, but loading a plugin and making
 * or destroying classes and graphs touch lists that all threads share, so open
 * and free hold a lock.
 */
#include "base/base_error.h"
#include "trace/trc_bt2_error.h"
#include "trace/trc_bt2_stream.h"
#include "trace/trc_repair.h"
#include "trace/trc_source.h"

struct bt2 {
	const bt_plugin *plugin;	/* owned */
	bt_component_class_sink *sink_class;	/* owned */
	bt_graph *graph;		/* owned */
	struct trc_info *info;		/* weak */
	GPtrArray *queues;		/* weak */
	struct trc_queue *wanted;	/* weak: the queue to fill; NULL: none */
	char *repaired;			/* owned: folder of the repaired copy, or NULL */
	struct trc_bt2_trace trace;	/* what all its streams share */
};

static GMutex lock;	/* see above */

/* ---- the sink ---- */

static struct bt2 *bt2_of(bt_self_component_sink *sink)
{
	return bt_self_component_get_data(bt_self_component_sink_as_self_component(sink));
}

static bt_component_class_initialize_method_status sink_init(bt_self_component_sink *sink,
							     bt_self_component_sink_configuration *configuration,
							     const bt_value *params, void *data)
{
	struct bt2 *b = data;
	unsigned i;

	(void)configuration;
	(void)params;
	bt_self_component_set_data(bt_self_component_sink_as_self_component(sink), b);
	for (i = 0; i < b->queues->len; i++) {
		char *name = g_strdup_printf("in%u", i);
		bt_self_component_add_port_status status;

		status = bt_self_component_sink_add_input_port(sink, name, NULL, NULL);
		g_free(name);
		if (status != BT_SELF_COMPONENT_ADD_PORT_STATUS_OK)
			return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_component_class_sink_graph_is_configured_method_status sink_configured(bt_self_component_sink *sink)
{
	struct bt2 *b = bt2_of(sink);
	unsigned i;

	for (i = 0; i < b->queues->len; i++) {
		struct trc_queue *q = g_ptr_array_index(b->queues, i);
		struct trc_bt2_stream *s = q->stream;

		if (bt_message_iterator_create_from_sink_component(
			    sink, bt_self_component_sink_borrow_input_port_by_index(sink, i), &s->iterator) !=
		    BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK)
			return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_ERROR;
	}
	return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

static bt_component_class_sink_consume_method_status sink_consume(bt_self_component_sink *sink)
{
	struct bt2 *b = bt2_of(sink);

	while (b->wanted && !b->wanted->ended && trc_queue_has_room(b->wanted, TRC_BT2_MESSAGES_MAX))
		trc_bt2_stream_take(&b->trace, b->wanted);
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
}

/* ---- opening ---- */

/* Add the component that reads DIRECTORY; NULL with babeltrace2's error. */
static const bt_component_source *add_source(struct bt2 *b, const char *directory)
{
	const bt_component_class_source *fs = bt_plugin_borrow_source_component_class_by_name_const(b->plugin, "fs");
	const bt_component_source *source = NULL;
	bt_value *params = bt_value_map_create(), *inputs = NULL;

	if (fs && params &&
	    bt_value_map_insert_empty_array_entry(params, "inputs", &inputs) == BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK &&
	    bt_value_array_append_string_element(inputs, directory) == BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK &&
	    bt_graph_add_source_component(b->graph, fs, "trace", params, BT_LOGGING_LEVEL_NONE, &source) !=
	    BT_GRAPH_ADD_COMPONENT_STATUS_OK)
		source = NULL;
	bt_value_put_ref(params);
	return source;
}

/* A queue per port of SOURCE. */
static void add_queues(struct bt2 *b, const bt_component_source *source)
{
	uint64_t i;

	for (i = 0; i < bt_component_source_get_output_port_count(source); i++) {
		const bt_port_output *port = bt_component_source_borrow_output_port_by_index_const(source, i);
		struct trc_queue *q = trc_queue_new(bt_port_get_name(bt_port_output_as_port_const(port)), b->info);

		q->stream = g_new0(struct trc_bt2_stream, 1);
		g_ptr_array_add(b->queues, q);
	}
}

/* Add our sink, connect it with SOURCE and let the graph settle. */
static bool add_sink(struct bt2 *b, const bt_component_source *source)
{
	const bt_component_sink *sink;
	uint64_t i;

	b->sink_class = bt_component_class_sink_create("merge", sink_consume);
	if (!b->sink_class)
		return false;
	bt_component_class_sink_set_initialize_method(b->sink_class, sink_init);
	bt_component_class_sink_set_graph_is_configured_method(b->sink_class, sink_configured);
	if (bt_graph_add_sink_component_with_initialize_method_data(b->graph, b->sink_class, "merge", NULL, b,
								    BT_LOGGING_LEVEL_NONE, &sink) !=
	    BT_GRAPH_ADD_COMPONENT_STATUS_OK)
		return false;
	for (i = 0; i < b->queues->len; i++)
		if (bt_graph_connect_ports(b->graph, bt_component_source_borrow_output_port_by_index_const(source, i),
					   bt_component_sink_borrow_input_port_by_index_const(sink, i), NULL) !=
		    BT_GRAPH_CONNECT_PORTS_STATUS_OK)
			return false;
	return bt_graph_run_once(b->graph) == BT_GRAPH_RUN_ONCE_STATUS_OK;
}

static bool open_graph(struct bt2 *b, const char *directory)
{
	const bt_component_source *source;

	if (bt_plugin_find("ctf", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &b->plugin) !=
	    BT_PLUGIN_FIND_STATUS_OK)
		return false;
	b->graph = bt_graph_create(0);
	source = b->graph ? add_source(b, directory) : NULL;
	if (!source)
		return false;
	add_queues(b, source);
	return b->queues->len == 0 || add_sink(b, source);
}

static void bt2_free(void *source);

static void bt2_fill(void *source, struct trc_queue *queue)
{
	struct bt2 *b = source;

	b->wanted = queue;
	/* Messages before a damaged place come with the error of that place already set, and so may its iterator's end. */
	bt_current_thread_clear_error();
	if (bt_graph_run_once(b->graph) != BT_GRAPH_RUN_ONCE_STATUS_OK)
		trc_bt2_stream_end_damaged(&b->trace, queue);
	b->wanted = NULL;
	bt_current_thread_clear_error();
}

/* Remember which streams SURVEY found damaged. */
static void find_cut(struct bt2 *b, const struct trc_survey *survey)
{
	unsigned i;

	for (i = 0; i < survey->streams->len; i++) {
		const struct trc_stream_file *f = g_ptr_array_index(survey->streams, i);

		if (f->state != TRC_FILE_FINE)
			g_hash_table_add(b->trace.cut, g_strdup(f->file->name));
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

static bool open_survey(struct bt2 *b, const struct trc_survey *survey, GError **error)
{
	bool fine;
	unsigned i;

	find_cut(b, survey);
	if (trc_repair_is_needed(survey)) {
		b->repaired = trc_repair_new(survey, error);
		if (!b->repaired)
			return false;
	}
	g_mutex_lock(&lock);
	fine = open_graph(b, b->repaired ? b->repaired : survey->directory);
	g_mutex_unlock(&lock);
	if (fine && !b->queues->len) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "cannot read the trace %s: there is no stream file in "
			    "it; copy the trace again", survey->directory);
		return false;
	}
	if (!fine)
		set_open_error(survey, error);
	/* A stream tells its name only with its first message, and streams are sorted by name. */
	for (i = 0; fine && i < b->queues->len; i++)
		bt2_fill(b, g_ptr_array_index(b->queues, i));
	return fine;
}

static void *bt2_open(const char *directory, struct trc_info *info, GPtrArray *queues, GError **error)
{
	struct trc_survey *survey = trc_survey_new(directory, info, error);
	struct bt2 *b;

	if (!survey)
		return NULL;
	b = g_new0(struct bt2, 1);
	b->info = info;
	b->queues = queues;
	trc_bt2_trace_init(&b->trace, info);
	if (!open_survey(b, survey, error))
		g_clear_pointer(&b, bt2_free);
	trc_survey_free(survey);
	return b;
}

static void bt2_free(void *source)
{
	struct bt2 *b = source;
	unsigned i;

	g_mutex_lock(&lock);
	for (i = 0; i < b->queues->len; i++)
		trc_bt2_stream_free(g_ptr_array_index(b->queues, i));
	if (b->graph)
		bt_graph_put_ref(b->graph);
	if (b->sink_class)
		bt_component_class_sink_put_ref(b->sink_class);
	if (b->plugin)
		bt_plugin_put_ref(b->plugin);
	g_mutex_unlock(&lock);
	trc_bt2_trace_clear(&b->trace);
	trc_repair_remove(b->repaired);
	g_free(b);
}

const struct trc_source_ops trc_bt2_ops = {
	.name = "babeltrace2",
	.open = bt2_open,
	.fill = bt2_fill,
	.free = bt2_free,
};
