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
#include "trace/trc_bt2_class.h"
#include "trace/trc_bt2_error.h"
#include "trace/trc_repair.h"
#include "trace/trc_source.h"

#include <string.h>

#define MESSAGES_MAX 64	/* more than babeltrace2 2.0 returns at once (15) */
#define RECENT 64	/* event classes remembered by address per stream; a power of two */

struct bt2 {
	const bt_plugin *plugin;	/* owned */
	bt_component_class_sink *sink_class;	/* owned */
	bt_graph *graph;		/* owned */
	struct trc_info *info;		/* weak */
	GPtrArray *queues;		/* weak */
	GHashTable *classes;		/* const bt_event_class * → struct trc_bt2_class *, owned */
	struct trc_queue *wanted;	/* weak: the queue to fill; NULL: none */
	bool has_trace;			/* info has what the trace says of itself */
	char *repaired;			/* owned: folder of the repaired copy, or NULL */
	GHashTable *cut;		/* set of names of damaged stream files, owned */
};

/* The stream behind a queue. */
struct stream {
	bt_message_iterator *iterator;	/* owned; NULL once it ended */
	bool has_clock, has_gap_times;
	bool is_cut;		/* that it ends early has been said */
	struct {
		const bt_event_class *key;
		const struct trc_bt2_class *value;
	} recent[RECENT];
};

static GMutex lock;	/* see above */

/* ---- what the trace says of itself ---- */

static const bt_value *env_value(const bt_trace *trace, const char *name)
{
	return bt_trace_borrow_environment_entry_value_by_name_const(trace, name);
}

/* The text of the environment entry NAME, NULL when there is none. */
static const char *env_text(const bt_trace *trace, const char *name)
{
	const bt_value *value = env_value(trace, name);

	return value && bt_value_is_string(value) ? bt_value_string_get(value) : NULL;
}

/* "major.minor.patchlevel" of the tracer, or perf's version; the caller frees.  NULL: not said. */
static char *tracer_version(const bt_trace *trace)
{
	static const char *const parts[] = { "tracer_major", "tracer_minor", "tracer_patchlevel" };
	GString *text = g_string_new(NULL);
	unsigned i;

	for (i = 0; i < G_N_ELEMENTS(parts); i++) {
		const bt_value *value = env_value(trace, parts[i]);

		if (!value || !bt_value_is_signed_integer(value))
			break;
		g_string_append_printf(text, "%s%" G_GINT64_FORMAT, i ? "." : "",
				       (gint64)bt_value_integer_signed_get(value));
	}
	if (!text->len && env_text(trace, "version"))
		g_string_assign(text, env_text(trace, "version"));
	return g_string_free(text, text->len == 0);
}

static void learn_uuid(struct bt2 *b, const bt_trace *trace)
{
	const uint8_t *u = bt_trace_get_uuid(trace);
	GString *text = g_string_new(NULL);
	int i;

	for (i = 0; u && i < 16; i++)
		g_string_append_printf(text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", u[i]);
	trc_info_set_text(&b->info->uuid, text->str);
	g_string_free(text, TRUE);
}

static void learn_classes(struct bt2 *b, const bt_trace_class *trace_class)
{
	uint64_t i, j;

	for (i = 0; i < bt_trace_class_get_stream_class_count(trace_class); i++) {
		const bt_stream_class *stream_class = bt_trace_class_borrow_stream_class_by_index_const(trace_class, i);

		for (j = 0; j < bt_stream_class_get_event_class_count(stream_class); j++) {
			const char *name = bt_event_class_get_name(
				bt_stream_class_borrow_event_class_by_index_const(stream_class, j));

			if (name)
				trc_info_add_class(b->info, name);
		}
	}
}

static void learn_trace(struct bt2 *b, const bt_trace *trace)
{
	const char *name = env_text(trace, "tracer_name"), *release = env_text(trace, "kernel_release");
	char *version = tracer_version(trace);

	b->has_trace = true;
	trc_info_set_text(&b->info->host, env_text(trace, "hostname"));
	trc_info_set_text(&b->info->release, release ? release : env_text(trace, "release"));
	trc_info_set_tracer(b->info, name, version);
	learn_uuid(b, trace);
	learn_classes(b, bt_trace_borrow_class_const(trace));
	g_free(version);
}

/* ---- messages ---- */

/* Nothing more from Q's stream. */
static void end_stream(struct trc_queue *q)
{
	struct stream *s = q->stream;

	if (s->iterator)
		bt_message_iterator_put_ref(s->iterator);
	s->iterator = NULL;
	trc_queue_end(q);
}

/* Q's stream cannot be read further. */
static void end_damaged(struct bt2 *b, struct trc_queue *q)
{
	struct stream *s = q->stream;
	char *reason = trc_bt2_error_take();

	if (!s->is_cut)
		trc_info_warn(b->info, "%s: damaged, read up to there only: %s", q->name, reason);
	g_free(reason);
	trc_queue_lost_rest(q);
	end_stream(q);
}

static void on_stream_beginning(struct bt2 *b, struct trc_queue *q, const bt_message *message)
{
	const bt_stream *stream = bt_message_stream_beginning_borrow_stream_const(message);
	const bt_stream_class *stream_class = bt_stream_borrow_class_const(stream);
	const char *path = bt_stream_get_name(stream);
	struct stream *s = q->stream;

	if (!b->has_trace)
		learn_trace(b, bt_stream_borrow_trace_const(stream));
	if (path) {
		g_free(q->name);
		q->name = g_path_get_basename(path);
	}
	s->is_cut = g_hash_table_contains(b->cut, q->name);
	s->has_clock = bt_stream_class_borrow_default_clock_class_const(stream_class) != NULL;
	s->has_gap_times = bt_stream_class_discarded_events_have_default_clock_snapshots(stream_class);
	if (!s->has_clock) {
		trc_info_warn(b->info, "%s: left out: its events have no time", q->name);
		end_stream(q);
	}
}

static int64_t time_of(const bt_clock_snapshot *snapshot)
{
	int64_t time;

	/* Beyond the years 1678 to 2262: as late as can be said. */
	return bt_clock_snapshot_get_ns_from_origin(snapshot, &time) == BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK
	       ? time : INT64_MAX;
}

/* The CPU the packet's context tells; TRC_CPU_UNKNOWN when it does not. */
static uint32_t cpu_of(const bt_packet *packet)
{
	const bt_field *context = bt_packet_borrow_context_field_const(packet);
	const bt_field *field = context ? bt_field_structure_borrow_member_field_by_name_const(context, "cpu_id") : NULL;
	uint64_t cpu = TRC_CPU_UNKNOWN;

	if (field && bt_field_class_type_is(bt_field_get_class_type(field), BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		cpu = bt_field_integer_unsigned_get_value(field);
	return cpu < TRC_CPUS_MAX ? (uint32_t)cpu : TRC_CPU_UNKNOWN;
}

static void on_packet_beginning(struct bt2 *b, struct trc_queue *q, const bt_message *message)
{
	uint32_t cpu = cpu_of(bt_message_packet_beginning_borrow_packet_const(message));

	if (cpu != TRC_CPU_UNKNOWN) {
		trc_queue_packet_begin(q, cpu);
		return;
	}
	trc_info_warn(b->info, "%s: left out: it does not tell the CPU of its events", q->name);
	end_stream(q);
}

static const struct trc_bt2_class *class_of(struct bt2 *b, struct stream *s, const bt_event_class *event_class)
{
	unsigned slot = (unsigned)(((uintptr_t)event_class >> 6) % RECENT);
	struct trc_bt2_class *c;

	if (s->recent[slot].key == event_class)
		return s->recent[slot].value;
	c = g_hash_table_lookup(b->classes, event_class);
	if (!c) {
		c = trc_bt2_class_new(event_class);
		g_hash_table_insert(b->classes, (gpointer)event_class, c);
	}
	s->recent[slot].key = event_class;
	s->recent[slot].value = c;
	return c;
}

static void on_event(struct bt2 *b, struct trc_queue *q, const bt_message *message)
{
	const bt_event *source = bt_message_event_borrow_event_const(message);
	struct mdl_event *event;

	event = trc_queue_add(q, time_of(bt_message_event_borrow_default_clock_snapshot_const(message)));
	trc_bt2_class_read(class_of(b, q->stream, bt_event_borrow_class_const(source)), q, event, source);
}

static void on_discarded_events(struct trc_queue *q, const bt_message *message)
{
	struct stream *s = q->stream;
	int64_t from = q->last, to = q->last;
	uint64_t count = 0;

	if (bt_message_discarded_events_get_count(message, &count) != BT_PROPERTY_AVAILABILITY_AVAILABLE)
		count = 0;
	if (s->has_gap_times) {
		from = time_of(bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(message));
		to = time_of(bt_message_discarded_events_borrow_end_default_clock_snapshot_const(message));
	}
	trc_queue_lost_events(q, from, to, count);
}

static void on_discarded_packets(struct trc_queue *q, const bt_message *message)
{
	int64_t from = q->last, to = q->last;
	uint64_t count = 0;

	if (bt_message_discarded_packets_get_count(message, &count) != BT_PROPERTY_AVAILABILITY_AVAILABLE)
		count = 0;
	if (bt_stream_class_discarded_packets_have_default_clock_snapshots(
		    bt_stream_borrow_class_const(bt_message_discarded_packets_borrow_stream_const(message)))) {
		from = time_of(bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const(message));
		to = time_of(bt_message_discarded_packets_borrow_end_default_clock_snapshot_const(message));
	}
	trc_queue_lost_packets(q, from, to, count);
}

static void on_message(struct bt2 *b, struct trc_queue *q, const bt_message *message)
{
	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
		on_event(b, q, message);
		break;
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		on_stream_beginning(b, q, message);
		break;
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		on_packet_beginning(b, q, message);
		break;
	case BT_MESSAGE_TYPE_PACKET_END:
		trc_queue_packet_end(q);
		break;
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		on_discarded_events(q, message);
		break;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		on_discarded_packets(q, message);
		break;
	case BT_MESSAGE_TYPE_STREAM_END:
	case BT_MESSAGE_TYPE_MESSAGE_ITERATOR_INACTIVITY:
		break;
	}
}

/* Take the next few messages of Q's stream. */
static void take_messages(struct bt2 *b, struct trc_queue *q)
{
	struct stream *s = q->stream;
	bt_message_array_const messages;
	uint64_t i, n = 0;

	switch (bt_message_iterator_next(s->iterator, &messages, &n)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		g_assert(n <= MESSAGES_MAX);
		for (i = 0; i < n; i++) {
			if (!q->ended)
				on_message(b, q, messages[i]);
			bt_message_put_ref(messages[i]);
		}
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		if (s->is_cut)
			trc_queue_lost_rest(q);
		end_stream(q);
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_MEMORY_ERROR:
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_ERROR:
		end_damaged(b, q);
		break;
	}
}

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
		struct stream *s = q->stream;

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

	while (b->wanted && !b->wanted->ended && trc_queue_has_room(b->wanted, MESSAGES_MAX))
		take_messages(b, b->wanted);
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

		q->stream = g_new0(struct stream, 1);
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
		end_damaged(b, queue);
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
	b->classes = g_hash_table_new_full(NULL, NULL, NULL, trc_bt2_class_free);
	b->cut = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
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
	for (i = 0; i < b->queues->len; i++) {
		struct trc_queue *q = g_ptr_array_index(b->queues, i);
		struct stream *s = q->stream;

		if (s->iterator)
			bt_message_iterator_put_ref(s->iterator);
		g_free(s);
	}
	if (b->graph)
		bt_graph_put_ref(b->graph);
	if (b->sink_class)
		bt_component_class_sink_put_ref(b->sink_class);
	if (b->plugin)
		bt_plugin_put_ref(b->plugin);
	g_mutex_unlock(&lock);
	g_hash_table_unref(b->classes);
	g_hash_table_unref(b->cut);
	trc_repair_remove(b->repaired);
	g_free(b);
}

const struct trc_source_ops trc_bt2_ops = {
	.name = "babeltrace2",
	.open = bt2_open,
	.fill = bt2_fill,
	.free = bt2_free,
};
