/* SPDX-License-Identifier: MIT */
/*
 * How it works: a window of a perf.data is written as a perf.data
 * (tools/perf/Documentation/perf.data-file-format.txt). Attrs, features and kept records are copied. Records
 * about threads, mappings and symbols are kept from the start on, because no later record repeats them. The
 * index has the places of these and of the events in the ranges, unless records were compressed: those must
 * be unpacked in order. A hole is written as a record of lost events (PERF_RECORD_LOST) before the next event
 * of the CPU. The copy has compressed records unpacked.
 *
 * A file that came through a pipe has attrs and features in records, and so has its copy.
 */
#include "trace/perf/trc_perf.h"

#include "base/base_error.h"
#include "trace/tracefs/trc_out.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define FILE_HEAD 104
#define PIPE_HEAD 16
#define FEATURES 256
#define RECORD_MAX 65535 /* bytes */
#define SHORT 65536      /* bytes */
#define CPUMODE 7        /* bits of misc */
#define CPUMODE_KERNEL 1

enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2, /* has names of files */
	FEATURE_HOSTNAME = 3,
	FEATURE_CMDLINE = 11,
	FEATURE_AUXTRACE = 18,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_DIR_FORMAT = 24,
	FEATURE_COMPRESSED = 27
};

/* The sample_id of other records can have TID, TIME, ID, CPU, STREAM_ID and IDENTIFIER. */
#define TRAILER (1u << 1 | 1u << 2 | 1u << 6 | 1u << 7 | 1u << 9 | 1u << 16)

/* The state of one CPU. */
struct cpu {
	const struct trc_cut_range *ranges, *thin, *skipped; /* weak; SKIPPED: those not passed yet */
	guint n, n_thin, n_skipped;
	bool hole;  /* events were left out since the last kept one */
	bool after; /* an event after the window was read */
};

struct cutter {
	struct trc_cut *cut;     /* weak */
	struct trc_perf_head *h; /* weak */
	struct trc_bytes file;   /* the file as it is on disk */
	struct trc_out out;
	struct cpu *cpus; /* owned, of TRC_PERF_CPUS_MAX */
	uint8_t *piece;   /* owned: room for SHORT bytes */
	bool any;         /* an event was written */
	bool tells_holes; /* records of lost events have time and CPU */
};

static void set_number(const struct cutter *c, uint8_t *to, uint64_t number, unsigned size)
{
	trc_bytes_set_number(to, number, size, c->file.big);
}

/* ---- records ---- */

static struct cpu *cpu_of(struct cutter *c, uint32_t cpu)
{
	struct cpu *of = &c->cpus[cpu];

	if (!of->ranges) {
		of->ranges = trc_cut_of_cpu(c->cut, cpu, &of->n);
		if (!c->tells_holes && of->n > 1) {
			of->ranges += of->n - 1;
			of->n = 1;
		}
		of->thin = trc_cut_thin_of_cpu(c->cut, cpu, &of->n_thin);
		of->skipped = trc_cut_skipped_of_cpu(c->cut, cpu, &of->n_skipped);
	}
	return of;
}

/* A record of CPU at TIME follows. Note a hole if events that are not read come before it. */
static void pass(struct cpu *cpu, int64_t time)
{
	while (cpu->n_skipped > 0 && cpu->skipped->from <= time) {
		cpu->hole = true;
		if (cpu->skipped->to > time) /* the other skipped ranges come later */
			return;
		cpu->skipped++;
		cpu->n_skipped--;
	}
}

/* If events of PLACE's CPU were left out since its last record, write a record of lost events before R. A is
 * the attr of R; NULL: R is no sample. */
static void put_hole(struct cutter *c, const struct trc_perf_record *r, const struct trc_perf_attr *a,
	const struct trc_perf_place *place)
{
	/* All attrs agree on the layout of other records. */
	const struct trc_perf_attr *of = &g_array_index(c->h->attrs, struct trc_perf_attr, 0);
	uint64_t size = TRC_PERF_HEAD + 16 + 8 * (uint64_t)__builtin_popcountll(of->sample_type & TRAILER),
		 id = 0;
	const uint8_t *time = r->data.data + r->data.size - of->other_time;
	/* From WHOLE on no events are left out. */
	int64_t later = MAX(place->time - (c->cut->mark.whole - 1), 0);
	uint8_t bytes[128] = { 0 };

	if (!c->cpus[place->cpu].hole || !c->tells_holes)
		return;
	c->cpus[place->cpu].hole = false;
	if (a && r->type == TRC_PERF_SAMPLE)
		time = r->data.data + a->time;
	if (a && r->type == TRC_PERF_SAMPLE && a->id != TRC_PERF_NOWHERE)
		id = trc_bytes_number(r->data.data + a->id, 8, c->file.big);
	set_number(c, bytes, TRC_PERF_LOST, 4);
	set_number(c, bytes + 6, size, 2);
	set_number(c, bytes + 8, id, 8);
	set_number(c, bytes + 16, 1, 8);
	if (of->other_id != TRC_PERF_NOWHERE)
		set_number(c, bytes + size - of->other_id, id, 8);
	set_number(c, bytes + size - of->other_time, trc_bytes_number(time, 8, c->file.big) - (uint64_t)later,
		8);
	set_number(c, bytes + size - of->other_cpu, place->cpu, 4);
	trc_out_put(&c->out, bytes, size);
}

/* True if the event at PLACE, in the ranges of CPU, is thinned out. */
static bool is_thinned(const struct cutter *c, const struct cpu *cpu, const struct trc_perf_place *place)
{
	const struct trc_format_event *e = place->attr ? place->attr->event : NULL;

	return e && trc_cut_has(cpu->thin, cpu->n_thin, place->time) && trc_cut_may_thin(c->cut, e->name);
}

/* True if the event R is kept. A hole before it is written. */
static bool use_event(struct cutter *c, const struct trc_perf_record *r, const struct trc_perf_place *place)
{
	struct cpu *cpu = cpu_of(c, place->cpu);

	pass(cpu, place->time);
	if (!trc_cut_has(cpu->ranges, cpu->n, place->time)) {
		cpu->hole = true;
		cpu->after |= place->time >= c->cut->mark.to;
		return false;
	}
	if (is_thinned(c, cpu, place))
		return false;
	put_hole(c, r, place->attr, place);
	c->any = true;
	return true;
}

/* True if R, a record of the kernel but no event, is kept. */
static bool use_other(struct cutter *c, const struct trc_perf_record *r, enum trc_perf_use use,
	const struct trc_perf_place *place)
{
	struct cpu *cpu;

	switch (r->type) {
	case TRC_PERF_LOST:
		if (use != TRC_PERF_ASIDE)
			return true;
		/* The first one after the window counts events lost at its end. */
		cpu = cpu_of(c, place->cpu);
		return !cpu->after && place->time >= c->cut->mark.whole;
	case TRC_PERF_COMM:
	case TRC_PERF_FORK:
	case TRC_PERF_EXIT:
		if (use != TRC_PERF_ASIDE)
			return true;
		if (place->time >= c->cut->mark.to)
			return false;
		/* The running thread wrote it. The last kept switch may have another thread. */
		pass(cpu_of(c, place->cpu), place->time);
		put_hole(c, r, NULL, place);
		return true;
	default: return trc_perf_is_common(r->type);
	}
}

/* Replace the names of threads at the end of the SIZE bytes at BYTES, which begin like a trace.dat
 * (tools/perf/util/trace-event-info.c). */
static void hide_saved(const struct cutter *c, uint8_t *bytes, uint64_t size)
{
	struct trc_budget budget = trc_budget_of(size);
	struct trc_formats formats = trc_formats_new(&budget);
	struct trc_bytes b = { .data = bytes, .size = size }, text;
	unsigned long_size;

	trc_bytes_take(&b, 3 + strlen("tracing"));
	trc_bytes_take_text(&b);
	b.big = trc_bytes_take_number(&b, 1) != 0;
	trc_bytes_take(&b, 1 + 4);
	trc_format_read_pages(&b, &long_size);
	trc_format_read_events(&formats, &b, "ftrace");
	trc_format_read_systems(&formats, &b);
	trc_bytes_take(&b, trc_bytes_take_number(&b, 4)); /* symbols */
	trc_bytes_take(&b, trc_bytes_take_number(&b, 4)); /* texts of trace_printk() */
	text = trc_bytes_take_bytes(&b, trc_bytes_take_number(&b, 8));
	if (text.data)
		trc_cut_hide_lines(c->cut->names, (char *)(uintptr_t)text.data, text.size);
	trc_formats_free(&formats);
}

/* True if R, a record that perf itself wrote, is kept. */
static bool use_own(const struct cutter *c, const struct trc_perf_record *r)
{
	if (r->type == TRC_PERF_FINISHED_ROUND)
		return c->h->others->len == 0; /* with several threads of perf, each had its own rounds */
	return trc_perf_is_common(r->type);
}

static bool is_kept(struct cutter *c, const struct trc_perf_record *r)
{
	struct trc_perf_place place = { 0 };
	enum trc_perf_use use;

	if (r->type >= TRC_PERF_ATTR)
		return use_own(c, r);
	use = trc_perf_place(c->h, r, &place);
	if (use == TRC_PERF_EVENT)
		return use_event(c, r, &place);
	return r->type != TRC_PERF_SAMPLE && use_other(c, r, use, &place);
}

/* Replace the names in R, which is a copy. */
static void hide_names(const struct cutter *c, const struct trc_perf_record *r)
{
	const struct trc_cut_names *names = c->cut->names;
	char *bytes = (char *)(uintptr_t)r->data.data;
	uint64_t size = r->data.size, at = 0;
	struct trc_perf_place place;
	struct trc_perf_sample sample;
	struct trc_cut_hiding hiding = { .names = names };

	switch (r->type) {
	case TRC_PERF_COMM: at = 16; break;
	case TRC_PERF_MMAP: at = (r->misc & CPUMODE) == CPUMODE_KERNEL ? 0 : 40; break;
	case TRC_PERF_MMAP2: at = (r->misc & CPUMODE) == CPUMODE_KERNEL ? 0 : 72; break;
	case TRC_PERF_SAMPLE:
		if (trc_perf_place(c->h, r, &place) != TRC_PERF_EVENT || !place.attr->event)
			return;
		trc_perf_sample_read(place.attr, &r->data, &sample);
		hiding.event = place.attr->event->name;
		if (sample.record.data)
			trc_format_class_texts(place.attr->event, &sample.record, trc_cut_hide_field,
				&hiding);
		return;
	default: return;
	}
	/* Names like "[vdso]" are the kernel's. The sample_id follows the text. */
	if (at > 0 && at < size && bytes[at] != '[')
		trc_cut_hide(names, bytes + at, strnlen(bytes + at, size - at));
}

/* True if R has names that cannot be replaced. */
static bool has_names(const struct trc_perf_record *r)
{
	struct trc_bytes b = r->data;
	uint64_t feature;

	switch (r->type) {
	case TRC_PERF_CGROUP:
	case 67: /* HEADER_BUILD_ID */
	case 73: /* THREAD_MAP */ return true;
	case TRC_PERF_FEATURE:
		feature = trc_bytes_take_number(&b, 8);
		return feature == FEATURE_BUILD_ID || feature == FEATURE_HOSTNAME ||
			feature == FEATURE_CMDLINE;
	default: return false;
	}
}

/* Return the start of the last SIZE written bytes. */
static uint8_t *end_of(const struct cutter *c, uint64_t size)
{
	return c->out.bytes->data + c->out.bytes->len - size;
}

/* Write R and the MORE bytes that follow it (as with TRACING_DATA). */
static bool put_record(struct cutter *c, const struct trc_perf_record *r, uint64_t more, GError **error)
{
	trc_out_put(&c->out, r->data.data, r->data.size);
	if (c->cut->names) {
		struct trc_perf_record copy = *r;

		copy.data.data = end_of(c, r->data.size);
		copy.data.at = TRC_PERF_HEAD;
		hide_names(c, &copy);
	}
	trc_out_put(&c->out, c->h->bytes.data + r->offset + r->data.size, more);
	if (c->cut->names && r->type == TRC_PERF_TRACING_DATA)
		hide_saved(c, end_of(c, more), more);
	return trc_out_step(&c->out, error);
}

/* Use R. The next record begins at END. */
static bool use_record(struct cutter *c, const struct trc_perf_record *r, uint64_t end, GError **error)
{
	return (c->cut->names && has_names(r)) || !is_kept(c, r) ||
		put_record(c, r, end - r->offset - r->data.size, error);
}

/* Write the kept records from *AT up to END: a piece longer than SHORT, or all of the file. */
static bool put_long(struct cutter *c, uint64_t *at, uint64_t end, GError **error)
{
	struct trc_perf_record r;

	for (unsigned n = 0; *at < end && trc_perf_head_next(c->h, at, &r); n++)
		if ((n % 4096 == 0 && !trc_cut_goes_on(c->cut, error)) || !use_record(c, &r, *at, error))
			return false;
	return true;
}

/* Like put_long(), for a short piece. There are many, so only their own bytes are read. */
static bool put_short(struct cutter *c, uint64_t *at, uint64_t end, GError **error)
{
	struct trc_bytes b = { .data = c->piece, .size = end - *at, .big = c->file.big };
	struct trc_perf_record r;
	uint64_t begin = *at, inside = 0;

	errno = 0;
	if (!trc_perf_head_copy(c->h, *at, b.size, c->piece)) /* too few bytes: the file was truncated */
		return base_error_false_errno(error, errno != 0 ? errno : EIO, "cannot read", c->h->path);
	while (trc_perf_record_next(&b, &inside, b.size, &r)) {
		r.offset = *at;
		*at = begin + inside;
		if (!use_record(c, &r, *at, error))
			return false;
	}
	return trc_cut_goes_on(c->cut, error);
}

static bool put_records(struct cutter *c, GError **error)
{
	const GArray *pieces = c->h->unpacked ? NULL : c->cut->pieces;
	uint64_t at = c->h->begin;

	if (!pieces && !put_long(c, &at, UINT64_MAX, error))
		return false;
	for (guint i = 0; pieces && i < pieces->len; i++) {
		const struct trc_piece *p = &g_array_index(pieces, struct trc_piece, i);

		uint64_t end = MIN(p->offset + p->size, c->h->end);

		at = MAX(at, p->offset);
		if (at < end && !(end - at > SHORT ? put_long : put_short)(c, &at, end, error))
			return false;
	}
	if (c->h->problem)
		g_propagate_error(error, g_error_copy(c->h->problem));
	return !c->h->problem && (c->any || trc_cut_nothing(c->cut, error));
}

/* ---- features ---- */

/* Append WORD as perf writes it: its length, then the text with a NUL and padding. */
static void put_word(struct cutter *c, GByteArray *to, const char *word, uint64_t length)
{
	static const uint8_t zero[64];
	uint64_t room = (length + 1 + 63) / 64 * 64;
	uint8_t size[4];

	set_number(c, size, room, 4);
	g_byte_array_append(to, size, sizeof size);
	g_byte_array_append(to, (const guint8 *)word, (guint)length);
	g_byte_array_append(to, zero, (guint)(room - length));
}

/* Return the command line of OLD (no data: none) with the mark as last word. */
static GByteArray *command_with_mark(struct cutter *c, struct trc_bytes old)
{
	g_autofree char *mark = trc_cut_mark_text(&c->cut->mark),
			*word = g_strdup_printf(TRC_CUT_NAME " %s", mark);
	GByteArray *all = g_byte_array_new();
	uint64_t n = old.data ? trc_bytes_take_number(&old, 4) : 0;
	uint32_t count = 0;
	uint8_t number[4] = { 0 };

	g_byte_array_append(all, number, sizeof number);
	for (; n > 0 && old.at < old.size; n--) {
		struct trc_bytes text = trc_bytes_take_bytes(&old, trc_bytes_take_number(&old, 4));
		uint64_t length = text.data ? strnlen((const char *)text.data, text.size) : 0;

		if (!text.data || c->cut->names || g_str_has_prefix((const char *)text.data, TRC_CUT_NAME))
			continue;
		put_word(c, all, (const char *)text.data, length);
		count++;
	}
	put_word(c, all, word, strlen(word));
	set_number(c, number, count + 1, 4);
	memcpy(all->data, number, sizeof number);
	return all;
}

/* Write the mark for a file that came through a pipe, as PERF_RECORD_HEADER_FEATURE. */
static bool put_mark(struct cutter *c, GError **error)
{
	struct trc_bytes none = { .data = NULL };
	GByteArray *command = command_with_mark(c, none);
	uint64_t size = TRC_PERF_HEAD + 8 + command->len;

	/* A larger mark does not fit in a record. Without it less is known of blocked threads. */
	if (size <= RECORD_MAX) {
		trc_out_number(&c->out, TRC_PERF_FEATURE, 4);
		trc_out_number(&c->out, 0, 2);
		trc_out_number(&c->out, size, 2);
		trc_out_number(&c->out, FEATURE_CMDLINE, 8);
		trc_out_put(&c->out, command->data, command->len);
	}
	g_byte_array_unref(command);
	return size <= RECORD_MAX || !c->cut->mark.callers ||
		base_error_false(error, BASE_ERROR_USAGE,
			"a recording that came through a pipe has no room for so many threads: cut it without --thread");
}

/* True if FEATURE describes the whole recording and would be wrong for the cut. */
static bool is_dropped(unsigned feature)
{
	return feature == FEATURE_AUXTRACE || feature == FEATURE_SAMPLE_TIME ||
		feature == FEATURE_DIR_FORMAT || feature == FEATURE_COMPRESSED;
}

/* Write the table of features at OLD, which has a feature for each bit in BITS. Set BITS to those written. */
static void put_features(struct cutter *c, struct trc_bytes old, uint64_t *bits)
{
	struct trc_bytes parts[FEATURES] = { { .data = NULL } };
	g_autofree char *host = NULL;
	GByteArray *command;
	uint64_t at;
	unsigned n = 0;

	for (unsigned i = 0; i < FEATURES; i++) {
		struct trc_bytes all = c->file;
		uint64_t size;

		if (!(bits[i / 64] >> i % 64 & 1))
			continue;
		all.at = trc_bytes_take_number(&old, 8);
		size = trc_bytes_take_number(&old, 8);
		if (!is_dropped(i))
			parts[i] = trc_bytes_take_bytes(&all, size);
	}
	if (c->cut->names)
		parts[FEATURE_BUILD_ID] = (struct trc_bytes){ .data = NULL };
	if (c->cut->names && parts[FEATURE_HOSTNAME].data && parts[FEATURE_HOSTNAME].size > 4) {
		host = g_memdup2(parts[FEATURE_HOSTNAME].data, parts[FEATURE_HOSTNAME].size);
		trc_cut_hide(c->cut->names, host + 4, parts[FEATURE_HOSTNAME].size - 4);
		parts[FEATURE_HOSTNAME].data = (const uint8_t *)host;
	}
	command = command_with_mark(c, parts[FEATURE_CMDLINE]);
	parts[FEATURE_CMDLINE] = (struct trc_bytes){ .data = command->data, .size = command->len };
	for (unsigned i = 0; i < FEATURES; i++) {
		n += !!parts[i].data;
		bits[i / 64] &= ~(UINT64_C(1) << i % 64);
		bits[i / 64] |= (uint64_t) !!parts[i].data << i % 64;
	}
	at = c->out.size + (uint64_t)n * 16;
	for (unsigned i = 0; i < FEATURES; i++) {
		if (!parts[i].data)
			continue;
		trc_out_number(&c->out, at, 8);
		trc_out_number(&c->out, parts[i].size, 8);
		at += parts[i].size;
	}
	for (unsigned i = 0; i < FEATURES; i++) {
		if (!parts[i].data)
			continue;
		trc_out_put(&c->out, parts[i].data, parts[i].size);
		if (i == FEATURE_TRACING_DATA && c->cut->names)
			hide_saved(c, end_of(c, parts[i].size), parts[i].size);
	}
	g_byte_array_unref(command);
}

/* ---- the file ---- */

/* Write the attrs, EACH bytes long, after their ids. Set *AT and *SIZE to the place of the attrs. */
static void put_attrs(struct cutter *c, struct trc_bytes attrs, uint64_t each, uint64_t *at, uint64_t *size)
{
	g_autoptr(GByteArray) new = g_byte_array_new();

	while (attrs.size - attrs.at >= each) {
		struct trc_bytes attr = trc_bytes_take_bytes(&attrs, each - 16), ids = c->file;
		uint64_t n;
		uint8_t place[16];

		ids.at = trc_bytes_take_number(&attrs, 8);
		n = trc_bytes_take_number(&attrs, 8);
		ids = trc_bytes_take_bytes(&ids, n);
		set_number(c, place, c->out.size, 8);
		set_number(c, place + 8, ids.size, 8);
		g_byte_array_append(new, attr.data, (guint)attr.size);
		g_byte_array_append(new, place, sizeof place);
		if (ids.data)
			trc_out_put(&c->out, ids.data, ids.size);
	}
	*at = c->out.size;
	*size = new->len;
	trc_out_put(&c->out, new->data, new->len);
}

static bool put_pipe(struct cutter *c, GError **error)
{
	trc_out_put(&c->out, c->file.data, PIPE_HEAD);
	return put_mark(c, error) && put_records(c, error);
}

static bool put_file(struct cutter *c, GError **error)
{
	struct trc_bytes b = c->file, attrs, features;
	uint64_t each, attrs_at, attrs_size, data_at, data_size, old_at, old_size, bits[FEATURES / 64],
		numbers[12] = { 0 };

	b.at = 16;
	each = trc_bytes_take_number(&b, 8);
	attrs = c->file;
	attrs.at = trc_bytes_take_number(&b, 8);
	attrs = trc_bytes_take_bytes(&attrs, trc_bytes_take_number(&b, 8));
	old_at = trc_bytes_take_number(&b, 8);
	old_size = trc_bytes_take_number(&b, 8);
	trc_bytes_take(&b, 16);
	for (unsigned i = 0; i < G_N_ELEMENTS(bits); i++)
		bits[i] = trc_bytes_take_number(&b, 8);
	features = c->file;
	features.at = old_at + old_size;
	if (b.at > b.size || !attrs.data || each < TRC_PERF_ATTR_MIN + 16 || old_at > c->file.size)
		return base_error_false(error, BASE_ERROR_DATA, "%s: damaged: copy it again", c->h->path);
	trc_out_put(&c->out, c->file.data, FILE_HEAD); /* filled in below */
	put_attrs(c, attrs, each, &attrs_at, &attrs_size);
	data_at = c->out.size;
	if (!put_records(c, error))
		return false;
	data_size = c->out.size - data_at;
	put_features(c, features, bits);
	numbers[0] = FILE_HEAD;
	numbers[1] = each;
	numbers[2] = attrs_at;
	numbers[3] = attrs_size;
	numbers[4] = data_at;
	numbers[5] = data_size;
	memcpy(&numbers[8], bits, sizeof bits);
	return trc_out_replace(&c->out, 8, numbers, G_N_ELEMENTS(numbers), error);
}

bool trc_perf_cut(char *const *folders, struct trc_cut *cut, GError **error)
{
	struct trc_perf_head *h = trc_perf_head_open(folders[0], error);
	struct cutter c = { .cut = cut, .h = h };
	const struct trc_perf_attr *first;
	bool fine;

	if (!h)
		return false;
	c.file = (struct trc_bytes){ .data = (const uint8_t *)g_mapped_file_get_contents(h->file),
		.size = g_mapped_file_get_length(h->file),
		.big = h->bytes.big };
	trc_perf_place_find_cpus(h);
	trc_cut_mark_narrow(&cut->mark, &h->mark);
	first = &g_array_index(h->attrs, struct trc_perf_attr, 0);
	c.tells_holes = first->has_others && first->other_time != TRC_PERF_NOWHERE &&
		first->other_cpu != TRC_PERF_NOWHERE;
	c.cpus = g_new0(struct cpu, TRC_PERF_CPUS_MAX);
	c.piece = g_malloc(SHORT);
	if (cut->pieces) /* the pieces are far apart */
		posix_fadvise(h->fd, 0, 0, POSIX_FADV_RANDOM);
	fine = trc_out_open(&c.out, cut->path, c.file.big, error) &&
		(h->is_pipe ? put_pipe : put_file)(&c, error) && trc_out_publish(&c.out, error);
	trc_out_close(&c.out);
	g_free(c.cpus);
	g_free(c.piece);
	trc_perf_head_free(h);
	return fine;
}
