/* SPDX-License-Identifier: MIT */
/*
 * How it works: the graph is minimal. It has one src.ctf.fs component, with an output port per stream, and a
 * sink with an input port for each wanted stream. There is no flt.utils.muxer between: it fails on traces
 * whose packets overlap in time, and its cost grows with the number of streams. The sink pulls only from the
 * stream whose queue is filled.
 */
#include "trace/bt2/trc_bt2_open.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "base/base_time.h"

#include <errno.h>
#include <string.h>

#define TAKES_MAX 10000 /* messages at once; packets may be empty */
#define MESSAGES_MAX 64 /* more than babeltrace2 2.0 returns at once (15) */
#define RECENT 64       /* event classes cached by address, per stream */
#define LENGTH_MAX 300  /* bytes: long lists of internal values follow the first sentence of a cause */

/* The babeltrace2 side of a queue. */
struct stream {
	bt_message_iterator *iterator; /* owned; NULL before the graph is started */
	/* true if losses, begins of packets, and ends of packets have times */
	bool has_clock, has_gap_times, has_begin_times, has_end_times;
	struct trc_bounds bounds; /* of the events of the current packet */
	bool is_cut;              /* a warning was given that the stream ends early */
	struct {
		const bt_event_class *key;
		const struct trc_bt2_class *value;
	} recent[RECENT];
};

struct trc_bt2_graph {
	bt_graph *graph;                     /* owned */
	bt_component_class_sink *sink_class; /* owned */
	const bt_component_source *source;   /* weak */
	GPtrArray *queues;                   /* of struct trc_queue *, weak */
	struct trc_queue *wanted;            /* weak: the queue to fill; NULL: none */
	bool rewind;                         /* go to the begin of its stream instead */
	struct trc_bt2_trace trace;
};

/* ---- errors ---- */

bool trc_bt2_stream_is_io(const char *reason)
{
	static const int numbers[] = { EIO, ENOMEM, EMFILE, ENFILE, EINTR, EAGAIN, EACCES, ENOENT, ESTALE,
		ENODEV };

	for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
		if (strstr(reason, g_strerror(numbers[i])))
			return true;
	/* babeltrace2 does not quote the system's error when it opens or maps a packet (switch_packet_state()
	 * and request_medium_bytes() in its msg-iter.c). */
	return strstr(reason, "state=SWITCH_PACKET") || g_str_has_prefix(reason, "User function failed");
}

char *trc_bt2_stream_error(void)
{
	const bt_error *error = bt_current_thread_take_error();
	const char *message = "no reason given";
	char *text;

	if (!error)
		return g_strdup(message);
	if (bt_error_get_cause_count(error))
		message = bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0));
	text = base_text_clean(message, (gssize)strnlen(message, MIN(strcspn(message, "\n"), LENGTH_MAX)));
	bt_error_release(error);
	return text;
}

/* End Q with a warning that has babeltrace2's error. */
static void end_damaged(struct trc_queue *q)
{
	struct stream *s = q->stream;
	g_autofree char *reason = trc_bt2_stream_error();

	if (trc_bt2_stream_is_io(reason) && !q->info->problem)
		g_set_error(&q->info->problem, BASE_ERROR, BASE_ERROR_IO, "cannot read %s/%s: %s",
			q->info->path, q->name, reason);
	else if (!s->is_cut)
		trc_info_warn(q->info,
			"%s: damaged, read up to there only: %s; copy the trace again if the original is whole",
			q->name, reason);
	trc_queue_lost_rest(q, 0);
	trc_queue_end(q);
}

/* Move the stream of Q to its start; Q keeps its name only. A failure ends Q as damaged. */
static void rewind_stream(struct trc_queue *q)
{
	const struct stream *s = q->stream;
	bt_message_iterator_seek_beginning_status status;

	trc_queue_restart(q);
	do
		status = bt_message_iterator_seek_beginning(s->iterator);
	while (status == BT_MESSAGE_ITERATOR_SEEK_BEGINNING_STATUS_AGAIN);
	if (status != BT_MESSAGE_ITERATOR_SEEK_BEGINNING_STATUS_OK)
		end_damaged(q);
}

/* ---- facts about the whole trace ---- */

static bool bt2_graph_value_of(const void *trace, const char *name, struct trc_learn_value *value)
{
	const bt_value *found = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	if (!found || !(bt_value_is_string(found) || bt_value_is_signed_integer(found)))
		return false;
	*value = (struct trc_learn_value){ .text = NULL };
	if (bt_value_is_string(found))
		value->text = bt_value_string_get(found);
	else
		value->number = bt_value_integer_signed_get(found);
	return true;
}

/* Return the only clock of all streams; NULL if there are several, or none. */
static const bt_clock_class *only_clock(const bt_trace_class *trace_class)
{
	const bt_clock_class *only = NULL;

	for (uint64_t i = 0; i < bt_trace_class_get_stream_class_count(trace_class); i++) {
		const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(
			bt_trace_class_borrow_stream_class_by_index_const(trace_class, i));

		if (clock && only && clock != only)
			return NULL;
		only = clock ? clock : only;
	}
	return only;
}

static void learn_clock(struct trc_info *info, const bt_trace_class *trace_class)
{
	const bt_clock_class *clock = only_clock(trace_class);
	g_autofree char *uuid = NULL;
	int64_t zero;

	if (!clock ||
		bt_clock_class_cycles_to_ns_from_origin(clock, 0, &zero) !=
			BT_CLOCK_CLASS_CYCLES_TO_NS_FROM_ORIGIN_STATUS_OK)
		return;
	uuid = trc_learn_uuid(bt_clock_class_get_uuid(clock));
	trc_info_set_text(&info->clock_name, bt_clock_class_get_name(clock));
	trc_info_set_clock(info, uuid, bt_clock_class_get_frequency(clock), zero);
}

static void learn_classes(struct trc_info *info, const bt_trace_class *trace_class)
{
	for (uint64_t i = 0; i < bt_trace_class_get_stream_class_count(trace_class); i++) {
		const bt_stream_class *stream_class =
			bt_trace_class_borrow_stream_class_by_index_const(trace_class, i);

		for (uint64_t j = 0; j < bt_stream_class_get_event_class_count(stream_class); j++) {
			const char *name = bt_event_class_get_name(
				bt_stream_class_borrow_event_class_by_index_const(stream_class, j));

			if (name)
				trc_info_add_class(info, name);
		}
	}
}

static void on_stream_beginning(struct trc_bt2_trace *trace, struct trc_queue *q, const bt_message *message)
{
	const bt_stream *stream = bt_message_stream_beginning_borrow_stream_const(message);
	const bt_stream_class *stream_class = bt_stream_borrow_class_const(stream);
	const char *path = bt_stream_get_name(stream);
	struct stream *s = q->stream;

	if (!trace->learned) {
		const bt_trace *whole = bt_stream_borrow_trace_const(stream);

		trc_learn_env(trace->info, whole, bt2_graph_value_of, bt_trace_get_uuid(whole));
		learn_clock(trace->info, bt_trace_borrow_class_const(whole));
		learn_classes(trace->info, bt_trace_borrow_class_const(whole));
	}
	trace->learned = true;
	if (path) { /* PATH is that of babeltrace2's copy, which may have another name */
		char *name = g_path_get_basename(path);
		const char *own = g_hash_table_lookup(trace->names, name);

		g_free(q->name);
		q->name = own ? g_strdup(own) : g_strdup(name);
		g_free(name);
	}
	s->is_cut = g_hash_table_contains(trace->cut, q->name);
	s->has_clock = bt_stream_class_borrow_default_clock_class_const(stream_class);
	/* Only LTTng counts packets. */
	s->has_end_times = bt_stream_class_packets_have_end_default_clock_snapshot(stream_class) &&
		bt_stream_class_supports_discarded_packets(stream_class);
	s->has_begin_times = bt_stream_class_packets_have_beginning_default_clock_snapshot(stream_class);
	s->has_gap_times = bt_stream_class_discarded_events_have_default_clock_snapshots(stream_class);
	if (!s->has_clock) {
		trc_info_warn(q->info, "%s: left out: its events have no time; record it with a clock",
			q->name);
		trc_queue_end(q);
	}
}

static int64_t bt2_graph_time_of(const bt_clock_snapshot *snapshot)
{
	int64_t time;

	if (bt_clock_snapshot_get_ns_from_origin(snapshot, &time) ==
		BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK)
		return time;
	bt_current_thread_clear_error();
	/* A snapshot that overflowed keeps its error, even when it is reused for another time
	 * (set_ns_from_origin() of babeltrace2). */
	if (bt_clock_class_cycles_to_ns_from_origin(bt_clock_snapshot_borrow_clock_class_const(snapshot),
		    bt_clock_snapshot_get_value(snapshot),
		    &time) == BT_CLOCK_CLASS_CYCLES_TO_NS_FROM_ORIGIN_STATUS_OK)
		return time;
	bt_current_thread_clear_error();
	return INT64_MAX; /* outside the years 1678 to 2262, so outside all bounds */
}

/* Return a limit of a gap. An impossible time becomes that of the last event. */
static int64_t gap_time(const struct trc_queue *q, const bt_clock_snapshot *snapshot)
{
	int64_t time = bt2_graph_time_of(snapshot);

	return q->info->begin != BASE_TIME_NONE && time >= q->info->begin && time <= q->info->end ? time
												  : q->last;
}

/* End Q at an impossible time. */
static void end_astray(struct trc_queue *q)
{
	trc_info_warn(q->info,
		"%s: damaged: a time in packet %" G_GUINT64_FORMAT
		" is impossible: far from those around it: read up to there only; "
		"copy the trace again if the original is whole",
		q->name, q->n_packets);
	trc_queue_lost_rest(q, 0);
	trc_queue_end(q);
}

/* Return the CPU in the packet's context; TRC_CPU_UNKNOWN: it has none. */
static uint32_t bt2_graph_cpu_of(const bt_packet *packet)
{
	const bt_field *context = bt_packet_borrow_context_field_const(packet);
	const bt_field *field = context
		? bt_field_structure_borrow_member_field_by_name_const(context, "cpu_id")
		: NULL;
	uint64_t cpu = TRC_CPU_UNKNOWN;

	if (field &&
		bt_field_class_type_is(bt_field_get_class_type(field), BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		cpu = bt_field_integer_unsigned_get_value(field);
	return cpu < TRC_CPUS_MAX ? (uint32_t)cpu : TRC_CPU_UNKNOWN;
}

static void on_packet_end(struct trc_queue *q, const bt_message *message)
{
	const struct stream *s = q->stream;

	if (s->has_end_times)
		q->closed = gap_time(q, bt_message_packet_end_borrow_default_clock_snapshot_const(message));
	trc_queue_packet_end(q);
}

static void on_packet_beginning(struct trc_queue *q, const bt_message *message)
{
	struct stream *s = q->stream;
	uint32_t cpu = bt2_graph_cpu_of(bt_message_packet_beginning_borrow_packet_const(message));
	int64_t begin = s->has_begin_times
		? bt2_graph_time_of(bt_message_packet_beginning_borrow_default_clock_snapshot_const(message))
		: BASE_TIME_NONE;
	bool has_untimed = q->info->floor != BASE_TIME_NONE; /* some events have time 0 of the clock */

	if (!trc_bounds_of_begin(s->has_begin_times && !has_untimed, s->has_begin_times ? begin : 0,
		    has_untimed ? BASE_TIME_NONE : q->info->begin, q->info->end, &s->bounds)) {
		end_astray(q);
		return;
	}
	if (cpu != TRC_CPU_UNKNOWN) {
		trc_queue_packet_begin(q, cpu, begin);
		return;
	}
	trc_info_tell_cpuless(q->info, q->name);
	trc_queue_end(q);
}

static const struct trc_bt2_class *bt2_graph_class_of(struct trc_bt2_trace *trace, struct stream *s,
	const bt_event_class *event_class)
{
	unsigned slot = (unsigned)(((uintptr_t)event_class >> 6) % RECENT);
	struct trc_bt2_class *c;

	if (s->recent[slot].key == event_class)
		return s->recent[slot].value;
	c = g_hash_table_lookup(trace->classes, event_class);
	if (!c) {
		c = trc_bt2_class_new(event_class);
		g_hash_table_insert(trace->classes, (gpointer)event_class, c);
	}
	s->recent[slot].key = event_class;
	s->recent[slot].value = c;
	return c;
}

static void bt2_graph_on_event(struct trc_bt2_trace *trace, struct trc_queue *q, const bt_message *message)
{
	const bt_event *source = bt_message_event_borrow_event_const(message);
	int64_t time = bt2_graph_time_of(bt_message_event_borrow_default_clock_snapshot_const(message));
	const struct stream *s = q->stream;
	struct mdl_event *event;

	if (!trc_bounds_hold(&s->bounds, time)) {
		end_astray(q);
		return;
	}
	event = trc_queue_add(q, time);
	trc_bt2_class_read(bt2_graph_class_of(trace, q->stream, bt_event_borrow_class_const(source)), q,
		event, source);
	if (trace->see)
		trace->see(trace->data, q, message);
}

static void on_discarded_events(struct trc_queue *q, const bt_message *message)
{
	struct stream *s = q->stream;
	int64_t from = q->last, to = q->last;
	uint64_t count = 0;

	if (bt_message_discarded_events_get_count(message, &count) != BT_PROPERTY_AVAILABILITY_AVAILABLE)
		count = 0;
	if (s->has_gap_times) {
		from = gap_time(q,
			bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(message));
		to = gap_time(q,
			bt_message_discarded_events_borrow_end_default_clock_snapshot_const(message));
	}
	trc_queue_lost_events(q, from, to, count);
}

static void on_discarded_packets(struct trc_queue *q, const bt_message *message)
{
	int64_t from = q->last, to = q->last;
	uint64_t count = 0;

	if (bt_message_discarded_packets_get_count(message, &count) != BT_PROPERTY_AVAILABILITY_AVAILABLE)
		count = 0;
	if (bt_stream_class_discarded_packets_have_default_clock_snapshots(bt_stream_borrow_class_const(
		    bt_message_discarded_packets_borrow_stream_const(message)))) {
		from = gap_time(q,
			bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const(message));
		to = gap_time(q,
			bt_message_discarded_packets_borrow_end_default_clock_snapshot_const(message));
	}
	trc_queue_lost_packets(q, from, to, count);
}

static void on_message(struct trc_bt2_trace *trace, struct trc_queue *q, const bt_message *message)
{
	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT: bt2_graph_on_event(trace, q, message); break;
	case BT_MESSAGE_TYPE_STREAM_BEGINNING: on_stream_beginning(trace, q, message); break;
	case BT_MESSAGE_TYPE_PACKET_BEGINNING: on_packet_beginning(q, message); break;
	case BT_MESSAGE_TYPE_PACKET_END: on_packet_end(q, message); break;
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS: on_discarded_events(q, message); break;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS: on_discarded_packets(q, message); break;
	case BT_MESSAGE_TYPE_STREAM_END:
	case BT_MESSAGE_TYPE_MESSAGE_ITERATOR_INACTIVITY: break;
	}
}

/* Take the next messages of Q's stream. Q has not ended and has room for MESSAGES_MAX events. Ends Q at the
 * end of the stream, or at damage. */
static void take_messages(struct trc_bt2_trace *trace, struct trc_queue *q)
{
	struct stream *s = q->stream;
	bt_message_array_const messages;
	uint64_t i, n = 0;

	switch (bt_message_iterator_next(s->iterator, &messages, &n)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		trc_bt2_guard_progress();
		g_assert(n <= MESSAGES_MAX);
		for (i = 0; i < n; i++) {
			if (!q->ended)
				on_message(trace, q, messages[i]);
			bt_message_put_ref(messages[i]);
		}
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN: break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		if (s->is_cut)
			trc_queue_lost_rest(q, 0);
		trc_queue_end(q);
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_MEMORY_ERROR:
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_ERROR: end_damaged(q); break;
	}
}

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

	bt_self_component_set_data(bt_self_component_sink_as_self_component(sink), g);
	for (unsigned i = 0; i < g->queues->len; i++) {
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

	for (unsigned i = 0; i < g->queues->len; i++) {
		struct trc_queue *q = g_ptr_array_index(g->queues, i);
		struct stream *s = q->stream;

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

	if (g->wanted && g->rewind)
		rewind_stream(g->wanted);
	for (unsigned i = 0; i < TAKES_MAX && !g->rewind && g->wanted && !g->wanted->ended &&
		trc_queue_has_room(g->wanted, MESSAGES_MAX);
		i++)
		take_messages(&g->trace, g->wanted);
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
}

/* ---- making a graph ---- */

/* Add the component that reads DIRECTORY. NULL with babeltrace2's error. */
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

	g->trace = (struct trc_bt2_trace){ .info = info,
		.classes = g_hash_table_new_full(NULL, NULL, NULL, g_free),
		.names = names,
		.cut = cut };
	g->queues = g_ptr_array_new();
	g->graph = bt_graph_create(0);
	g->source = g->graph ? add_source(g, plugin, directory) : NULL;
	if (!g->source)
		g_clear_pointer(&g, trc_bt2_graph_free);
	return g;
}

void trc_bt2_graph_free(struct trc_bt2_graph *g)
{
	if (!g)
		return;
	for (unsigned i = 0; i < g->queues->len; i++) {
		struct stream *s = ((struct trc_queue *)g_ptr_array_index(g->queues, i))->stream;

		if (s->iterator)
			bt_message_iterator_put_ref(s->iterator);
		g_free(s);
	}
	if (g->graph)
		bt_graph_put_ref(g->graph);
	if (g->sink_class)
		bt_component_class_sink_put_ref(g->sink_class);
	g_hash_table_unref(g->trace.classes);
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
	q->stream = g_new0(struct stream, 1);
	g_ptr_array_add(g->queues, q);
}

bool trc_bt2_graph_start(struct trc_bt2_graph *g)
{
	const bt_component_sink *sink;

	g->sink_class = bt_component_class_sink_create("merge", sink_consume);
	if (!g->sink_class)
		return false;
	bt_component_class_sink_set_initialize_method(g->sink_class, sink_init);
	bt_component_class_sink_set_graph_is_configured_method(g->sink_class, sink_configured);
	if (bt_graph_add_sink_component_with_initialize_method_data(g->graph, g->sink_class, "merge", NULL, g,
		    BT_LOGGING_LEVEL_NONE, &sink) != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
		return false;
	for (unsigned i = 0; i < g->queues->len; i++) {
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
	/* babeltrace2 may set the error of a damaged place before it returns the messages before it. The
	 * iterator's end may come with that error, too. */
	bt_current_thread_clear_error();
	fine = bt_graph_run_once(g->graph) == BT_GRAPH_RUN_ONCE_STATUS_OK;
	if (!fine)
		end_damaged(q);
	g->wanted = NULL;
	bt_current_thread_clear_error();
}

struct trc_bt2_trace *trc_bt2_graph_trace(struct trc_bt2_graph *g)
{
	return &g->trace;
}
