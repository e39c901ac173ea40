/* SPDX-License-Identifier: MIT */
/*
 * How it works: the reader "ctf" decodes CTF without babeltrace2. The metadata are compiled once: each event
 * class becomes a short plan (trc_plan.c), which skips what the model does not need. Each stream has a window
 * of memory into which parts of its packets are read. So large packets, and files that change while they are
 * read, do no harm.
 *
 * The window begins at a multiple of the largest alignment, counted from the start of the packet. So
 * alignment within the window is alignment within the packet. An event that does not fit into the rest of the
 * window is decoded again after the window has moved.
 *
 * Streams of a kind that it does not understand go to another reader when it opens (trc_reader.c). If the
 * file ends within a packet, the packet is read up to its last whole event.
 */
#include "trace/ctf/trc_ctf.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "trace/ctf/trc_ctf_class.h"
#include "trace/meta/trc_meta_type.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define WINDOW (256 * 1024)
#define WINDOW_MAX (64 * 1024 * 1024) /* for one event */

/* The stream of a queue. */
struct stream {
	const struct trc_stream_file *file; /* weak */
	const struct stream *before;        /* weak: of the file before this one; NULL: none */
	const struct trc_ctf_stream *class; /* weak */
	int fd;                             /* owned; -1: none */
	bool begun;                         /* the file was opened */
	uint64_t next;                      /* offset of the packet to begin next */
	bool in_packet;
	struct trc_packet packet; /* the current one */
	struct trc_bounds bounds; /* of its events */
	int64_t newest;           /* latest begin of a packet of the file */
	uint8_t *window;          /* owned */
	size_t capacity;          /* of the window */
	uint64_t start;           /* of the window, in bytes from the start of the packet */
	struct trc_walk walk;     /* bits within the window */
	bool has_sums;            /* the next three are of the packet before */
	uint64_t discarded, sequence;
	int64_t end;       /* ns; BASE_TIME_NONE: none, or unknown */
	bool astray;       /* the last event header had an impossible time */
	unsigned missing;  /* packets left out or broken off since the last whole one */
	unsigned left_out; /* all packets left out */
	unsigned endless;  /* packets whose end time is impossible */
	uint64_t left_at;  /* byte in the file of the first impossible time */
	bool is_moving;    /* the file of a growing trace was renamed: look again */
};

struct ctf {
	const struct trc_survey *survey; /* weak */
	struct trc_info *info;           /* weak */
	GPtrArray *queues;               /* weak */
	GPtrArray *classes;              /* of struct trc_ctf_stream *, owned */
};

/* ---- the window ---- */

/* Note that the file of Q cannot be read because of WHY (an errno). This is no damage: no index is made. */
static void ctf_fail(struct trc_queue *q, int why)
{
	g_autofree char *path = g_build_filename(q->info->path, q->name, NULL);

	if (!q->info->problem)
		base_error_set_errno(&q->info->problem, why, "cannot read", path);
}

/* Move the window so that it begins at or just before bit AT of the packet. */
static void move_window(struct trc_queue *q, struct stream *s, uint64_t at)
{
	uint64_t bytes = (s->packet.content + 7) / 8, left;
	ssize_t got;

	s->start = at / TRC_ALIGN_MAX * (TRC_ALIGN_MAX / 8);
	left = bytes > s->start ? bytes - s->start : 0;
	got = base_io_read(s->fd, s->window, MIN(left, s->capacity), s->packet.offset + s->start);
	if (got < 0)
		ctf_fail(q, errno);
	s->walk.data = s->window;
	s->walk.at = at - s->start * 8;
	s->walk.limit = MIN((uint64_t)MAX(got, 0) * 8, s->packet.content - s->start * 8);
}

/* Return the place of the walk, in bits from the start of the packet. */
static uint64_t ctf_place(const struct stream *s)
{
	return s->start * 8 + s->walk.at;
}

/*
 * Get more of the packet for the event at bit AT: move the window or, if it already begins there, enlarge it.
 * False if there is no more.
 */
static bool see_more(struct trc_queue *q, struct stream *s, uint64_t at)
{
	uint64_t before = s->start * 8 + s->walk.limit;

	if (before >= s->packet.content)
		return false;
	if (at / TRC_ALIGN_MAX * (TRC_ALIGN_MAX / 8) == s->start) {
		if (s->capacity >= WINDOW_MAX)
			return false;
		s->capacity *= 2;
		s->window = g_realloc(s->window, s->capacity);
	}
	move_window(q, s, at);
	return s->start * 8 + s->walk.limit > before;
}

/* ---- packets ---- */

static void end_stream(struct trc_queue *q)
{
	struct stream *s = q->stream;

	if (s->left_out)
		trc_info_warn(q->info,
			"%s: damaged at byte %" G_GUINT64_FORMAT
			": the time there is impossible: far from those around it: "
			"%u packet%s left out from there on; copy the trace again if the original is whole",
			q->name, s->left_at, s->left_out, base_text_s(s->left_out));
	if (s->endless)
		trc_info_warn(q->info,
			"%s: damaged: the end time of %u packet%s is impossible: taken as unknown; copy the trace again if the "
			"original is whole",
			q->name, s->endless, base_text_s(s->endless));
	s->left_out = s->endless = 0;
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	g_clear_pointer(&s->window, g_free);
	trc_queue_end(q);
}

static int64_t ctf_time_of(const struct stream *s, bool known, uint64_t cycles)
{
	return known ? trc_clock_ns(s->class->clock, cycles) : BASE_TIME_NONE;
}

/* Return T, or the time of the stream's last event if T is unknown. */
static int64_t or_last(const struct trc_queue *q, int64_t t)
{
	return t == BASE_TIME_NONE ? q->last : t;
}

/* Compare the counters of PACKET with those of the packet before. */
static void find_losses(struct trc_queue *q, struct stream *s, const struct trc_packet *packet)
{
	int64_t begin = ctf_time_of(s, packet->has_begin, packet->begin);
	int64_t end = ctf_time_of(s, packet->has_end, packet->end);
	int64_t since = s->end == BASE_TIME_NONE ? begin : s->end;
	/* Earlier packets were overwritten. Some of the lost events may have been lost there. */
	bool starts_late = !s->has_sums && packet->has_sequence && packet->sequence > 0;

	/* The first packet is not number 0, from which packet_seq_num counts. Earlier ones were overwritten
	 * (a flight recorder) or are in another chunk. Other CPUs may begin earlier. */
	if (starts_late && !s->missing && begin != BASE_TIME_NONE && q->info->begin != BASE_TIME_NONE &&
		q->info->begin < begin)
		trc_queue_lost_between(q, q->info->begin, begin, 0);
	if (packet->has_discarded && packet->discarded > (s->has_sums ? s->discarded : 0))
		trc_queue_lost_events(q, or_last(q, since), MAX(or_last(q, since), or_last(q, end)),
			starts_late ? 0 : packet->discarded - s->discarded);
	if (s->file->after_gap && packet->offset == s->file->first.offset)
		trc_queue_lost_packets(q, or_last(q, since), or_last(q, begin), 0);
	if (packet->has_sequence && s->has_sums && packet->sequence > s->sequence + 1)
		trc_queue_lost_packets(q, or_last(q, since), or_last(q, begin),
			packet->sequence - s->sequence - 1);
	else if (s->missing && or_last(q, since) != BASE_TIME_NONE)
		trc_queue_lost_packets(q, or_last(q, since), or_last(q, begin), s->missing);
	s->missing = 0;
	s->has_sums = true;
	s->discarded = packet->discarded;
	s->sequence = packet->sequence;
	s->end = end;
}

/* Open the file. The counters continue those of the file before. False if the file cannot be read. */
static bool begin_file(const struct ctf *c, struct trc_queue *q, struct stream *s)
{
	g_autofree char *path = g_build_filename(c->survey->directory, s->file->file->name, NULL);

	s->fd = base_io_open(path, 0);
	s->is_moving = s->fd < 0 && errno == ENOENT && s->file->open;
	if (s->fd < 0) {
		if (!s->is_moving)
			ctf_fail(q, errno);
		return false;
	}
	s->begun = true;
	s->newest = -BASE_TIME_FARTHEST;
	s->capacity = WINDOW;
	s->window = g_malloc(s->capacity);
	if (s->before) {
		s->has_sums = s->before->has_sums;
		s->discarded = s->before->discarded;
		s->sequence = s->before->sequence;
		s->end = s->before->end;
		s->missing = s->before->missing;
	}
	return true;
}

/* Leave out the rest of the packet, because the time at its byte AT is impossible. */
static void leave_out(struct stream *s, uint64_t at)
{
	if (!s->left_out++)
		s->left_at = s->packet.offset + at;
	s->missing++;
	s->in_packet = false;
}

/* Begin the next packet, or leave it out. False if there is none, or the rest of the file is of no use. */
static bool begin_packet(const struct ctf *c, struct trc_queue *q, struct stream *s)
{
	struct trc_packet *packet = &s->packet;
	const struct trc_packet *last = &s->file->last;
	enum trc_packet_status status;
	bool told_end;

	if (!s->begun && !begin_file(c, q, s))
		return false;
	if (s->next >= last->offset + last->size)
		return false;
	status = trc_survey_packet(c->survey, s->file, s->fd, s->next, packet);
	if (status == TRC_PACKET_UNREAD) {
		ctf_fail(q, errno);
		return false;
	}
	if (status == TRC_PACKET_BAD || !packet->size) {
		trc_info_warn(q->info,
			"%s: it changed while it was read: read up to there only; open it again when the recording has ended",
			q->name);
		trc_queue_lost_rest(q, 0);
		return false;
	}
	s->next += packet->size;
	if (packet->cpu == TRC_CPU_UNKNOWN && !s->class->tells_cpu) {
		trc_info_tell_cpuless(q->info, q->name);
		return false;
	}
	told_end = packet->has_end && packet->end;
	if (!trc_survey_bounds(c->survey, s->class->clock, packet, &s->bounds) ||
		!trc_bounds_follow(packet, s->class->clock, &s->newest)) {
		leave_out(s, 0);
		return true;
	}
	s->endless += told_end && !packet->has_end;
	find_losses(q, s, packet);
	trc_queue_packet_begin(q, packet->cpu, ctf_time_of(s, packet->has_begin, packet->begin));
	trc_queue_packet_place(q, packet->offset, packet->size);
	/* Only LTTng numbers its packets. */
	q->closed = ctf_time_of(s, packet->has_sequence && packet->has_end, packet->end);
	s->in_packet = true;
	trc_packet_walk(packet, &s->walk);
	move_window(q, s, packet->events);
	return true;
}

/* ---- events ---- */

/* Give CPU to EVENT, whose packet has none. Without a CPU (perf's record of a mapping) it has no use. */
static void place_on_cpu(struct trc_queue *q, struct mdl_event *event, uint32_t cpu)
{
	event->cpu = cpu;
	if (cpu == TRC_CPU_UNKNOWN)
		event->kind = MDL_EV_NONE;
	else
		q->info->n_cpus = MAX(q->info->n_cpus, cpu + 1);
}

/* The current event has counters. Of counters of a thread, only a switch says which thread it is. */
static void place_counts(struct stream *s)
{
	const struct mdl_event *e = s->walk.event;
	struct mdl_counts *counts = s->walk.counts;

	counts->leaves = e->kind == MDL_EV_SCHED_SWITCH;
	counts->tid = counts->leaves ? e->arg[MDL_SWITCH_PREV_TID] : -1;
	if (counts->of_thread && !counts->leaves)
		s->walk.event->counts = NULL;
}

/* Read the event at the walk's place into Q. False, and nothing is added, if the event is not whole, makes no
 * sense, or has no size (such events would never end). */
static bool read_event(struct trc_queue *q, struct stream *s)
{
	const struct trc_ctf_event *class;
	int64_t last = q->last, time;
	uint64_t at = s->walk.at;

	s->astray = false;
	if (!trc_ctf_head(s->class, &s->walk))
		return false;
	class = trc_ctf_event_of(s->class, s->walk.id);
	if (!class)
		return false;
	time = trc_ctf_time(s->class, s->walk.clock);
	s->astray = !trc_bounds_hold(&s->bounds, time);
	if (s->astray)
		return false;
	s->walk.event = trc_queue_add(q, time);
	if (class->mapping.kind != MDL_EV_NONE)
		mdl_event_begin(s->walk.event, class->mapping.kind, class->mapping.label);
	s->walk.cpu = TRC_CPU_UNKNOWN;
	if (trc_plan_run(class->plan, &s->walk) && s->walk.at > at) {
		if (s->packet.cpu == TRC_CPU_UNKNOWN)
			place_on_cpu(q, s->walk.event, s->walk.cpu);
		if (G_UNLIKELY(s->walk.event->counts))
			place_counts(s);
		return true;
	}
	trc_queue_drop(q, last);
	return false;
}

/* The file of Q cannot be read further. The rest is a gap up to the begin of the stream's next file. */
static void end_broken(struct trc_queue *q)
{
	struct stream *s = q->stream;

	if (q->next) {
		s->missing++;
		s->end = q->last;
	} else {
		trc_queue_lost_rest(q, 0);
	}
	end_stream(q);
}

/* The packet cannot be read from bit AT on. */
static void end_damaged(struct trc_queue *q, struct stream *s, uint64_t at)
{
	if (s->file->state == TRC_FILE_FINE)
		trc_info_warn(q->info,
			"%s: damaged at byte %" G_GUINT64_FORMAT ": read up to there only; copy the trace "
			"again if the original is whole",
			q->name, (guint64)(s->packet.offset + at / 8));
	end_broken(q);
}

/* The event at bit AT has an impossible time. Later times count on from it, so the rest is left out. */
static void end_astray(struct trc_queue *q, struct stream *s, uint64_t at)
{
	s->end = q->packet.events ? q->last : ctf_time_of(s, s->packet.has_begin, s->packet.begin);
	leave_out(s, at / 8);
	trc_queue_packet_end(q);
}

/* Read the next event of the current packet, or end the packet. */
static void next_event(struct trc_queue *q, struct stream *s)
{
	uint64_t at = ctf_place(s), clock = s->walk.clock;

	if (at >= s->packet.content) {
		s->in_packet = false;
		trc_queue_packet_end(q);
		return;
	}
	while (!read_event(q, s)) {
		if (s->astray) {
			end_astray(q, s, at);
			return;
		}
		s->walk.clock = clock;
		s->walk.at = at - s->start * 8;
		if (!see_more(q, s, at)) {
			end_damaged(q, s, at);
			return;
		}
	}
}

/* True if all of the file was read and it will grow. */
static bool ctf_waits(const struct stream *s)
{
	return s->file->open && s->next >= s->file->last.offset + s->file->last.size;
}

/* All later events of Q come after the end of its last packet. */
static void wait_for_more(const struct ctf *c, struct trc_queue *q, const struct stream *s)
{
	struct trc_packet last = s->file->last;
	struct trc_bounds bounds;

	q->certain = q->last;
	if (trc_survey_bounds(c->survey, s->class->clock, &last, &bounds) && last.has_end && last.end)
		q->certain = MAX(q->certain, ctf_time_of(s, true, last.end));
	if (s->file->certain <= last.end)
		return;
	q->certain = MAX(q->certain, ctf_time_of(s, true, s->file->certain));
	trc_queue_let_out(q); /* the next event is later than all marks */
}

static void ctf_fill(void *source, struct trc_queue *q)
{
	struct stream *s = q->stream;

	while (!q->ended && trc_queue_has_room(q, 1)) {
		if (q->info->problem) {
			end_stream(q);
		} else if (s->in_packet) {
			next_event(q, s);
		} else if (ctf_waits(s)) {
			wait_for_more(source, q, s);
			return;
		} else if (!begin_packet(source, q, s)) {
			if (s->is_moving) {
				q->certain = q->last;
				return;
			}
			if (q->info->problem)
				continue;
			if (s->file->state != TRC_FILE_FINE || (s->missing && !q->next))
				end_broken(q);
			else
				end_stream(q);
		}
	}
}

/* ---- opening ---- */

/* Add a queue for the stream file F, unless its events have no time. */
static void add_queue(struct ctf *c, const struct trc_stream_file *f)
{
	const struct trc_ctf_stream *class = trc_ctf_stream_of(c->classes, f->stream);
	struct trc_queue *q;
	struct stream *s;

	if (!class->clock) {
		trc_info_warn(c->info, "%s: left out: its events have no time; record it with a clock",
			f->file->name);
		return;
	}
	q = trc_queue_new(f->file->name, c->info);
	s = g_new0(struct stream, 1);
	q->stream = s;
	g_ptr_array_add(c->queues, q);
	s->file = f;
	s->next = f->first.offset;
	s->class = class;
	s->fd = -1;
	s->walk.queue = q;
	s->end = BASE_TIME_NONE;
}

/* Set ERROR: the layout of WHAT is unknown. Returns false. */
static bool set_unknown(const struct ctf *c, const char *what, GError **error)
{
	g_autofree char *shown = base_text_clean(what, -1);

	return base_error_false(error, BASE_ERROR_DATA,
		"the layout of %s in %s is not known to the reader \"ctf\": use "
		"the reader \"babeltrace2\"",
		shown, c->survey->directory);
}

/* Let each file, from number FROM on, that continues a stream wait for the file before. */
static void chain_queues(struct ctf *c, unsigned from)
{
	g_autoptr(GHashTable) queues = g_hash_table_new(NULL, NULL);

	for (unsigned i = 0; i < c->queues->len; i++) {
		struct trc_queue *q = g_ptr_array_index(c->queues, i);

		g_hash_table_insert(queues, (gpointer)((struct stream *)q->stream)->file, q);
	}
	for (unsigned i = from; i < c->queues->len; i++) {
		struct trc_queue *q = g_ptr_array_index(c->queues, i);
		struct stream *s = q->stream;
		struct trc_queue *before = s->file->before ? g_hash_table_lookup(queues, s->file->before)
							   : NULL;

		if (before) {
			s->before = before->stream;
			trc_queue_chain(before, q);
		}
	}
}

static void ctf_grow(void *source, const GPtrArray *streams, GPtrArray *queues)
{
	struct ctf *c = source;
	unsigned before = queues->len;

	for (unsigned i = 0; i < streams->len; i++)
		add_queue(c, g_ptr_array_index(streams, i));
	for (unsigned i = 0; i < queues->len; i++) {
		struct trc_queue *q = g_ptr_array_index(queues, i);
		const struct stream *s = q->stream;

		if (strcmp(q->name, s->file->file->name) != 0) {
			g_free(q->name);
			q->name = g_strdup(s->file->file->name);
		}
	}
	chain_queues(c, before);
}

/* Make plans and queues from the survey. */
static bool ctf_set_up(struct ctf *c, const GPtrArray *streams, GPtrArray *rest, GError **error)
{
	const struct trc_survey *survey = c->survey;

	if (!survey->meta) {
		trc_survey_set_metadata_error(survey, error);
		return false;
	}
	if (!survey->layout)
		return set_unknown(c, "packets", error);
	if (!trc_ctf_compile(survey->meta, true, c->classes, error)) {
		g_prefix_error(error, "cannot read %s/metadata: ", survey->metadata_of);
		return false;
	}
	for (unsigned i = 0; i < streams->len; i++) {
		struct trc_stream_file *f = g_ptr_array_index(streams, i);
		const char *unknown = trc_ctf_unknown(c->classes, f);

		if (!unknown)
			add_queue(c, f);
		else if (rest)
			g_ptr_array_add(rest, f);
		else
			return set_unknown(c, unknown, error);
	}
	chain_queues(c, 0);
	return true;
}

static void ctf_free(void *source)
{
	struct ctf *c = source;

	for (unsigned i = 0; i < c->queues->len; i++) {
		struct trc_queue *q = g_ptr_array_index(c->queues, i);
		struct stream *s = q->stream;

		if (s->fd >= 0)
			close(s->fd);
		g_free(s->window);
		g_free(s);
	}
	g_ptr_array_unref(c->classes);
	g_free(c);
}

static void *ctf_open(void *trace, const GPtrArray *streams, GPtrArray *rest, struct trc_info *info,
	GPtrArray *queues, GError **error)
{
	const struct trc_survey *survey = ((const struct trc_ctf_trace *)trace)->survey;
	struct ctf *c = g_new0(struct ctf, 1);

	c->survey = survey;
	c->info = info;
	c->queues = queues;
	c->classes = g_ptr_array_new_with_free_func(trc_ctf_stream_free);
	if (!ctf_set_up(c, streams, rest, error)) {
		ctf_free(c);
		return NULL;
	}
	trc_learn(info, survey->meta);
	return c;
}

const struct trc_source_ops trc_ctf_ops = {
	.name = "ctf",
	.open = ctf_open,
	.fill = ctf_fill,
	.grow = ctf_grow,
	.free = ctf_free,
	.paging = &trc_ctf_paging,
};
