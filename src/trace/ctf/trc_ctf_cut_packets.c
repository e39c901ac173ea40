/* SPDX-License-Identifier: MIT */
/*
 * How it works: each stream file is walked packet by packet. A packet that is left out, or kept whole, is
 * known by its head. In other packets, each run of kept events becomes a packet: the old head with new times,
 * sizes and counters, then the bytes of the events unchanged. An event's header may have only the low bits of
 * its time, counted on from the packet's begin. So a packet that begins in the middle of an old one begins at
 * the time of its first event.
 *
 * A hole between two packets is a jump of packet_seq_num, which every reader takes for lost packets. Without
 * such numbers there are no early ranges.
 */
#include "trace/ctf/trc_ctf_cut.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_out.h"
#include "base/base_text.h"
#include "trace/meta/trc_meta_type.h"

#include <string.h>
#include <unistd.h>

#define PACKET_MAX (INT64_C(1) << 30) /* bytes; a larger packet is not cut */

/* A file that is read. */
struct source {
	const struct trc_stream_file *f;
	const struct trc_ctf_stream *class;
	int fd;
	struct trc_packet packet;
	struct trc_bounds bounds;
	bool has_before; /* the next three are of the packet before */
	uint64_t discarded, sequence;
	uint64_t end;                       /* cycles; 0: unknown */
	uint64_t lost;                      /* events lost since, not yet in a written packet */
	bool gap;                           /* packets were lost since, too */
	bool behind;                        /* the end of the window was reached without damage */
	const struct trc_cut_range *ranges; /* N_RANGES of its CPU */
	guint n_ranges;                     /* … so many */
	struct trc_cut_range any;           /* the range, if packets have no CPU */
	const struct trc_cut_range *thin;   /* N_THIN, in which events of its CPU are thinned */
	guint n_thin;                       /* … so many */
};

static bool ctf_cut_unread(const struct trc_ctf_cutter *c, const struct source *s, GError **error)
{
	int why = errno;
	g_autofree char *path = g_build_filename(c->survey->directory, s->f->file->name, NULL);

	return base_error_false_errno(error, why, "cannot read", path);
}

/* ---- packets that are written ---- */

/* Set the number with ROLE in the packet head at HEAD, if the layout has one in whole bytes. */
static void set_number(const struct trc_ctf_cutter *c, const struct source *s, uint8_t *head,
	enum trc_role role, uint64_t value)
{
	uint64_t at;
	const struct trc_type *type = trc_packet_field(c->survey->layout, s->class->source, role, &at);

	if (type && at % 8 == 0 && type->bits % 8 == 0)
		trc_bits_write(head, at, (unsigned)type->bits, type->big_endian, value);
}

/* Return the bit of the packet at which its first event can begin. */
static uint64_t first_bit(const struct source *s)
{
	const struct trc_type *header = s->class->source->event_header;

	return trc_align(s->packet.events, header ? header->align : 1);
}

/* Replace the names in the packet in BYTES. Its events are in the bits [AT, END), and their times count on
 * from BEGIN (cycles). False if not all names can be found. */
static bool hide_names(struct trc_ctf_cutter *c, const struct source *s, uint8_t *bytes, uint64_t at,
	uint64_t end, uint64_t begin)
{
	struct trc_walk w = { .data = bytes, .at = at, .limit = end, .clock = begin };

	while (w.at < w.limit) {
		const struct trc_ctf_event *e = trc_ctf_head(s->class, &w) ? trc_ctf_event_of(s->class, w.id)
									   : NULL;
		struct trc_cut_hiding hiding = { c->cut->names, e ? e->source->name : NULL };
		uint64_t fields = w.at;

		if (!e || !trc_plan_run(e->plan, &w) ||
			!trc_text_visit(c->text, s->class->source, e->source, bytes, fields, w.at,
				&(struct trc_text_around){ s->class->around, w.known, w.registers },
				trc_cut_hide_field, &hiding))
			return false;
	}
	return true;
}

/* Write the events in the bits [FROM, TO) of C->packet as a packet with the times BEGIN to END (cycles). */
static bool put_packet(struct trc_ctf_cutter *c, struct source *s, struct trc_ctf_target *t, uint64_t from,
	uint64_t to, uint64_t begin, uint64_t end, GError **error)
{
	uint64_t first = first_bit(s), content = to > from ? first + (to - from) : s->packet.events,
		 size = (content + 7) / 8;
	g_autoptr(GByteArray) made = g_byte_array_new();
	uint8_t *bytes;

	g_byte_array_set_size(made, (guint)size + 8);
	bytes = made->data;
	memset(bytes, 0, size + 8);
	memcpy(bytes, c->packet, (s->packet.events + 7) / 8);
	if (to > from)
		memcpy(bytes + first / 8, c->packet + from / 8, (to - from + 7) / 8);
	t->sequence += t->any ? 1 : 0;
	t->sequence += t->hole ? 1 : 0;
	/* Losses count in the window only; early events have holes around them anyway. */
	if (s->n_ranges > 0 && trc_ctf_time(s->class, end) >= s->ranges[s->n_ranges - 1].from) {
		t->discarded += s->lost;
		s->lost = 0;
		s->gap = false;
	}
	set_number(c, s, bytes, TRC_ROLE_TIME, begin);
	set_number(c, s, bytes, TRC_ROLE_END, end);
	set_number(c, s, bytes, TRC_ROLE_CONTENT, content);
	set_number(c, s, bytes, TRC_ROLE_SIZE, size * 8);
	set_number(c, s, bytes, TRC_ROLE_SEQUENCE, t->sequence);
	set_number(c, s, bytes, TRC_ROLE_DISCARDED, t->discarded);
	c->any |= to > from;
	t->any = true;
	t->hole = false;
	if (c->cut->names && to > from && !hide_names(c, s, bytes, first, content, begin)) {
		g_autofree char *shown = base_text_clean(s->f->file->name, -1);

		return base_error_false(error, BASE_ERROR_DATA,
			"%s: damaged in the packet at byte %" G_GUINT64_FORMAT
			": not all names in it can be found: cut it without --anonymous",
			shown, s->packet.offset);
	}
	return base_out_write(t->fd, bytes, size, t->path, error);
}

/* ---- packets that are read ---- */

/* Read the whole packet into C->packet. */
static bool get_packet(struct trc_ctf_cutter *c, const struct source *s, GError **error)
{
	uint64_t size = s->packet.size;
	ssize_t got;

	if (size > PACKET_MAX) {
		g_autofree char *shown = base_text_clean(s->f->file->name, -1);

		return base_error_false(error, BASE_ERROR_DATA,
			"%s: the packet at byte %" G_GUINT64_FORMAT " is too large to be cut", shown,
			s->packet.offset);
	}
	if (size + 8 > c->capacity) {
		g_free(c->packet);
		c->capacity = size + size / 4 + 8;
		c->packet = g_malloc(c->capacity);
	}
	got = base_io_read(s->fd, c->packet, size, s->packet.offset);
	if (got < 0)
		return ctf_cut_unread(c, s, error);
	memset(c->packet + got, 0, c->capacity - (uint64_t)got);
	return true;
}

static bool is_dump(const struct trc_ctf_event *e)
{
	return g_str_has_prefix(e->source->name, "lttng_statedump_");
}

static bool is_kept(const struct trc_ctf_cutter *c, const struct source *s, const struct trc_ctf_event *e,
	int64_t time)
{
	return trc_cut_has(s->ranges, s->n_ranges, time) ||
		(time <= c->cut->dumped && s->packet.has_sequence && is_dump(e));
}

/* Read the event at W and move W to its end. Return its class; NULL on damage. */
static const struct trc_ctf_event *read_event(const struct source *s, struct trc_walk *w, int64_t *time)
{
	const struct trc_ctf_event *e;
	uint64_t at = w->at;

	if (!trc_ctf_head(s->class, w))
		return NULL;
	e = trc_ctf_event_of(s->class, w->id);
	*time = trc_ctf_time(s->class, w->clock);
	return e && trc_bounds_hold(&s->bounds, *time) && trc_plan_run(e->plan, w) && w->at > at ? e : NULL;
}

/* Return the end of the window, or of the packet if that is earlier, in cycles; at least LOW. */
static uint64_t end_within(const struct trc_ctf_cutter *c, const struct source *s, uint64_t low)
{
	uint64_t high = MAX(low, s->packet.end);

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (trc_ctf_time(s->class, middle) < c->cut->mark.to)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* True if E, a kept event, is thinned out. */
static bool is_thinned(const struct trc_ctf_cutter *c, const struct source *s, const struct trc_ctf_event *e,
	int64_t time)
{
	return trc_cut_has(s->thin, s->n_thin, time) && trc_cut_may_thin(c->cut, e->source->name);
}

/* True if the event at AT has the time CLOCK even if it follows the event at LAST: its header may have only
 * the low bits of the time. */
static bool counts_on(const struct source *s, const struct trc_walk *before, uint64_t at, uint64_t last,
	uint64_t clock)
{
	struct trc_walk w = *before;

	w.at = at;
	w.clock = last;
	return trc_ctf_head(s->class, &w) && w.clock == clock;
}

/* Kept events of the current packet, one after the other. If some between them are thinned out, the later
 * ones are moved within C->packet to the end of the earlier ones. */
struct run {
	bool open;
	uint64_t from, to; /* bits */
	uint64_t begin;    /* cycles: time of the packet before its first event */
	uint64_t last;     /* cycles: time of its last event */
	bool thinned;      /* events were left out after its last one */
	bool moved;        /* the next event has to be moved */
};

/* Append the event in the bits [AT, END), at CLOCK, to RUN. */
static void run_add(struct trc_ctf_cutter *c, struct run *run, uint64_t at, uint64_t end, uint64_t clock)
{
	uint64_t to = at;

	run->moved |= run->thinned;
	if (run->moved) {
		to = trc_align(run->to, 8);
		memmove(c->packet + to / 8, c->packet + at / 8, (end - at + 7) / 8);
	}
	run->to = to + (end - at);
	run->last = clock;
	run->thinned = false;
}

/* Write the kept part of the packet. Set *DAMAGED if the packet cannot be read to its end. */
static bool cut_packet(struct trc_ctf_cutter *c, struct source *s, struct trc_ctf_target *t, bool *damaged,
	GError **error)
{
	uint64_t begin = s->packet.has_begin ? s->packet.begin : 0, last = begin, end = 0;
	struct trc_walk w = { .data = c->packet,
		.at = s->packet.events,
		.limit = s->packet.content,
		.clock = begin };
	const struct trc_type *header = s->class->source->event_header;
	struct run run = { .open = false };
	bool is_first = true;

	while (w.at < w.limit) {
		uint64_t at = trc_align(w.at, header ? header->align : 1);
		int64_t time;
		const struct trc_ctf_event *e = read_event(s, &w, &time);

		if (!e)
			break;
		s->behind |= time >= c->cut->mark.to;
		end = w.at;
		if (!is_kept(c, s, e, time)) {
			if (run.open &&
				!put_packet(c, s, t, run.from, run.to, run.begin,
					time < c->cut->mark.to ? last : end_within(c, s, last), error))
				return false;
			run.open = false;
			t->hole = true;
		} else if (is_thinned(c, s, e, time)) {
			run.thinned = true;
		} else { /* it may need a packet of its own for its time */
			if (run.open && run.thinned && !counts_on(s, &w, at, run.last, w.clock)) {
				if (!put_packet(c, s, t, run.from, run.to, run.begin, run.last, error))
					return false;
				run.open = false;
			}
			if (!run.open)
				run = (struct run){ true, at, at, is_first ? begin : w.clock, last, false,
					false };
			run_add(c, &run, at, w.at, w.clock);
		}
		is_first = false;
		last = w.clock;
	}
	*damaged = s->packet.events < s->packet.content && (w.at < w.limit || end < s->packet.content);
	if (run.open && !*damaged && s->packet.has_end)
		last = end_within(c, s, last);
	return !run.open || put_packet(c, s, t, run.from, run.to, run.begin, last, error);
}

/* Note from the packet's counters what was lost since the packet before. */
static void count_losses(struct source *s, struct trc_ctf_target *t)
{
	if (s->packet.has_discarded && s->packet.discarded > s->discarded)
		s->lost = s->packet.discarded - s->discarded;
	s->gap = s->packet.has_sequence && s->packet.sequence > (s->has_before ? s->sequence + 1 : 0);
	t->hole |= s->gap;
	s->discarded = s->packet.discarded;
	s->sequence = s->packet.sequence;
	s->has_before = true;
}

/* Set *BEGIN and *END to the times of the packet, ns. False and 0 if they are unknown. */
static bool times_of(const struct source *s, int64_t *begin, int64_t *end)
{
	*begin = *end = 0;
	if (!s->packet.has_begin || !s->packet.has_end || s->packet.end < s->packet.begin)
		return false;
	*begin = trc_ctf_time(s->class, s->packet.begin);
	*end = trc_ctf_time(s->class, s->packet.end);
	return true;
}

/* Choose the ranges to which S is cut, for the CPU of its packet. */
static void choose_ranges(const struct trc_ctf_cutter *c, struct source *s)
{
	s->any = (struct trc_cut_range){ .from = c->cut->mark.whole, .to = c->cut->mark.to - 1 };
	s->ranges = &s->any;
	s->n_ranges = 1;
	s->n_thin = 0;
	if (s->packet.cpu == TRC_CPU_UNKNOWN)
		return;
	if (!c->whole_packets && s->class->source->event_header && s->class->source->event_header->align == 8)
		s->thin = trc_cut_thin_of_cpu(c->cut, s->packet.cpu, &s->n_thin);
	s->ranges = trc_cut_of_cpu(c->cut, s->packet.cpu, &s->n_ranges);
	if (s->n_ranges > 1 && (!s->packet.has_sequence || c->whole_packets)) {
		s->ranges += s->n_ranges - 1;
		s->n_ranges = 1;
	}
}

/* Write the kept part of S->packet. *DAMAGED as in cut_packet(). */
static bool use_packet(struct trc_ctf_cutter *c, struct source *s, struct trc_ctf_target *t, bool *damaged,
	GError **error)
{
	const struct trc_cut_range *r;
	int64_t begin, end;
	bool has_times = times_of(s, &begin, &end);

	choose_ranges(c, s);
	r = has_times ? trc_cut_at(s->ranges, s->n_ranges, begin - TRC_BOUNDS_SLACK) : NULL;
	/* An event may lie a little outside its packet's times. */
	if (has_times && (!r || r->from > end + TRC_BOUNDS_SLACK) &&
		begin - TRC_BOUNDS_SLACK > c->cut->dumped) {
		t->hole = true;
		return true;
	}
	if (!get_packet(c, s, error))
		return false;
	r = has_times ? trc_cut_at(s->ranges, s->n_ranges, end) : NULL;
	if (r && r->from <= (c->whole_packets ? end : begin) && s->n_thin == 0)
		return put_packet(c, s, t, first_bit(s), MAX(first_bit(s), s->packet.content),
			s->packet.begin, s->packet.end, error);
	return c->whole_packets || cut_packet(c, s, t, damaged, error);
}

/* Write a packet without events, with the head of S->packet. */
static bool put_empty(struct trc_ctf_cutter *c, struct source *s, struct trc_ctf_target *t, uint64_t begin,
	uint64_t end, GError **error)
{
	return get_packet(c, s, error) && put_packet(c, s, t, 0, 0, begin, end, error);
}

/* Events lost since the packet before are lost in the window, too. If no kept packet counts them, write a
 * packet without events that does. */
static bool put_losses(struct trc_ctf_cutter *c, struct source *s, struct trc_ctf_target *t, GError **error)
{
	const struct trc_cut_range *r = s->n_ranges > 0 ? &s->ranges[s->n_ranges - 1] : NULL;
	uint64_t at;

	if ((s->lost == 0 && !s->gap) || !r || (s->end > 0 && trc_ctf_time(s->class, s->end) > r->to) ||
		(s->packet.has_end && trc_ctf_time(s->class, s->packet.end) < r->from))
		return true;
	at = end_within(c, s, MIN(s->end > 0 ? s->end : s->packet.begin, s->packet.end));
	return put_empty(c, s, t, at, at, error);
}

/* The rest of the stream is damaged: write a packet without events that counts a loss. */
static bool put_rest(struct trc_ctf_cutter *c, struct source *s, struct trc_ctf_target *t, GError **error)
{
	uint64_t end = end_within(c, s, s->packet.begin);

	s->lost++;
	return put_empty(c, s, t, end, end, error);
}

/* Write a packet without events for an idle CPU. Without its file the CPU would seem to be missing. */
static bool put_silence(struct trc_ctf_cutter *c, struct source *s, struct trc_ctf_target *t, GError **error)
{
	t->hole = false;
	s->lost = 0;
	return put_empty(c, s, t, s->packet.begin, s->packet.end, error);
}

/* True if the window ends at or before the end of the packet. IS_WHOLE: the packet has no damage. */
static bool reaches_behind(const struct trc_ctf_cutter *c, const struct source *s, bool is_whole)
{
	const struct trc_packet *p = &s->packet;

	return (p->has_begin && trc_ctf_time(s->class, p->begin) >= c->cut->mark.to) ||
		(is_whole && p->has_end && trc_ctf_time(s->class, p->end) >= c->cut->mark.to);
}

static bool cut_source(struct trc_ctf_cutter *c, struct source *s, struct trc_ctf_target *t, GError **error)
{
	uint64_t at = s->f->first.offset, stop = s->f->last.offset + s->f->last.size;
	bool damaged = false;

	while (at < stop && !damaged) {
		struct trc_packet packet;
		enum trc_packet_status status = trc_survey_packet(c->survey, s->f, s->fd, at, &packet);

		if (!trc_cut_goes_on(c->cut, error))
			return false;
		if (status == TRC_PACKET_UNREAD)
			return ctf_cut_unread(c, s, error);
		if (status == TRC_PACKET_BAD || packet.size == 0) {
			if (at == s->f->first.offset) /* it changed after the survey */
				return true;
			damaged = true;
			break;
		}
		s->packet = packet;
		at += packet.size;
		if (!trc_survey_bounds(c->survey, s->class->clock, &s->packet, &s->bounds)) {
			t->hole = true;
			continue;
		}
		count_losses(s, t);
		if (!use_packet(c, s, t, &damaged, error) || !put_losses(c, s, t, error))
			return false;
		s->lost = 0;
		s->end = s->packet.has_end ? s->packet.end : 0;
		s->behind |= reaches_behind(c, s, !damaged && status == TRC_PACKET_FINE);
	}
	if (!s->behind && (damaged || s->f->state == TRC_FILE_CUT || s->f->state == TRC_FILE_TAIL))
		return put_rest(c, s, t, error);
	return t->any || put_silence(c, s, t, error);
}

bool trc_ctf_cut_packets(struct trc_ctf_cutter *c, const struct trc_stream_file *f,
	const struct trc_ctf_stream *class, struct trc_ctf_target *t, GError **error)
{
	g_autofree char *path = g_build_filename(c->survey->directory, f->file->name, NULL);
	struct source s = { .f = f, .class = class };
	bool fine;

	if (f->before) { /* its counters continue */
		s.has_before = true;
		s.discarded = f->before->last.discarded;
		s.sequence = f->before->last.sequence;
	}
	t->hole |= f->after_gap;
	s.fd = base_io_open(path, 0);
	if (s.fd < 0)
		return base_error_false_errno(error, errno, "cannot read", path);
	fine = cut_source(c, &s, t, error);
	close(s.fd);
	return fine;
}
