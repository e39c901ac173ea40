/* SPDX-License-Identifier: MIT */
#include "trace/bt2/trc_bt2_open.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "trace/bt2/trc_bt2.h"
#include "trace/core/trc_info.h"
#include "trace/ctf/trc_metadata.h"

#include <errno.h>
#include <string.h>
#include <babeltrace2/babeltrace.h>

#define LENGTH_MAX 300 /* causes carry long lists of internal values after the sentence */

bool trc_bt2_stream_is_io(const char *reason)
{
	static const int numbers[] = { EIO, ENOMEM, EMFILE, ENFILE, EINTR, EAGAIN, EACCES, ENOENT, ESTALE,
		ENODEV };

	for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
		if (strstr(reason, g_strerror(numbers[i])))
			return true;
	/* Where it opens and maps the next packet, or more of one, it does not quote the system
	 * (switch_packet_state() and request_medium_bytes() in its msg-iter.c). */
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

void trc_bt2_trace_init(struct trc_bt2_trace *trace, struct trc_info *info, GHashTable *names,
	GHashTable *cut)
{
	trace->info = info;
	trace->classes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	trace->names = names;
	trace->cut = cut;
	trace->learned = false;
	trace->see = NULL;
	trace->data = NULL;
}

void trc_bt2_trace_clear(struct trc_bt2_trace *trace)
{
	g_hash_table_unref(trace->classes);
}

void trc_bt2_stream_free(struct trc_queue *q)
{
	struct trc_bt2_stream *s = q->stream;

	if (s->iterator)
		bt_message_iterator_put_ref(s->iterator);
	g_free(s);
}

void trc_bt2_stream_end_damaged(struct trc_queue *q)
{
	struct trc_bt2_stream *s = q->stream;
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

void trc_bt2_stream_rewind(struct trc_queue *q)
{
	const struct trc_bt2_stream *s = q->stream;
	bt_message_iterator_seek_beginning_status status;

	trc_queue_restart(q);
	do
		status = bt_message_iterator_seek_beginning(s->iterator);
	while (status == BT_MESSAGE_ITERATOR_SEEK_BEGINNING_STATUS_AGAIN);
	if (status != BT_MESSAGE_ITERATOR_SEEK_BEGINNING_STATUS_OK)
		trc_bt2_stream_end_damaged(q);
}

/* ---- what babeltrace2 says of the trace as a whole ---- */

static bool bt2_stream_value_of(const void *trace, const char *name, struct trc_learn_value *value)
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

/* The one clock that all streams have; NULL when there are several, or none. */
static const bt_clock_class *only_clock(const bt_trace_class *trace_class)
{
	const bt_clock_class *only = NULL;
	uint64_t i;

	for (i = 0; i < bt_trace_class_get_stream_class_count(trace_class); i++) {
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
	uint64_t i, j;

	for (i = 0; i < bt_trace_class_get_stream_class_count(trace_class); i++) {
		const bt_stream_class *stream_class =
			bt_trace_class_borrow_stream_class_by_index_const(trace_class, i);

		for (j = 0; j < bt_stream_class_get_event_class_count(stream_class); j++) {
			const char *name = bt_event_class_get_name(
				bt_stream_class_borrow_event_class_by_index_const(stream_class, j));

			if (name)
				trc_info_add_class(info, name);
		}
	}
}

/* Fill in host, tracer, release, uuid and classes of INFO from TRACE. */
static void learn(struct trc_info *info, const bt_trace *trace)
{
	trc_learn_env(info, trace, bt2_stream_value_of, bt_trace_get_uuid(trace));
	learn_clock(info, bt_trace_borrow_class_const(trace));
	learn_classes(info, bt_trace_borrow_class_const(trace));
}

/* What the trace calls the file at PATH that babeltrace2 reads; the caller frees. */
static char *bt2_stream_name_of(const struct trc_bt2_trace *trace, const char *path)
{
	char *name = g_path_get_basename(path);
	const char *own = g_hash_table_lookup(trace->names, name);

	if (!own)
		return name;
	g_free(name);
	return g_strdup(own);
}

static void on_stream_beginning(struct trc_bt2_trace *trace, struct trc_queue *q, const bt_message *message)
{
	const bt_stream *stream = bt_message_stream_beginning_borrow_stream_const(message);
	const bt_stream_class *stream_class = bt_stream_borrow_class_const(stream);
	const char *path = bt_stream_get_name(stream);
	struct trc_bt2_stream *s = q->stream;

	if (!trace->learned)
		learn(trace->info, bt_stream_borrow_trace_const(stream));
	trace->learned = true;
	if (path) {
		g_free(q->name);
		q->name = bt2_stream_name_of(trace, path);
	}
	s->is_cut = g_hash_table_contains(trace->cut, q->name);
	s->has_clock = bt_stream_class_borrow_default_clock_class_const(stream_class);
	/* Of LTTng, which counts packets. */
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

static int64_t bt2_stream_time_of(const bt_clock_snapshot *snapshot)
{
	int64_t time;

	if (bt_clock_snapshot_get_ns_from_origin(snapshot, &time) ==
		BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK)
		return time;
	bt_current_thread_clear_error();
	/* One that overflowed says so for ever, also when it is used again for another time
	 * (set_ns_from_origin() of babeltrace2). */
	if (bt_clock_class_cycles_to_ns_from_origin(bt_clock_snapshot_borrow_clock_class_const(snapshot),
		    bt_clock_snapshot_get_value(snapshot),
		    &time) == BT_CLOCK_CLASS_CYCLES_TO_NS_FROM_ORIGIN_STATUS_OK)
		return time;
	bt_current_thread_clear_error();
	return INT64_MAX; /* beyond the years 1678 to 2262, and so of all bounds */
}

/* A time between which something was lost; what cannot be is taken for the time of the last event. */
static int64_t gap_time(const struct trc_queue *q, const bt_clock_snapshot *snapshot)
{
	int64_t time = bt2_stream_time_of(snapshot);

	return q->info->begin != BASE_TIME_NONE && time >= q->info->begin && time <= q->info->end ? time
												  : q->last;
}

/* Q has come to a time that cannot be. */
static void end_astray(struct trc_queue *q)
{
	trc_info_warn(q->info,
		"%s: damaged: a time in packet %" G_GUINT64_FORMAT
		" cannot be, it is far from those around it: read up to "
		"there only; copy the trace again if the original is whole",
		q->name, q->n_packets);
	trc_queue_lost_rest(q, 0);
	trc_queue_end(q);
}

/* The CPU the packet's context tells; TRC_CPU_UNKNOWN when it does not. */
static uint32_t bt2_stream_cpu_of(const bt_packet *packet)
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
	const struct trc_bt2_stream *s = q->stream;

	if (s->has_end_times)
		q->closed = gap_time(q, bt_message_packet_end_borrow_default_clock_snapshot_const(message));
	trc_queue_packet_end(q);
}

static void on_packet_beginning(struct trc_queue *q, const bt_message *message)
{
	struct trc_bt2_stream *s = q->stream;
	uint32_t cpu = bt2_stream_cpu_of(bt_message_packet_beginning_borrow_packet_const(message));
	int64_t begin = s->has_begin_times
		? bt2_stream_time_of(bt_message_packet_beginning_borrow_default_clock_snapshot_const(message))
		: BASE_TIME_NONE;
	bool has_untimed = q->info->floor != BASE_TIME_NONE; /* events at 0 of the clock */

	if (!trc_bounds_of_begin(s->has_begin_times && !has_untimed, s->has_begin_times ? begin : 0,
		    has_untimed ? BASE_TIME_NONE : q->info->begin, q->info->end, &s->bounds)) {
		end_astray(q);
		return;
	}
	if (cpu != TRC_CPU_UNKNOWN) {
		trc_queue_packet_begin(q, cpu, begin);
		return;
	}
	trc_info_warn(q->info,
		"%s: left out: it does not tell the CPU of its events; record it with the field cpu_id in its packets",
		q->name);
	trc_queue_end(q);
}

static const struct trc_bt2_class *bt2_stream_class_of(struct trc_bt2_trace *trace, struct trc_bt2_stream *s,
	const bt_event_class *event_class)
{
	unsigned slot = (unsigned)(((uintptr_t)event_class >> 6) % TRC_BT2_RECENT);
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

static void bt2_stream_on_event(struct trc_bt2_trace *trace, struct trc_queue *q, const bt_message *message)
{
	const bt_event *source = bt_message_event_borrow_event_const(message);
	int64_t time = bt2_stream_time_of(bt_message_event_borrow_default_clock_snapshot_const(message));
	const struct trc_bt2_stream *s = q->stream;
	struct mdl_event *event;

	if (!trc_bounds_hold(&s->bounds, time)) {
		end_astray(q);
		return;
	}
	event = trc_queue_add(q, time);
	trc_bt2_class_read(bt2_stream_class_of(trace, q->stream, bt_event_borrow_class_const(source)), q,
		event, source);
	if (trace->see)
		trace->see(trace->data, q, message);
}

static void on_discarded_events(struct trc_queue *q, const bt_message *message)
{
	struct trc_bt2_stream *s = q->stream;
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
	case BT_MESSAGE_TYPE_EVENT: bt2_stream_on_event(trace, q, message); break;
	case BT_MESSAGE_TYPE_STREAM_BEGINNING: on_stream_beginning(trace, q, message); break;
	case BT_MESSAGE_TYPE_PACKET_BEGINNING: on_packet_beginning(q, message); break;
	case BT_MESSAGE_TYPE_PACKET_END: on_packet_end(q, message); break;
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS: on_discarded_events(q, message); break;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS: on_discarded_packets(q, message); break;
	case BT_MESSAGE_TYPE_STREAM_END:
	case BT_MESSAGE_TYPE_MESSAGE_ITERATOR_INACTIVITY: break;
	}
}

void trc_bt2_stream_take(struct trc_bt2_trace *trace, struct trc_queue *q)
{
	struct trc_bt2_stream *s = q->stream;
	bt_message_array_const messages;
	uint64_t i, n = 0;

	switch (bt_message_iterator_next(s->iterator, &messages, &n)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		trc_bt2_guard_progress();
		g_assert(n <= TRC_BT2_MESSAGES_MAX);
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
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_ERROR: trc_bt2_stream_end_damaged(q); break;
	}
}
