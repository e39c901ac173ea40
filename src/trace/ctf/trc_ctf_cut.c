/* SPDX-License-Identifier: MIT */
/*
 * A window of a CTF trace as a CTF trace of its own.
 *
 * How it works: each stream file is gone over packet by packet, by their heads alone where a packet is left out or
 * kept whole.  Of other packets each run of events that are kept becomes a packet: the head of the old one with
 * its times, sizes and counters set anew, and the bytes of the events as they are.  The time in an event's
 * header may be only the low bits of the clock, counted on from the packet's begin; so a packet that begins
 * in the middle of an old one begins at the time of its first event.
 *
 * A hole between two packets is a jump of packet_seq_num, which every reader takes for lost packets.  Where packets
 * have no such number, there are no early ranges.
 *
 * The metadata is that of the trace, as plain text, with the mark among the values of env.
 */
#include "trace/ctf/trc_ctf.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_out.h"
#include "base/base_place.h"
#include "base/base_scratch.h"
#include "base/base_text.h"
#include "trace/ctf/trc_ctf_class.h"
#include "trace/meta/trc_meta_type.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PACKET_MAX (INT64_C(1) << 30) /* bytes; a larger packet is not cut */

/* A file that is written. */
struct target {
	int fd;
	char *path;         /* owned */
	uint64_t sequence;  /* of the packet before; 0: there is none, or it was the first of the stream */
	uint64_t discarded; /* events, by the packet before */
	bool any;           /* it has a packet */
	bool hole;          /* events were left out since */
};

struct cutter {
	struct trc_cut *cut;             /* weak */
	const struct trc_survey *survey; /* weak */
	GPtrArray *classes;              /* owned, of struct trc_ctf_stream * */
	GHashTable *targets;   /* owned: struct trc_stream_file * → struct target *, the latter owned by: */
	GPtrArray *all;        /* owned, of struct target * */
	char *folder;          /* owned: the unfinished folder */
	struct trc_text *text; /* owned: finds names that are replaced */
	bool any;              /* a packet with events was written */
	bool whole_packets;    /* alignments allow no new packets */
	uint8_t *packet;       /* owned: room for a packet, of this size: */
	uint64_t capacity;
};

/* A file that is read. */
struct source {
	const struct trc_stream_file *f;
	const struct trc_ctf_stream *class;
	int fd;
	struct trc_packet packet;
	struct trc_bounds bounds;
	bool has_before; /* of the packet before: */
	uint64_t discarded, sequence;
	uint64_t end;                       /* cycles; 0: unknown */
	uint64_t lost;                      /* events since, which no packet has told yet */
	bool gap;                           /* likewise for packets */
	bool behind;                        /* what is behind the window was reached without damage */
	const struct trc_cut_range *ranges; /* of its CPU … */
	guint n_ranges;                     /* … so many */
	struct trc_cut_range any;           /* where packets do not tell the CPU */
	const struct trc_cut_range *thin;   /* where events of its CPU are thinned … */
	guint n_thin;                       /* … so many */
};

static void target_free(gpointer data)
{
	struct target *t = data;

	if (t->fd >= 0)
		close(t->fd);
	g_free(t->path);
	g_free(t);
}

static bool ctf_cut_unread(const struct cutter *c, const struct source *s, GError **error)
{
	int why = errno;
	g_autofree char *path = g_build_filename(c->survey->directory, s->f->file->name, NULL);

	return base_error_false_errno(error, why, "cannot read", path);
}

/* ---- packets that are written ---- */

/* Set the number with ROLE in the packet's head at HEAD, if it has it. */
static void set_number(const struct cutter *c, const struct source *s, uint8_t *head, enum trc_role role,
	uint64_t value)
{
	uint64_t at;
	const struct trc_type *type = trc_packet_field(c->survey->layout, s->class->source, role, &at);

	if (type && at % 8 == 0 && type->bits % 8 == 0)
		trc_bits_write(head, at, (unsigned)type->bits, type->big_endian, value);
}

/* Bit of a packet at which its first event can begin. */
static uint64_t first_bit(const struct source *s)
{
	const struct trc_type *header = s->class->source->event_header;

	return trc_align(s->packet.events, header ? header->align : 1);
}

/* Replace the names in the packet in BYTES, whose events are in the bits [AT, END) and count on from BEGIN (cycles).
 * False if they cannot all be found. */
static bool hide_names(struct cutter *c, const struct source *s, uint8_t *bytes, uint64_t at, uint64_t end,
	uint64_t begin)
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

/* Write the events in the bits [FROM, TO) of the packet in C->packet, with times from BEGIN to END (cycles).
 */
static bool put_packet(struct cutter *c, struct source *s, struct target *t, uint64_t from, uint64_t to,
	uint64_t begin, uint64_t end, GError **error)
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
	/* Early events are in holes anyway. */
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

/* All of the packet goes to C->packet. */
static bool get_packet(struct cutter *c, const struct source *s, GError **error)
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

static bool is_kept(const struct cutter *c, const struct source *s, const struct trc_ctf_event *e,
	int64_t time)
{
	return trc_cut_has(s->ranges, s->n_ranges, time) ||
		(time <= c->cut->dumped && s->packet.has_sequence && is_dump(e));
}

/* Read the event at W, which ends behind it: its class; NULL: damage. */
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

/* The end of the window in cycles, between LOW and the end of the packet. */
static uint64_t end_within(const struct cutter *c, const struct source *s, uint64_t low)
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

/* True if E, which is kept, is thinned out. */
static bool is_thinned(const struct cutter *c, const struct source *s, const struct trc_ctf_event *e,
	int64_t time)
{
	return trc_cut_has(s->thin, s->n_thin, time) && trc_cut_may_thin(c->cut, e->source->name);
}

/* True if the event that begins at AT has the time CLOCK also if the event before it is the one at LAST: its
 * header may have the low bits of its time alone. */
static bool counts_on(const struct source *s, const struct trc_walk *before, uint64_t at, uint64_t last,
	uint64_t clock)
{
	struct trc_walk w = *before;

	w.at = at;
	w.clock = last;
	return trc_ctf_head(s->class, &w) && w.clock == clock;
}

/* Events of the packet at hand that are kept in a row.  Where some between them are thinned out, those behind are
 * moved to the end of those before, in the packet itself. */
struct run {
	bool open;
	uint64_t from, to; /* bits */
	uint64_t begin;    /* cycles: from when on its times count … */
	uint64_t last;     /* … and that of its last event */
	bool thinned;      /* events were left out behind its last one … */
	bool moved;        /* … or before */
};

/* Put the event in the bits [AT, END), at CLOCK, into RUN. */
static void run_add(struct cutter *c, struct run *run, uint64_t at, uint64_t end, uint64_t clock)
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

/* Write what is kept of the packet.  *DAMAGED: it cannot be read to its end. */
static bool cut_packet(struct cutter *c, struct source *s, struct target *t, bool *damaged, GError **error)
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
		} else { /* it may need a new packet for its time */
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

/* Take over from the packet's counters what was lost since the packet before. */
static void count_losses(struct source *s, struct target *t)
{
	if (s->packet.has_discarded && s->packet.discarded > s->discarded)
		s->lost = s->packet.discarded - s->discarded;
	s->gap = s->packet.has_sequence && s->packet.sequence > (s->has_before ? s->sequence + 1 : 0);
	t->hole |= s->gap;
	s->discarded = s->packet.discarded;
	s->sequence = s->packet.sequence;
	s->has_before = true;
}

/* The times of the packet, in ns; false: they are unknown, and 0 here. */
static bool times_of(const struct source *s, int64_t *begin, int64_t *end)
{
	*begin = *end = 0;
	if (!s->packet.has_begin || !s->packet.has_end || s->packet.end < s->packet.begin)
		return false;
	*begin = trc_ctf_time(s->class, s->packet.begin);
	*end = trc_ctf_time(s->class, s->packet.end);
	return true;
}

/* The ranges that S is cut to, of the CPU of its packet. */
static void choose_ranges(const struct cutter *c, struct source *s)
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

/* Write what is kept of the packet in S->packet.  *DAMAGED as cut_packet(). */
static bool use_packet(struct cutter *c, struct source *s, struct target *t, bool *damaged, GError **error)
{
	const struct trc_cut_range *r;
	int64_t begin, end;
	bool has_times = times_of(s, &begin, &end);

	choose_ranges(c, s);
	r = has_times ? trc_cut_at(s->ranges, s->n_ranges, begin - TRC_BOUNDS_SLACK) : NULL;
	/* An event may be a little outside of its packet's times. */
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

/* Write a packet without events, with the head of the one in S->packet. */
static bool put_empty(struct cutter *c, struct source *s, struct target *t, uint64_t begin, uint64_t end,
	GError **error)
{
	return get_packet(c, s, error) && put_packet(c, s, t, 0, 0, begin, end, error);
}

/* Events that were lost since the packet before are lost in the window, too.  If no packet that is kept tells of them,
 * a packet without events does. */
static bool put_losses(struct cutter *c, struct source *s, struct target *t, GError **error)
{
	const struct trc_cut_range *r = s->n_ranges > 0 ? &s->ranges[s->n_ranges - 1] : NULL;
	uint64_t at;

	if ((s->lost == 0 && !s->gap) || !r || (s->end > 0 && trc_ctf_time(s->class, s->end) > r->to) ||
		(s->packet.has_end && trc_ctf_time(s->class, s->packet.end) < r->from))
		return true;
	at = end_within(c, s, MIN(s->end > 0 ? s->end : s->packet.begin, s->packet.end));
	return put_empty(c, s, t, at, at, error);
}

/* The rest of the stream is damaged: a packet without events tells that more were lost. */
static bool put_rest(struct cutter *c, struct source *s, struct target *t, GError **error)
{
	uint64_t end = end_within(c, s, s->packet.begin);

	s->lost++;
	return put_empty(c, s, t, end, end, error);
}

/* A CPU without events gets a packet without events: without its file it would seem to be missing. */
static bool put_silence(struct cutter *c, struct source *s, struct target *t, GError **error)
{
	t->hole = false;
	s->lost = 0;
	return put_empty(c, s, t, s->packet.begin, s->packet.end, error);
}

/* True if nothing of the window comes after the packet; IS_WHOLE: it has no damage. */
static bool reaches_behind(const struct cutter *c, const struct source *s, bool is_whole)
{
	const struct trc_packet *p = &s->packet;

	return (p->has_begin && trc_ctf_time(s->class, p->begin) >= c->cut->mark.to) ||
		(is_whole && p->has_end && trc_ctf_time(s->class, p->end) >= c->cut->mark.to);
}

static bool cut_packets(struct cutter *c, struct source *s, struct target *t, GError **error)
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
			if (at == s->f->first.offset) /* it has changed since the survey */
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

/* ---- files ---- */

/* The file for F: that of the one which F continues, or a new one. */
static struct target *target_of(struct cutter *c, const struct trc_stream_file *f, GError **error)
{
	struct target *t = f->before ? g_hash_table_lookup(c->targets, f->before) : NULL;
	g_autofree char *name = g_strdelimit(g_strdup(f->file->name), "/", '-');

	if (!t) {
		t = g_new0(struct target, 1);
		t->path = g_build_filename(c->folder, name, NULL);
		t->fd = base_place_write(t->path, O_TRUNC, 0600);
		g_ptr_array_add(c->all, t);
		if (t->fd < 0)
			return base_error_null_errno(error, errno, "cannot write", t->path);
	}
	g_hash_table_insert(c->targets, (gpointer)(uintptr_t)f, t);
	return t;
}

static bool cut_file(struct cutter *c, const struct trc_stream_file *f, GError **error)
{
	g_autofree char *path = g_build_filename(c->survey->directory, f->file->name, NULL);
	struct source s = { .f = f, .class = trc_ctf_stream_of(c->classes, f->stream) };
	struct target *t;
	bool fine;

	if (f->state == TRC_FILE_UNUSABLE || f->n_packets == 0)
		return true;
	if (f->state == TRC_FILE_FOREIGN || trc_ctf_unknown(c->classes, f) || !s.class->clock) {
		g_autofree char *shown = base_text_clean(f->file->name, -1);

		return base_error_false(error, BASE_ERROR_USAGE,
			"%s: only babeltrace2 can read its packets: cut the trace with babeltrace2 --begin --end",
			shown);
	}
	t = target_of(c, f, error);
	if (!t)
		return false;
	if (f->before) { /* its counters go on */
		s.has_before = true;
		s.discarded = f->before->last.discarded;
		s.sequence = f->before->last.sequence;
	}
	t->hole |= f->after_gap;
	s.fd = base_io_open(path, 0);
	if (s.fd < 0)
		return base_error_false_errno(error, errno, "cannot read", path);
	fine = cut_packets(c, &s, t, error);
	close(s.fd);
	return fine;
}

/* Remove the files without packets; sync the others. */
static bool end_files(struct cutter *c, GError **error)
{
	for (guint i = 0; i < c->all->len; i++) {
		struct target *t = g_ptr_array_index(c->all, i);

		if (!t->any)
			unlink(t->path);
		else if (BASE_IO_AGAIN(fsync(t->fd)) != 0)
			return base_error_false_errno(error, errno, "cannot write", t->path);
	}
	return true;
}

/* ---- the metadata ---- */

/* Take the value NAME out of TEXT. */
static void remove_value(GString *text, const char *name)
{
	char *at = strstr(text->str, name), *end = at ? strstr(at, "\";") : NULL;

	if (end)
		g_string_erase(text, at - text->str, end + 2 - at);
}

/* Replace the value that stands behind WORDS in TEXT. */
static void hide_value(const struct cutter *c, GString *text, const char *words)
{
	char *at = strstr(text->str, words), *end = at ? strchr(at + strlen(words), '"') : NULL;

	if (end)
		trc_cut_hide(c->cut->names, at + strlen(words), (size_t)(end - at) - strlen(words));
}

static bool put_metadata(const struct cutter *c, GError **error)
{
	static const char *const named[] = { "\thostname = \"", "\thost = \"", "\tprocname = \"",
		"\ttrace_name = \"" };
	g_autofree char *path = g_build_filename(c->folder, "metadata", NULL),
			*mark = trc_cut_mark_text(&c->cut->mark),
			*line = g_strdup_printf("\n\t" TRC_CUT_NAME " = \"%s\";", mark);
	GBytes *old = trc_files_metadata(c->survey->metadata_of, error);
	GString *text = old ? trc_meta_text(g_bytes_get_data(old, NULL), g_bytes_get_size(old), error) : NULL;
	const char *env;
	bool fine;
	int why;

	if (old)
		g_bytes_unref(old);
	if (!text)
		return false;
	remove_value(text, TRC_CUT_NAME " = \"");
	for (unsigned i = 0; c->cut->names && i < G_N_ELEMENTS(named); i++)
		hide_value(c, text, named[i]);
	env = strstr(text->str, "\nenv {");
	if (env)
		g_string_insert(text, env + strlen("\nenv {") - text->str, line);
	else
		g_string_append_printf(text, "\nenv {%s\n};\n", line);
	if (!g_str_has_prefix(text->str, "/* CTF 1.8"))
		g_string_prepend(text, "/* CTF 1.8 */\n");
	fine = base_scratch_write(path, text->str, text->len) == 0;
	why = errno;
	g_string_free(text, TRUE);
	return fine || base_error_false_errno(error, why, "cannot write", path);
}

/* ---- all of it ---- */

static uint32_t most_aligned(const struct trc_meta *t)
{
	uint32_t most = 1;

	for (guint i = 0; i < t->types->len; i++)
		most = MAX(most, ((const struct trc_type *)g_ptr_array_index(t->types, i))->align);
	return most;
}

static bool cut_all(struct cutter *c, GError **error)
{
	if (!strcmp(c->survey->meta->format, "ctf 2"))
		return base_error_false(error, BASE_ERROR_USAGE,
			"%s: wakepath writes no metadata of CTF 2: record with lttng create --trace-format=ctf-1.8 to cut it",
			c->survey->metadata_of);
	if (!trc_ctf_compile(c->survey->meta, false, c->classes, error))
		return false;
	c->whole_packets = most_aligned(c->survey->meta) != 8;
	for (guint i = 0; i < c->survey->streams->len; i++)
		if (!cut_file(c, g_ptr_array_index(c->survey->streams, i), error))
			return false;
	if (!c->any)
		return trc_cut_nothing(c->cut, error);
	return end_files(c, error) && put_metadata(c, error);
}

static bool cut_to_folder(struct cutter *c, GError **error)
{
	g_autofree char *prefix = g_strconcat(c->cut->path, ".", NULL);
	int why = base_scratch_folder_at(prefix, &c->folder) == 0 ? 0 : errno;
	bool fine;

	if (why != 0)
		return base_error_false_errno(error, why, "cannot make the folder", c->cut->path);
	fine = cut_all(c, error);
	if (fine && base_scratch_publish_folder(c->folder, c->cut->path) != 0)
		fine = base_error_false_errno(error, errno, "cannot make the folder", c->cut->path);
	if (!fine)
		base_scratch_remove(c->folder);
	return fine;
}

bool trc_ctf_cut(char *const *folders, struct trc_cut *cut, GError **error)
{
	struct trc_info *info = trc_info_new(folders[0]);
	struct trc_survey *survey = trc_survey_new(folders, info, error);
	struct cutter c = { .cut = cut, .survey = survey };
	bool fine = survey;

	if (fine && !survey->layout) {
		trc_survey_set_metadata_error(survey, error);
		fine = false;
	}
	if (fine) {
		trc_learn(info, survey->meta);
		trc_cut_mark_narrow(&cut->mark, &info->cut);
		c.classes = g_ptr_array_new_with_free_func(trc_ctf_stream_free);
		c.text = trc_text_new();
		c.targets = g_hash_table_new(NULL, NULL);
		c.all = g_ptr_array_new_with_free_func(target_free);
		fine = cut_to_folder(&c, error);
		g_ptr_array_unref(c.all);
		g_hash_table_unref(c.targets);
		g_ptr_array_unref(c.classes);
	}
	trc_text_free(c.text);
	g_free(c.packet);
	g_free(c.folder);
	if (survey)
		trc_survey_free(survey);
	trc_info_free(info);
	return fine;
}
