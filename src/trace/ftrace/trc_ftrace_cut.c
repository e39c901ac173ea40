/* SPDX-License-Identifier: MIT */
/*
 * A window of a trace.dat as a trace.dat of its own, of format 6, which every trace-cmd reads (trace-cmd.dat.v6(5)).
 *
 * How it works: what comes before the events is copied; it has the same bytes in formats 6 and 7.  Of the pages
 * those are copied whose events are all kept.  Of another page each run of kept events becomes a page that
 * begins with the time of the event before it, as each record tells how long after the one before it came.  A page
 * behind a hole has the flag of lost events (RB_MISSED_EVENTS), for which a reader needs no number.
 *
 * Where the pages are is known when they are written, so the tables of the CPUs are filled in at the end.
 */
#include "trace/ftrace/trc_ftrace.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_out.h"
#include "base/base_search.h"

#include <string.h>
#include <unistd.h>

#define MAGIC_AND_MORE (10 + 2 + 1 + 1 + 4) /* bytes: magic, version, order, long of user space, page */
#define MISSED (UINT64_C(1) << 31)
#define AT_ONCE (256 * 1024) /* bytes */

enum {
	OPTION_DONE = 0,
	OPTION_BUFFER = 3,
	OPTION_CLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_VERSION = 9,
	OPTION_PROCMAPS = 10 /* names of programs' files */
};

struct cutter {
	struct trc_cut *cut;       /* weak */
	struct trc_ftrace_head *h; /* weak */
	int fd;
	GByteArray *out; /* owned: not written yet */
	uint64_t size;   /* bytes written, and in OUT */
	uint32_t cpus, page_size;
	GPtrArray *buffers; /* owned, of char *, owned: names of the buffers; the first is "" */
	GArray *tables;     /* owned, of uint64_t: where the table of each is */
	bool any;           /* a page was written */
	bool hole;          /* of the stream at hand: events were left out since the last page */
};

/* ---- bytes ---- */

static bool dat_flush(struct cutter *c, GError **error)
{
	bool fine = base_out_write(c->fd, c->out->data, c->out->len, c->cut->path, error);

	g_byte_array_set_size(c->out, 0);
	return fine;
}

static void dat_put(struct cutter *c, const void *bytes, uint64_t size)
{
	g_byte_array_append(c->out, bytes, (guint)size);
	c->size += size;
}

static void dat_number(struct cutter *c, uint64_t number, unsigned size)
{
	uint8_t bytes[8];

	for (unsigned i = 0; i < size; i++)
		bytes[c->h->bytes.big ? size - 1 - i : i] = (uint8_t)(number >> 8 * i);
	dat_put(c, bytes, size);
}

static void dat_option(struct cutter *c, unsigned id, const void *bytes, uint64_t size)
{
	dat_number(c, id, 2);
	dat_number(c, size, 4);
	dat_put(c, bytes, size);
}

static void dat_to_page(struct cutter *c)
{
	static const uint8_t zero[64];
	while (c->size % c->page_size != 0)
		dat_put(c, zero, MIN(sizeof zero, c->page_size - c->size % c->page_size));
}

/* ---- what comes before the events ---- */

/* The text in the section at OFFSET, with its length in WIDTH bytes; without one an empty text. */
static void put_section(struct cutter *c, uint64_t offset, unsigned width)
{
	g_autofree uint8_t *unpacked = NULL;
	struct trc_bytes b = { .data = NULL };

	if (offset != 0)
		b = trc_ftrace_head_section(c->h, offset, &unpacked);
	if (b.data)
		dat_put(c, b.data, b.size);
	else
		dat_number(c, 0, width);
}

/* The names of threads, lines "TID NAME". */
static void put_cmdlines(struct cutter *c)
{
	g_autofree uint8_t *unpacked = NULL;
	struct trc_bytes text = trc_ftrace_head_cmdlines(c->h, &unpacked);
	g_autofree char *copy = g_memdup2(text.data, text.size);

	if (c->cut->names)
		trc_cut_hide_lines(c->cut->names, copy, text.size);
	dat_number(c, text.size, 8);
	dat_put(c, copy, text.size);
}

static void put_begin(struct cutter *c)
{
	const struct trc_ftrace_head *h = c->h;

	dat_put(c, h->bytes.data, 10);
	dat_put(c, "6", 2);
	dat_put(c, h->bytes.data + 12, 2);
	dat_number(c, c->page_size, 4);
	if (h->is_7) {
		for (unsigned i = 0; i < G_N_ELEMENTS(h->parts); i++)
			put_section(c, h->parts[i], 4);
		put_section(c, h->kallsyms, 4);
		put_section(c, h->printk, 4);
	} else if (h->cmdlines <= h->bytes.size) {
		dat_put(c, h->bytes.data + MAGIC_AND_MORE, h->cmdlines - MAGIC_AND_MORE);
	}
	put_cmdlines(c);
}

static void put_clock(struct cutter *c)
{
	g_autofree char *text = g_strdup_printf("[%s]", c->h->clock.name);

	dat_number(c, strlen(text) + 1, 8);
	dat_put(c, text, strlen(text) + 1);
}

/* Leave room for the places of the CPUs of buffer I. */
static void put_table(struct cutter *c, guint i)
{
	dat_put(c, "flyrecord", 10);
	g_array_index(c->tables, uint64_t, i) = c->size;
	for (uint32_t cpu = 0; cpu < c->cpus; cpu++) {
		dat_number(c, 0, 8);
		dat_number(c, 0, 8);
	}
	if (*c->h->clock.name)
		put_clock(c);
}

/* Bytes of the table of a buffer. */
static uint64_t table_size(const struct cutter *c)
{
	uint64_t clock = *c->h->clock.name ? 8 + strlen(c->h->clock.name) + 3 : 0;

	return 10 + (uint64_t)c->cpus * 16 + clock;
}

/* The options of the trace that are the same in any copy of it. */
static void put_kept_options(struct cutter *c)
{
	const GByteArray *all = c->h->options;
	struct trc_bytes b = { .data = all->data, .size = all->len, .big = c->h->bytes.big };

	while (b.at < b.size) {
		unsigned id = (unsigned)trc_bytes_take_number(&b, 2);
		struct trc_bytes o = trc_bytes_take_bytes(&b, trc_bytes_take_number(&b, 4));
		g_autofree char *copy = g_memdup2(o.data, o.size);
		char *host = o.size > 0 ? memchr(copy, ' ', o.size) : NULL; /* "Linux HOST RELEASE …" */
		size_t left = host ? o.size - (size_t)(++host - copy) : 0;
		const char *end = host ? memchr(host, ' ', left) : NULL;

		if (c->cut->names && id == OPTION_PROCMAPS)
			continue;
		if (c->cut->names && id == OPTION_UNAME && end)
			trc_cut_hide(c->cut->names, host, (size_t)(end - host));
		dat_option(c, id, copy, o.size);
	}
}

/* Options, and the tables of all buffers behind them. */
static void put_options(struct cutter *c)
{
	g_autofree char *mark = trc_cut_mark_text(&c->cut->mark),
			*version = g_strdup_printf("%s" TRC_CUT_NAME " %s", c->h->exact ? "wakepath " : "",
				mark);
	uint64_t at;

	dat_number(c, c->cpus, 4);
	dat_put(c, "options  ", 10);
	put_kept_options(c);
	if (*c->h->clock.name)
		dat_option(c, OPTION_CLOCK, c->h->clock.name, strlen(c->h->clock.name) + 1);
	dat_option(c, OPTION_VERSION, version, strlen(version) + 1);
	at = c->size + 2 + table_size(c);
	for (guint i = 1; i < c->buffers->len; i++)
		at += 6 + 8 + strlen(g_ptr_array_index(c->buffers, i)) + 1;
	for (guint i = 1; i < c->buffers->len; i++, at += table_size(c)) {
		const char *name = g_ptr_array_index(c->buffers, i);

		dat_number(c, OPTION_BUFFER, 2);
		dat_number(c, 8 + strlen(name) + 1, 4);
		dat_number(c, at, 8);
		dat_put(c, name, strlen(name) + 1);
	}
	dat_number(c, OPTION_DONE, 2);
	for (guint i = 0; i < c->buffers->len; i++)
		put_table(c, i);
}

/* ---- pages ---- */

/* Set the flag of lost events in the page at PAGE. */
static void flag_hole(struct cutter *c, uint8_t *page)
{
	unsigned width = c->h->long_size;
	uint64_t commit = trc_bytes_number(page + 8, width, c->h->bytes.big) | MISSED;

	for (unsigned i = 0; i < width; i++)
		page[8 + (c->h->bytes.big ? width - 1 - i : i)] = (uint8_t)(commit >> 8 * i);
}

struct hiding {
	const struct cutter *c;
	const char *event;
};

static void dat_hide(void *data, const char *field, char *text, size_t room)
{
	const struct hiding *h = data;

	trc_cut_hide_field(h->c->cut->names, h->event, field, text, room);
}

/* Replace the names in the page of SIZE bytes at the end of C->out. */
static void hide_names(struct cutter *c, uint32_t size)
{
	unsigned width = c->h->long_size;
	const uint8_t *page = c->out->data + c->out->len - size;
	uint64_t commit = trc_bytes_number(page + 8, width, c->h->bytes.big) & ((UINT64_C(1) << 27) - 1);
	struct trc_ftrace_page p = { .records = { .data = page,
					     .at = 8 + width,
					     .size = MIN(8 + width + commit, size),
					     .big = c->h->bytes.big } };
	struct trc_ftrace_record r;

	while (c->cut->names && trc_ftrace_page_next(&p, &r)) {
		struct trc_bytes b = r.data;
		const struct trc_format_event *e = g_hash_table_lookup(c->h->formats.events,
			GUINT_TO_POINTER((unsigned)trc_bytes_take_number(&b, 2)));
		struct hiding hiding = { c, e ? e->name : NULL };

		if (e)
			trc_format_class_texts(e, &r.data, dat_hide, &hiding);
	}
}

/* Write a copy of the page at PAGE as it is. */
static bool put_whole(struct cutter *c, const uint8_t *page, uint32_t size, GError **error)
{
	guint at = c->out->len;

	dat_put(c, page, size);
	hide_names(c, size);
	c->any = true;
	if (c->hole)
		flag_hole(c, c->out->data + at);
	c->hole = false;
	return c->out->len < AT_ONCE || dat_flush(c, error);
}

/* Write a page with the records in the bytes [FROM, TO) of the page at PAGE; the one before them is at TIME
 * (cycles). */
static bool put_run(struct cutter *c, const uint8_t *page, uint32_t size, uint64_t from, uint64_t to,
	uint64_t time, GError **error)
{
	unsigned width = c->h->long_size;
	uint64_t end = c->size + size, n = to - from;
	guint at = c->out->len;

	dat_number(c, time, 8);
	dat_number(c, n, width);
	dat_put(c, page + from, n);
	g_byte_array_set_size(c->out, at + size);
	memset(c->out->data + at + 8 + width + n, 0, size - 8 - width - n);
	c->size = end;
	hide_names(c, size);
	c->any = true;
	if (c->hole)
		flag_hole(c, c->out->data + at);
	c->hole = false;
	return c->out->len < AT_ONCE || dat_flush(c, error);
}

static int64_t dat_time(const struct cutter *c, uint32_t cpu, uint64_t count)
{
	return trc_ftrace_clock_time(&c->h->clock, cpu, count);
}

static bool in_ranges(const struct trc_cut_range *ranges, guint n, int64_t time)
{
	const struct trc_cut_range *r = trc_cut_at(ranges, n, time);

	return r && r->from <= time;
}

/* Records of a page that are kept, in a row. */
struct run {
	uint64_t from, to; /* bytes of the page */
	uint64_t time;     /* cycles: of the record before */
};

/* Find the runs of PAGE that are in RANGES, or with FIRST its first record alone.  *ALL: that is all of it. */
static void find_runs(const struct cutter *c, struct trc_ftrace_page *page, uint32_t cpu,
	const struct trc_cut_range *ranges, guint n, bool first, GArray *runs, bool *all)
{
	bool open = false;

	*all = true;
	g_array_set_size(runs, 0);
	for (;;) {
		struct run run = { .from = page->records.at, .time = page->time };
		struct trc_ftrace_record record;

		if (!trc_ftrace_page_next(page, &record))
			return;
		if (!(first ? runs->len == 0 && !open
			    : in_ranges(ranges, n, dat_time(c, cpu, record.time)))) {
			open = false;
			*all = false;
			continue;
		}
		if (!open)
			g_array_append_val(runs, run);
		open = true;
		g_array_index(runs, struct run, runs->len - 1).to = page->records.at;
	}
}

static bool cut_page(struct cutter *c, const struct trc_ftrace_stream *of, struct trc_ftrace_page *page,
	const struct trc_cut_range *ranges, guint n, bool first, bool *damaged, GError **error)
{
	g_autoptr(GArray) runs = g_array_new(FALSE, FALSE, sizeof(struct run));
	const uint8_t *data = page->records.data;
	uint64_t begin = page->records.at;
	bool all;

	c->hole |= page->has_lost && !page->lost;
	find_runs(c, page, of->cpu, ranges, n, first, runs, &all);
	*damaged = page->damaged;
	if (page->damaged || (all && runs->len > 0))
		return put_whole(c, data, of->page_size, error);
	c->hole |= page->has_lost;
	for (guint i = 0; i < runs->len; i++) {
		const struct run *run = &g_array_index(runs, struct run, i);

		c->hole |= i > 0 || run->from > begin;
		if (!put_run(c, data, of->page_size, run->from, run->to, run->time, error))
			return false;
	}
	return true;
}

/* ---- streams ---- */

struct search {
	const struct cutter *c;
	const struct trc_ftrace_stream *of;
	struct trc_ftrace_pages *pages;
	int64_t time;
};

/* For base_search(): page I begins at or before the time. */
static bool begins_before(const void *data, uint64_t i)
{
	const struct search *s = data;
	struct trc_ftrace_page page;
	bool cut;

	trc_ftrace_pages_seek(s->pages, i * s->of->page_size);
	return trc_ftrace_pages_next(s->pages, &page, &cut) &&
		dat_time(s->c, s->of->cpu, page.time) <= s->time;
}

/* Write the pages that have events of RANGES. */
static bool cut_pages(struct cutter *c, const struct trc_ftrace_stream *of, struct trc_ftrace_pages *pages,
	const struct trc_cut_range *ranges, guint n, GError **error)
{
	uint64_t count = trc_ftrace_pages_count(pages), next = 0; /* NEXT: the first page not looked at */
	struct trc_ftrace_page page;
	bool damaged = false, cut = false;

	c->hole = false;
	for (guint i = 0; i < n && !damaged; i++) {
		struct search s = { c, of, pages, ranges[i].from };
		uint64_t at = base_search(next, count, begins_before, &s);

		at = at > next ? at - 1 : at;
		c->hole |= at > next;
		next = at;
		trc_ftrace_pages_seek(pages, at * of->page_size);
		while (!damaged && trc_ftrace_pages_next(pages, &page, &cut)) {
			if (!trc_cut_goes_on(c->cut, error))
				return false;
			if (dat_time(c, of->cpu, page.time) > ranges[i].to)
				break;
			next++;
			if (!cut_page(c, of, &page, ranges, n, false, &damaged, error))
				return false;
			/* All ranges that it touches are done with it. */
			while (i + 1 < n && ranges[i + 1].to <= dat_time(c, of->cpu, page.time))
				i++;
		}
	}
	/* Events lost at the end of the window are told by the page behind it. */
	trc_ftrace_pages_seek(pages, next * of->page_size);
	if (n == 0 || damaged || !trc_ftrace_pages_next(pages, &page, &cut) || !page.has_lost)
		return true;
	return cut_page(c, of, &page, ranges, n, true, &damaged, error);
}

/* Fill in the place of the pages of CPU, from OFFSET on, in the table of buffer I. */
static bool fill_place(struct cutter *c, guint i, uint32_t cpu, uint64_t offset, GError **error)
{
	uint64_t size = c->size - offset, place[2] = { offset, size };
	uint64_t at = g_array_index(c->tables, uint64_t, i) + (uint64_t)cpu * sizeof place;

	for (unsigned k = 0; k < 2; k++)
		place[k] = c->h->bytes.big ? GUINT64_TO_BE(place[k]) : GUINT64_TO_LE(place[k]);
	return dat_flush(c, error) &&
		(base_io_write(c->fd, place, sizeof place, at) ||
			base_error_false_errno(error, errno, "cannot write", c->cut->path));
}

/* The name of the buffer that S is of: "" or that of an instance. */
static char *buffer_of(const struct trc_ftrace_stream *s)
{
	const char *slash = strrchr(s->name, '/');

	return slash ? g_strndup(s->name, (gsize)(slash - s->name)) : g_strdup("");
}

static bool cut_stream(struct cutter *c, const struct trc_ftrace_stream *s, GError **error)
{
	g_autofree char *buffer = buffer_of(s);
	struct trc_ftrace_pages *pages = trc_ftrace_pages_new(c->h, s);
	const struct trc_cut_range *ranges;
	uint64_t offset;
	guint i, n;
	bool fine;

	dat_to_page(c);
	offset = c->size;
	ranges = trc_cut_of_cpu(c->cut, s->cpu, &n);
	fine = cut_pages(c, s, pages, ranges, n, error) &&
		g_ptr_array_find_with_equal_func(c->buffers, buffer, g_str_equal, &i) &&
		fill_place(c, i, s->cpu, offset, error);
	trc_ftrace_pages_free(pages);
	return fine;
}

static bool cut_all(struct cutter *c, GError **error)
{
	const GArray *streams = c->h->streams;
	uint64_t zero = 0;

	c->cpus = (uint32_t)MIN(c->h->cpus, UINT16_MAX);
	c->page_size = g_array_index(streams, struct trc_ftrace_stream, 0).page_size;
	g_ptr_array_add(c->buffers, g_strdup(""));
	for (guint i = 0; i < streams->len; i++) {
		const struct trc_ftrace_stream *s = &g_array_index(streams, struct trc_ftrace_stream, i);
		char *buffer = buffer_of(s);

		c->cpus = MAX(c->cpus, s->cpu + 1);
		if (s->page_size != c->page_size) {
			g_free(buffer);
			return base_error_false(error, BASE_ERROR_USAGE,
				"its buffers have pages of several sizes, which wakepath cannot cut: cut it with trace-cmd split");
		}
		if (g_ptr_array_find_with_equal_func(c->buffers, buffer, g_str_equal, NULL))
			g_free(buffer);
		else
			g_ptr_array_add(c->buffers, buffer);
	}
	for (guint i = 0; i < c->buffers->len; i++)
		g_array_append_val(c->tables, zero);
	/* The parts were read once when the file was opened, and may be read once more. */
	trc_places_free(&c->h->places);
	c->h->places = trc_places_new(c->h->bytes.size);
	put_begin(c);
	put_options(c);
	for (guint i = 0; i < streams->len; i++)
		if (!cut_stream(c, &g_array_index(streams, struct trc_ftrace_stream, i), error))
			return false;
	if (!c->any)
		return trc_cut_nothing(c->cut, error);
	return dat_flush(c, error) && base_out_publish(c->fd, c->cut->path, false, error);
}

bool trc_ftrace_cut(char *const *folders, struct trc_cut *cut, GError **error)
{
	struct trc_ftrace_head *h = trc_ftrace_head_open(folders[0], error);
	struct cutter c = { .cut = cut, .h = h };
	bool fine;

	if (!h)
		return false;
	c.fd = base_out_new(cut->path, error);
	c.out = g_byte_array_new();
	c.buffers = g_ptr_array_new_with_free_func(g_free);
	c.tables = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	fine = c.fd >= 0 && cut_all(&c, error);
	if (c.fd >= 0)
		close(c.fd);
	g_byte_array_unref(c.out);
	g_ptr_array_unref(c.buffers);
	g_array_unref(c.tables);
	trc_ftrace_head_free(h);
	return fine;
}
