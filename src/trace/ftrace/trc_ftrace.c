/* SPDX-License-Identifier: MIT */
/*
 * The reader of trace.dat
 *
 * libtracecmd reads the file (formats, compression, pages, times by the conversion that the file holds), a
 * record of one CPU after the other; trc_ftrace_class makes events of them.  A packet is what lies in one
 * page of the kernel's ring buffer: the library tells no pages, but where each record is in the file.  Events
 * that were lost before a page are told at its first record; they were lost between the page before and
 * that (kernel/trace/ring_buffer.c, ring_buffer_read_page()).
 */
#include "trace/ftrace/trc_ftrace.h"

#include "base/base_error.h"
#include "base/base_time.h"
#include "trace/ftrace/trc_ftrace_class.h"
#include "trace/ftrace/trc_ftrace_file.h"
#include "trace/ftrace/trc_ftrace_options.h"

#include <string.h>

#define PAGE 4096 /* of records are taken for one packet when they are in one of these */

/* ---- what both sides need of a file ---- */

struct reading {
	struct trc_ftrace_file *file; /* owned */
	GHashTable *classes;          /* struct tep_event * → struct trc_ftrace_class *, owned */
};

static struct reading *reading_new(const char *path, GError **error)
{
	struct trc_ftrace_file *file = trc_ftrace_file_open(path, error);
	struct reading *r;

	if (!file)
		return NULL;
	r = g_new(struct reading, 1);
	*r = (struct reading){ file, g_hash_table_new_full(NULL, NULL, NULL, trc_ftrace_class_free) };
	return r;
}

static void reading_free(void *data)
{
	struct reading *r = data;

	g_hash_table_unref(r->classes);
	trc_ftrace_file_free(r->file);
	g_free(r);
}

/* What RECORD of FROM is; NULL: the file does not tell. */
static const struct trc_ftrace_class *class_of(struct reading *r, struct tracecmd_input *from,
	struct tep_record *record)
{
	struct tep_handle *tep = tracecmd_get_tep(from);
	struct tep_event *event = tep_find_event(tep, tep_data_type(tep, record));
	struct trc_ftrace_class *class = event ? g_hash_table_lookup(r->classes, event) : NULL;

	if (event && !class) {
		class = trc_ftrace_class_new(event);
		g_hash_table_insert(r->classes, event, class);
	}
	return class;
}

/* ---- reading all of it ---- */

static void *ftrace_open(const void *survey, const GPtrArray *streams, GPtrArray *rest, struct trc_info *info,
	GPtrArray *queues, GError **error)
{
	struct reading *r = reading_new(info->path, error);

	(void)survey;
	(void)streams; /* all there are */
	(void)rest;
	for (guint i = 0; r && i < r->file->streams->len; i++) {
		struct trc_ftrace_stream *s = &g_array_index(r->file->streams, struct trc_ftrace_stream, i);
		struct trc_queue *q = trc_queue_new(s->name, info);

		q->stream = s;
		g_ptr_array_add(queues, q);
	}
	return r;
}

/* RECORD begins a new packet of Q. */
static void begin_packet(struct trc_queue *q, const struct trc_ftrace_stream *s,
	const struct tep_record *record)
{
	int64_t time = (int64_t)MIN(record->ts, (unsigned long long)INT64_MAX);

	if (q->n_packets > 0)
		trc_queue_packet_end(q);
	if (record->missed_events != 0)
		trc_queue_lost_between(q, q->last == BASE_TIME_NONE ? time : q->last, time,
			record->missed_events > 0 ? (uint64_t)record->missed_events : 0);
	trc_queue_packet_begin(q, (uint32_t)s->cpu, BASE_TIME_NONE);
	trc_queue_packet_place(q, record->offset, PAGE - record->offset % PAGE);
}

static void add_record(struct reading *r, struct trc_queue *q, const struct trc_ftrace_stream *s,
	struct tep_record *record)
{
	const struct trc_ftrace_class *class = class_of(r, s->from, record);
	struct mdl_event *event;

	if (q->n_packets == 0 || record->missed_events != 0 ||
		record->offset / PAGE != q->packet.offset / PAGE)
		begin_packet(q, s, record);
	event = trc_queue_add(q, (int64_t)MIN(record->ts, (unsigned long long)INT64_MAX));
	event->cpu = (uint32_t)s->cpu;
	if (class)
		trc_ftrace_class_read(class, q, event, record);
}

static void ftrace_fill(void *source, struct trc_queue *q)
{
	const struct trc_ftrace_stream *s = q->stream;
	struct tep_record *record;

	while (trc_queue_has_room(q, 1)) {
		record = tracecmd_read_data(s->from, s->cpu);
		if (!record) {
			trc_queue_end(q);
			return;
		}
		add_record(source, q, s, record);
		tracecmd_free_record(record);
	}
}

/* ---- pages ---- */

/* The events of a packet. */
struct page {
	struct reading *reading; /* weak */
	const struct trc_ftrace_stream *stream;
	GPtrArray *records; /* of struct tep_record *, owned */
};

static void free_record(gpointer record)
{
	tracecmd_free_record(record);
}

static void *open_trace(char *const *folders, bool all, GError **error)
{
	(void)all;
	return reading_new(folders[0], error);
}

static void free_page(void *data)
{
	struct page *p = data;

	g_ptr_array_unref(p->records);
	g_free(p);
}

static void set_not_there(const struct trc_paging_packet *packet, GError **error)
{
	g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
		"the trace has no events at byte %" G_GUINT64_FORMAT " of %s any more; build its index again",
		packet->offset, packet->stream);
}

static void *read_page(void *trace, struct trc_paging_packet *packet, GError **error)
{
	struct reading *r = trace;
	struct page *p = g_new(struct page, 1);
	struct tep_record *record = NULL;
	int cpu = 0;

	*p = (struct page){ r, trc_ftrace_file_stream(r->file, packet->stream),
		g_ptr_array_new_with_free_func(free_record) };
	if (p->stream)
		record = tracecmd_read_at(p->stream->from, packet->offset, &cpu);
	for (uint64_t i = 0; record && cpu == p->stream->cpu && i < packet->events; i++) {
		g_ptr_array_add(p->records, record);
		record = i + 1 < packet->events ? tracecmd_read_data(p->stream->from, cpu) : NULL;
	}
	if (p->records->len == packet->events)
		return p;
	if (record)
		tracecmd_free_record(record);
	set_not_there(packet, error);
	free_page(p);
	return NULL;
}

static bool get_event(void *trace, void *page, uint64_t i, struct trc_paging_event *event, GError **error)
{
	const struct page *p = page;
	struct tep_record *record = g_ptr_array_index(p->records, i);
	const struct trc_ftrace_class *class = class_of(trace, p->stream->from, record);
	const struct tep_record *first = g_ptr_array_index(p->records, 0);

	(void)error;
	*event = (struct trc_paging_event){ .time = (int64_t)MIN(record->ts, (unsigned long long)INT64_MAX),
		.cpu = (uint32_t)p->stream->cpu,
		.offset = (int64_t)(record->offset - first->offset),
		.name = class ? trc_ftrace_class_name(class) : "unknown" };
	return true;
}

static bool find_event(void *trace, void *page, int64_t time, uint64_t *found, GError **error)
{
	const struct page *p = page;

	(void)trace;
	(void)error;
	for (*found = 0; *found < p->records->len; ++*found)
		if ((int64_t)((const struct tep_record *)g_ptr_array_index(p->records, *found))->ts >= time)
			break;
	return true;
}

static bool get_fields(void *trace, void *page, uint64_t i, GString *to, const struct trc_taker *taker,
	GError **error)
{
	const struct page *p = page;
	struct tep_record *record = g_ptr_array_index(p->records, i);
	const struct trc_ftrace_class *class = class_of(trace, p->stream->from, record);

	(void)error;
	if (class)
		trc_ftrace_class_fields(class, record, to, taker);
	return true;
}

static const struct trc_paging_ops paging = {
	.open = open_trace,
	.free = reading_free,
	.read = read_page,
	.free_page = free_page,
	.event = get_event,
	.find = find_event,
	.fields = get_fields,
};

const struct trc_source_ops trc_ftrace_ops = {
	.name = "ftrace",
	.open = ftrace_open,
	.fill = ftrace_fill,
	.free = reading_free,
	.paging = &paging,
};
