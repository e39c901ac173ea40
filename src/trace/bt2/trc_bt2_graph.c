/* SPDX-License-Identifier: MIT */
/*
 * The graph is as small as can be: one src.ctf.fs component, which has an output
 * port per stream, and a sink of our own with an input port for each stream that
 * is wanted.  There is no flt.utils.muxer between: it gives up on traces whose
 * packets overlap in time and its cost grows with the number of streams.  The
 * sink pulls only from the stream whose queue is to be filled.
 */
#include "trace/bt2/trc_bt2_open.h"

#define TAKES_MAX 10000 /* at once; packets may be empty */

struct trc_bt2_graph {
	bt_graph *graph;                     /* owned */
	bt_component_class_sink *sink_class; /* owned */
	const bt_component_source *source;   /* weak */
	GPtrArray *queues;                   /* of struct trc_queue *, weak */
	struct trc_queue *wanted;            /* weak: the queue to fill; NULL: none */
	bool rewind;                         /* do not fill it, go back to its beginning */
	struct trc_bt2_trace trace;
};

/* ---- the sink ---- */

static struct trc_bt2_graph *graph_of(bt_self_component_sink *sink)
{
	return bt_self_component_get_data(bt_self_component_sink_as_self_component(sink));
}

static bt_component_class_initialize_method_status sink_init(bt_self_component_sink *sink,
	G_GNUC_UNUSED bt_self_component_sink_configuration *configuration,
	G_GNUC_UNUSED const bt_value *params, void *data)
{
	struct trc_bt2_graph *g = data;
	unsigned i;

	bt_self_component_set_data(bt_self_component_sink_as_self_component(sink), g);
	for (i = 0; i < g->queues->len; i++) {
		g_autofree char *name = g_strdup_printf("in%u", i);
		bt_self_component_add_port_status status;

		status = bt_self_component_sink_add_input_port(sink, name, NULL, NULL);
		if (status != BT_SELF_COMPONENT_ADD_PORT_STATUS_OK)
			return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_component_class_sink_graph_is_configured_method_status sink_configured(bt_self_component_sink *sink)
{
	struct trc_bt2_graph *g = graph_of(sink);
	unsigned i;

	for (i = 0; i < g->queues->len; i++) {
		struct trc_queue *q = g_ptr_array_index(g->queues, i);
		struct trc_bt2_stream *s = q->stream;

		if (bt_message_iterator_create_from_sink_component(sink,
			    bt_self_component_sink_borrow_input_port_by_index(sink, i),
			    &s->iterator) != BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK)
			return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_ERROR;
	}
	return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

static bt_component_class_sink_consume_method_status sink_consume(bt_self_component_sink *sink)
{
	struct trc_bt2_graph *g = graph_of(sink);
	unsigned i;

	if (g->wanted && g->rewind)
		trc_bt2_stream_rewind(g->wanted);
	for (i = 0; i < TAKES_MAX && !g->rewind && g->wanted && !g->wanted->ended &&
		trc_queue_has_room(g->wanted, TRC_BT2_MESSAGES_MAX);
		i++)
		trc_bt2_stream_take(&g->trace, g->wanted);
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
}

/* ---- making it ---- */

/* Add the component that reads DIRECTORY; NULL with babeltrace2's error. */
static const bt_component_source *add_source(struct trc_bt2_graph *g, const bt_plugin *plugin,
	const char *directory)
{
	const bt_component_class_source *fs = bt_plugin_borrow_source_component_class_by_name_const(plugin,
		"fs");
	const bt_component_source *source = NULL;
	bt_value *params = bt_value_map_create(), *inputs = NULL;

	if (fs && params &&
		bt_value_map_insert_empty_array_entry(params, "inputs", &inputs) ==
			BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK &&
		bt_value_array_append_string_element(inputs, directory) ==
			BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK &&
		bt_graph_add_source_component(g->graph, fs, "trace", params, BT_LOGGING_LEVEL_NONE,
			&source) != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
		source = NULL;
	bt_value_put_ref(params);
	return source;
}

struct trc_bt2_graph *trc_bt2_graph_new(const bt_plugin *plugin, const char *directory, struct trc_info *info,
	GHashTable *names, GHashTable *cut)
{
	struct trc_bt2_graph *g = g_new0(struct trc_bt2_graph, 1);

	trc_bt2_trace_init(&g->trace, info, names, cut);
	g->queues = g_ptr_array_new();
	g->graph = bt_graph_create(0);
	g->source = g->graph ? add_source(g, plugin, directory) : NULL;
	if (!g->source)
		g_clear_pointer(&g, trc_bt2_graph_free);
	return g;
}

void trc_bt2_graph_free(struct trc_bt2_graph *g)
{
	unsigned i;

	if (!g)
		return;
	for (i = 0; i < g->queues->len; i++)
		trc_bt2_stream_free(g_ptr_array_index(g->queues, i));
	if (g->graph)
		bt_graph_put_ref(g->graph);
	if (g->sink_class)
		bt_component_class_sink_put_ref(g->sink_class);
	trc_bt2_trace_clear(&g->trace);
	g_ptr_array_unref(g->queues);
	g_free(g);
}

GPtrArray *trc_bt2_graph_streams(const struct trc_bt2_graph *g)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	uint64_t i;

	for (i = 0; i < bt_component_source_get_output_port_count(g->source); i++)
		g_ptr_array_add(names,
			g_strdup(bt_port_get_name(bt_port_output_as_port_const(
				bt_component_source_borrow_output_port_by_index_const(g->source, i)))));
	return names;
}

void trc_bt2_graph_add(struct trc_bt2_graph *g, struct trc_queue *q)
{
	q->stream = g_new0(struct trc_bt2_stream, 1);
	g_ptr_array_add(g->queues, q);
}

bool trc_bt2_graph_start(struct trc_bt2_graph *g)
{
	const bt_component_sink *sink;
	unsigned i;

	g->sink_class = bt_component_class_sink_create("merge", sink_consume);
	if (!g->sink_class)
		return false;
	bt_component_class_sink_set_initialize_method(g->sink_class, sink_init);
	bt_component_class_sink_set_graph_is_configured_method(g->sink_class, sink_configured);
	if (bt_graph_add_sink_component_with_initialize_method_data(g->graph, g->sink_class, "merge", NULL, g,
		    BT_LOGGING_LEVEL_NONE, &sink) != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
		return false;
	for (i = 0; i < g->queues->len; i++) {
		const struct trc_queue *q = g_ptr_array_index(g->queues, i);
		const bt_port_output *port = bt_component_source_borrow_output_port_by_name_const(g->source,
			q->name);

		if (!port ||
			bt_graph_connect_ports(g->graph, port,
				bt_component_sink_borrow_input_port_by_index_const(sink, i),
				NULL) != BT_GRAPH_CONNECT_PORTS_STATUS_OK)
			return false;
	}
	return bt_graph_run_once(g->graph) == BT_GRAPH_RUN_ONCE_STATUS_OK;
}

void trc_bt2_graph_rewind(struct trc_bt2_graph *g, struct trc_queue *q)
{
	g->rewind = true;
	trc_bt2_graph_fill(g, q);
	g->rewind = false;
}

void trc_bt2_graph_fill(struct trc_bt2_graph *g, struct trc_queue *q)
{
	bool fine;

	g->wanted = q;
	/* Messages before a damaged place come with the error of that place already set, and so may its
	 * iterator's end. */
	bt_current_thread_clear_error();
	fine = bt_graph_run_once(g->graph) == BT_GRAPH_RUN_ONCE_STATUS_OK;
	if (!fine)
		trc_bt2_stream_end_damaged(q);
	g->wanted = NULL;
	bt_current_thread_clear_error();
}

struct trc_bt2_trace *trc_bt2_graph_trace(struct trc_bt2_graph *g)
{
	return &g->trace;
}
