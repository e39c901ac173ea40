/* SPDX-License-Identifier: MIT */
/*
 * How it works: a window of a trace.dat is written as a trace.dat of format 6, which every trace-cmd reads
 * (trace-cmd.dat.v6(5)).
 *
 * The part before the events is copied; formats 6 and 7 have equal bytes there. A page is copied if all its
 * events are kept. Of another page, each run of kept events becomes a page. It begins with the time of the
 * event before the run, because each record has the time since the record before. A page after a hole has the
 * flag of lost events (RB_MISSED_EVENTS), which needs no count. If events are thinned, the others are put
 * into new pages, record by record.
 *
 * The places of the pages are known after they are written, so the tables of the CPUs are filled in at the
 * end.
 */
#include "trace/ftrace/trc_ftrace.h"

#include "base/base_error.h"
#include "base/base_search.h"
#include "model/event/table.h"
#include "trace/tracefs/trc_out.h"

#include <string.h>

#define MAGIC_AND_MORE (10 + 2 + 1 + 1 + 4) /* bytes: magic, version, order, long of user space, page */
#define MISSED (UINT64_C(1) << 31)
#define DELTA_BITS 27
#define TYPE_LENGTH_MOST 28 /* words; a longer record has its length in bytes after its head */
#define TYPE_TIME_EXTEND 30

/* A page that is filled record by record. */
struct filling {
	uint64_t begin, last; /* cycles: time of the page, and of its last record */
	GByteArray *records;  /* owned; empty: no page has begun */
	uint32_t room;        /* bytes of records in a page */
};

struct cutter {
	struct trc_cut *cut;       /* weak */
	struct trc_ftrace_head *h; /* weak */
	struct trc_out out;
	uint32_t cpus, page_size;
	GPtrArray *buffers; /* owned, of char *, owned: names of the buffers; the first is "" */
	GArray *tables;     /* owned, of uint64_t: offset of each buffer's table */
	bool any;           /* a page was written */
	/* The current stream: */
	bool hole;                        /* events were left out since the last page */
	const struct trc_cut_range *thin; /* weak: N_THIN ranges … */
	guint n_thin;                     /* … in which its events are thinned */
	bool thinned;                     /* the last event was thinned out */
	struct filling page;
};

/* ---- bytes ---- */

static void dat_option(struct cutter *c, unsigned id, const void *bytes, uint64_t size)
{
	trc_out_number(&c->out, id, 2);
	trc_out_number(&c->out, size, 4);
	trc_out_put(&c->out, bytes, size);
}

static void put_zeros(struct cutter *c, uint64_t n)
{
	static const uint8_t zeros[4096];

	for (; n > 0; n -= MIN(n, sizeof zeros))
		trc_out_put(&c->out, zeros, MIN(n, sizeof zeros));
}

/* ---- what comes before the events ---- */

/* Write the section at OFFSET, whose text has its length in WIDTH bytes. Without one, write an empty text. */
static void put_section(struct cutter *c, uint64_t offset, unsigned width)
{
	g_autofree uint8_t *unpacked = NULL;
	struct trc_bytes b = { .data = NULL };

	if (offset != 0)
		b = trc_ftrace_head_section(c->h, offset, &unpacked);
	if (b.data)
		trc_out_put(&c->out, b.data, b.size);
	else
		trc_out_number(&c->out, 0, width);
}

/* Write the names of threads, lines "TID NAME". */
static void put_cmdlines(struct cutter *c)
{
	g_autofree uint8_t *unpacked = NULL;
	struct trc_bytes text = trc_ftrace_head_cmdlines(c->h, &unpacked);
	g_autofree char *copy = g_memdup2(text.data, text.size);

	if (c->cut->names)
		trc_cut_hide_lines(c->cut->names, copy, text.size);
	trc_out_number(&c->out, text.size, 8);
	trc_out_put(&c->out, copy, text.size);
}

static void put_begin(struct cutter *c)
{
	const struct trc_ftrace_head *h = c->h;

	trc_out_put(&c->out, h->bytes.data, 10);
	trc_out_put(&c->out, "6", 2);
	trc_out_put(&c->out, h->bytes.data + 12, 2);
	trc_out_number(&c->out, c->page_size, 4);
	if (h->is_7) {
		for (unsigned i = 0; i < G_N_ELEMENTS(h->parts); i++)
			put_section(c, h->parts[i], 4);
		put_section(c, h->kallsyms, 4);
		put_section(c, h->printk, 4);
	} else if (h->cmdlines <= h->bytes.size) {
		trc_out_put(&c->out, h->bytes.data + MAGIC_AND_MORE, h->cmdlines - MAGIC_AND_MORE);
	}
	put_cmdlines(c);
}

static void put_clock(struct cutter *c)
{
	g_autofree char *text = g_strdup_printf("[%s]", c->h->clock.name);

	trc_out_number(&c->out, strlen(text) + 1, 8);
	trc_out_put(&c->out, text, strlen(text) + 1);
}

/* Leave room for the places of the CPUs' pages in buffer I. */
static void put_table(struct cutter *c, guint i)
{
	trc_out_put(&c->out, "flyrecord", 10);
	g_array_index(c->tables, uint64_t, i) = c->out.size;
	for (uint32_t cpu = 0; cpu < c->cpus; cpu++) {
		trc_out_number(&c->out, 0, 8);
		trc_out_number(&c->out, 0, 8);
	}
	if (*c->h->clock.name)
		put_clock(c);
}

/* Return the bytes of a buffer's table. */
static uint64_t table_size(const struct cutter *c)
{
	uint64_t clock = *c->h->clock.name ? 8 + strlen(c->h->clock.name) + 3 : 0;

	return 10 + (uint64_t)c->cpus * 16 + clock;
}

/* Write the options that every copy keeps. */
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

		if (c->cut->names && id == TRC_OPTION_PROCMAPS)
			continue;
		if (c->cut->names && id == TRC_OPTION_UNAME && end)
			trc_cut_hide(c->cut->names, host, (size_t)(end - host));
		dat_option(c, id, copy, o.size);
	}
}

/* Write the options, then the tables of all buffers. */
static void put_options(struct cutter *c)
{
	g_autofree char *mark = trc_cut_mark_text(&c->cut->mark),
			*version = g_strdup_printf("%s" TRC_CUT_NAME " %s", c->h->exact ? "wakepath " : "",
				mark);
	uint64_t at;

	trc_out_number(&c->out, c->cpus, 4);
	trc_out_put(&c->out, "options  ", 10);
	put_kept_options(c);
	if (*c->h->clock.name)
		dat_option(c, TRC_OPTION_CLOCK, c->h->clock.name, strlen(c->h->clock.name) + 1);
	dat_option(c, TRC_OPTION_VERSION, version, strlen(version) + 1);
	at = c->out.size + 2 + table_size(c);
	for (guint i = 1; i < c->buffers->len; i++)
		at += 6 + 8 + strlen(g_ptr_array_index(c->buffers, i)) + 1;
	for (guint i = 1; i < c->buffers->len; i++, at += table_size(c)) {
		const char *name = g_ptr_array_index(c->buffers, i);

		trc_out_number(&c->out, TRC_OPTION_BUFFER, 2);
		trc_out_number(&c->out, 8 + strlen(name) + 1, 4);
		trc_out_number(&c->out, at, 8);
		trc_out_put(&c->out, name, strlen(name) + 1);
	}
	trc_out_number(&c->out, TRC_OPTION_DONE, 2);
	for (guint i = 0; i < c->buffers->len; i++)
		put_table(c, i);
}

/* ---- pages ---- */

/* Set the flag of lost events in the page at PAGE. */
static void flag_hole(struct cutter *c, uint8_t *page)
{
	unsigned width = c->h->long_size;
	bool big = c->h->bytes.big;

	trc_bytes_set_number(page + 8, trc_bytes_number(page + 8, width, big) | MISSED, width, big);
}

/* Replace the names in the page of SIZE bytes at PAGE. */
static void hide_names(struct cutter *c, const uint8_t *page, uint32_t size)
{
	unsigned width = c->h->long_size;
	uint64_t commit = trc_bytes_number(page + 8, width, c->h->bytes.big) & ((UINT64_C(1) << 27) - 1);
	struct trc_ftrace_page p = { .records = { .data = page,
					     .at = 8 + width,
					     .size = MIN(8 + width + commit, size),
					     .big = c->h->bytes.big } };
	struct trc_ftrace_record r;

	while (trc_ftrace_page_next(&p, &r)) {
		struct trc_bytes b = r.data;
		const struct trc_format_event *e = g_hash_table_lookup(c->h->formats.events,
			GUINT_TO_POINTER((unsigned)trc_bytes_take_number(&b, 2)));
		struct trc_cut_hiding hiding = { c->cut->names, e ? e->name : NULL };

		if (e)
			trc_format_class_texts(e, &r.data, trc_cut_hide_field, &hiding);
	}
}

/* Finish the page in the last SIZE bytes of C->out. */
static bool end_page(struct cutter *c, uint32_t size, GError **error)
{
	uint8_t *page = c->out.bytes->data + c->out.bytes->len - size;

	if (c->cut->names)
		hide_names(c, page, size);
	if (c->hole)
		flag_hole(c, page);
	c->any = true;
	c->hole = false;
	return trc_out_step(&c->out, error);
}

/* Write a page with the records in [FROM, TO) of the page at PAGE. TIME (cycles): of the record before. */
static bool put_run(struct cutter *c, const uint8_t *page, uint32_t size, uint64_t from, uint64_t to,
	uint64_t time, GError **error)
{
	uint64_t end = c->out.size + size, n = to - from;

	trc_out_number(&c->out, time, 8);
	trc_out_number(&c->out, n, c->h->long_size);
	trc_out_put(&c->out, page + from, n);
	put_zeros(c, end - c->out.size);
	return end_page(c, size, error);
}

/* ---- pages with thinned events ---- */

/* Write the page that is being filled, if any. */
static bool end_filling(struct cutter *c, GError **error)
{
	struct filling *p = &c->page;
	uint64_t n = p->records->len;
	bool fine;

	if (n == 0)
		return true;
	fine = put_run(c, p->records->data, c->page_size, 0, n, p->begin, error);
	g_byte_array_set_size(p->records, 0);
	return fine;
}

/* Append the head of a record to the page: TYPE (or length in words), DELTA since the record before, then
 * MORE in four bytes unless it is 0. */
static void put_head(struct cutter *c, unsigned type, uint64_t delta, uint64_t more)
{
	uint64_t head = c->h->bytes.big ? (uint64_t)type << DELTA_BITS | delta : delta << 5 | type;
	uint8_t bytes[8];

	trc_bytes_set_number(bytes, head, 4, c->h->bytes.big);
	trc_bytes_set_number(bytes + 4, more, 4, c->h->bytes.big);
	g_byte_array_append(c->page.records, bytes, more != 0 ? 8 : 4);
}

/* Append R to the page that is being filled, or to a new one. */
static bool fill_record(struct cutter *c, const struct trc_ftrace_record *r, GError **error)
{
	struct filling *p = &c->page;
	uint64_t words = r->data.size / 4, size = r->data.size, delta = r->time - p->last;
	bool is_long = words == 0 || words > TYPE_LENGTH_MOST;

	if (p->records->len + 8 + 8 + size > p->room || r->time < p->last || delta >> (DELTA_BITS + 32) != 0)
		if (!end_filling(c, error))
			return false;
	if (p->records->len == 0) {
		p->begin = r->time;
		delta = 0;
	}
	if (delta >> DELTA_BITS != 0) {
		put_head(c, TYPE_TIME_EXTEND, delta & ((UINT64_C(1) << DELTA_BITS) - 1), delta >> DELTA_BITS);
		delta = 0;
	}
	put_head(c, is_long ? 0 : (unsigned)words, delta, is_long ? size + 4 : 0);
	g_byte_array_append(p->records, r->data.data, (guint)size);
	p->last = r->time;
	return true;
}

/* True if the record R, at TIME (ns), is thinned out. Events that are part of a thinned one go with it. */
static bool is_thinned(struct cutter *c, const struct trc_ftrace_record *r, int64_t time)
{
	struct trc_bytes b = r->data;
	gpointer id = GUINT_TO_POINTER((unsigned)trc_bytes_take_number(&b, 2));
	const struct trc_format_event *e = g_hash_table_lookup(c->h->formats.events, id);

	if (!(c->thinned && e && mdl_table_is_part(e->name)))
		c->thinned = e && trc_cut_has(c->thin, c->n_thin, time) && trc_cut_may_thin(c->cut, e->name);
	return c->thinned;
}

static int64_t dat_time(const struct cutter *c, uint32_t cpu, uint64_t count)
{
	return trc_ftrace_clock_time(&c->h->clock, cpu, count);
}

/* A run of kept records of a page. */
struct run {
	uint64_t from, to; /* bytes of the page */
	uint64_t time;     /* cycles: of the record before */
};

/* Find runs of PAGE in RANGES; FIRST: its first record only. *ALL: all of it. True if one has the last
 * record. */
static bool find_runs(const struct cutter *c, struct trc_ftrace_page *page, uint32_t cpu,
	const struct trc_cut_range *ranges, guint n, bool first, GArray *runs, bool *all)
{
	bool open = false;

	*all = true;
	g_array_set_size(runs, 0);
	for (;;) {
		struct run run = { .from = page->records.at, .time = page->time };
		struct trc_ftrace_record record;

		if (!trc_ftrace_page_next(page, &record))
			return open;
		if (!(first ? runs->len == 0 && !open
			    : trc_cut_has(ranges, n, dat_time(c, cpu, record.time)))) {
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

/* Like cut_page(), with events thinned out. */
static bool thin_page(struct cutter *c, const struct trc_ftrace_stream *of, struct trc_ftrace_page *page,
	const struct trc_cut_range *ranges, guint n, bool first, GError **error)
{
	struct trc_ftrace_record r;

	if (page->has_lost && !end_filling(c, error))
		return false;
	c->hole |= page->has_lost;
	for (bool any = false; trc_ftrace_page_next(page, &r); any = true) {
		int64_t time = dat_time(c, of->cpu, r.time);

		if (first ? any : !trc_cut_has(ranges, n, time)) {
			if (!end_filling(c, error))
				return false;
			c->hole |= !first;
		} else if (!is_thinned(c, &r, time) && !fill_record(c, &r, error)) {
			return false;
		}
	}
	return true;
}

static bool cut_page(struct cutter *c, const struct trc_ftrace_stream *of, struct trc_ftrace_page *page,
	const struct trc_cut_range *ranges, guint n, bool first, bool *damaged, GError **error)
{
	g_autoptr(GArray) runs = g_array_new(FALSE, FALSE, sizeof(struct run));
	const uint8_t *data = page->records.data;
	uint64_t begin = page->records.at;
	struct trc_ftrace_page again = *page;
	bool all, to_end = find_runs(c, page, of->cpu, ranges, n, first, runs, &all);

	*damaged = page->damaged;
	if (c->n_thin > 0 && !page->damaged)
		return thin_page(c, of, &again, ranges, n, first, error);
	if (!end_filling(c, error))
		return false;
	c->hole |= page->has_lost && !page->lost;
	if (page->damaged || (all && runs->len > 0)) {
		trc_out_put(&c->out, data, of->page_size);
		return end_page(c, of->page_size, error);
	}
	c->hole |= page->has_lost;
	for (guint i = 0; i < runs->len; i++) {
		const struct run *run = &g_array_index(runs, struct run, i);

		c->hole |= i > 0 || run->from > begin;
		if (!put_run(c, data, of->page_size, run->from, run->to, run->time, error))
			return false;
	}
	c->hole |= !all && !to_end;
	return true;
}

/* ---- streams ---- */

struct search {
	const struct cutter *c;
	const struct trc_ftrace_stream *of;
	struct trc_ftrace_pages *pages;
	int64_t time;
};

/* For base_search(): true if page I begins at or before the time. */
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
	uint64_t count = trc_ftrace_pages_count(pages), next = 0; /* NEXT: the first page not read yet */
	struct trc_ftrace_page page;
	bool damaged = false, cut = false;

	c->hole = false;
	for (guint i = 0; i < n && !damaged; i++) {
		struct search s = { c, of, pages, ranges[i].from };
		uint64_t at = base_search(next, count, begins_before, &s);

		at = at > next ? at - 1 : at;
		if (at > next && !end_filling(c, error))
			return false;
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
			/* This page finishes all ranges that end in it. */
			while (i + 1 < n && ranges[i + 1].to <= dat_time(c, of->cpu, page.time))
				i++;
		}
	}
	/* The page after the window records the events lost at its end. */
	trc_ftrace_pages_seek(pages, next * of->page_size);
	if (n > 0 && !damaged && trc_ftrace_pages_next(pages, &page, &cut) && page.has_lost &&
		!cut_page(c, of, &page, ranges, n, true, &damaged, error))
		return false;
	return end_filling(c, error);
}

/* Fill in the place of CPU's pages, which begin at OFFSET, in the table of buffer I. */
static bool fill_place(struct cutter *c, guint i, uint32_t cpu, uint64_t offset, GError **error)
{
	uint64_t place[2] = { offset, c->out.size - offset };

	return trc_out_replace(&c->out, g_array_index(c->tables, uint64_t, i) + (uint64_t)cpu * sizeof place,
		place, 2, error);
}

/* Return the name of S's buffer: "", or that of an instance. */
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

	put_zeros(c, (c->page_size - c->out.size % c->page_size) % c->page_size);
	offset = c->out.size;
	ranges = trc_cut_of_cpu(c->cut, s->cpu, &n);
	c->thin = trc_cut_thin_of_cpu(c->cut, s->cpu, &c->n_thin);
	c->thinned = false;
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
	c->page.room = c->page_size - 8 - c->h->long_size;
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
	/* Opening the file read its parts once. The copy may read them once more. */
	trc_places_free(&c->h->places);
	c->h->places = trc_places_new(c->h->bytes.size);
	put_begin(c);
	put_options(c);
	for (guint i = 0; i < streams->len; i++)
		if (!cut_stream(c, &g_array_index(streams, struct trc_ftrace_stream, i), error))
			return false;
	if (!c->any)
		return trc_cut_nothing(c->cut, error);
	return trc_out_publish(&c->out, error);
}

bool trc_ftrace_cut(char *const *folders, struct trc_cut *cut, GError **error)
{
	struct trc_ftrace_head *h = trc_ftrace_head_open(folders[0], error);
	struct cutter c = { .cut = cut, .h = h };
	bool fine;

	if (!h)
		return false;
	c.buffers = g_ptr_array_new_with_free_func(g_free);
	c.tables = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	c.page.records = g_byte_array_new();
	trc_cut_mark_narrow(&cut->mark, &h->mark);
	fine = trc_out_open(&c.out, cut->path, h->bytes.big, error) && cut_all(&c, error);
	trc_out_close(&c.out);
	g_ptr_array_unref(c.buffers);
	g_array_unref(c.tables);
	g_byte_array_unref(c.page.records);
	trc_ftrace_head_free(h);
	return fine;
}
