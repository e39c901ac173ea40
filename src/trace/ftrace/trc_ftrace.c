/* SPDX-License-Identifier: MIT */
/*
 * How it works: the reader of trace.dat. A page of the kernel's ring buffer is a packet. A page records
 * events that were lost before it: between the last record of the page before and its own first record
 * (ring_buffer_read_page(), kernel/trace/ring_buffer.c).
 *
 * No page records events that the kernel refused. A full buffer that does not overwrite refuses them; so does
 * a buffer whose interrupts filled it all around while an event was written. rb_move_tail() counts both
 * (dropped_events, commit_overrun) and pads the page that has no room. So they are missing after the last
 * record of some page, and nothing shows of which. If the counts are not 0, events may be missing between any
 * two pages, and after the last one.
 */
#include "trace/ftrace/trc_ftrace.h"

#include "base/base_time.h"
#include "trace/tracefs/trc_running.h"

#include <string.h>

/* ---- what reading and paging have in common ---- */

/* A trace that is read from front to back, or at places. */
struct reading {
	const struct trc_ftrace_head *head; /* weak */
	struct trc_ftrace_head *own;        /* owned: equals HEAD; NULL: another object owns it */
	GPtrArray *classes;       /* of struct trc_format_class * or NULL, owned: by type of record */
	GPtrArray *streams;       /* of struct stream *, owned */
	int64_t first;            /* ns: the first event of all CPUs; BASE_TIME_NONE: unknown */
	guint untold;             /* CPUs known to be not recorded, without a mark so far */
	struct trc_budget budget; /* what is left for packed records */
};

struct stream {
	const struct trc_ftrace_stream *of; /* weak */
	struct trc_ftrace_pages *pages;     /* owned */
	struct trc_ftrace_page page;
	bool in_page;
	struct trc_running running;
	uint64_t refused; /* events, at the end of any page */
};

static void ftrace_stream_free(gpointer data)
{
	struct stream *s = data;

	trc_ftrace_pages_free(s->pages);
	g_free(s);
}

static struct reading *reading_new(const struct trc_ftrace_head *head, struct trc_ftrace_head *own)
{
	struct reading *r = g_new(struct reading, 1);

	*r = (struct reading){ .head = head,
		.own = own,
		.classes = g_ptr_array_new_with_free_func(g_free),
		.streams = g_ptr_array_new_with_free_func(ftrace_stream_free),
		.first = BASE_TIME_NONE,
		.budget = trc_budget_of_records(head->budget, head->bytes.size) };
	for (guint i = 0; i < head->streams->len; i++) {
		struct stream *s = g_new0(struct stream, 1);

		s->of = &g_array_index(head->streams, struct trc_ftrace_stream, i);
		s->running = (struct trc_running)TRC_RUNNING_UNKNOWN;
		s->refused = trc_ftrace_head_refused(head, s->of->cpu);
		s->pages = trc_ftrace_pages_new(head, s->of);
		g_ptr_array_add(r->streams, s);
	}
	return r;
}

static void reading_free(void *data)
{
	struct reading *r = data;

	g_ptr_array_unref(r->classes);
	g_ptr_array_unref(r->streams);
	if (r->own)
		trc_ftrace_head_free(r->own);
	g_free(r);
}

/* Return the type of RECORD, its first field common_type (struct trace_entry,
 * include/linux/trace_events.h). */
static unsigned type_of(const struct trc_ftrace_record *record)
{
	struct trc_bytes b = record->data;

	return (unsigned)trc_bytes_take_number(&b, 2);
}

/* NULL: the file does not describe RECORD's type. */
static const struct trc_format_event *ftrace_event_of(const struct trc_ftrace_head *h,
	const struct trc_ftrace_record *record)
{
	return g_hash_table_lookup(h->formats.events, GUINT_TO_POINTER(type_of(record)));
}

static const struct trc_format_class *ftrace_class_of(struct reading *r,
	const struct trc_ftrace_record *record)
{
	unsigned type = type_of(record);
	const struct trc_format_event *event;

	if (type < r->classes->len && r->classes->pdata[type])
		return r->classes->pdata[type];
	event = ftrace_event_of(r->head, record);
	if (!event)
		return NULL;
	if (type >= r->classes->len)
		g_ptr_array_set_size(r->classes, (gint)type + 1);
	return r->classes->pdata[type] = trc_format_class_new(event);
}

/* ---- reading the whole trace ---- */

/* Find the time of the first record of all CPUs. */
static void find_first(struct reading *r)
{
	const struct trc_ftrace_head *h = r->head;

	for (guint i = 0; i < h->streams->len; i++) {
		const struct trc_ftrace_stream *of = &g_array_index(h->streams, struct trc_ftrace_stream, i);
		struct trc_ftrace_pages *pages = trc_ftrace_pages_new(h, of);
		struct trc_ftrace_page page;
		struct trc_ftrace_record record;
		bool cut;

		if (trc_ftrace_pages_next(pages, &page, &cut) && trc_ftrace_page_next(&page, &record)) {
			int64_t time = trc_ftrace_clock_time(&h->clock, of->cpu, record.time);

			r->first = r->first == BASE_TIME_NONE ? time : MIN(r->first, time);
		}
		trc_ftrace_pages_free(pages);
	}
}

static void *ftrace_open(void *survey, const GPtrArray *streams, G_GNUC_UNUSED GPtrArray *rest,
	struct trc_info *info, GPtrArray *queues, G_GNUC_UNUSED GError **error)
{
	struct reading *r = reading_new(survey, NULL);

	(void)streams; /* it reads all streams */
	for (guint i = 0; i < r->streams->len; i++) {
		struct stream *s = g_ptr_array_index(r->streams, i);
		struct trc_queue *q = trc_queue_new(s->of->name, info);

		q->stream = s;
		g_ptr_array_add(queues, q);
	}
	find_first(r);
	r->untold = trc_ftrace_absent_cpus(r->head->absent)->len;
	return r;
}

/* Begin the current page, whose first record is at TIME. Events lost before the first page of a CPU were
 * overwritten. They are missing since the begin of the other CPUs. */
static void begin_packet(const struct reading *r, struct trc_queue *q, struct stream *s, int64_t time)
{
	if (s->page.has_lost || (s->refused > 0 && q->last != BASE_TIME_NONE)) {
		/* No mark goes before the first event of all CPUs. */
		int64_t first = r->first == BASE_TIME_NONE ? time : MIN(r->first + 1, time);

		trc_queue_lost_between(q, q->last == BASE_TIME_NONE ? first : q->last, time, s->page.lost);
		trc_running_forget(&s->running);
	}
	trc_queue_packet_begin(q, s->of->cpu, BASE_TIME_NONE);
	trc_queue_packet_place(q, s->page.offset, s->of->page_size);
}

/* Continue with the next page. False at the end. */
static bool next_page(struct trc_queue *q, struct stream *s)
{
	bool damaged = s->in_page && s->page.damaged, cut = false;

	if (s->in_page)
		trc_queue_packet_end(q);
	s->in_page = !damaged && trc_ftrace_pages_next(s->pages, &s->page, &cut);
	if (s->in_page)
		return true;
	trc_running_end(&s->running, q);
	if (damaged || cut) {
		trc_info_warn(q->info,
			"%s: damaged at byte %" G_GUINT64_FORMAT
			" of its events: the rest is left out; copy the trace again",
			q->name, s->page.offset);
		trc_queue_lost_rest(q, 0);
	} else if (s->refused > 0) {
		trc_info_warn(q->info,
			"%s: a full buffer dropped %" G_GUINT64_FORMAT
			" events at unknown places: states are unknown between any two pages; "
			"record with larger buffers, or with buffers that overwrite",
			q->name, s->refused);
		trc_queue_lost_rest(q, s->refused);
	}
	trc_queue_end(q);
	return false;
}

static void add_record(struct reading *r, struct trc_queue *q, struct stream *s, bool first,
	const struct trc_ftrace_record *record)
{
	const struct trc_format_class *class = ftrace_class_of(r, record);
	int64_t time = trc_ftrace_clock_time(&r->head->clock, s->of->cpu, record->time);
	struct mdl_event *to;
	uint32_t absent;

	if (first)
		begin_packet(r, q, s, time);
	if (class && !trc_format_class_is_part(class))
		trc_running_before(&s->running, q, trc_format_class_kind(class),
			trc_format_class_tid(class, &record->data), time, r->first);
	to = trc_queue_add(q, time);
	to->cpu = s->of->cpu;
	if (class) {
		trc_format_class_read(class, q, to, &record->data);
		trc_running_note(&s->running, to);
	}
	/* With the first event of all: the states of CPUs that were not recorded are unknown. */
	for (; time == r->first && r->untold > 0; r->untold--)
		trc_queue_unknown_from(q,
			g_array_index(trc_ftrace_absent_cpus(r->head->absent), uint32_t, r->untold - 1),
			time);
	if (trc_ftrace_absent_take(r->head->absent, record, &absent))
		trc_queue_unknown_from(q, absent, time);
}

static void ftrace_fill(void *source, struct trc_queue *q)
{
	struct reading *r = source;
	struct stream *s = q->stream;
	struct trc_ftrace_record record;
	bool first = false;

	while (trc_queue_has_room(q, 5 + r->untold)) { /* with marks: running thread, another CPU */
		if (s->in_page && trc_ftrace_page_next(&s->page, &record)) {
			/* A packed stream may repeat a few bytes many times. */
			if (s->of->packed &&
				!trc_budget_spend(&r->budget, MAX(TRC_BUDGET_RECORD, record.data.size),
					"it unpacks to more events than its size has room for")) {
				if (!q->info->problem)
					trc_budget_set_error(&r->budget, q->info->path, &q->info->problem);
				trc_queue_end(q);
				return;
			}
			add_record(r, q, s, first, &record);
			first = false;
		} else if (!next_page(q, s)) {
			return;
		} else {
			first = true;
		}
	}
}

/* ---- pages ---- */

/* The events of a page. */
struct page {
	struct stream *stream; /* weak */
	uint64_t offset;       /* in it */
	GPtrArray *copies;     /* owned: the bytes of the records */
	GArray *records; /* of struct trc_ftrace_record: its own; if HAS_NEXT, then those of the next page */
	bool has_next;
	GArray *times; /* of int64_t: ns of each record, as the reader of the whole trace sets it */
};

static void *open_trace(char *const *folders, G_GNUC_UNUSED bool all, GError **error)
{
	struct trc_ftrace_head *head = trc_ftrace_head_open(folders[0], error);

	return head ? reading_new(head, head) : NULL;
}

static void free_page(void *data)
{
	struct page *p = data;

	g_ptr_array_unref(p->copies);
	g_array_unref(p->records);
	g_array_unref(p->times);
	g_free(p);
}

static struct stream *stream_called(const struct reading *r, const char *name)
{
	for (guint i = 0; i < r->streams->len; i++) {
		struct stream *s = g_ptr_array_index(r->streams, i);

		if (g_str_equal(s->of->name, name))
			return s;
	}
	return NULL;
}

/* Add the records of the next page of S. IN_A_ROW: only if none were lost before it. */
static void add_page(struct page *p, struct stream *s, bool in_a_row)
{
	struct trc_ftrace_record record;
	bool cut;

	if (!trc_ftrace_pages_next(s->pages, &s->page, &cut) || (in_a_row && s->page.has_lost))
		return;
	/* The next call overwrites the page, so its bytes are copied. */
	s->page.records.data = g_memdup2(s->page.records.data, s->page.records.size);
	g_ptr_array_add(p->copies, (gpointer)s->page.records.data);
	while (trc_ftrace_page_next(&s->page, &record))
		g_array_append_val(p->records, record);
}

static void *ftrace_read_page(void *trace, struct trc_paging_packet *packet, G_GNUC_UNUSED GError **error)
{
	struct reading *r = trace;
	struct stream *s = stream_called(r, packet->stream);
	struct page *p = g_new0(struct page, 1);
	int64_t latest = packet->latest; /* of the events so far */

	p->copies = g_ptr_array_new_with_free_func(g_free);
	p->records = g_array_new(FALSE, FALSE, sizeof(struct trc_ftrace_record));
	p->times = g_array_new(FALSE, FALSE, sizeof(int64_t));
	p->stream = s;
	if (s) {
		trc_ftrace_pages_seek(s->pages, packet->offset);
		add_page(p, s, false);
	}
	packet->events = p->records->len;
	for (guint i = 0; s && i < p->records->len; i++) {
		uint64_t count = g_array_index(p->records, struct trc_ftrace_record, i).time;
		int64_t time = trc_ftrace_clock_time(&r->head->clock, s->of->cpu, count);

		latest = MAX(latest, time); /* the clock of a stream may step back */
		g_array_append_val(p->times, latest);
	}
	p->offset = packet->offset;
	return p;
}

/* Add the records of the next page, too: it may have the stack of an event of P. */
static void have_next(struct page *p)
{
	struct trc_ftrace_page own;
	bool cut;

	if (p->has_next || p->records->len == 0)
		return;
	p->has_next = true;
	trc_ftrace_pages_seek(p->stream->pages, p->offset);
	if (trc_ftrace_pages_next(p->stream->pages, &own, &cut))
		add_page(p, p->stream, true);
}

static const struct trc_ftrace_record *record_at(const struct page *p, uint64_t i)
{
	return &g_array_index(p->records, struct trc_ftrace_record, i);
}

static bool ftrace_get_event(void *trace, void *page, uint64_t i, struct trc_paging_event *event,
	G_GNUC_UNUSED GError **error)
{
	const struct reading *r = trace;
	const struct page *p = page;
	const struct trc_ftrace_record *record = record_at(p, i);
	const struct trc_format_event *e = ftrace_event_of(r->head, record);

	*event = (struct trc_paging_event){ .time = g_array_index(p->times, int64_t, i),
		.cpu = p->stream->of->cpu,
		.offset = record->offset,
		.name = e ? e->name : "unknown" };
	return true;
}

/*
 * Stacks. With the option stacktrace, or a trigger of that name, the kernel writes the stack of an event as
 * an event after it; with userstacktrace that of the program (trace_buffer_unlock_commit_regs(),
 * __ftrace_trace_stack(), kernel/trace/trace.c). Both have the flags, count and thread of the event, so in
 * between only interrupts can come, whose events differ in these. Here stacks are fields of the event.
 */
#define STACK_WITHIN 512 /* events to search; interrupts in between have a few */

static const char *const stacks[] = { "ftrace:kernel_stack", "ftrace:user_stack" };

static bool is_stack(const struct trc_format_event *e)
{
	return e && (g_str_equal(e->name, stacks[0]) || g_str_equal(e->name, stacks[1]));
}

/* Return the record of KIND, one of STACKS, that belongs to event I of P; NULL: none. */
static const struct trc_ftrace_record *stack_of(const struct reading *r, const struct page *p, uint64_t i,
	const char *kind)
{
	const struct trc_ftrace_record *of = record_at(p, i);

	for (uint64_t end = MIN(p->records->len, i + STACK_WITHIN); ++i < end;) {
		const struct trc_ftrace_record *at = record_at(p, i);
		const struct trc_format_event *e;

		/* It is in another context: common_flags, common_preempt_count or common_pid differ. */
		if (at->data.size < 8 || of->data.size < 8 ||
			memcmp(at->data.data + 2, of->data.data + 2, 6) != 0)
			continue;
		e = ftrace_event_of(r->head, at);
		if (!is_stack(e))
			return NULL;
		if (g_str_equal(e->name, kind))
			return at;
	}
	return NULL;
}

/* Return the calls in STACK, an event of E: as many as its size says. Before Linux 5.2, ULONG_MAX ends
 * them. */
static struct trc_bytes calls_of(const struct trc_format_event *e, const struct trc_ftrace_record *stack,
	unsigned width)
{
	const struct trc_format_field *caller = trc_format_event_field(e, "caller"),
				      *size = trc_format_event_field(e, "size");
	struct trc_bytes b = stack->data, calls = { .big = b.big };
	uint64_t n = UINT64_MAX, end = width == 4 ? UINT32_MAX : UINT64_MAX;

	if (size) {
		b.at = size->offset;
		n = trc_bytes_take_number(&b, 4);
	}
	b.at = caller ? caller->offset : b.size;
	if (b.at > b.size)
		return calls;
	calls.data = b.data + b.at;
	while (n-- > 0 && b.size - b.at >= width && trc_bytes_take_number(&b, width) != end)
		calls.size += width;
	return calls;
}

static void add_stacks(const struct reading *r, struct page *p, uint64_t i, GString *to,
	const struct trc_taker *taker)
{
	const char *between = ", { ";

	have_next(p);
	for (size_t k = 0; k < G_N_ELEMENTS(stacks); k++) {
		const struct trc_ftrace_record *stack = stack_of(r, p, i, stacks[k]);

		if (!stack)
			continue;
		g_string_append(to, between);
		trc_format_class_stack(stacks[k] + strlen("ftrace:"),
			calls_of(ftrace_event_of(r->head, stack), stack, r->head->long_size),
			r->head->long_size, to, taker);
		between = ", ";
	}
	if (between[2] == '\0')
		g_string_append(to, " }");
}

static bool ftrace_get_fields(void *trace, void *page, uint64_t i, GString *to, const struct trc_taker *taker,
	G_GNUC_UNUSED GError **error)
{
	const struct reading *r = trace;
	const struct trc_ftrace_record *record = record_at(page, i);
	const struct trc_format_event *e = ftrace_event_of(r->head, record);

	if (e)
		trc_format_class_fields(e, &record->data, to, taker);
	if (!is_stack(e))
		add_stacks(r, page, i, to, taker);
	return true;
}

static void *ftrace_picker(G_GNUC_UNUSED void *trace, const char *const *names, unsigned n)
{
	return trc_format_picker_new(names, n);
}

static bool ftrace_pick(void *trace, void *page, uint64_t i, void *picker, struct trc_value *values)
{
	const struct trc_ftrace_record *record = record_at(page, i);
	const struct trc_format_event *e = ftrace_event_of(((const struct reading *)trace)->head, record);
	bool wants_stacks = trc_format_picker_wants(picker, "kernel_stack") ||
		trc_format_picker_wants(picker, "user_stack");

	return e && !wants_stacks && trc_format_pick(picker, e, &record->data, values);
}

static void ftrace_types(const void *trace, trc_paging_typed *typed, void *data)
{
	GHashTableIter iter;
	gpointer event;

	g_hash_table_iter_init(&iter, ((const struct reading *)trace)->head->formats.events);
	while (g_hash_table_iter_next(&iter, NULL, &event))
		trc_format_types(event, typed, data);
}

static bool ftrace_declares(const void *trace, const char *name)
{
	return trc_formats_declare(&((const struct reading *)trace)->head->formats, name);
}

static const struct trc_paging_ops paging = {
	.open = open_trace,
	.free = reading_free,
	.read = ftrace_read_page,
	.free_page = free_page,
	.event = ftrace_get_event,
	.fields = ftrace_get_fields,
	.picker_new = ftrace_picker,
	.picker_free = trc_format_picker_free,
	.pick = ftrace_pick,
	.types = ftrace_types,
	.declares = ftrace_declares,
};

const struct trc_source_ops trc_ftrace_ops = {
	.name = "ftrace",
	.open = ftrace_open,
	.fill = ftrace_fill,
	.free = reading_free,
	.paging = &paging,
};
