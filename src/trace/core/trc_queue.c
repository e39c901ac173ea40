/* SPDX-License-Identifier: MIT */
/*
 * How it works: a gap becomes two marks in the stream.
 *
 * A packet reports that N events were lost in the range from the end of the packet before to the
 * end of this packet. The reader knows this before it reads the packet's events. LTTng loses events when no
 * packet is free, so after the last event of the packet and before its end. Other tracers may lose them
 * anywhere in the range. So GAP_BEGIN goes before the packet's events and GAP_END after them, and the merge
 * sets the time of GAP_END to that of the stream's last event.
 *
 * Packets may overlap in time (LTTng 2.1 closed a packet after it began the next). A mark must not move later
 * events forward in time. So a mark waits for the next event and gets at most the time of that event.
 */
#include "trace/core/trc_queue.h"

#include "base/base_time.h"

struct trc_queue *trc_queue_new(const char *name, struct trc_info *info)
{
	struct trc_queue *q = g_new0(struct trc_queue, 1);

	q->name = g_strdup(name);
	q->info = info;
	q->events = g_new(struct mdl_event, TRC_QUEUE_SIZE);
	q->texts = g_malloc(TRC_TEXTS_SIZE);
	q->more_texts = g_string_chunk_new(4096);
	q->packets = g_array_new(FALSE, FALSE, sizeof(struct trc_packet_seen));
	trc_queue_restart(q);
	return q;
}

void trc_queue_free(struct trc_queue *q)
{
	if (!q)
		return;
	g_free(q->name);
	g_free(q->events);
	g_free(q->net_packets);
	g_free(q->counts);
	g_free(q->texts);
	g_clear_pointer(&q->more_texts, g_string_chunk_free);
	g_array_unref(q->packets);
	g_free(q);
}

void trc_queue_chain(struct trc_queue *q, struct trc_queue *next)
{
	q->next = next;
	next->is_later = true;
	g_clear_pointer(&next->events, g_free);
	g_clear_pointer(&next->texts, g_free);
	g_clear_pointer(&next->more_texts, g_string_chunk_free);
}

struct trc_queue *trc_queue_go_on(struct trc_queue *q)
{
	struct trc_queue *next = q->next;

	if (!next)
		return NULL;
	next->events = g_steal_pointer(&q->events);
	next->texts = g_steal_pointer(&q->texts);
	next->more_texts = g_steal_pointer(&q->more_texts);
	next->texts_used = q->texts_used;
	next->last = q->last;
	next->delivered = q->delivered;
	next->certain = q->certain;
	next->began = q->began;
	next->switched = q->switched;
	next->newest = next->newest_before = q->newest;
	next->cpu = q->cpu;
	next->beside = q->beside;
	memcpy(next->gaps, q->gaps, sizeof(q->gaps));
	next->n_gaps = q->n_gaps;
	memcpy(next->marks, q->marks, sizeof(q->marks));
	next->n_marks = q->n_marks;
	return next;
}

void trc_queue_reset(struct trc_queue *q)
{
	q->position = q->count = 0;
	if (q->texts_used > TRC_TEXTS_SIZE - TRC_TEXT_MAX)
		g_string_chunk_clear(q->more_texts);
	q->texts_used = 0;
}

void trc_queue_hand_over(struct trc_queue *from, struct trc_queue *to)
{
	struct trc_queue was = *to;

	g_assert(from->position == 0 && to->position == to->count);
	to->events = from->events;
	to->net_packets = from->net_packets;
	to->counts = from->counts;
	to->texts = from->texts;
	to->more_texts = from->more_texts;
	to->texts_used = from->texts_used;
	to->count = from->count;
	to->position = 0;
	to->ended = from->ended;
	to->cpu = from->cpu;
	to->opened = from->opened;
	to->closed = from->closed;
	g_array_append_vals(to->packets, from->packets->data, from->packets->len);
	g_array_set_size(from->packets, 0);
	from->events = was.events;
	from->net_packets = was.net_packets;
	from->counts = was.counts;
	from->texts = was.texts;
	from->more_texts = was.more_texts;
	from->texts_used = was.texts_used;
	from->count = 0;
	trc_queue_reset(from);
}

void trc_queue_restart(struct trc_queue *q)
{
	trc_queue_reset(q);
	g_array_set_size(q->packets, 0);
	memset(&q->packet, 0, sizeof(q->packet));
	q->n_delivered = 0;
	q->newest = q->last = q->delivered = q->certain = q->opened = q->closed = q->began = q->open_end =
		BASE_TIME_NONE;
	q->switched = q->misses = false;
	q->cpu = TRC_CPU_UNKNOWN;
	q->n_packets = 0;
	q->n_marks = q->n_gaps = 0;
	q->ended = false;
}

bool trc_queue_has_room(const struct trc_queue *q, unsigned room)
{
	return q->count + room + TRC_MARKS <= TRC_QUEUE_SIZE;
}

static void add_mark(struct trc_queue *q, enum mdl_kind kind, int64_t time)
{
	struct mdl_event *event = &q->events[q->count++];

	memset(event, 0, sizeof(*event));
	event->time = time;
	event->cpu = q->cpu;
	event->kind = kind;
	event->told = 0;
	mdl_event_no_args(event);
}

/* Emit the waiting marks, at LATEST (ns, time of the next event) or earlier. */
static void add_marks(struct trc_queue *q, int64_t latest)
{
	/* Without the CPU it is unknown whose events are missing. Then only their number is reported. */
	for (unsigned i = 0; i < q->n_marks && q->cpu != TRC_CPU_UNKNOWN; i++)
		add_mark(q, q->marks[i].kind, MIN(q->marks[i].time, latest));
	q->n_marks = 0;
}

/* True if a waiting mark begins a gap. */
static bool begin_waits(const struct trc_queue *q)
{
	for (unsigned i = 0; i < q->n_marks; i++)
		if (q->marks[i].kind == MDL_EV_GAP_BEGIN)
			return true;
	return false;
}

/*
 * Queue a mark. If a gap begins where the one before ends, and no event came in between, both become one gap.
 * So many empty packets in a row need no more marks than one.
 */
static void push_mark(struct trc_queue *q, enum mdl_kind kind, int64_t time)
{
	if (q->beside)
		return;
	if (kind == MDL_EV_GAP_BEGIN && q->n_marks && q->marks[q->n_marks - 1].kind == MDL_EV_GAP_END &&
		begin_waits(q)) {
		q->n_marks--;
		return;
	}
	g_assert(q->n_marks < TRC_MARKS);
	q->marks[q->n_marks].kind = kind;
	q->marks[q->n_marks++].time = MAX(time, q->info->floor);
}

struct mdl_event *trc_queue_aside(struct trc_queue *q, int64_t time)
{
	if (q->n_marks)
		add_marks(q, time);
	add_mark(q, MDL_EV_NONE, MAX(time, q->info->floor));
	q->events[q->count - 1].aside = true;
	return &q->events[q->count - 1];
}

void trc_queue_unknown_from(struct trc_queue *q, uint32_t cpu, int64_t time)
{
	struct mdl_event *gap = trc_queue_aside(q, time);

	gap->kind = MDL_EV_GAP_BEGIN;
	gap->cpu = cpu;
}

struct mdl_event *trc_queue_add(struct trc_queue *q, int64_t time)
{
	struct mdl_event *event;

	time = MAX(time, q->info->floor);
	if (q->n_marks)
		add_marks(q, time);
	event = &q->events[q->count++];
	event->time = time;
	event->cpu = q->cpu;
	event->kind = MDL_EV_NONE;
	event->told = 0;
	event->aside = false;
	event->counts = NULL;
	q->last = time;
	q->newest_before = q->newest;
	if (time > q->newest || q->newest == BASE_TIME_NONE)
		q->newest = time;
	if (!q->packet.events++)
		q->packet.first = q->newest;
	return event;
}

void trc_queue_drop(struct trc_queue *q, int64_t last)
{
	q->count--;
	q->last = last;
	q->newest = q->newest_before;
	q->packet.events--;
}

struct mdl_packet *trc_queue_net(struct trc_queue *q, const struct mdl_event *event)
{
	if (!q->net_packets)
		q->net_packets = g_new(struct mdl_packet, TRC_QUEUE_SIZE);
	return &q->net_packets[event - q->events];
}

struct mdl_counts *trc_queue_counts(struct trc_queue *q, struct mdl_event *event)
{
	struct mdl_counts *counts;

	if (!q->counts)
		q->counts = g_new(struct mdl_counts, TRC_QUEUE_SIZE);
	counts = &q->counts[event - q->events];
	memset(counts, 0, sizeof *counts);
	event->counts = counts;
	return counts;
}

const char *trc_queue_text(struct trc_queue *q, const char *text, size_t length)
{
	char *copy = q->texts + q->texts_used, padded[MDL_COMM] = { 0 };
	size_t size;

	length = strnlen(text, MIN(length, TRC_TEXT_MAX - 1));
	if (length < MDL_COMM) {
		memcpy(padded, text, length);
		text = padded;
		length = MDL_COMM - 1;
	}
	size = length + 1;
	if (size > TRC_TEXTS_SIZE - q->texts_used) {
		q->texts_used = MAX(q->texts_used, TRC_TEXTS_SIZE - TRC_TEXT_MAX + 1);
		return g_string_chunk_insert_len(q->more_texts, text, (gssize)length);
	}
	memcpy(copy, text, length);
	copy[length] = '\0';
	q->texts_used += size;
	return copy;
}

/* Keep a gap until a packet gives its CPU. */
static void push_gap(struct trc_queue *q, int64_t from, int64_t to, uint64_t count)
{
	struct trc_gap gap = { .from = MAX(from, q->info->floor),
		.to = MAX(to, q->info->floor),
		.count = count };

	if (q->n_gaps < G_N_ELEMENTS(q->gaps))
		q->gaps[q->n_gaps++] = gap;
}

void trc_queue_lost_between(struct trc_queue *q, int64_t from, int64_t to, uint64_t count)
{
	q->info->discarded += count;
	push_gap(q, from, to, count);
	push_mark(q, MDL_EV_GAP_BEGIN, from);
	push_mark(q, MDL_EV_GAP_END, MAX(from, to));
}

void trc_queue_lost_inside(struct trc_queue *q, int64_t from, int64_t to, uint64_t count)
{
	q->info->discarded += count;
	trc_info_add_gap(q->info, q->cpu, from, MAX(from, to), count);
	push_mark(q, MDL_EV_GAP_BEGIN, from);
	push_mark(q, MDL_EV_GAP_END, MAX(from, to));
}

void trc_queue_lost_packets(struct trc_queue *q, int64_t from, int64_t to, uint64_t count)
{
	q->info->discarded_packets += MAX(count, 1);
	trc_queue_lost_between(q, from, to, 0);
}

void trc_queue_lost_events(struct trc_queue *q, int64_t from, int64_t to, uint64_t count)
{
	q->info->discarded += count;
	if (!count)
		trc_info_warn(q->info,
			"%s: an unknown number of events may be lost at its beginning: states are unknown there; "
			"record with larger buffers",
			q->name);
	push_gap(q, from, to, count);
	if (q->open_end != BASE_TIME_NONE)
		push_mark(q, MDL_EV_GAP_END, q->open_end);
	push_mark(q, MDL_EV_GAP_BEGIN, from);
	q->open_end = MAX(from, to);
}

/* Move the current packet to the packets that ended. */
static void keep_packet(struct trc_queue *q)
{
	q->packet.last = q->newest;
	if (q->packet.events)
		g_array_append_val(q->packets, q->packet);
	memset(&q->packet, 0, sizeof(q->packet));
}

void trc_queue_packet_begin(struct trc_queue *q, uint32_t cpu, int64_t begin)
{
	keep_packet(q);
	if (q->n_packets == 0)
		q->opened = begin;
	q->packet.number = q->n_packets++;
	q->packet.cpu = cpu;
	q->cpu = cpu = q->beside ? TRC_CPU_UNKNOWN : cpu;
	if (cpu != TRC_CPU_UNKNOWN)
		q->info->n_cpus = MAX(q->info->n_cpus, cpu + 1);
	for (unsigned i = 0; i < q->n_gaps && cpu != TRC_CPU_UNKNOWN; i++)
		trc_info_add_gap(q->info, cpu, q->gaps[i].from, q->gaps[i].to, q->gaps[i].count);
	q->n_gaps = 0;
}

void trc_queue_packet_place(struct trc_queue *q, uint64_t offset, uint64_t size)
{
	q->packet.offset = offset;
	q->packet.size = size;
}

void trc_queue_packet_end(struct trc_queue *q)
{
	keep_packet(q);
	if (q->open_end != BASE_TIME_NONE)
		push_mark(q, MDL_EV_GAP_END, q->open_end);
	q->open_end = BASE_TIME_NONE;
}

void trc_queue_lost_rest(struct trc_queue *q, uint64_t count)
{
	q->next = NULL;
	q->info->discarded += count;
	if (q->cpu == TRC_CPU_UNKNOWN || q->last == BASE_TIME_NONE)
		return;
	trc_queue_packet_end(q);
	push_mark(q, MDL_EV_GAP_BEGIN, q->last);
	trc_info_add_gap(q->info, q->cpu, q->last, MAX(q->last, q->info->end), count);
}

void trc_queue_let_out(struct trc_queue *q)
{
	if (q->cpu != TRC_CPU_UNKNOWN)
		add_marks(q, INT64_MAX);
}

void trc_queue_end(struct trc_queue *q)
{
	trc_queue_packet_end(q);
	if (!q->next)
		trc_queue_let_out(q);
	q->ended = true;
}
